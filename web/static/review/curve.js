// The curve of a game's value: above the middle player 1 is winning, below it player 2.

import { element } from "../page/elements.js";
import { svgNode } from "../page/svg.js";

const WIDE = 320, HIGH = 120, AXIS = 18, LEFT = 44, MARGIN = 9;
const MOST_NUMBERS = 10, NUMBER_WIDE = 18;
/** @type {Record<string, number>} */
const RADII = { blunder: 5, mistake: 4.2, inaccuracy: 3.4 };

/** The curve, with a transparent slider over it; onPly(ply) is called for a click or a key. */
export class ValueCurve {
  #svg = svgNode("svg", { viewBox: `0 0 ${WIDE} ${HIGH + AXIS}`, "aria-hidden": "true" });
  #slider = element("input", { type: "range", min: 0, "aria-label": "Who was winning, by move" });
  element = element("div", { class: "curve" }, this.#svg, this.#slider);

  constructor(/** @type {(ply: number) => void} */ onPly) {
    this.#slider.addEventListener("change", () => onPly(this.#slider.valueAsNumber));
  }

  /**
   * Draw values for player 1, ascending by ply; plies is the length of the game, at the current ply.
   * A sketched value is the net's own, until a search or the judge has a better one.
   * @param {{ply: number, value: number, exact: boolean, grade?: string, isSketch?: boolean}[]} points
   * @param {number} plies @param {number} at @param {string[]} players
   */
  draw(points, plies, at, players) {
    const count = Math.max(1, plies), middle = HIGH / 2;
    const x = (/** @type {number} */ ply) => LEFT + (ply / count) * (WIDE - LEFT - MARGIN);
    const y = (/** @type {number} */ value) => middle - value * (middle - MARGIN);
    const path = points.map(({ ply, value }, index) =>
      `${points[index - 1]?.ply === ply - 1 ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    this.#svg.replaceChildren(
      svgNode("rect", { class: "half first", x: 0, y: 0, width: WIDE, height: middle }),
      svgNode("rect", { class: "half second", x: 0, y: middle, width: WIDE, height: middle }),
      svgNode("line", { class: "zero", x1: 0, x2: WIDE, y1: middle, y2: middle }),
      svgNode("line", { class: "now", x1: x(at), x2: x(at), y1: 0, y2: HIGH }),
      svgNode("path", { class: "values", d: path }),
      ...points.map(({ ply, value, exact, grade, isSketch }) => svgNode("circle", {
        class: `${grade ? `grade ${grade}` : ""} ${exact ? "exact" : isSketch ? "sketch" : ""}`, cx: x(ply), cy: y(value),
        r: RADII[grade ?? ""] ?? (exact ? 2.6 : 2),
      })),
      svgNode("text", { x: 6, y: 17 }, players[0]), svgNode("text", { x: 6, y: HIGH - 10 }, players[1]),
      ...numbers(count, at, x));
    const here = points.find(({ ply }) => ply === at), leader = here && players[here.value < 0 ? 1 : 0];
    this.#slider.max = String(plies);
    this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", `After ${at} of ${plies} moves: ${
      here ? `${leader} ${Math.round(50 + 50 * Math.abs(here.value))} %` : "no value yet"}`);
  }
}

/** Number the moves below the curve, the current one in a box. @param {(ply: number) => number} x */
function numbers(/** @type {number} */ count, /** @type {number} */ at, x) {
  const step = [1, 2, 5, 10, 20, 50].find((each) => count / each <= MOST_NUMBERS) ?? 100;
  const plies = [...Array(count + 1).keys()].filter(
    (ply) => ply % step === 0 && Math.abs(x(ply) - x(at)) > NUMBER_WIDE,
  );
  const number = (/** @type {number} */ ply, kind = "number") =>
    svgNode("text", { class: kind, x: x(ply), y: HIGH + 13 }, String(ply));
  return [...plies.map((ply) => number(ply)),
    svgNode("rect", {
      class: "here",
      x: x(at) - NUMBER_WIDE / 2,
      y: HIGH + 2,
      width: NUMBER_WIDE,
      height: AXIS - 3,
      rx: 3,
    }),
    number(at, "number at")];
}
