// The moves of a game with its variations, and the buttons and keys that step through them.

/** @import { Game } from "./game.js" */
/** @import { StepName } from "./types.js" */
import { button, element, panel, setCurrent } from "./elements.js";
import { gradeOf } from "./verdicts.js";

const STEPS = /** @type {[StepName, string, string][]} */ ([
  ["first", "«", "To the start (Home)"], ["back", "‹", "Back (←)"], ["forward", "›", "Forward (→)"],
  ["last", "»", "To the end (End)"],
]);
/** @type {Record<string, StepName>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };

/** The list of moves; onGo(node) is called for a click. */
export class MoveList {
  #list = element("ol", { class: "moves", "aria-label": "Moves" });
  #empty = element("p", { class: "soft", text: "No moves yet." });
  element = panel("Moves", this.#empty, this.#list);

  constructor(/** @type {(node: number) => void} */ onGo) {
    this.onGo = onGo;
  }

  draw(/** @type {Game} */ game) {
    const line = game.wholeLine();
    this.#empty.hidden = line.length > 0;
    this.#list.replaceChildren(...line.map((node, index) => {
      const player = index % 2 ? 3 - game.start : game.start;
      const others = game.nodes[game.nodes[node].parent].children.filter((each) => each !== node);
      return element("li", { class: `player${player}` }, this.#chip(game, node, index + 1, ""),
        ...others.map((each) => this.#chip(game, each, index + 1, "variation")));
    }));
    // Not scrollIntoView, which would scroll the page as well.
    const here = /** @type {HTMLElement | null} */ (this.#list.querySelector("[aria-current]"));
    if (here) this.#list.scrollTop = here.offsetTop - this.#list.offsetTop - this.#list.clientHeight / 2;
  }

  /** @param {Game} game @param {number} node @param {number} number @param {string} kind */
  #chip(game, node, number, kind) {
    const { review } = game.nodes[node], grade = review ? gradeOf(review) : "";
    const chip = button(game.nameOf(node), () => this.onGo(node), { class: `move ${kind} ${grade}`, title: grade });
    chip.prepend(element("span", { class: "number", text: `${number}. ` }));
    setCurrent(chip, node === game.at);
    return chip;
  }
}

/** Make buttons that step through a game. @param {(name: StepName) => void} onStep */
export function createSteps(onStep) {
  return element("div", { class: "steps", role: "group", "aria-label": "Step through the game" },
    ...STEPS.map(([name, text, title]) =>
      button(text, () => onStep(name), { title, "aria-label": title, "data-step": name })));
}

/** Tell whether a key belongs to a field of text, or to the browser. @param {KeyboardEvent} event */
export function isTyped(event) {
  const isText = isIn(event, "input:not([type=radio], [type=checkbox], [type=range]), select, textarea");
  return isText || event.ctrlKey || event.metaKey || event.altKey;
}

/** Return the step of a key, unless the element in focus uses it. @param {KeyboardEvent} event */
export const stepOfKey = (event) => (isIn(event, "input, .board") ? undefined : KEYS[event.key]);

/** @param {Event} event @param {string} selector */
const isIn = ({ target }, selector) => target instanceof Element && target.closest(selector) !== null;
