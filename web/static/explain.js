// Explain: one search, step by step and backwards, on the board and in the tree.

import { createBoard } from "./board.js";
import { Game, shared } from "./game.js";
import { isTyped } from "./moves.js";
import { decoded, element, setCurrent } from "./page.js";
import { createTree, signed } from "./tree.js";

const PACE = 1400;
const MOST_ROWS = 6;
const AGENTS = [
  ["mcts", "UCT, random rollouts"], ["mcts:best", "the best net"], ["mcts:tree_policy=uct_rave", "UCT with RAVE"],
  ["mcts:solver=true", "UCT with proofs"],
];

export function mount(root, page) {
  let recording = null, at = 0, playing = 0, asking = null, asked = "";
  let game = new Game({ name: "hex", params: { size: 4 } });

  const agent = element("input", { list: "explained-agents", size: 22, value: "mcts", "aria-label": "The agent that searches" });
  const simulations = element("input", { type: "number", min: 1, max: 200, value: 30, "aria-label": "Simulations" });
  const size = element("select", { "aria-label": "The board" },
    element("option", { value: "", text: "this position", hidden: true }),
    ...[3, 4, 5, 6, 7].map((each) => element("option", { value: each, text: `Hex ${each}×${each}` })));
  size.value = "4";
  const form = element("form", { class: "explain-asked", onsubmit: (event) => { event.preventDefault(); begin(); } },
    size, element("label", {}, "searched by ", agent),
    element("datalist", { id: "explained-agents" }, ...AGENTS.map(([value, text]) => element("option", { value, text }))),
    element("label", {}, simulations, " simulations"), element("button", { text: "Search" }));
  size.addEventListener("change", () => {
    game = new Game({ name: "hex", params: { size: Number(size.value) } });
    begin();
  });

  const processes = element("ol", { class: "processes" });
  const title = element("h2", {}), place = element("div", { class: "board-place" });
  const words = element("div", { class: "words", "aria-live": "polite" });
  const edges = element("table", { class: "looked" });
  const treeHost = element("div", { class: "tree-place", tabindex: 0, "aria-label": "The tree" });
  const play = element("button", { onclick: () => (playing ? stop() : start()), text: "play" });
  const ways = [
    ["Home", "first", "First step (Home)", () => 0],
    ["ArrowUp", "↑ simulation", "Simulation before (arrow up)", () => ofSimulation(-1)],
    ["ArrowLeft", "← step", "Step back (arrow left)", () => at - 1],
    ["ArrowRight", "step →", "Next step (arrow right)", () => at + 1],
    ["ArrowDown", "simulation ↓", "Next simulation (arrow down)", () => ofSimulation(1)],
    ["End", "last", "Last step (End)", () => Infinity],
  ];
  const buttons = element("div", { class: "tools" },
    ...ways.map(([, text, hint, to]) => element("button", { text, title: hint, "aria-label": hint, onclick: () => goAndStay(to()) })),
    play);
  const range = element("input", { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => goAndStay(Number(range.value)) });
  const formula = element("details", {}, element("summary", { text: "The tree policy" }), element("pre", {}));
  root.append(form, processes, buttons, range,
    element("div", { class: "explained" },
      element("div", {}, title, place),
      element("div", { class: "panel" }, words, treeHost, edges, formula)));
  const board = createBoard(place), drawTree = createTree(treeHost);

  async function begin(step = 0) {
    stop();
    recording = null;
    asking?.abort();
    asking = new AbortController();
    title.textContent = "The search runs, in plain Python…";
    root.classList.add("asking");
    try {
      const question = { position: game.position(), agent: agent.value, simulations: Number(simulations.value) };
      recording = await page.ask("explain", question, asking.signal);
      page.say("");
    } catch (error) {
      if (error.name !== "AbortError") { page.say(error.message); title.textContent = ""; }
      return;
    } finally {
      root.classList.remove("asking");
    }
    processes.replaceChildren(...recording.processes.map(({ name, places }, number) => element("li", {},
      element("button", { type: "button", title: "Its next step", onclick: () => goAndStay(nextOf(number + 1)) },
        element("strong", { text: name }), element("small", { text: places })))));
    formula.lastChild.textContent = `${recording.policy}()\n\n${recording.formula}`;
    range.max = recording.steps.length - 1;
    go(step);
    asked = written().split("/").slice(0, 6).join("/");
  }

  function go(step) {
    if (!recording) return;
    at = Math.min(Math.max(step, 0), recording.steps.length - 1);
    if (at === recording.steps.length - 1) stop();
    draw();
    if (!root.hidden) page.setFragment(written());
  }

  function goAndStay(step) {
    stop();
    go(step);
  }

  /** Return the first step of a later or an earlier simulation. */
  function ofSimulation(offset) {
    const wanted = recording.steps[at].simulation + offset;
    const found = recording.steps.findIndex((step) => step.simulation >= wanted);
    return found < 0 ? Infinity : found;
  }

  /** Return the next step of a process, or its first one if none is left. */
  function nextOf(process) {
    const isIts = (step) => step.process === process, ahead = recording.steps.slice(at + 1).findIndex(isIts);
    return ahead >= 0 ? at + 1 + ahead : recording.steps.findIndex(isIts);
  }

  function start() {
    if (at === recording?.steps.length - 1) at = 0;
    playing = setInterval(() => go(at + 1), PACE);
    play.textContent = "stop";
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    play.textContent = "play";
  }

  function draw() {
    const step = recording.steps[at], view = { ...recording.view, ...step.board };
    title.textContent = step.title;
    range.value = at;
    [...processes.children].forEach((each, number) => setCurrent(each, number + 1 === step.process));
    words.replaceChildren(...step.words.map((line) => element("p", { text: line })));
    board.draw(view, marksOf(step, view), { flat: page.isFlat });
    drawEdges(step);
    const values = new Map(recording.steps.slice(0, at + 1)
      .flatMap(({ changes }) => changes.map(({ node, ...value }) => [node, value])));
    const changed = new Set(step.changes.map((change) => change.node));
    drawTree(recording, values, step.nodes, changed);
  }

  function marksOf(step, view) {
    const marks = { texts: {}, heat: {}, heatKind: "visits", selected: [] };
    const most = Math.max(1, ...step.edges.map((edge) => edge.visits));
    for (const edge of step.edges) {
      if (view.cells[edge.cell] || edge.score === null) continue;
      marks.texts[edge.cell] = edge.score.toFixed(2);
      marks.heat[edge.cell] = 0.55 * edge.visits / most;
      if (edge.taken) marks.selected.push(edge.cell);
    }
    // Where each move sets one stone, those of a rollout are shown as what they are: imagined.
    if (new Set(step.rollout).size === step.rollout.length && step.rollout.every((cell) => view.cells[cell])) {
      marks.ghosts = step.rollout.map((cell, ply) => ({ cell, player: view.cells[cell], text: String(ply + 1) }));
      view.cells = view.cells.map((player, cell) => (step.rollout.includes(cell) ? 0 : player));
    }
    return marks;
  }

  function drawEdges(step) {
    const known = step.edges.filter((edge) => edge.score !== null).sort((a, b) => b.score - a.score);
    const shown = known.filter((edge, place) => place < MOST_ROWS || edge.taken);
    const rest = known.length - shown.length;
    edges.hidden = !shown.length;
    edges.replaceChildren(
      element("tr", {}, ...["move", "N", "Q", "u", step.board.to_play === 1 ? "Q + u" : "−Q + u"].map((text) => element("th", { text }))),
      ...shown.map((edge) => element("tr", { class: edge.taken ? "taken" : "" },
        ...[edge.name, edge.visits, signed(edge.q), edge.u === null ? "" : edge.u.toFixed(3), edge.score.toFixed(3)]
          .map((text) => element("td", { text })))),
      ...(rest ? [element("tr", {}, element("td", { colspan: 5, text: `and ${rest} more` }))] : []));
  }

  /** Return the address: that of the game, then agent, simulations and step. */
  function written() {
    return [game.fragment(), encodeURIComponent(agent.value), simulations.value, at].join("/");
  }

  function read(fragment) {
    const parts = fragment.split("/"), [word, count, step] = parts.slice(4);
    game = Game.from(parts.slice(0, 4).join("/")) ?? game;
    if (word) agent.value = decoded(word) || "mcts";
    if (count) simulations.value = count;
    return Number(step) || 0;
  }

  addEventListener("keydown", (event) => {
    const way = !root.hidden && recording && !isTyped(event) && ways.find(([key]) => key === event.key);
    if (!way) return;
    goAndStay(way[3]());
    event.preventDefault();
  });
  addEventListener("resize", () => recording && !root.hidden && draw());

  return {
    show(fragment) {
      const game_now = shared.game.line().length ? shared.game.fragment() : "";
      const wanted = fragment || (asked && !game_now ? asked : game_now);
      const parts = wanted.split("/");
      const search = [...parts.slice(0, 4), parts[4] ?? encodeURIComponent(agent.value), parts[5] ?? simulations.value].join("/");
      if (recording && search === asked) return go(Number(parts[6] ?? at) || 0);
      const step = wanted ? read(wanted) : 0;
      size.value = game.about.name === "hex" && !game.line().length ? String(game.about.params.size) : "";
      if (size.selectedIndex < 0) size.value = "";
      begin(step);
    },
    hide: stop,
  };
}
