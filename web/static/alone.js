// The exported page: a game against the net in the file. The address holds the game.

/** @import { Marks, View } from "./types.js" */
import { Board, emptyHex } from "./board.js";
import { ask, chain, greedy, search } from "./hex.js";
import { loadNets } from "./net.js";

/** Return an element of alone.html. @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent), { size } = data;
const [net, netInSearch] = loadNets([data.alone, data.search], data.weights);
const [human, starter, strength] = ["human", "starter", "strength"].map(part);
const board = new Board(part("board"), onCell);
const PLAYERS = ["Red", "Black"];
const PAUSE = 25; // milliseconds of search between two chances for the browser to react

let actions = /** @type {number[]} */ ([]);
/** The search that runs; another object when it is replaced. @type {object | null} */
let thinking = null;
let marks = /** @type {Marks} */ ({});

/** Return what board.js draws: the position after the moves. */
function position() {
  const view = emptyHex(size, Number(starter.value));
  for (const action of actions) {
    view.cells[action] = view.to_play;
    view.path = chain(size, view.cells, view.to_play);
    view.winner = view.path.length ? view.to_play : 0;
    view.to_play = 3 - view.to_play;
    view.last = action;
  }
  view.moves = view.winner ? [] : view.moves.filter((move) => !view.cells[move.action]);
  return view;
}

/** @param {View} view */
const isHumans = ({ winner, to_play: player }) => !winner && [0, player].includes(Number(human.value));

function draw() {
  const view = position(), isFree = isHumans(view) && !thinking;
  const mover = PLAYERS[view.to_play - 1];
  let shown = marks, words = mover + (thinking ? " is thinking" : " to move");
  if (part("thoughts").checked && !view.winner) {
    const { policy, value } = ask(net, view.cells, view.to_play), most = Math.max(...policy);
    const shares = Array.from(policy, (share, cell) => (view.cells[cell] ? 0 : share));
    const texts = shares.map((share) => (share >= 0.01 ? String(Math.round(100 * share)) : ""));
    shown = { heat: shares.map((share) => 0.85 * share / most), texts, heatKind: "policy", ...marks };
    if (value) words += `; the net gives red ${Math.round(50 + 50 * value)} %`;
  }
  part("status").textContent = view.winner ? `${PLAYERS[view.winner - 1]} has won` : words;
  board.draw(view, shown, { playable: isFree });
  document.body.classList.toggle("busy", Boolean(thinking));
  part("undo").disabled = !actions.length;
  part("hint").disabled = !isFree;
  const settings = [starter, human, strength].map((each) => each.value).join(".");
  history.replaceState(null, "", `#${settings}/${actions.join(".")}`);
}

/** Return the net's move at the chosen strength, null if stopped; the page reacts meanwhile. */
async function think() {
  const own = thinking = {}, { cells, to_play: player } = position();
  const simulations = Number(strength.value);
  draw();
  await new Promise((go) => setTimeout(go, PAUSE));
  let action = simulations ? -1 : greedy(net, cells, player);
  const steps = search(netInSearch, size, cells, player, simulations);
  for (let until = performance.now() + PAUSE; action < 0 && thinking === own;) {
    const { done, value } = steps.next();
    if (done) ({ action } = value);
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

/** Stop the search, change the game, then let the net move if it is its turn. */
async function goOn(change = () => {}) {
  thinking = null;
  marks = {};
  change();
  const view = position();
  if (view.winner || isHumans(view)) return draw();
  const action = await think();
  if (action !== null) goOn(() => actions.push(action));
}

function onCell(/** @type {number} */ cell) {
  const view = position();
  if (thinking || !isHumans(view) || view.cells[cell]) return;
  goOn(() => actions.push(cell));
}

const startAnew = () => goOn(() => { actions = []; });
/** What is done at a click or a change, by the elements of alone.html. @type {Record<string, [string, () => unknown]>} */
const EVENTS = {
  undo: ["click", () => goOn(() => { do actions.pop(); while (actions.length && !isHumans(position())); })],
  new: ["click", startAnew],
  hint: ["click", async () => {
    const action = await think();
    if (action === null) return;
    marks = { badges: { [action]: "hint" } };
    draw();
  }],
  theme: ["click", () => {
    const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
    document.documentElement.dataset.theme = isDark ? "light" : "dark";
  }],
  starter: ["change", startAnew], human: ["change", () => goOn()], strength: ["change", () => goOn()],
  thoughts: ["change", draw],
};
for (const [id, [type, act]] of Object.entries(EVENTS)) part(id).addEventListener(type, act);

/** Read the game from the address, up to its first mistake. */
function readAddress() {
  const [settings, moves = ""] = location.hash.slice(1).split("/");
  settings.split(".").forEach((value, i) => {
    const choice = [starter, human, strength][i];
    if (choice && [...choice.options].some((option) => option.value === value)) choice.value = value;
  });
  actions = [];
  for (const word of moves.split(".")) {
    if (!/^\d{1,3}$/.test(word) || !position().moves.some((m) => m.action === Number(word))) break;
    actions.push(Number(word));
  }
}

strength.value = "50";
readAddress();
window.addEventListener("hashchange", () => goOn(readAddress));
goOn();
