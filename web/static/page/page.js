// The frame of the page: tabs, requests to the server, notices, dark and light.
//
// A tab is the default export of NAME/NAME.js, a class with show(fragment) and hide(). It is loaded
// when it is first opened. The part of the address after its name belongs to it (page.setFragment).
// For a new tab, add a line to TABS.

/** @import { About, Responses, View } from "../types.js" */
import { isLarge, isTouched, usesSwap } from "./controls.js";
import { element, labelled } from "./elements.js";
import { Game, shared } from "../board/game.js";
import { follow } from "./waiting.js";

/** @typedef {"sound" | "twice" | "retry" | "warn" | "notify"} Setting */

const TABS = [
  ["play", "Play"],
  ["friends", "Friends"],
  ["puzzles", "Puzzles"],
  ["ladder", document.documentElement.dataset.ladder ? "Ladder" : ""],
  ["review", "Review"],
  ["watch", "Watch"],
  ["explain", "Explain"],
  ["room", ""],
]; // without a title: opened by its link
const AWAY = "The server does not answer; trying again.", BUSY = "The server is busy; waiting.";

/** @type {Record<string, {root: HTMLElement, tab?: {show(fragment: string): void, hide(): void}}>} */
const mounted = {};
let current = "", seen = "", turn = "Hex", waiting = 0;
/** Return the one element of a kind. @param {string} selector @returns {any} */
const the = (selector) => document.querySelector(selector);
const main = the("main"), nav = the("nav"), notice = the("#notice");

export const page = {
  /**
   * Send a request; see QUICK and THINKING in web/server/app.py. Repeat it while the server is away.
   * Throws an Error with a message for the user, or an AbortError.
   * @template {keyof Responses} K
   * @param {K} name @param {object} question @param {AbortSignal} [signal] @returns {Promise<Responses[K]>}
   */
  ask(name, question, signal) {
    const answer = askAgain(name, question, signal);
    follow(name, answer);
    return answer;
  },

  /** Show a line above everything, or none. @param {unknown} words A text or an error. */
  say(words) {
    notice.textContent = words instanceof Error ? words.message : words;
    notice.hidden = !words;
  },

  /** Return a copy of the element in a template of page.html, if there is one. @param {string} id @returns {any} */
  part(id) {
    const template = /** @type {HTMLTemplateElement | null} */ (document.getElementById(id));
    return template?.content.firstElementChild?.cloneNode(true);
  },

  /** Write the state of the open tab into the address, without a step back for it. @param {string} text */
  setFragment(text) {
    if (location.hash !== seen) return; // another address has come, which `show` is about to open
    history.replaceState(null, "", `#${current}${text ? `/${text}` : ""}`);
    seen = location.hash;
  },

  /** The game that the server was started with. */
  firstGame: firstGame(),

  /** Tell whether a setting of this browser is on. @param {Setting} name */
  isOn(name, otherwise = false) {
    return (localStorage.getItem(`hex-${name}`) ?? (otherwise ? "yes" : "no")) === "yes";
  },

  /** Change a setting of this browser. @param {Setting} name @param {boolean} is */
  set(name, is) {
    localStorage.setItem(`hex-${name}`, is ? "yes" : "no");
  },

  /** Tell in the title and the icon of the window whose move it is. @param {string} words @param {number} role */
  tellTurn(words, role) {
    turn = words ? `${words} – Hex` : "Hex";
    this.tellWaiting(waiting);
    const colour = ["#fbf8f1", "#c9342c", "#23262b", "#ffffff"][role], back = role > 1 ? "#d9a441" : "#fbf8f1";
    const hexagon = `<path d="M0-.95L.82-.475V.475L0 .95L-.82 .475V-.475z" fill="${back}"/>`;
    const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 2 2">'
      + `${hexagon}<circle r=".6" fill="${colour}"/></svg>`;
    the("link[rel=icon]").href = role ? `data:image/svg+xml,${encodeURIComponent(icon)}` : "/static/icon.svg";
  },

  /** Tell in the title, and beside the tab, how many games wait for you. @param {number} number */
  tellWaiting(number) {
    waiting = number;
    document.title = number ? `(${number}) ${turn}` : turn;
    the("nav [href='#friends']").textContent = number ? `Friends\u00a0(${number})` : "Friends";
  },

  /** Open a tab. @param {string} name @param {string} [fragment] */
  open(name, fragment = "") {
    location.hash = `#${name}${fragment ? `/${fragment}` : ""}`;
  },
};

