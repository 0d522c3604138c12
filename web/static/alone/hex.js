// Hex, and a small search with a net. Cells are 0 (empty), 1 or 2, row by row; player 1 joins the
// first row to the last, player 2 the first column to the last.

/** @import { Net } from "./net.js" */
import { STEPS } from "../board/board.js";

/**
 * A node of the search; actions, priors, visits and children have the same order. Values are seen from player 1.
 * @typedef {{cells: number[], player: number, actions: number[], value: number, isSettled: boolean, count: number,
 *   total: number, priors: number[], visits: number[], children: (SearchNode | null)[]}} SearchNode
 */

const EXPLORATION = 1.5, LEAST_CHANCE = 1e-6, COOLER = 3;

/** Yield the cells that touch a cell. @param {number} size @param {number} cell */
function* near(size, cell) {
  const row = Math.floor(cell / size), column = cell % size;
  for (const [down, right] of STEPS) {
    const [r, c] = [row + down, column + right];
    if (r >= 0 && c >= 0 && r < size && c < size) yield r * size + c;
  }
}

/** Return the distance of a cell from the player's first side. */
const distance = (/** @type {number} */ size, /** @type {number} */ cell, /** @type {number} */ player) =>
  player === 1 ? Math.floor(cell / size) : cell % size;

/**
 * Flood a player's stones from a side. Return the stone before each stone, -1 for the side.
 * @param {number} size @param {number[]} cells @param {number} player @param {number} side
 */
function flood(size, cells, player, side) {
  const first = [...cells.keys()].filter((cell) => cells[cell] === player && distance(size, cell, player) === side);
  const from = new Map(first.map((cell) => [cell, -1]));
  for (const cell of from.keys()) { // also those that are added on the way
    for (const next of near(size, cell)) if (cells[next] === player && !from.has(next)) from.set(next, cell);
  }
  return from;
}

/** Return a shortest winning chain, or []. @param {number} size @param {number[]} cells @param {number} player */
export function chain(size, cells, player) {
  const from = flood(size, cells, player, 0), found = [];
  let cell = [...from.keys()].find((each) => distance(size, each, player) === size - 1) ?? -1;
  for (; cell >= 0; cell = from.get(cell) ?? -1) found.push(cell);
  return found;
}

/** Return the cells that win at once. @param {number} size @param {number[]} cells @param {number} player */
export function winningCells(size, cells, player) {
  const ends = [0, size - 1].map((side) => ({ side, reached: flood(size, cells, player, side) }));
  return emptyCells(cells).filter((cell) => ends.every(({ side, reached }) =>
    distance(size, cell, player) === side || [...near(size, cell)].some((next) => reached.has(next))));
}

const emptyCells = (/** @type {number[]} */ cells) => [...cells.keys()].filter((cell) => !cells[cell]);

/**
 * Return a net's policy, and its value for player 1.
 * @param {Net} net
 * @param {number[]} cells
 * @param {number} player
 */
export function ask(net, cells, player) {
  const data = Float32Array.of(player, ...cells);
  const { policy, value } = net({ state: { shape: [1, data.length], data } });
  return { policy: policy.data, value: value ? value.data[0] : 0 };
}

/**
 * Ask a net, which knows no swap, where it is legal, as anet/swap.py does: the swap is the last action.
 * @param {Net} net @param {number[]} cells @param {number} player
 */
export function askWithSwap(net, cells, player) {
  const { policy, value } = ask(net, cells, player), sign = player === 1 ? 1 : -1;
  const weight = Math.max(...policy) * (1 / Math.max((1 + sign * value) / 2, LEAST_CHANCE) - 1);
  return { policy: [...policy, weight].map((share) => share / (1 + weight)), value: sign * Math.abs(value) };
}

