// The file that plays on its own: a game against the net that it holds, kept in its address.

import { createBoard, emptyHex } from "./board.js";
import { ask, chain, greedy, search } from "./hex.js";
import { loadNets } from "./net.js";

const part = (id) => document.getElementById(id);
const data = JSON.parse(part("data").textContent), { size } = data;
const [net, netInSearch] = loadNets([data.alone, data.search], data.weights);
const [human, starter, strength] = ["human", "starter", "strength"].map(part);
const board = createBoard(part("board"), onCell);
const PLAYERS = ["Red", "Black"];
const PAUSE = 25; // milliseconds of thought between two looks at what the user does

let actions = [], thinking = null, marks = {};

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

const isHumans = ({ winner, to_play: player }) => !winner && [0, player].includes(Number(human.value));

function draw() {
  const view = position(), isFree = isHumans(view) && !thinking;
  let shown = { ...marks };
  part("status").textContent = view.winner ? `${PLAYERS[view.winner - 1]} has won`
    : thinking ? `${PLAYERS[view.to_play - 1]} is thinking` : `${PLAYERS[view.to_play - 1]} to move`;
  if (part("thoughts").checked && !view.winner) {
    const { policy, value } = ask(net, view.cells, view.to_play), most = Math.max(...policy);
    shown = { heat: {}, texts: {}, heatKind: "policy", ...shown };
    for (const { action } of view.moves) {
      shown.heat[action] = 0.85 * policy[action] / most;
      if (policy[action] >= 0.01) shown.texts[action] = String(Math.round(100 * policy[action]));
    }
    if (value) part("status").textContent += `; the net gives red ${Math.round(50 + 50 * value)} %`;
  }
  board.draw(view, shown, { playable: isFree });
  document.body.classList.toggle("busy", Boolean(thinking));
  part("undo").disabled = !actions.length;
  part("hint").disabled = !isFree;
  const settings = [starter, human, strength].map((each) => each.value).join(".");
  history.replaceState(null, "", `#${settings}/${actions.join(".")}`);
}

/** Choose a move as strong as was asked for, and let the page live meanwhile; null if stopped. */
async function think() {
  const own = thinking = {}, { cells, to_play: player } = position();
  const simulations = Number(strength.value);
  draw();
  await new Promise((go) => setTimeout(go, PAUSE));
  let action = simulations ? null : greedy(net, cells, player);
  const steps = search(netInSearch, size, cells, player, simulations);
  for (let until = performance.now() + PAUSE; action === null && thinking === own;) {
    const { done, value } = steps.next();
    if (done) action = value.action;
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

/** Begin anything new: what is being thought is forgotten; then the net moves if it is its turn. */
async function goOn(change = () => {}) {
  thinking = null;
  marks = {};
  change();
  const view = position();
  if (view.winner || isHumans(view)) return draw();
  const action = await think();
  if (action !== null) goOn(() => actions.push(action));
}

function onCell(cell) {
  const view = position();
  if (thinking || !isHumans(view) || view.cells[cell]) return;
  goOn(() => actions.push(cell));
}

part("undo").onclick = () => goOn(() => {
  do actions.pop(); while (actions.length && !isHumans(position()));
});
part("new").onclick = () => goOn(() => { actions = []; });
part("hint").onclick = async () => {
  const action = await think();
  if (action === null) return;
  marks = { badges: { [action]: "hint" } };
  draw();
};
starter.onchange = () => goOn(() => { actions = []; });
human.onchange = strength.onchange = () => goOn();
part("thoughts").onchange = draw;
part("theme").onclick = () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
};

/** Take over the game that the address tells, as far as it is one. */
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
