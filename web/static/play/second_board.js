// A second board, to compare lines: it keeps a position while the first one goes on.

/** @import { View } from "../types.js" */
import { Board } from "../board/board.js";
import { isFlat } from "../page/controls.js";
import { button, element, fold, row } from "../page/elements.js";
import { shared } from "../board/game.js";

/** @typedef {{game: typeof shared.game, node: number, view: View}} Shown */

/** The panel of the second board; onGo(node) shows its position on the first. */
export class SecondBoard {
  #place = element("div", { class: "board-place", inert: true });
  #words = element("p", { class: "soft" });
  #keep = button("Keep this position", () => this.#take(this.#first), { id: "keep" });
  #exchange = button("Exchange", () => {
    const wanted = this.#kept;
    this.#take(this.#first);
    if (wanted) this.onGo(wanted.node);
  }, { id: "exchange", title: "Show the kept position on the first board" });
  element = fold("Second board", row(this.#keep, this.#exchange), this.#words, this.#place);
  #board = new Board(this.#place);
  #first = /** @type {Shown | undefined} */ (undefined);
  #kept = /** @type {Shown | undefined} */ (undefined);

  constructor(/** @type {(node: number) => void} */ onGo) {
    this.onGo = onGo;
    this.#draw();
  }

  /** Note what the first board shows. @param {View} view */
  draw(view) {
    const { game } = shared;
    const isLoaded = view.history.length === game.line().length; // else it is the view of another move
    this.#first = isLoaded ? { game, node: game.at, view } : undefined;
    if (this.#kept?.game !== game) this.#kept = undefined;
    this.#draw();
  }

  #draw() {
    const { game, node = 0, view } = this.#kept ?? {};
    const move = game && node ? `${game.line(node).length}. ${game.nameOf(node)}` : "the start";
    this.#place.hidden = this.#exchange.hidden = !view;
    this.#keep.disabled = !this.#first;
    this.#words.textContent = view
      ? `The position after ${move}.`
      : "Keep a position here, then go on with another line.";
    if (view) this.#board.draw(view, {}, { flat: isFlat() });
  }

  #take(/** @type {Shown | undefined} */ shown) {
    this.#kept = shown;
    this.#draw();
  }
}
