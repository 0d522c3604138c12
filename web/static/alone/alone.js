// The exported page: a game against the net in the file. The address holds the game.

/** @import { Marks, View } from "../types.js" */
/** @import { Graph, Net } from "./net.js" */
import { Board, emptyHex } from "../board/board.js";
import { copy, isFlat, isLarge, isTouched, isTyped, pressKey, turn, usesSwap, wide } from "../page/controls.js";
import { ask, askWithSwap, chain, pickWithSwap, search, winningCells } from "./hex.js";
import { loadNets, unpack } from "./net.js";

/** @typedef {{policy: ArrayLike<number>, value: number}} Evaluation */
/**
 * The data of the file: a net's graphs for each board, alone and in a search, and its evaluation of the
 * empty board with the swap, for each player to move; and each level without a search, with the exponent for pick().
 * @typedef {{size: number, levels: Record<string, number | null>, weights: Float32Array,
 *   boards: Record<string, {graphs: Graph[], openings: Evaluation[] | null}>}} Data
 */

/** Return an element of alone.html. @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const CHOICES = ["starter", "human", "strength", "size", "rule"].map(part); // in the order of the address
const [starter, human, strength, sizes, rule] = CHOICES;
const board = new Board(part("board"), onCell);
const PLAYERS = ["Red", "Black"];
const PAUSE = 25; // milliseconds of search between two chances for the browser to react

let data = /** @type {Data} */ ({});
const loaded = /** @type {Record<string, Net[]>} */ ({});
let actions = /** @type {number[]} */ ([]);
/** The search that runs; another object when it is replaced. @type {object | null} */
let thinking = null;
let marks = /** @type {Marks} */ ({});

const sizeNow = () => Number(sizes.value);
/** Return the net for the board, alone and in a search. */
const nets = () => loaded[sizes.value] ??= loadNets(data.boards[sizes.value].graphs, data.weights);
const swapAction = () => sizeNow() ** 2;
const canSwap = () => rule.value === "swap" && actions.length === 1;

/** Return what board.js draws: the position after the moves. */
function position() {
  const size = sizeNow(), view = emptyHex(size, Number(starter.value));
  for (const action of actions) {
    const isSwap = action === swapAction(), [first] = actions;
    if (isSwap) view.cells[first] = 0;
    view.last = isSwap ? (first % size) * size + Math.floor(first / size) : action;
    view.cells[view.last] = view.to_play;
    view.path = chain(size, view.cells, view.to_play);
    view.winner = view.path.length ? view.to_play : 0;
    view.to_play = 3 - view.to_play;
  }
  view.moves = view.winner ? [] : view.moves.filter((move) => !view.cells[move.action]);
  if (canSwap()) view.moves.push({ action: swapAction(), cells: [], name: "swap" });
  return view;
}

/**
 * Return the net's policy and value, of the game with the swap if that is the rule.
 * @param {View} view
 * @returns {Evaluation}
 */
function evaluate({ cells, to_play: player }) {
  const { openings } = data.boards[sizes.value];
  if (openings && rule.value === "swap" && !actions.length) return openings[player - 1];
  return (canSwap() ? askWithSwap : ask)(nets()[0], cells, player);
}

const isHumans = (/** @type {View} */ { winner, to_play: player }) =>
  !winner && [0, player].includes(Number(human.value));

function draw() {
  const view = position(), isFree = isHumans(view) && !thinking;
  const mover = PLAYERS[view.to_play - 1], before = PLAYERS[2 - view.to_play];
  const last = actions.at(-1), isNets = !thinking && ![0, 3 - view.to_play].includes(Number(human.value));
  let shown = marks, words = mover + (thinking ? " is thinking" : " to move");
  if (last === swapAction()) words = `${before} swapped; ${words}`;
  else if (last !== undefined && isNets) words = `${before} played ${emptyHex(sizeNow()).moves[last].name}; ${words}`;
  if (part("thoughts").checked && !view.winner) {
    const { policy, value } = evaluate(view), most = Math.max(...Array.from(policy));
    const shares = view.cells.map((owner, cell) => (owner ? 0 : policy[cell]));
    const texts = shares.map((share) => (share >= 0.01 ? String(Math.round(100 * share)) : ""));
    shown = { heat: shares.map((share) => 0.85 * share / most), texts, heatKind: "policy", ...marks };
    if (value) words += `; the net gives red ${Math.round(50 + 50 * value)}\u00a0%`;
  }
  const own = Number(human.value), won = !own ? `${PLAYERS[view.winner - 1]} has won` : `You ${own === view.winner ? "won" : "lost"}`;
  part("status").textContent = view.winner ? won : words;
  board.draw(view, shown, { playable: isFree, flat: isFlat() });
  document.body.classList.toggle("busy", Boolean(thinking));
  part("undo").disabled = !actions.length;
  part("hint").disabled = !isFree;
  part("swap").hidden = !isFree || !canSwap();
  history.replaceState(null, "", `#${CHOICES.map((each) => each.value).join(".")}/${actions.join(".")}`);
}

