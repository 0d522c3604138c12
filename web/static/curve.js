// The curve of a game's value: above the middle player 1 is winning, below it player 2.

import { svgNode } from "./svg.js";

const WIDE = 320, HIGH = 120, LEFT = 44, MARGIN = 7;

/** The curve; onPly(ply) is called for a click. */
export class ValueCurve {
  element = svgNode("svg", { class: "curve", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": "The value" });
  #count = 1;

  constructor(/** @type {(ply: number) => void} */ onPly) {
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * WIDE - LEFT) / (WIDE - LEFT - MARGIN);
      onPly(Math.min(this.#count, Math.max(0, Math.round(share * this.#count))));
    });
  }

  /**
   * Draw values for player 1, ascending by ply; plies is the length of the game, at the current ply.
   * @param {{ply: number, value: number, exact: boolean, mistake?: boolean}[]} points
   * @param {number} plies @param {number} at @param {string[]} players
   */
  draw(points, plies, at, players) {
    const count = this.#count = Math.max(1, plies), middle = HIGH / 2;
    const x = (/** @type {number} */ ply) => LEFT + (ply / count) * (WIDE - LEFT - MARGIN);
    const y = (/** @type {number} */ value) => middle - value * (middle - MARGIN);
    const path = points.map(({ ply, value }, index) =>
      `${points[index - 1]?.ply === ply - 1 ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    this.element.replaceChildren(
      svgNode("rect", { class: "half first", x: 0, y: 0, width: WIDE, height: middle }),
      svgNode("rect", { class: "half second", x: 0, y: middle, width: WIDE, height: middle }),
      svgNode("line", { class: "zero", x1: 0, x2: WIDE, y1: middle, y2: middle }),
      svgNode("line", { class: "now", x1: x(at), x2: x(at), y1: 0, y2: HIGH }),
      svgNode("path", { class: "values", d: path }),
      ...points.map(({ ply, value, exact, mistake }) => svgNode("circle", {
        class: `${mistake ? "mistake" : ""} ${exact ? "exact" : ""}`, cx: x(ply), cy: y(value),
        r: mistake ? 4.5 : exact ? 2.6 : 2,
      })),
      svgNode("text", { x: 6, y: 17 }, players[0]), svgNode("text", { x: 6, y: HIGH - 10 }, players[1]));
    const mistakes = points.filter((each) => each.mistake).length;
    this.element.setAttribute("aria-label", points.length
      ? `Value after each move; ${mistakes} mistakes` : "No values yet");
  }
}
