// The moves of a game with its variations, and the buttons that step through them.

import { element } from "./page.js";

/** Make the list of moves. onGo(node) is called for a click. Returns {element, draw(game)}. */
export function createMoves(onGo) {
  const list = element("ol", { class: "moves", "aria-label": "Moves" });
  const empty = element("p", { class: "soft", text: "No moves yet." });

  function chip(game, node, number, kind) {
    const { review } = game.nodes[node];
    const isBad = review?.grade ? " bad" : "";
    const button = element("button", {
      class: `move ${kind}${isBad}`, type: "button", onclick: () => onGo(node), text: game.nameOf(node),
    });
    if (node === game.at) button.setAttribute("aria-current", "step");
    button.prepend(element("span", { class: "number", text: `${number}. ` }));
    return button;
  }

  function draw(game) {
    const line = [...game.line(), ...game.ahead()];
    empty.hidden = line.length > 0;
    list.replaceChildren(...line.map((node, index) => {
      const player = index % 2 ? 3 - game.start : game.start;
      const others = game.nodes[game.nodes[node].parent].children.filter((each) => each !== node);
      return element("li", { class: `player${player}` }, chip(game, node, index + 1, ""),
        ...others.map((each) => chip(game, each, index + 1, "variation")));
    }));
    // Not scrollIntoView, which would scroll the page as well.
    const here = list.querySelector("[aria-current]");
    if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  const card = element("section", { class: "panel", "aria-label": "Moves" }, empty, list);
  return { element: card, draw };
}

/** Make buttons that step through a game: to the start, back, forward, to the end. */
export function createSteps(onStep) {
  const steps = [["first", "«", "To the start (Home)"], ["back", "‹", "Back (←)"],
    ["forward", "›", "Forward (→)"], ["last", "»", "To the end (End)"]];
  return element("div", { class: "steps", role: "group", "aria-label": "Step through the game" },
    ...steps.map(([name, text, title]) => element("button", {
      type: "button", text, title, "aria-label": title, "data-step": name, onclick: () => onStep(name),
    })));
}

/** Return the node that a step leads to. */
export function nodeAfter(game, step) {
  const ahead = game.ahead(), back = game.nodes[game.at].parent;
  return { first: 0, back: back ?? 0, forward: ahead[0] ?? game.at, last: ahead.at(-1) ?? game.at }[step];
}

/** Tell whether a key is meant for something that one writes into, or for the browser. */
export function isTyped(event) {
  const isText = event.target.closest("input:not([type=radio], [type=checkbox], [type=range]), select, textarea");
  return isText || event.ctrlKey || event.metaKey || event.altKey;
}

/** Let arrow keys, Home and End step, unless something that uses these keys has the focus. */
export function stepOfKey(event) {
  if (isTyped(event) || event.target.closest("input, .board")) return null;
  return { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key] ?? null;
}
