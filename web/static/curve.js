// The curve of a game's value: above the middle player 1 is winning, below it player 2.

import { node } from "./board.js";

const WIDE = 320, HIGH = 120, LEFT = 44, MARGIN = 7;

/** Make a curve. onPly(ply) is called for a click. Returns {element, draw(points, plies, at, players)}. */
export function createCurve(onPly) {
  const svg = node("svg", { class: "curve", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
  let count = 1;
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) / box.width * WIDE - LEFT) / (WIDE - LEFT - MARGIN);
    onPly(Math.min(count, Math.max(0, Math.round(share * count))));
  });

  /** Draw points {ply, value in [-1, 1] for player 1, exact, mistake}, ascending by ply. */
  function draw(points, plies, at, players) {
    count = Math.max(1, plies);
    const x = (ply) => LEFT + (ply / count) * (WIDE - LEFT - MARGIN);
    const y = (value) => HIGH / 2 - value * (HIGH / 2 - MARGIN);
    const middle = HIGH / 2;
    const path = points.map(({ ply, value }, index) => {
      const before = points[index - 1];
      const isNext = before && before.ply === ply - 1;
      return `${isNext ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`;
    }).join("");
    svg.replaceChildren(
      node("rect", { class: "half first", x: 0, y: 0, width: WIDE, height: middle }),
      node("rect", { class: "half second", x: 0, y: middle, width: WIDE, height: middle }),
      node("line", { class: "zero", x1: 0, x2: WIDE, y1: middle, y2: middle }),
      node("line", { class: "now", x1: x(at), x2: x(at), y1: 0, y2: HIGH }),
      node("path", { class: "values", d: path }),
      ...points.map(({ ply, value, exact, mistake }) => node("circle", {
        class: `${mistake ? "mistake" : ""} ${exact ? "exact" : ""}`, cx: x(ply), cy: y(value), r: mistake ? 4.5 : exact ? 2.6 : 2,
      })),
      node("text", { x: 6, y: 17 }, players[0]), node("text", { x: 6, y: HIGH - 10 }, players[1]));
    const last = points.at(-1);
    svg.setAttribute("aria-label", last
      ? `Value after each move; ${points.filter((each) => each.mistake).length} mistakes` : "No values yet");
  }

  return { element: svg, draw };
}
