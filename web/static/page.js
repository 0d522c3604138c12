// The frame of the page: tabs, questions to the server, notices, dark and light.
//
// A tab is a module that exports mount(root, page) and returns {show(fragment), hide()}. It is
// loaded when it is first opened; what stands after its name in the address is its own
// (page.setFragment). Add a line to TABS for a new one.

import { Game, shared } from "./game.js";

const TABS = [
  ["play", "Play"],
  ["review", "Review"],
  ["watch", "Watch"],
  ["explain", "Explain"],
];

const AWAY = "The server does not answer; trying again.", BUSY = "The server is busy; waiting.";
const mounted = {};
let current = "";
const main = document.querySelector("main"), nav = document.querySelector("nav");
const notice = document.querySelector("#notice");

export const page = {
  /**
   * Ask the server; see QUICK and THINKING in server.py. Throws an Error whose message can be
   * shown; while the server is away it is asked again, for as long as signal says.
   */
  async ask(name, question, signal) {
    for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
      let response = null;
      try {
        response = await fetch(`/api/${name}`, {
          method: "POST", signal, headers: { "Content-Type": "application/json" },
          body: JSON.stringify(question),
        });
      } catch (error) {
        if (signal?.aborted) throw error;
      }
      if (!response || response.status === 503) {
        page.say(response ? BUSY : AWAY);
        await new Promise((done) => setTimeout(done, wait));
        continue;
      }
      if ([AWAY, BUSY].includes(notice.textContent)) page.say("");
      const answer = await response.json().catch(() => ({ error: response.statusText }));
      if (!response.ok) throw new Error(answer.error);
      return answer;
    }
  },

  /** Show a line above everything, or none. */
  say(words) {
    notice.textContent = words;
    notice.hidden = !words;
  },

  /** Keep something of the open tab in the address, without a step back for each change. */
  setFragment(text) {
    history.replaceState(null, "", `#${current}${text ? `/${text}` : ""}`);
  },

  /** The game that the server was started with. */
  firstGame: JSON.parse(document.documentElement.dataset.game),

  /** Whether diamonds lie on their side. */
  get isFlat() {
    return localStorage.getItem("hex-flat") === "yes";
  },

  /** Turn the boards. */
  turn() {
    localStorage.setItem("hex-flat", page.isFlat ? "no" : "yes");
  },

  /** Open a tab. */
  open(name, fragment = "") {
    location.hash = `#${name}${fragment ? `/${fragment}` : ""}`;
  },
};

/** Make an element: element("button", {class: "quiet", onclick: f, text: "Go"}, ...children). */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "text") made.textContent = value;
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Mark an element as the one that is shown, or not. */
export function setCurrent(element, is) {
  if (is) element.setAttribute("aria-current", "true");
  else element.removeAttribute("aria-current");
}

/** Return a part of the address as it was before it was encoded; empty if it is broken. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

async function show() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const tab = TABS.some(([each]) => each === name) ? name : TABS[0][0];
  if (current && current !== tab) {
    mounted[current].root.hidden = true;
    mounted[current].hide?.();
  }
  current = tab;
  for (const link of nav.children) {
    setCurrent(link, link.hash === `#${tab}`);
  }
  if (!mounted[tab]) {
    const root = element("section", { id: tab });
    main.append(root);
    mounted[tab] = { root };
    const { mount } = await import(`./${tab}.js`);
    Object.assign(mounted[tab], mount(root, page));
  }
  mounted[tab].root.hidden = current !== tab;
  if (current === tab) mounted[tab].show?.(tab === name ? rest.join("/") : "");
}

document.querySelector("#theme").addEventListener("click", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const root = document.documentElement;
  root.dataset.theme = (root.dataset.theme || (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
  localStorage.setItem("hex-theme", root.dataset.theme);
});
nav.append(...TABS.map(([name, title]) => element("a", { href: `#${name}`, text: title })));
addEventListener("hashchange", show);
shared.game = new Game(page.firstGame);
show();
