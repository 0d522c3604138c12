// A board as SVG: the diamond of Hex, and the boards of the other games. It needs nothing else.
//
// A view says what is there (web/positions.py makes it):
//   drawing "diamond" | "grid" | "heap" | "ledge", rows, columns, cells [0 | 1 | 2 row by row],
//   players [name, name], shapes ["disc" | "cross" | "ring", ...], roles [1 | 2 | 3, ...],
//   edges [owner of the first row, the last one, the first column, the last; 0: nobody],
//   row_names, column_names, lines (of a heap: the cells of each line), to_play, winner,
//   path [cells of the winning chain], last (cell or null), moves [{action, cells, name}].
// Marks say what is written on it, all of them optional:
//   heat {cell: 0 to 1}, heatKind "policy" | "visits" | "value" | "good",
//   texts {cell: text}, badges {cell: "good" | "bad" | "hint"}, selected [cells],
//   ghosts [{cell, player, text}], arrows [{from, to, kind}] between cells.

const SVG = "http://www.w3.org/2000/svg";
const ROW = Math.sqrt(3) / 2;
const STEPS = [[-1, 0], [-1, 1], [0, 1], [1, 0], [1, -1], [0, -1]];

/** Return the board of a Hex game before the first move, for a page that has asked nobody yet. */
export function emptyHex(size, start = 1) {
  const numbers = [...Array(size).keys()];
  const letters = numbers.map((column) => String.fromCharCode(97 + column));
  const rows = numbers.map((row) => String(row + 1));
  return {
    game: "hex", drawing: "diamond", rows: size, columns: size, edges: [1, 1, 2, 2],
    row_names: rows, column_names: letters, players: ["red", "black"],
    sides: ["joins north-east and south-west", "joins north-west and south-east"],
    shapes: ["disc", "disc"], roles: [1, 2], lines: [],
    cells: Array(size * size).fill(0), to_play: start, winner: 0, path: [], last: null,
    history: [],
    moves: Array.from({ length: size * size }, (_, cell) => ({
      action: cell, cells: [cell], name: letters[cell % size] + rows[Math.floor(cell / size)],
    })),
  };
}

/** Return the legal move that clicks on cells mean, if they mean one yet; pieces may fall. */
export function moveOfClicks(view, clicks) {
  const same = (cells) => cells.length === clicks.length && cells.every((c, i) => c === clicks[i]);
  const found = view.moves.find((move) => same(move.cells));
  if (found || clicks.length !== 1 || view.drawing !== "grid" || view.rows === 1) return found;
  for (let cell = clicks[0]; cell < view.cells.length && !view.cells[cell]; cell += view.columns) {
    const falls = view.moves.find((move) => move.cells.length === 1 && move.cells[0] === cell);
    if (falls) return falls;
  }
  return undefined;
}

/** Tell whether a cell is the first of two that a legal move has. */
export function beginsAMove(view, cell) {
  return view.moves.some((move) => move.cells.length > 1 && move.cells[0] === cell);
}

/** Return the middle of each cell, [x, y], neighbours 1 apart, y downwards. */
export function centres(view, flat = false) {
  const { drawing, rows, columns } = view;
  if (drawing === "heap") {
    const widest = Math.max(...view.lines.map((line) => line.length));
    return view.lines.flatMap((line, y) =>
      line.map((_, x) => [x + (widest - line.length) / 2, y]));
  }
  return Array.from({ length: rows * columns }, (_, cell) => {
    const row = Math.floor(cell / columns), column = cell % columns;
    if (drawing !== "diamond") return [column, row];
    return flat ? [column + row / 2, row * ROW] : [(column - row) / 2, (row + column) * ROW];
  });
}

/**
 * Make a board in an element of the page.
 *
 * onCell(cell) is called for a click, or Enter on the cell that has the focus. Returns
 * {draw(view, marks, options), focus(cell), svg}; options: flat (the diamond lies on its side),
 * names (whether rows and columns are called), playable (whether clicks are expected).
 */
