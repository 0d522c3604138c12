// A board as SVG: the diamond of Hex, and the boards of the other games. View and Marks in
// types.d.ts describe the drawing.

/** @import { LineMove, Marks, Move, View } from "../types.js" */
import { svgNode } from "../page/svg.js";

/** @typedef {[number, number]} Point */

const ROW = Math.sqrt(3) / 2;
/** The neighbours of a cell, as steps down and right, in the order of the sides of its hexagon. */
export const STEPS = [[-1, 0], [-1, 1], [0, 1], [1, 0], [1, -1], [0, -1]];
/** @type {Record<string, Point>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return an empty board of Hex, to show before the server answers. @param {number} size @returns {View} */
export function emptyHex(size, start = 1) {
  const numbers = [...Array(size).keys()];
  const letters = numbers.map((column) => String.fromCharCode(97 + column));
  const rows = numbers.map((row) => String(row + 1));
  return {
    drawing: "diamond", hexagonal: true, rows: size, columns: size, edges: [1, 1, 2, 2],
    row_names: rows, column_names: letters, players: ["red", "black"],
    sides: ["joins north-east and south-west", "joins north-west and south-east"],
    shapes: ["disc", "disc"], roles: [1, 2], lines: [],
    cells: Array(size * size).fill(0), to_play: start, winner: 0, path: [], last: null, history: [],
    moves: Array.from({ length: size * size }, (_, cell) => ({
      action: cell, cells: [cell], name: letters[cell % size] + rows[Math.floor(cell / size)],
    })),
  };
}

/**
 * Return the legal move that clicks make, or the last one alone; pieces may fall.
 * @param {View} view
 * @param {number[]} clicks
 */
export function moveOfClicks(view, clicks) {
  const found = view.moves.find(({ cells }) => String(cells) === String(clicks));
  if (!found && clicks.length > 1) return moveOfClicks(view, clicks.slice(-1));
  if (found || view.drawing !== "grid" || view.rows === 1) return found;
  for (let cell = clicks[0]; cell < view.cells.length && !view.cells[cell]; cell += view.columns) {
    const falls = view.moves.find((move) => move.cells.length === 1 && move.cells[0] === cell);
    if (falls) return falls;
  }
  return undefined;
}

/**
 * Return a view after a move that sets a stone, to show before the server answers; of another move, the view itself.
 * @param {View} view @param {Move} move @returns {View}
 */
export function withStone(view, { cells: [cell, second] }) {
  if (cell === undefined || second !== undefined || view.cells[cell]) return view;
  const cells = view.cells.with(cell, view.to_play);
  const moves = view.moves.filter((each) => each.cells.length === 1 && each.cells[0] !== cell);
  return { ...view, cells, moves, last: cell, to_play: 3 - view.to_play };
}

/** Tell whether a legal move of two cells begins with a cell. @param {View} view @param {number} cell */
export const beginsAMove = (view, cell) => view.moves.some(({ cells }) => cells.length > 1 && cells[0] === cell);

/** Return the cell on which a legal move is marked. @param {View} view @param {number} action */
export const cellOf = (view, action) => view.moves.find((move) => move.action === action)?.cells.at(-1);

/** Mark moves of a line, with numbers; null: a move without a cell. @param {(number | null)[]} cells */
export function ghostsOf(cells, /** @type {number} */ mover) {
  return cells.flatMap((cell, ply) =>
    (cell === null ? [] : [{ cell, player: ply % 2 ? 3 - mover : mover, text: String(ply + 1) }]));
}

/** Mark a wrong move, and the line that refutes it, if it is known. @param {number} cell @param {LineMove[]} line */
export function refutation(cell, /** @type {number} */ mover, line = []) {
  const ghosts = [{ cell, player: mover, text: "✗" }, ...ghostsOf(line.map((each) => each.cell), 3 - mover)];
  return { badges: { [cell]: /** @type {const} */ ("bad") }, ghosts };
}

/** Return the centre of each cell; neighbours are 1 apart, y grows downwards. @param {View} view @returns {Point[]} */
function centres(view, flat = false) {
  const { drawing, hexagonal, rows, columns, lines } = view;
  if (drawing === "heap") {
    const widest = Math.max(...lines.map((line) => line.length));
    return lines.flatMap((line, y) => line.map((_, x) => /** @type {Point} */ ([x + (widest - line.length) / 2, y])));
  }
  return Array.from({ length: rows * columns }, (_, cell) => {
    const row = Math.floor(cell / columns), column = cell % columns;
    if (!hexagonal) return [column, row];
    return flat ? [column + row / 2, row * ROW] : [(column - row) / 2, (row + column) * ROW];
  });
}