/** Return the game of the command line; where that leaves the swap open, the size decides. @returns {About} */
function firstGame() {
  const { name, params } = JSON.parse(document.documentElement.dataset.game ?? "");
  if (params.swap === null) params.swap = usesSwap(params.size);
  return { name, params };
}

/** Send a request, see page.ask. @param {string} name @param {object} question @param {AbortSignal} [signal] */
async function askAgain(name, question, signal) {
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    const response = await fetch(`/api/${name}`, {
      method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
    }).catch(() => null);
    signal?.throwIfAborted();
    if (response && response.status !== 503) {
      if ([AWAY, BUSY].includes(notice.textContent)) page.say("");
      const answer = await response.json().catch(() => ({ error: response.statusText }));
      signal?.throwIfAborted();
      if (!response.ok) throw new Error(answer.error);
      return answer;
    }
    page.say(response ? BUSY : AWAY);
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Tell whether a move on a board takes two clicks. @param {View} view */
export const asksTwice = (view) => isLarge(view) && page.isOn("twice", isTouched);

/**
 * Make a checkbox for a setting.
 * @param {Setting} name
 * @param {string} text
 * @param {boolean} otherwise
 */
export const setting = (name, text, otherwise, onChange = () => {}) => labelled(text, element("input", {
  type: "checkbox", id: `set-${name}`, checked: page.isOn(name, otherwise),
  onchange: (/** @type {any} */ event) => {
    page.set(name, event.target.checked);
    onChange();
  },
}));

/** Keeps the latest work alone: new work aborts the work before. */
export class Latest {
  #controller = new AbortController();

  /**
   * Do work, and show its error. Return whether it is still the latest.
   * @param {(signal: AbortSignal) => Promise<unknown>} work @param {(error: unknown) => void} [say]
   */
  async run(work, say = page.say) {
    this.stop();
    const { signal } = (this.#controller = new AbortController());
    await work(signal).catch((error) => signal.aborted || say(error));
    return !signal.aborted;
  }

  stop() {
    this.#controller.abort();
  }
}

/** Return the tab in the address, else the first one, and its part of the address. */
function addressed() {
  const [name, ...rest] = location.hash.slice(1).split("/"), isTab = TABS.some(([each]) => each === name);
  return isTab ? { tab: name, fragment: rest.join("/") } : { tab: TABS[0][0], fragment: "" };
}

async function show() {
  const { tab } = addressed();
  if (current && current !== tab) {
    mounted[current].root.hidden = true;
    mounted[current].tab?.hide();
    page.tellTurn("", 0);
  }
  [current, seen] = [tab, location.hash];
  for (const link of nav.children) link.ariaCurrent = link.hash === `#${tab}` ? "page" : null;
  if (!mounted[tab]) {
    const root = element("section", { id: tab });
    main.append(root);
    mounted[tab] = { root };
    const loading = import(`../${tab}/${tab}.js`);
    await follow("a tab", loading);
    const { default: Tab } = await loading;
    mounted[tab].tab = new Tab(root);
  }
  mounted[tab].root.hidden = current !== tab;
  if (current === tab) mounted[tab].tab?.show(addressed().fragment); // another one may have come meanwhile
}

the("#theme").addEventListener("click", () => {
  const root = document.documentElement, theme = getComputedStyle(root).colorScheme === "dark" ? "light" : "dark";
  root.dataset.theme = theme;
  localStorage.setItem("hex-theme", theme);
});
// What the user does next settles a notice, unless it is about the server.
for (const kind of ["pointerdown", "keydown"]) {
  addEventListener(kind, () => [AWAY, BUSY].includes(notice.textContent) || page.say(""), { capture: true });
}
nav.append(
  ...TABS.filter(([, title]) => title).map(([name, title]) => element("a", { href: `#${name}`, text: title })),
);
addEventListener("hashchange", show);
shared.game = new Game(page.firstGame);
show();
if (localStorage.getItem("hex-seats")) import("../friends/own_tables.js"); // games that may wait for you
