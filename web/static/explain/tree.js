// A search tree as SVG. Nodes keep the places that they have in the whole tree, so the picture
// grows and does not jump; below each node there is room for its name and value.

/** @import { Recording } from "../types.js" */
import { svgNode } from "../page/svg.js";

const SLOT = 30, LEVEL = 74, RADIUS = 12;

/**
 * Draw a tree in an element. Values maps the nodes that exist to their statistics, way is the list of nodes from the
 * root, changed a set of nodes.
 * @param {HTMLElement} host @param {Recording} recording @param {number[]} way @param {Set<number>} changed
 * @param {Map<number, {visits: number, q: number, outcome: number}>} values
 */
export function drawTree(host, { nodes, view }, values, way, changed) {
  const slots = Math.max(...nodes.map((node) => node.x)) + 1;
  const slot = Math.max(SLOT, Math.min(90, (host.clientWidth - 10) / slots));
  const width = slots * slot, height = (Math.max(...nodes.map((node) => node.depth)) + 1) * LEVEL;
  const at = (/** @type {number} */ number) => [
    (nodes[number].x + 0.5) * slot,
    nodes[number].depth * LEVEL + RADIUS + 4,
  ];
  const lines = svgNode("g"), discs = svgNode("g");
  for (const [number, { visits, q, outcome }] of values) {
    const node = nodes[number], [x, y] = at(number), isOnWay = way.includes(number);
    const kind = `${isOnWay ? "way" : ""} ${changed.has(number) ? "changed" : ""}`;
    if (node.parent >= 0) {
      const [a, b] = at(node.parent);
      lines[isOnWay ? "append" : "prepend"](svgNode("line", { class: kind, x1: a, y1: b, x2: x, y2: y }));
    }
    const attributes = { class: `node ${kind}${outcome ? " proven" : ""}`, transform: `translate(${x} ${y})` };
    discs.append(svgNode("g", attributes,
      svgNode("circle", { class: `role${view.roles[node.to_play - 1]}`, r: RADIUS }),
      svgNode("text", { class: "visits", y: 0.5 }, String(visits)),
      svgNode("text", { y: RADIUS + 11 }, node.name),
      svgNode("text", { y: RADIUS + 23 }, node.parent < 0 || !visits ? "" : signed(q))));
  }
  const svg = svgNode("svg", {
    class: "tree", role: "img", "aria-label": `The tree: ${values.size} nodes`, viewBox: `0 0 ${width} ${height}`,
  }, lines, discs);
  svg.style.width = `${width}px`;
  host.replaceChildren(svg);
  const last = way.at(-1);
  if (last !== undefined) host.scrollLeft = at(last)[0] - host.clientWidth / 2;
}

/** Return a value with its sign, in two digits. @param {number} value */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
