// Hex, and a small search with a net. Cells are 0 (empty), 1 or 2, row by row; player 1 joins the
// first row to the last, player 2 the first column to the last.

const HEX_STEPS = [[-1, 0], [-1, 1], [0, 1], [1, 0], [1, -1], [0, -1]];
const EXPLORATION = 1.5;

/** Yield the cells that touch a cell. */
function* near(size, cell) {
  const row = Math.floor(cell / size), column = cell % size;
  for (const [down, right] of HEX_STEPS) {
    const [r, c] = [row + down, column + right];
    if (r >= 0 && c >= 0 && r < size && c < size) yield r * size + c;
  }
}

/** Return how far a cell is from a player's first side. */
const distance = (size, cell, player) => (player === 1 ? Math.floor(cell / size) : cell % size);

/** Return from where each stone is first reached, in a flood over a player's stones from a side. */
function flood(size, cells, player, side) {
  const from = new Map(), queue = [];
  const reach = (cell, before) => {
    if (cells[cell] === player && !from.has(cell)) {
      from.set(cell, before);
      queue.push(cell);
    }
  };
  cells.forEach((_, cell) => { if (distance(size, cell, player) === side) reach(cell, -1); });
  for (const cell of queue) for (const next of near(size, cell)) reach(next, cell);
  return from;
}

/** Return a shortest chain between a player's sides, or []. */
export function chain(size, cells, player) {
  const from = flood(size, cells, player, 0);
  let cell = [...from.keys()].find((each) => distance(size, each, player) === size - 1) ?? -1;
  const found = [];
  for (; cell >= 0; cell = from.get(cell)) found.push(cell);
  return found;
}

/** Return the empty cells on which a player would win at once. */
export function winningCells(size, cells, player) {
  const ends = [0, size - 1].map((side) => [side, flood(size, cells, player, side)]);
  const touches = (cell) => ([side, reached]) => distance(size, cell, player) === side
    || [...near(size, cell)].some((next) => reached.has(next));
  return emptyCells(cells).filter((cell) => ends.every(touches(cell)));
}

const emptyCells = (cells) => [...cells.keys()].filter((cell) => !cells[cell]);

/** Return what a net says: policy, by cell, and value, seen from player 1 (0 without a critic). */
export function ask(net, cells, player) {
  const data = Float32Array.of(player, ...cells);
  const { policy, value } = net({ state: { shape: [1, data.length], data } });
  return { policy: policy.data, value: value ? value.data[0] : 0 };
}

/** Return the net's own move: the likeliest one, the first of several. */
export function greedy(net, cells, player) {
  const { policy } = ask(net, cells, player);
  return emptyCells(cells).reduce((best, cell) => (policy[cell] > policy[best] ? cell : best));
}

/**
 * Search by PUCT, leaves being judged by the net's critic. Yields after each simulation; returns
 * {action, visits by cell, value seen from player 1}. Nothing in it is drawn.
 *
 * A node whose mover can win at once has that move alone, and one whose opponent could has only
 * the moves that prevent it.
 */
export function* search(net, size, cells, player, simulations) {
  const root = newNode(net, size, cells, player);
  for (let n = 0; n < simulations && root.actions.length > 1; n++) {
    simulate(net, size, root);
    yield n + 1;
  }
  const best = root.visits.indexOf(Math.max(...root.visits));
  const visits = Object.fromEntries(root.actions.map((action, i) => [action, root.visits[i]]));
  return { action: root.actions[best], visits, value: meanOf(root) };
}

function newNode(net, size, cells, player) {
  const own = winningCells(size, cells, player);
  const others = own.length ? [] : winningCells(size, cells, 3 - player);
  const isSettled = own.length > 0 || others.length > 1, sign = player === 1 ? 1 : -1;
  const forced = [own, others].find((each) => each.length);
  const actions = isSettled ? forced.slice(0, 1) : forced || emptyCells(cells);
  const { policy, value } = isSettled
    ? { policy: { [actions[0]]: 1 }, value: own.length ? sign : -sign } : ask(net, cells, player);
  const total = actions.reduce((sum, action) => sum + policy[action], 0);
  return {
    cells, player, actions, value, isSettled, count: 1, total: value,
    priors: actions.map((action) => (total ? policy[action] / total : 1 / actions.length)),
    visits: actions.map(() => 0), children: actions.map(() => null),
  };
}

const meanOf = (node) => node.total / node.count;

function simulate(net, size, root) {
  const path = [root];
  let node = root, value = null;
  while (value === null) {
    if (node.isSettled) {
      value = node.value;
      break;
    }
    const edge = select(node);
    node.visits[edge] += 1;
    if (!node.children[edge]) {
      const cells = node.cells.slice();
      cells[node.actions[edge]] = node.player;
      node.children[edge] = newNode(net, size, cells, 3 - node.player);
      value = node.children[edge].value;
    } else {
      node = node.children[edge];
      path.push(node);
    }
  }
  for (const each of path) {
    each.count += 1;
    each.total += value;
  }
}

function select(node) {
  const sign = node.player === 1 ? 1 : -1, wide = EXPLORATION * Math.sqrt(node.count);
  let best = 0, most = -Infinity;
  node.actions.forEach((_, edge) => {
    const child = node.children[edge], q = child ? meanOf(child) : node.value;
    const score = sign * q + (wide * node.priors[edge]) / (1 + node.visits[edge]);
    if (score > most) [best, most] = [edge, score];
  });
  return best;
}