/** Return a factor on the size of letters: on large boards, cells are small. @param {View} view */
const sizeOfLetters = (view) => Math.max(1, view.rows / 11);

/** A board in an element of the page. onCell(cell) is called for a click, or for Enter on the cell in focus. */
export class Board {
  #svg = svgNode("svg", { class: "board", role: "group" });
  #layout = "";
  #places = /** @type {Point[]} */ ([]);
  /** @type {{group: SVGGElement, heat: SVGElement, piece: SVGGElement, text: SVGTextElement}[]} */
  #cells = [];
  #arrows = svgNode("g", { class: "arrows" });
  #focused = 0;
  #onCell;

  constructor(/** @type {Element} */ host, /** @type {(cell: number) => void} */ onCell = () => {}) {
    this.#onCell = onCell;
    this.#svg.addEventListener("keydown", (event) => this.#onKey(event));
    host.replaceChildren(this.#svg);
  }

  /**
   * Draw a position. A flat diamond lies on its side; playable: clicks are expected.
   * @param {View} view @param {Marks} [marks] @param {{flat?: boolean, playable?: boolean}} [options]
   */
  draw(view, marks = {}, options = {}) {
    const layout = JSON.stringify([view.drawing, view.rows, view.columns, view.edges, view.lines,
      view.column_names, view.row_names, options.flat]);
    if (layout !== this.#layout) this.#layOut(view, options.flat);
    this.#layout = layout;
    this.#svg.classList.toggle("playable", Boolean(options.playable));
    this.#svg.setAttribute("data-turn", String(view.winner ? 0 : view.to_play));
    this.#svg.setAttribute("aria-label", describe(view));
    this.#svg.dataset.heat = marks.heatKind || "";
    this.#cells.forEach((_, cell) => this.#drawCell(view, marks, cell));
    this.#arrows.replaceChildren(...(marks.arrows ?? []).map(({ from, to }) =>
      arrow(this.#places[from], this.#places[to])));
    this.#rove();
  }

  focus() {
    this.#cells[this.#focused]?.group.focus();
  }

  /** @param {View} view @param {boolean} [flat] */
  #layOut(view, flat) {
    const places = this.#places = centres(view, flat);
    this.#focused = Math.min(this.#focused, places.length - 1);
    const xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
    const room = view.hexagonal ? 1.15 : 0.95;
    const left = Math.min(...xs) - room, top = Math.min(...ys) - room;
    const width = Math.max(...xs) + room - left, height = Math.max(...ys) + room - top;
    this.#svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    this.#svg.style.setProperty("--wide", String(width));
    this.#svg.style.setProperty("--high", String(height));
    this.#svg.style.setProperty("--letters", String(sizeOfLetters(view)));
    this.#cells = places.map((place, cell) => this.#newCell(view, cell, place));
    this.#svg.replaceChildren(...(view.hexagonal ? [edges(view, places, flat)] : []),
      ...this.#cells.map((each) => each.group), names(view, places), this.#arrows);
  }

  #newCell(/** @type {View} */ view, /** @type {number} */ cell, /** @type {Point} */ [x, y]) {
    const [ground, heat] = [outline(view), outline(view)];
    ground.setAttribute("class", "ground");
    heat.setAttribute("class", "heat");
    const piece = svgNode("g", { class: "piece" }), text = svgNode("text", { class: "text", y: 0.02 });
    const group = svgNode("g", {
      class: "cell", role: "button", tabindex: -1, "data-cell": cell, transform: `translate(${x} ${y})`,
    }, ground, heat, piece, text);
    group.addEventListener("click", () => { this.#focused = cell; this.#onCell(cell); });
    group.addEventListener("focus", () => { this.#focused = cell; this.#rove(); });
    return { group, heat, piece, text };
  }

  #drawCell(/** @type {View} */ view, /** @type {Marks} */ marks, /** @type {number} */ cell) {
    const { group, heat, piece, text } = this.#cells[cell];
    const owner = view.cells[cell], isLast = view.last === cell;
    const ghost = owner ? undefined : marks.ghosts?.findLast((each) => each.cell === cell);
    const badge = marks.badges?.[cell];
    const share = marks.heat?.[cell] ?? 0;
    const grade = owner ? marks.grades?.[cell] : undefined;
    const words = marks.texts?.[cell] ?? ghost?.text ?? "";
    group.setAttribute("class", ["cell", owner ? "taken" : "empty", (marks.path ?? view.path).includes(cell) && "path",
      isLast && "last", badge, grade, marks.selected?.includes(cell) && "selected", share > 0.6 && "hot",
    ].filter(Boolean).join(" "));
    group.setAttribute("aria-label", [nameOf(view, cell), owner ? view.players[owner - 1] : "empty",
      isLast && "last move", badge, grade, words].filter(Boolean).join(", "));
    heat.style.opacity = String(share);
    const shown = owner || ghost?.player || 0;
    const look = `${shown}${ghost ? "g" : ""}${view.drawing}${view.roles}${isLast}${grade}`;
    if (piece.dataset.look !== look) {
      piece.replaceChildren(...pieceOf(view, shown, isLast, grade));
      piece.setAttribute("class", `piece ${ghost ? "ghost" : ""}`);
      piece.dataset.look = look;
    }
    if (text.textContent !== words) text.textContent = words;
    text.classList.toggle("long", words.length > 3);
  }

  /** Let Tab reach the cell in focus alone. */
  #rove() {
    this.#cells.forEach(({ group }, cell) => group.setAttribute("tabindex", cell === this.#focused ? "0" : "-1"));
  }

  #onKey(/** @type {KeyboardEvent} */ event) {
    const way = WAYS[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (way) {
      this.#focused = neighbour(this.#places, this.#focused, way);
      this.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#onCell(this.#focused);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Return the name of a cell, as a1 or (0, 0). @param {View} view @param {number} cell */
function nameOf(view, cell) {
  const { columns, row_names: rows, column_names: letters, drawing } = view;
  if (drawing === "heap" || drawing === "ledge") return String(cell + 1);
  const row = rows[Math.floor(cell / columns)], column = letters[cell % columns];
  return /\d/.test(column) ? `(${row}, ${column})` : column + row;
}

function describe(/** @type {View} */ view) {
  const turn = view.winner === 3 ? "a draw"
    : view.winner ? `${view.players[view.winner - 1]} has won`
      : `${view.players[view.to_play - 1]} to move`;
  return `Board, ${view.rows} by ${view.columns}, ${turn}. Arrow keys move, Enter plays.`;
}

/** Return the outline of a cell. @param {View} view */
function outline({ drawing, hexagonal }) {
  if (drawing === "heap") return svgNode("circle", { r: 0.48 });
  if (!hexagonal) return svgNode("rect", { x: -0.49, y: -0.49, width: 0.98, height: 0.98, rx: 0.06 });
  const corners = [1, 3, 5, 7, 9, 11].map((part) => point([0, 0], 0.995 / Math.sqrt(3), part * (Math.PI / 6)));
  return svgNode("polygon", { points: corners.join(" ") });
}

/** Return a point in a direction, as text. @param {Point} from @param {number} far @param {number} angle */
const point = ([x, y], far, angle) =>
  `${(x + far * Math.cos(angle)).toFixed(3)} ${(y + far * Math.sin(angle)).toFixed(3)}`;

function arrow(/** @type {Point} */ [a, b], /** @type {Point} */ [c, d]) {
  const length = Math.hypot(c - a, d - b) || 1, [x, y] = [(c - a) / length, (d - b) / length];
  /** @param {number} back @param {number} aside */
  const at = (back, aside) => `${c - x * back - y * aside} ${d - y * back + x * aside}`;
  return svgNode("path", {
    class: "arrow", d: `M${a} ${b}L${at(0.5, 0)}M${at(0.5, 0.13)}L${at(0.22, 0)}L${at(0.5, -0.13)}Z`,
  });
}

/** Return the coloured edges. @param {View} view @param {Point[]} places @param {boolean} [flat] */
function edges(view, places, flat) {
  const { rows, columns } = view, drawn = ["", "", ""];
  const isInside = (/** @type {number} */ at, /** @type {number} */ count) => at >= 0 && at < count;
  const owner = (/** @type {number} */ row, /** @type {number} */ column) => isInside(row, rows)
    ? view.edges[column < 0 ? 2 : 3] : view.edges[row < 0 ? 0 : 1];
  const radius = 1.22 / Math.sqrt(3);
  places.forEach((place, cell) => {
    const row = Math.floor(cell / columns), column = cell % columns;
    STEPS.forEach(([down, right], k) => {
      const isCorner = !isInside(row + down, rows) && !isInside(column + right, columns);
      if (isInside(row + down, rows) && isInside(column + right, columns)) return;
      const angle = (k - (flat ? 2 : 1)) * (Math.PI / 3);
      for (const way of [-1, 1]) {
        // Beyond an acute corner one half of the side is the row's, the other the column's.
        const [ownDown, ownRight] = isCorner ? STEPS[(k + way + 6) % 6] : [down, right];
        drawn[owner(row + ownDown, column + ownRight)] +=
          `M${point(place, radius, angle + way * (Math.PI / 6))}L${point(place, radius * ROW, angle)}`;
      }
    });
  });
  return svgNode("g", { class: "edges" }, ...[1, 2].flatMap((player) => ["edge", "edge pattern"].map(
    (kind) => svgNode("path", { class: `${kind} role${view.roles[player - 1]}`, d: drawn[player] }))));
}

/** Return the names of rows and columns, outside the board. @param {View} view @param {Point[]} places */
function names(view, places) {
  const group = svgNode("g", { class: "names", "aria-hidden": "true" });
  const { rows, columns, drawing } = view, height = 0.34 * sizeOfLetters(view);
  const far = (view.hexagonal ? 0.95 : 0.72) + 0.5 * (height - 0.34);
  if (drawing === "heap" || drawing === "ledge") return group;
  const beyond = (/** @type {Point} */ [a, b], /** @type {Point} */ [x, y], /** @type {string} */ text) => {
    const length = Math.hypot(x - a, y - b) || 1;
    // A second digit stands to the left of the first one, away from the board.
    const left = (text.length - 1) * 0.28 * height;
    group.append(svgNode("text", { x: x + ((x - a) / length) * far - left, y: y + ((y - b) / length) * far }, text));
  };
  if (rows > 1) view.column_names.forEach((text, column) => beyond(places[columns + column], places[column], text));
  if (columns > 1)
    view.row_names.forEach((text, row) => beyond(places[row * columns + 1], places[row * columns], text));
  return group;
}

/** Return a piece; players differ in shape or pattern too. @param {View} view @param {number} player */
function pieceOf(view, player, isLast = false, grade = "") {
  if (!player) return [];
  if (view.drawing === "heap") return [svgNode("circle", { class: "pebble", r: 0.38 })];
  if (view.drawing === "ledge") {
    return player === 1 ? [svgNode("circle", { class: "coin copper", r: 0.3 })]
      : [svgNode("circle", { class: "coin gold", r: 0.36 }), svgNode("circle", { class: "ring", r: 0.22 })];
  }
  const role = `role${view.roles[player - 1]}`, shape = view.shapes[player - 1];
  const dot = grade ? [svgNode("circle", { class: "grade", r: grade === "fine" ? 0.1 : 0.25 })] : [];
  if (shape === "cross")
    return [svgNode("path", { class: `stroke ${role}`, d: "M-.28-.28L.28.28M.28-.28L-.28.28" }), ...dot];
  if (shape === "ring") return [svgNode("circle", { class: `stroke ${role}`, r: 0.3 }), ...dot];
  const parts = [svgNode("circle", { class: `disc ${role}`, r: 0.4 })];
  if (player === 2) parts.push(svgNode("circle", { class: `pattern ${role}`, r: 0.29 }));
  if (isLast) parts.push(svgNode("circle", grade ? { class: "newest", r: 0.35 } : { class: `dot ${role}`, r: 0.11 }));
  return [...parts, ...dot];
}

/** Return the cell that an arrow key leads to. @param {Point[]} places @param {number} from @param {Point} way */
function neighbour(places, from, [right, down]) {
  let best = from, least = Infinity;
  const [x, y] = places[from];
  places.forEach(([a, b], cell) => {
    const along = (a - x) * right + (b - y) * down, aside = (a - x) * down + (b - y) * right;
    // Between two that are equally near, the way back leads back.
    const cost = along + 2 * Math.abs(aside) - 0.01 * aside * (right + down);
    if (along > 0.1 && cost < least) {
      best = cell;
      least = cost;
    }
  });
  return best;
}