export function createBoard(host, onCell = () => {}) {
  const svg = node("svg", { class: "board", role: "group" });
  host.replaceChildren(svg);
  let shape = "", cells = [], places = [], focused = 0;

  function layOut(view, options) {
    places = centres(view, options.flat);
    focused = Math.min(focused, places.length - 1);
    svg.replaceChildren();
    const xs = places.map((p) => p[0]), ys = places.map((p) => p[1]);
    const room = view.drawing === "diamond" ? 1.15 : 0.95;
    const left = Math.min(...xs) - room, top = Math.min(...ys) - room;
    const width = Math.max(...xs) + room - left, height = Math.max(...ys) + room - top;
    svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    svg.style.setProperty("--wide", width);
    svg.style.setProperty("--high", height);
    if (view.drawing === "diamond") svg.append(edges(view, places, options.flat));
    cells = places.map((place, cell) => newCell(view, cell, place));
    svg.append(...cells.map((each) => each.group));
    if (options.names !== false) svg.append(names(view, places));
    svg.append(node("g", { class: "arrows" }));
  }

  function newCell(view, cell, [x, y]) {
    const group = node("g", {
      class: "cell", role: "button", tabindex: "-1", "data-cell": cell,
      transform: `translate(${x} ${y})`,
    });
    const outline = () => view.drawing === "diamond"
      ? node("polygon", { points: hexagon(0.995 / Math.sqrt(3)) })
      : view.drawing === "heap" ? node("circle", { r: 0.48 })
        : node("rect", { x: -0.49, y: -0.49, width: 0.98, height: 0.98, rx: 0.06 });
    const ground = outline(), heat = outline();
    ground.setAttribute("class", "ground");
    heat.setAttribute("class", "heat");
    const piece = node("g", { class: "piece" }), text = node("text", { class: "text", y: 0.02 });
    group.append(ground, heat, piece, text);
    group.addEventListener("click", () => { focused = cell; onCell(cell); });
    group.addEventListener("focus", () => { focused = cell; rove(); });
    return { group, heat, piece, text };
  }

  function rove() {
    cells.forEach(({ group }, cell) => group.setAttribute("tabindex", cell === focused ? 0 : -1));
  }

  svg.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (way) {
      focused = neighbour(places, focused, way);
      cells[focused].group.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      onCell(focused);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });

  function draw(view, marks = {}, options = {}) {
    const wanted = JSON.stringify([view.drawing, view.rows, view.columns, view.edges, view.lines,
      view.column_names, view.row_names, options.flat, options.names]);
    if (wanted !== shape) layOut(view, options);
    shape = wanted;
    const ghosts = new Map((marks.ghosts || []).map((ghost) => [ghost.cell, ghost]));
    svg.classList.toggle("playable", Boolean(options.playable));
    svg.setAttribute("data-turn", view.winner ? 0 : view.to_play);
    svg.setAttribute("aria-label", describe(view));
    svg.dataset.heat = marks.heatKind || "";
    cells.forEach(({ group, heat, piece, text }, cell) => {
      const owner = view.cells[cell], ghost = owner ? undefined : ghosts.get(cell);
      const badge = marks.badges?.[cell], share = marks.heat?.[cell] ?? 0;
      const words = marks.texts?.[cell] ?? ghost?.text ?? "";
      const classes = ["cell", owner ? "taken" : "empty"];
      if (view.path.includes(cell)) classes.push("path");
      if (view.last === cell) classes.push("last");
      if (badge) classes.push(badge);
      if (marks.selected?.includes(cell)) classes.push("selected");
      if (share > 0.6) classes.push("hot");
      group.setAttribute("class", classes.join(" "));
      group.setAttribute("aria-label", [
        nameOf(view, cell), owner ? view.players[owner - 1] : "empty",
        view.last === cell ? "last move" : "", badge || "", words,
      ].filter(Boolean).join(", "));
      heat.style.opacity = share;
      const shown = owner || ghost?.player || 0;
      const look = `${shown}${ghost ? "g" : ""}${view.drawing}${view.roles}${view.last === cell}`;
      if (piece.dataset.look !== look) {
        piece.replaceChildren(...pieceOf(view, shown, view.last === cell));
        piece.setAttribute("class", `piece ${ghost ? "ghost" : ""}`);
        piece.dataset.look = look;
      }
      if (text.textContent !== words) text.textContent = words;
      text.classList.toggle("long", String(words).length > 3);
    });
    svg.querySelector(".arrows").replaceChildren(...(marks.arrows || []).map(arrow));
    rove();
  }

  function arrow({ from, to, kind = "" }) {
    const [[a, b], [c, d]] = [places[from], places[to]];
    const length = Math.hypot(c - a, d - b) || 1, [x, y] = [(c - a) / length, (d - b) / length];
    const at = (back, aside) => `${c - x * back - y * aside} ${d - y * back + x * aside}`;
    return node("path", {
      class: `arrow ${kind}`, d: `M${a} ${b}L${at(0.5, 0)}M${at(0.5, 0.13)}L${at(0.22, 0)}L${at(0.5, -0.13)}Z`,
    });
  }

  return { draw, svg, focus: (cell = focused) => { focused = cell; rove(); cells[cell]?.group.focus(); } };
}

/** Return the name of a cell, as in a1. */
export function nameOf(view, cell) {
  const { columns, row_names: rows, column_names: names, drawing } = view;
  if (drawing === "heap" || drawing === "ledge") return String(cell + 1);
  return names[cell % columns] + rows[Math.floor(cell / columns)];
}

function describe(view) {
  const turn = view.winner === 3 ? "a draw"
    : view.winner ? `${view.players[view.winner - 1]} has won`
      : `${view.players[view.to_play - 1]} to move`;
  return `Board, ${view.rows} by ${view.columns}, ${turn}. Arrow keys move, Enter plays.`;
}

