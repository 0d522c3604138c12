// A few curves over the episodes: measured values faintly, their running mean over them.

/** @import { Panel } from "../types.js" */
import { svgNode } from "../page/svg.js";

const WIDE = 340, HIGH = 130, LEFT = 38, RIGHT = 8, TOP = 8, BOTTOM = 18;

/** Return a panel as an SVG element. @param {Panel} panel */
export function chartOf({ label, curves }) {
  const points = curves.flatMap((curve) => curve.points);
  const last = Math.max(1, ...points.map(([episode]) => episode));
  const values = points.map((point) => point[1]);
  const highest = Math.max(...values), lowest = Math.min(...values);
  // A curve that stays high would look flat over zero.
  const low = lowest > 0.5 * highest ? lowest - 0.1 * (highest - lowest || highest) : Math.min(0, lowest);
  const high = highest + 0.05 * (highest - low || 1);
  const x = (/** @type {number} */ episode) => LEFT + (episode / last) * (WIDE - LEFT - RIGHT);
  const y = (/** @type {number} */ value) => HIGH - BOTTOM - ((value - low) / (high - low)) * (HIGH - BOTTOM - TOP);
  const ticks = [0, 0.5, 1].map((share) => low + share * (highest - low));
  const words = `${label}: ${curves.map((curve) => `${curve.name} ${short(curve.last)}`).join(", ")}`;
  return svgNode("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
    ...ticks.map((tick) => svgNode("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(tick), y2: y(tick) })),
    ...ticks.map((tick) => svgNode("text", { x: LEFT - 5, y: y(tick) + 3.5, "text-anchor": "end" }, short(tick))),
    svgNode("text", { x: LEFT, y: HIGH - 4 }, "0"),
    svgNode("text", { x: WIDE - RIGHT, y: HIGH - 4, "text-anchor": "end" }, `episode ${Math.round(last)}`),
    ...["raw", "mean"].flatMap((kind, column) => curves.map((curve, n) => svgNode("path", {
      class: `${kind} curve${n}`,
      d: curve.points.map((point, at) =>
        `${at ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[column + 1]).toFixed(1)}`).join(""),
    }))),
    ...curves.flatMap((curve, n) => curve.points.length >= 25 ? [] : curve.points.map(([episode, value]) =>
      svgNode("circle", { class: `curve${n}`, cx: x(episode), cy: y(value), r: 2.2 }))));
}

/** Return a number in few letters. @param {number} value */
export function short(value) {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(size < 0.1 && size > 0 ? 3 : 2);
}
