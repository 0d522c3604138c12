// The moves of a game, each variation below the move that it replaces; keys to step through them.

/** @import { Game } from "./game.js" */
/** @import { StepName } from "../types.js" */
import { isIn } from "../page/controls.js";
import { button, element, panel } from "../page/elements.js";
import { gradeOf } from "./verdicts.js";

/** @type {Record<string, StepName>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" };

/** The list of moves; onGo(node) is called for a click. */
export class MoveList {
  #list = element("div", { class: "moves", role: "group", "aria-label": "Moves" });
  element = panel("Moves", this.#list);
  #made = ""; // of what; thousands of moves are not made anew at each step

  constructor(/** @type {(node: number) => void} */ onGo) {
    this.onGo = onGo;
  }

  draw(/** @type {Game} */ game) {
    const rows = rowsOf(game), facts = game.nodes.map(({ name, review, comment }) => [name, review?.grade, comment]);
    const made = JSON.stringify([rows, facts, game.start]);
    if (made !== this.#made) this.#make(game, rows);
    this.#made = made;
    for (const chip of this.#list.querySelectorAll("button"))
      chip.ariaCurrent = chip.value === String(game.at) ? "step" : null;
    // Not scrollIntoView, which would scroll the page as well.
    const here = /** @type {HTMLElement | null} */ (this.#list.querySelector("[aria-current]"));
    if (here) this.#list.scrollTop = here.offsetTop - this.#list.offsetTop - this.#list.clientHeight / 2;
  }

  /** @param {Game} game @param {ReturnType<typeof rowsOf>} rows */
  #make(game, rows) {
    this.#list.replaceChildren(...rows.map(({ depth, ply, nodes }) => {
      const chips = nodes.map((node, index) =>
        element(
          "li",
          { class: `player${(ply + index) % 2 ? game.start : 3 - game.start}` },
          this.#chip(game, node, ply + index),
        ),
      );
      const list = element(
        "ol",
        depth ? { class: "variation", "aria-label": `Variation of move ${ply}` } : {},
        ...chips,
      );
      list.style.marginLeft = `${Math.min(depth, 4)}rem`; // a phone has no room for more
      return list;
    }));
  }

  /** @param {Game} game @param {number} node @param {number} number */
  #chip(game, node, number) {
    const { review, comment = "" } = game.nodes[node];
    const grade = review ? gradeOf(review) : "", kind = `move ${grade}${comment && " noted"}`;
    const chip = button(game.nameOf(node), () => this.onGo(node), {
      class: kind,
      title: comment || grade,
      value: node,
    });
    chip.prepend(element("span", { class: "number", text: `${number}. ` }));
    return chip;
  }
}

/** Return the tree in rows: one ends where there are variations, which follow before it goes on. @param {Game} game */
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
    const after = ply + moves.length;
    if (others.length) left.push({ node: next, depth, ply: after, moves: [] }, ...others.toReversed().map((node) => ({
      node, depth: depth + 1, ply: after - 1, moves: [node] })));
  }
  return rows;
}

/** Return the step of a key, unless the element in focus uses it. @param {KeyboardEvent} event */
export const stepOfKey = (event) => (isIn(event, "input, .board") ? undefined : KEYS[event.key]);
