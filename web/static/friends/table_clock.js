// The clocks of a game between two people. The server keeps them; between its answers this page counts on.

/** @import { Table } from "../types.js" */
import { ClockFaces } from "../play/clock.js";
import { page } from "../page/page.js";
import { warn } from "../board/sound.js";

const TICK = 100, WARNING = 10_000; // milliseconds

export class TableClock {
  #faces = new ClockFaces();
  element = this.#faces.element;
  #table = /** @type {Table | undefined} */ (undefined);
  #taken = 0;
  #timer = 0;
  #isWarned = false;

  /** Show the clocks of a table that the server has just sent; none without a table. @param {Table} [table] */
  take(table) {
    clearInterval(this.#timer);
    this.#table = table;
    this.#taken = performance.now();
    this.#timer = table?.left && table.runs ? setInterval(() => this.#draw(), TICK) : 0;
    this.#draw();
  }

  #draw() {
    const { left, runs = 0, you, view } = this.#table ?? {};
    this.element.hidden = !left;
    if (!left || !view) return;
    const passed = performance.now() - this.#taken;
    const times = left.map((each, n) => Math.max(0, 1000 * each - (n + 1 === runs ? passed : 0)));
    this.#faces.draw(times, runs, view);
    const isShort = Boolean(runs) && runs === you && times[runs - 1] < WARNING;
    if (isShort && !this.#isWarned && page.isOn("warn", true)) warn();
    this.#isWarned = isShort;
  }
}
