// A search tree as SVG. Nodes keep the places that they have in the whole tree, so that what is
// seen grows and does not jump; there is always room for a name and a value below each.

import { node as make } from "./board.js";

const SLOT = 30, LEVEL = 74, RADIUS = 12;

/**
 * Make a tree in an element. Returns draw(recording, values, way, changed): values is a Map from
 * nodes to {visits, q, outcome}, way a list of nodes, changed a Set of them.
 */
export function createTree(host) {
  const svg = make("svg", { class: "tree", role: "img" });
  host.replaceChildren(svg);

  return function draw(recording, values, way, changed) {
    const { nodes, view } = recording;
    const slots = Math.max(...nodes.map((node) => node.x)) + 1;
    const slot = Math.max(SLOT, Math.min(90, (host.clientWidth - 10) / slots));
    const width = slots * slot, height = (Math.max(...nodes.map((node) => node.depth)) + 1) * LEVEL;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.style.width = `${width}px`;
    svg.setAttribute("aria-label", `The tree: ${values.size} nodes`);
    const at = (number) => [(nodes[number].x + 0.5) * slot, nodes[number].depth * LEVEL + RADIUS + 4];
    const lines = make("g", {}), discs = make("g", {});
    for (const [number, value] of values) {
      const node = nodes[number], [x, y] = at(number), isOnWay = way.includes(number);
      const kind = `${isOnWay ? "way" : ""} ${changed.has(number) ? "changed" : ""}`;
      if (node.parent >= 0) {
        const [a, b] = at(node.parent);
        lines[isOnWay ? "append" : "prepend"](
          make("line", { class: kind, x1: a, y1: b, x2: x, y2: y }));
      }
      const known = value.outcome ? ` proven` : "";
      discs.append(make("g", { class: `node ${kind}${known}`, transform: `translate(${x} ${y})` },
        make("circle", { class: `role${view.roles[node.to_play - 1]}`, r: RADIUS }),
        make("text", { class: "visits", y: 0.5 }, String(value.visits)),
        make("text", { y: RADIUS + 11 }, node.name),
        make("text", { y: RADIUS + 23 }, node.parent < 0 || !value.visits ? "" : signed(value.q))));
    }
    svg.replaceChildren(lines, discs);
    const last = way[way.length - 1];
    if (last !== undefined) host.scrollLeft = at(last)[0] - host.clientWidth / 2;
  };
}

/** Return a value with its sign, in two digits. */
export function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}
