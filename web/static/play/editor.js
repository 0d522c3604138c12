// The editor of positions: stones are placed and erased on the board.

/** @import { View } from "../types.js" */
import { button, element, options } from "../page/elements.js";

/** The keys of the pieces: player 1, player 2, none. */
const KEYS = ["1", "2", "x"];

/**
 * The tools of the editor. onChange() is called after a change, onEnd(view) at the end, without a view if cancelled.
 */
export class Editor {
  view = /** @type {View | undefined} */ (undefined); // the position that is edited
  #pieces = KEYS.map((value) =>
    element("input", { type: "radio", name: "piece", value, checked: value === "1", key: value }));
  #names = KEYS.map(() => element("span"));
  #mover = element("select", {
    id: "edit-mover",
    "aria-label": "Who moves next",
    onchange: () => this.#change(() => {}),
  });
  element = element(
    "div",
    { class: "tools", role: "group", "aria-label": "Set up a position" },
    element(
      "div",
      { class: "choice", role: "radiogroup", "aria-label": "Piece" },
      ...this.#pieces.map((piece, n) =>
        element("label", { title: `Key ${KEYS[n].toUpperCase()}` }, piece, this.#names[n]),
      ),
    ),
    button("Clear", () => this.#change((cells) => cells.fill(0)), { id: "edit-clear" }),
    this.#mover,
    button("Cancel", () => this.onEnd(), { id: "edit-cancel", title: "Back to the game (Escape)", key: "Escape" }),
    button("Play on", () => this.onEnd(this.view), {
      id: "edit-done",
      class: "primary",
      title: "Play from this position",
    }),
  );

  constructor(/** @type {() => void} */ onChange, /** @type {(view?: View) => void} */ onEnd) {
    this.onChange = onChange;
    this.onEnd = onEnd;
  }

  /** Begin with a position; return the one that changes. @param {View} view @returns {View} */
  open(view) {
    const { players, roles } = view;
    this.#names.forEach((name, n) => name.replaceChildren(
      ...(players[n] ? [element("i", { class: `swatch role${roles[n]}` }), ` ${players[n]}`] : ["erase"])));
    this.#mover.replaceChildren(...options(players.map((name, n) => [n + 1, `${name} moves next`])));
    this.#mover.value = String(view.to_play);
    return this.view = { ...view, cells: [...view.cells], winner: 0, path: [], last: null, moves: [], history: [] };
  }

  /** Put the chosen piece on a cell; the same piece again is erased. @param {number} cell */
  place(cell) {
    const piece = (1 + this.#pieces.findIndex((each) => each.checked)) % 3;
    this.#change((cells) => { cells[cell] = cells[cell] === piece ? 0 : piece; });
  }

  #change(/** @type {(cells: number[]) => void} */ work) {
    if (!this.view) return;
    work(this.view.cells);
    this.view.to_play = Number(this.#mover.value);
    this.onChange();
  }
}