/** Return the net's move at the chosen strength, null if stopped; the page reacts meanwhile. */
async function think(exponent = data.levels[strength.value] ?? null) {
  const own = thinking = {}, view = position(), { cells, to_play: player } = view;
  const simulations = Number(strength.value) || 0, searches = simulations && (actions.length || rule.value !== "swap");
  draw();
  await new Promise((go) => setTimeout(go, PAUSE));
  const winning = exponent === null ? winningCells(sizeNow(), cells, player) : []; // weaker levels may miss a win
  let action = searches
    ? -1
    : (winning[0] ??
      pickWithSwap(
        evaluate(view).policy,
        view.moves.map((move) => move.action),
        exponent,
        rule.value === "swap" ? swapAction() : NaN,
      ));
  const steps = search(nets()[1], sizeNow(), cells, player, simulations);
  for (let until = performance.now() + PAUSE; action < 0 && thinking === own;) {
    const { done, value } = steps.next();
    if (done) action = canSwap() && value.value * (player === 1 ? 1 : -1) < 0 ? swapAction() : value.action;
    else if (performance.now() > until) {
      part("progress").value = value / simulations;
      await new Promise((go) => setTimeout(go));
      until = performance.now() + PAUSE;
    }
  }
  if (thinking !== own) return null;
  thinking = null;
  part("progress").value = 0;
  return action;
}

const say = (/** @type {string} */ words) => { part("said").textContent = words; };

/** Stop the search, change the game, then let the net move if it is its turn. */
async function goOn(change = () => {}) {
  thinking = null;
  marks = {};
  say("");
  change();
  const view = position();
  if (view.winner || isHumans(view)) return draw();
  const action = await think();
  if (action !== null) goOn(() => actions.push(action));
}

function onCell(/** @type {number} */ cell) {
  const view = position();
  if (thinking || !isHumans(view) || view.cells[cell]) return;
  const isFirst = isTouched && isLarge(view) && !marks.selected?.includes(cell);
  if (!isFirst) return goOn(() => actions.push(cell));
  marks = { selected: [cell] };
  say(`Tap ${view.moves.find((move) => move.action === cell)?.name} once more to play it.`);
  draw();
}

/** Return the game as formats/sgf.py writes it. */
function sgf() {
  const { moves } = emptyHex(sizeNow()), { winner } = position(), first = Number(starter.value) - 1;
  const names = actions.map((action, i) => `;${"BW"[(first + i) % 2]}[${moves[action]?.name ?? "swap-pieces"}]`);
  const rules = rule.value === "swap" ? "RU[swap]" : "", result = winner ? `RE[${"BW"[winner - 1]}+]` : "";
  return `(;FF[4]GM[11]CA[UTF-8]SZ[${sizeNow()}]${rules}PL[${"BW"[first]}]${result}${names.join("")})`;
}

const ELSEWHERE = " On another computer, open this file there and replace the end of its address, from # on.";
const startAnew = () => goOn(() => { actions = []; });
const chooseUsualRule = () => { if (rule.options[1]) rule.value = usesSwap(sizeNow()) ? "swap" : "plain"; };
/** What the elements of alone.html do at a click on a button, or at a change. @type {Record<string, () => unknown>} */
const EVENTS = {
  undo: () => goOn(() => { do actions.pop(); while (actions.length && !isHumans(position())); }),
  new: startAnew,
  swap: () => goOn(() => actions.push(swapAction())),
  turn: () => { turn(); draw(); },
  hint: async () => {
    const action = await think(null);
    if (action === null) return;
    if (action === swapAction()) say("Hint: swap.");
    else marks = { badges: { [action]: "hint" } };
    draw();
  },
  share: async () => say(await copy(location.href,
    `The link to this position is copied.${location.protocol === "file:" ? ELSEWHERE : ""}`)),
  sgf: async () => say(await copy(sgf(), "The game is copied as SGF.")),
  theme: () => {
    const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
    document.documentElement.dataset.theme = isDark ? "light" : "dark";
  },
  starter: startAnew, size: () => { chooseUsualRule(); startAnew(); }, rule: startAnew, human: () => goOn(), strength: () => goOn(), thoughts: draw,
};

/** Read the game from the address, up to its first mistake. */
function readAddress() {
  const [settings, moves = ""] = location.hash.slice(1).split("/"), values = settings.split(".");
  CHOICES.forEach((choice, i) => {
    if ([...choice.options].some((option) => option.value === values[i])) choice.value = values[i];
  });
  actions = [];
  for (const word of moves.split(".")) {
    if (!/^\d{1,3}$/.test(word) || !position().moves.some((m) => m.action === Number(word))) break;
    actions.push(Number(word));
  }
}

async function start() {
  data = await unpack(part("data").textContent);
  strength.value = "50";
  sizes.value = data.size;
  if (!data.boards[data.size].openings) rule.options[1].remove();
  for (const choice of [sizes, rule]) choice.parentElement.hidden = choice.options.length < 2;
  chooseUsualRule();
  readAddress();
  for (const [id, act] of Object.entries(EVENTS)) {
    part(id).addEventListener(part(id) instanceof HTMLButtonElement ? "click" : "change", () => act());
  }
  addEventListener("keydown", (event) => isTyped(event) || pressKey(document, event.key));
  wide.addEventListener("change", draw);
  addEventListener("hashchange", () => goOn(readAddress));
  goOn();
}

start().catch((error) => { part("status").textContent = `This browser cannot play here: ${error.message}`; });
