// Elo against time: each net where its file was written, and the best one so far.

/** @import { Ladder } from "../types.js" */
import { svgNode } from "../page/svg.js";

const WIDE = 440, HIGH = 170, LEFT = 38, RIGHT = 20, TOP = 8, BOTTOM = 22;

/** Return the chart; the nets are numbered as in the table. @param {Ladder["rows"]} rows */
export function eloChart(rows) {
  const nets = rows.flatMap(({ name, since, elo }, n) => (elo ? [{ name, since, elo: elo[0], number: n + 1 }] : []))
    .toSorted((a, b) => a.since - b.since);
  const first = nets[0].since, span = Math.max(1, (nets.at(-1)?.since ?? 0) - first);
  const ratings = nets.map(({ elo }) => elo), low = Math.min(...ratings), high = Math.max(...ratings, low + 1);
  const x = (/** @type {number} */ since) => LEFT + ((since - first) / span) * (WIDE - LEFT - RIGHT);
  const y = (/** @type {number} */ elo) => TOP + ((high - elo) / (high - low)) * (HIGH - TOP - BOTTOM);
  const ticks = [low, (low + high) / 2, high];
  let best = -Infinity, path = "";
  for (const { since, elo } of nets) {
    if (elo <= best) continue;
    path += `${path ? "H" : "M"}${x(since).toFixed(1)}${path ? "V" : " "}${y(elo).toFixed(1)}`;
    best = elo;
  }
  const words = `Elo against time: ${nets.map(({ name, elo }) => `${name} ${Math.round(elo)}`).join(", ")}`;
  return svgNode("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
    ...ticks.flatMap((tick) => [
      svgNode("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(tick), y2: y(tick) }),
      svgNode("text", { x: LEFT - 6, y: y(tick) + 3.5, "text-anchor": "end" }, String(Math.round(tick)).replace("-", "−")),
    ]),
    svgNode("text", { x: LEFT, y: HIGH - 5 }, timeWords(first)),
    svgNode("text", { x: WIDE - RIGHT, y: HIGH - 5, "text-anchor": "end" }, timeWords(first + span)),
    svgNode("path", { class: "mean curve0", d: `${path}H${WIDE - RIGHT}` }),
    ...nets.flatMap(({ name, since, elo, number }) => [
      svgNode("circle", { class: "curve1", cx: x(since), cy: y(elo), r: 3 },
        svgNode("title", {}, `${name}, ${timeWords(since)}: Elo ${Math.round(elo)}`)),
      svgNode("text", { x: x(since) + 6, y: y(elo) + 12 }, String(number)),
    ]));
}

/** Write a time of the server, in seconds since 1970. @param {number} since */
const timeWords = (since) =>
  new Date(1000 * since).toLocaleString([], { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