/** Make an SVG element: node("circle", {r: 2}, ...children). */
export function node(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function hexagon(radius) {
  return corners(radius).map(([x, y]) => `${x.toFixed(4)},${y.toFixed(4)}`).join(" ");
}

function corners(radius) {
  return [0, 1, 2, 3, 4, 5].map((k) => {
    const angle = Math.PI / 6 + (k * Math.PI) / 3;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Each side of a hexagon that has no neighbour, in the colour of who has to reach it. */
function edges(view, places, flat) {
  const { rows, columns } = view, drawn = { 0: "", 1: "", 2: "" };
  const isInside = (at, count) => at >= 0 && at < count;
  const owner = (row, column) => isInside(row, rows)
    ? view.edges[column < 0 ? 2 : 3] : view.edges[row < 0 ? 0 : 1];
  const radius = 1.22 / Math.sqrt(3);
  places.forEach(([x, y], cell) => {
    const row = Math.floor(cell / columns), column = cell % columns;
    STEPS.forEach(([down, right], k) => {
      const [toRow, toColumn] = [row + down, column + right];
      if (isInside(toRow, rows) && isInside(toColumn, columns)) return;
      // Beyond an acute corner one half of the side is the row's, the other the column's.
      const isCorner = !isInside(toRow, rows) && !isInside(toColumn, columns);
      const beside = (way) => isCorner ? STEPS[(k + way + 6) % 6] : [down, right];
      const at = (sixths, far) => {
        const angle = (k - (flat ? 2 : 1) + sixths) * (Math.PI / 3);
        return `${(x + far * Math.cos(angle)).toFixed(3)} ${(y + far * Math.sin(angle)).toFixed(3)}`;
      };
      for (const way of [-1, 1]) {
        const [ownDown, ownRight] = beside(way);
        drawn[owner(row + ownDown, column + ownRight)] += `M${at(way / 2, radius)}L${at(0, radius * ROW)}`;
      }
    });
  });
  return node("g", { class: "edges" }, ...[1, 2].flatMap((player) => ["edge", "edge pattern"].map(
    (kind) => node("path", { class: `${kind} role${view.roles[player - 1]}`, d: drawn[player] }))));
}

/** The names of rows and columns, outside the board. */
function names(view, places) {
  const group = node("g", { class: "names", "aria-hidden": "true" });
  const { rows, columns, drawing } = view;
  if (drawing === "heap" || drawing === "ledge") return group;
  const beyond = (from, cell, text) => {
    const far = drawing === "diamond" ? 0.95 : 0.72;
    const [x, y] = places[cell], length = Math.hypot(x - from[0], y - from[1]) || 1;
    const place = { x: x + ((x - from[0]) / length) * far, y: y + ((y - from[1]) / length) * far };
    group.append(node("text", place, text));
  };
  for (let column = 0; column < columns; column++) {
    if (rows > 1) beyond(places[columns + column], column, view.column_names[column]);
  }
  for (let row = 0; row < rows; row++) {
    if (columns > 1) beyond(places[row * columns + 1], row * columns, view.row_names[row]);
  }
  return group;
}

/** A piece: players differ in shape or pattern, not in colour alone. */
function pieceOf(view, player, isLast) {
  if (!player) return [];
  if (view.drawing === "heap") return [node("circle", { class: "pebble", r: 0.38 })];
  if (view.drawing === "ledge") {
    const kind = player === 2 ? "gold" : "copper";
    const mark = player === 2 ? [node("circle", { class: "ring", r: 0.22 })] : [];
    return [node("circle", { class: `coin ${kind}`, r: player === 2 ? 0.36 : 0.3 }), ...mark];
  }
  const role = `role${view.roles[player - 1]}`, shape = view.shapes[player - 1];
  if (shape === "cross") {
    return [node("path", { class: `stroke ${role}`, d: "M-.28-.28L.28.28M.28-.28L-.28.28" })];
  }
  if (shape === "ring") return [node("circle", { class: `stroke ${role}`, r: 0.3 })];
  const parts = [node("circle", { class: `disc ${role}`, r: 0.4 })];
  if (player === 2) parts.push(node("circle", { class: `pattern ${role}`, r: 0.29 }));
  if (isLast) parts.push(node("circle", { class: `dot ${role}`, r: 0.11 }));
  return parts;
}

/** Return the cell that an arrow key leads to. */
function neighbour(places, from, [right, down]) {
  let best = from, least = Infinity;
  const [x, y] = places[from];
  places.forEach(([a, b], cell) => {
    const along = (a - x) * right + (b - y) * down, aside = (a - x) * down + (b - y) * right;
    // Between two that are equally near, the way back leads back.
    const cost = along + 2 * Math.abs(aside) - 0.01 * aside * (right + down);
    if (along > 0.1 && cost < least) [best, least] = [cell, cost];
  });
  return best;
}