/**
 * Draw a move, as agents/agent.py does: the swap first, against the likeliest other one. Exponent 0: all are equal.
 * @param {ArrayLike<number>} policy @param {number[]} legal @param {number | null} exponent See pick().
 * @param {number} swap The number of cells; NaN without the rule. @param {() => number} random From 0 to below 1.
 */
export function pickWithSwap(policy, legal, exponent, swap, random = Math.random) {
  if (!exponent || legal.length !== swap) return pick(policy, legal, exponent, random());
  if (legal.at(-1) !== swap) return pick(policy, legal, COOLER * exponent, random());
  const cells = legal.slice(0, -1), both = [pick(policy, cells, null), swap];
  return pick(policy, both, COOLER * exponent, random()) === swap ? swap : pick(policy, cells, exponent, random());
}

/**
 * Return the likeliest of the legal actions; or one that is drawn in proportion to policy ** exponent.
 * @param {ArrayLike<number>} policy @param {number[]} legal @param {number | null} exponent
 * @param {number} random From 0 to below 1.
 */
export function pick(policy, legal, exponent, random = Math.random()) {
  const best = legal.reduce((one, other) => (policy[other] > policy[one] ? other : one));
  if (exponent === null) return best;
  const weights = legal.map((action) => (policy[action] / policy[best]) ** exponent);
  let left = random * weights.reduce((a, b) => a + b);
  return legal.find((_, i) => (left -= weights[i]) < 0) ?? best; // best: all weights are over, by rounding
}

/**
 * Search by PUCT; the net's critic evaluates leaves. Yields after each simulation; returns
 * {action, visits by cell, value seen from player 1}. There is no randomness.
 *
 * If the mover can win at once, a node has that move alone; if the opponent could, it has the moves that prevent it.
 * @param {Net} net @param {number} size @param {number[]} cells @param {number} player @param {number} simulations
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

/** @param {Net} net @param {number} size @param {number[]} cells @param {number} player @returns {SearchNode} */
function newNode(net, size, cells, player) {
  const own = winningCells(size, cells, player);
  const others = own.length ? [] : winningCells(size, cells, 3 - player);
  const isSettled = own.length > 0 || others.length > 1, sign = player === 1 ? 1 : -1;
  const forced = own.length ? own : others;
  const actions = isSettled ? forced.slice(0, 1) : forced.length ? forced : emptyCells(cells);
  const { policy, value } = isSettled
    ? { policy: { [actions[0]]: 1 }, value: own.length ? sign : -sign } : ask(net, cells, player);
  const total = actions.reduce((sum, action) => sum + policy[action], 0);
  return {
    cells, player, actions, value, isSettled, count: 1, total: value,
    priors: actions.map((action) => (total ? policy[action] / total : 1 / actions.length)),
    visits: actions.map(() => 0), children: actions.map(() => null),
  };
}

const meanOf = (/** @type {SearchNode} */ node) => node.total / node.count;

function simulate(/** @type {Net} */ net, /** @type {number} */ size, /** @type {SearchNode} */ root) {
  const path = [root];
  let node = root, isNew = false;
  while (!node.isSettled && !isNew) {
    const edge = select(node), { cells, player } = node;
    node.visits[edge] += 1;
    let child = node.children[edge];
    isNew = !child;
    child ??= node.children[edge] = newNode(net, size, cells.with(node.actions[edge], player), 3 - player);
    node = child;
    if (!isNew) path.push(node);
  }
  for (const each of path) {
    each.count += 1;
    each.total += node.value;
  }
}

function select(/** @type {SearchNode} */ node) {
  const sign = node.player === 1 ? 1 : -1, wide = EXPLORATION * Math.sqrt(node.count);
  let best = 0, most = -Infinity;
  node.children.forEach((child, edge) => {
    const q = child ? meanOf(child) : node.value;
    const score = sign * q + (wide * node.priors[edge]) / (1 + node.visits[edge]);
    if (score > most) {
      best = edge;
      most = score;
    }
  });
  return best;
}
