// The moves of a game, each variation below the move that it replaces; buttons and keys to step through them.

/** @import { Game } from "./game.js" */
/** @import { StepName } from "./types.js" */
import { button, element, panel, setCurrent } from "./elements.js";

const STEPS = /** @type {[StepName, string, string][]} */ ([
  ["first", "«", "To the start (Home)"], ["back", "‹", "Back (←)"], ["forward", "›", "Forward (→)"],
  ["last", "»", "To the end (End)"],
]);
/** @type {Record<string, StepName>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" };
const DEEPEST = 4; // indents

/** The list of moves; onGo(node) is called for a click. */
export class MoveList {
  #list = element("div", { class: "moves", role: "group", "aria-label": "Moves" });
  #empty = element("p", { class: "soft", text: "No moves yet." });
  element = panel("Moves", this.#empty, this.#list);

  constructor(/** @type {(node: number) => void} */ onGo) {
    this.onGo = onGo;
  }

  draw(/** @type {Game} */ game) {
    const rows = rowsOf(game), hadFocus = this.#list.contains(document.activeElement);
    this.#empty.hidden = rows.length > 0;
    this.#list.replaceChildren(...rows.map(({ depth, ply, nodes }) => {
      const chips = nodes.map((node, index) => element("li", { class: `player${(ply + index) % 2 ? game.start : 3 - game.start}` },
        this.#chip(game, node, ply + index)));
      const kind = depth ? { class: "variation", "aria-label": `Variation of move ${ply}` } : {};
      const list = element("ol", kind, ...chips);
      list.style.marginLeft = `${Math.min(depth, DEEPEST)}rem`;
      return list;
    }));
    // Not scrollIntoView, which would scroll the page as well.
    const here = /** @type {HTMLElement | null} */ (this.#list.querySelector("[aria-current]"));
    if (here) this.#list.scrollTop = here.offsetTop - this.#list.offsetTop - this.#list.clientHeight / 2;
    if (hadFocus) here?.focus({ preventScroll: true });
  }

  /** @param {Game} game @param {number} node @param {number} number */
  #chip(game, node, number) {
    const { review, comment = "" } = game.nodes[node];
    const kind = `move${review?.grade ? " bad" : ""}${comment && " noted"}`;
    const chip = button(game.nameOf(node), () => this.onGo(node), { class: kind, title: comment });
    chip.prepend(element("span", { class: "number", text: `${number}. ` }));
    setCurrent(chip, node === game.at);
    return chip;
  }
}

/**
 * Return the tree in rows, in the order in which they are read: a row ends at a move that has
 * variations, they follow, each deeper by one, and then the line goes on. `ply` is that of its first move.
 * @param {Game} game
 */
function rowsOf({ nodes }) {
  const rows = [], left = [{ node: 0, depth: 0, ply: 1, moves: /** @type {number[]} */ ([]) }];
  for (let part = left.pop(); part; part = left.pop()) {
    const { depth, ply, moves } = part;
    let { children: [next, ...others] } = nodes[part.node];
    while (next !== undefined) {
      moves.push(next);
      if (others.length) break;
      [next, ...others] = nodes[next].children;
    }
    if (moves.length) rows.push({ depth, ply, nodes: moves });
    if (!others.length) continue;
    const last = ply + moves.length - 1;
    left.push({ node: next, depth, ply: last + 1, moves: [] });
    left.push(...others.toReversed().map((node) => ({ node, depth: depth + 1, ply: last, moves: [node] })));
  }
  return rows;
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
