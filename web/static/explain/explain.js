// Explain: one search, step by step and backwards, on the board and in the tree.

/** @import { About, Marks, Recording, Step, View } from "../types.js" */
import { Board } from "../board/board.js";
import { isFlat, isTyped, pressKey } from "../page/controls.js";
import { button, element, form, options } from "../page/elements.js";
import { decoded, Game, shared } from "../board/game.js";
import { Latest, page } from "../page/page.js";
import { drawTree, signed } from "./tree.js";

const PACE = 1400; // milliseconds
const MOST_ROWS = 6;
const SIZES = [3, 4, 5, 6, 7];

const hex = (/** @type {unknown} */ size) => /** @type {About} */ ({ name: "hex", params: { size: Number(size) } });

export default class Explain {
  #game = new Game(hex(4));
  #recording = /** @type {Recording | undefined} */ (undefined);
  #at = 0; // the number of the step that is shown
  #asked = ""; // the address of the search
  #timer = 0;
  #requests = new Latest();

  #size = element(
    "select",
    {
      "aria-label": "The board",
      onchange: () => {
        this.#game = new Game(hex(this.#size.value));
        this.#begin();
      },
    },
    element("option", { value: "", text: "this position", hidden: true }),
    ...options(SIZES.map((each) => [each, `Hex ${each}×${each}`])),
  );
  #agent = element("input", {
    list: "explained-agents",
    size: 22,
    value: "mcts",
    "aria-label": "The agent that searches",
  });
  #simulations = element("input", { type: "number", min: 1, max: 200, value: 30, "aria-label": "Simulations" });
  #form = form(
    "explain-asked",
    () => this.#begin(),
    this.#size,
    element("label", {}, "searched by ", this.#agent),
    page.part("agents"),
    element("label", {}, this.#simulations, " simulations"),
    element("button", { text: "Search" }),
  );

  /** Key, text, hint and target of each step. @type {[string, string, string, () => number][]} */
  #ways = [
    ["Home", "first", "First step (Home)", () => 0],
    ["ArrowUp", "↑ simulation", "Simulation before (arrow up)", () => this.#ofSimulation(-1)],
    ["ArrowLeft", "← step", "Step back (arrow left)", () => this.#at - 1],
    ["ArrowRight", "step →", "Next step (arrow right)", () => this.#at + 1],
    ["ArrowDown", "simulation ↓", "Next simulation (arrow down)", () => this.#ofSimulation(1)],
    ["End", "last", "Last step (End)", () => Infinity],
  ];
  #play = button("play", () => (this.#timer ? this.#stop() : this.#start()));
  #range = element("input", { type: "range", min: 0, value: 0, "aria-label": "Step" });
  #processes = element("ol", { class: "processes" });
  #title = element("h2");
  #words = element("div", { class: "words", "aria-live": "polite" });
  #edges = element("table", { class: "looked" });
  #formula = element("pre");
  #place = element("div", { class: "board-place" });
  #board = new Board(this.#place);
  #tree = element("div", { class: "tree-place", tabindex: 0, "aria-label": "The tree" });

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    const steps = this.#ways.map(([key, text, title, to]) =>
      button(text, () => this.#goAndStay(to()), { title, "aria-label": title, key }));
    root.append(this.#form, this.#processes, element("div", { class: "tools" }, ...steps, this.#play), this.#range,
      element("div", { class: "explained" }, element("div", {}, this.#title, this.#place),
        element("div", { class: "panel" }, this.#words, this.#tree, this.#edges,
          element("details", {}, element("summary", { text: "The tree policy" }), this.#formula))));
    this.#range.addEventListener("input", () => this.#goAndStay(Number(this.#range.value)));
    addEventListener("keydown", (event) => {
      if (!root.hidden && !isTyped(event) && pressKey(root, event.key)) event.preventDefault();
    });
    addEventListener("resize", () => { if (!root.hidden) this.#draw(); });
  }

  /** Show the search of an address, else the last one, else a search from the shared game. @param {string} fragment */
  show(fragment) {
    const played = shared.game.line().length || shared.game.setup.length ? shared.game.fragment() : "";
    const parts = (fragment || played || this.#asked).split("/"), [word, count, step] = parts.slice(4);
    this.#game = Game.from(parts.slice(0, 4).join("/")) ?? this.#game;
    if (word) this.#agent.value = decoded(word) || "mcts";
    if (count) this.#simulations.value = count;
    if (this.#recording && this.#search() === this.#asked) return this.#go(Number(step ?? this.#at) || 0);
    const isListed = (/** @type {number} */ size) => JSON.stringify(hex(size)) === JSON.stringify(this.#game.about);
    this.#size.value = this.#game.line().length || this.#game.setup.length ? "" : String(SIZES.find(isListed) ?? "");
    this.#begin(Number(step) || 0);
  }

  hide() {
    this.#stop();
  }

  /** Record a search, and show a step of it. */
  async #begin(step = 0) {
    const { classList } = this.root, agent = this.#agent.value, simulations = Number(this.#simulations.value);
    this.#stop();
    this.#recording = undefined;
    this.#title.textContent = "The search runs, in plain Python…";
    classList.add("asking");
    const isLatest = await this.#requests.run(async (signal) => {
      this.#recording = await page.ask("explain", { position: this.#game.position(), agent, simulations }, signal);
      page.say("");
      this.#asked = this.#search();
      this.#drawFrame(this.#recording);
      this.#go(step);
    });
    if (!isLatest) return;
    classList.remove("asking");
    if (!this.#recording) this.#title.textContent = "";
  }

  /** Draw what all steps share. @param {Recording} recording */
  #drawFrame(recording) {
    this.#processes.replaceChildren(...recording.processes.map(({ name, places }, number) => {
      const next = button("", () => this.#goAndStay(this.#nextOf(number + 1)), { title: "Its next step" });
      next.append(element("strong", { text: name }), element("small", { text: places }));
      return element("li", {}, next);
    }));
    this.#formula.textContent = `${recording.policy}()\n\n${recording.formula}`;
    this.#range.max = String(recording.steps.length - 1);
  }

  #go(/** @type {number} */ step) {
    const last = this.#steps.length - 1;
    if (last < 0) return;
    this.#at = Math.min(Math.max(step, 0), last);
    if (this.#at === last) this.#stop();
    this.#draw();
    if (!this.root.hidden) page.setFragment(`${this.#search()}/${this.#at}`);
  }

  #goAndStay(/** @type {number} */ step) {
    this.#stop();
    this.#go(step);
  }

  get #steps() {
    return this.#recording?.steps ?? [];
  }

  /** Return the first step of a later or an earlier simulation. @param {number} offset */
  #ofSimulation(offset) {
    const wanted = (this.#steps[this.#at]?.simulation ?? 0) + offset;
    const found = this.#steps.findIndex((step) => step.simulation >= wanted);
    return found < 0 ? Infinity : found;
  }

  /** Return the next step of a process, or its first one if none is left. @param {number} process */
  #nextOf(process) {
    const next = this.#steps.findIndex((step, number) => step.process === process && number > this.#at);
    return next < 0 ? this.#steps.findIndex((step) => step.process === process) : next;
  }

  #start() {
    if (this.#at === this.#steps.length - 1) this.#at = 0;
    this.#timer = setInterval(() => this.#go(this.#at + 1), PACE);
    this.#play.textContent = "stop";
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#play.textContent = "play";
  }

  #draw() {
    const recording = this.#recording;
    if (!recording) return;
    const step = this.#steps[this.#at], view = { ...recording.view, ...step.board };
    this.#title.textContent = step.title;
    this.#range.value = String(this.#at);
    [...this.#processes.children].forEach((each, number) => {
      each.ariaCurrent = number + 1 === step.process ? "step" : null;
    });
    this.#words.replaceChildren(...step.words.map((line) => element("p", { text: line })));
    this.#board.draw(view, marksOf(step, view), { flat: isFlat() });
    this.#drawEdges(step);
    const values = new Map(this.#steps.slice(0, this.#at + 1).flatMap(({ changes }) =>
      changes.map(({ node, ...value }) => /** @type {[number, typeof value]} */ ([node, value]))));
    drawTree(this.#tree, recording, values, step.nodes, new Set(step.changes.map(({ node }) => node)));
  }

  #drawEdges(/** @type {Step} */ step) {
    // A missing score is infinite: the highest if the move was taken, else it was not compared.
    const known = step.edges.filter(({ score, taken }) => score !== null || taken);
    const sorted = known.toSorted((a, b) => (b.score ?? Infinity) - (a.score ?? Infinity));
    const shown = sorted.filter((edge, place) => place < MOST_ROWS || edge.taken), rest = known.length - shown.length;
    const line = (/** @type {unknown[]} */ texts, name = "td", more = {}) =>
      element("tr", more, ...texts.map((text) => element(name === "th" ? "th" : "td", { text })));
    this.#edges.hidden = !shown.length;
    this.#edges.replaceChildren(
      line(["move", "N", "Q", "u", step.board.to_play === 1 ? "Q + u" : "−Q + u"], "th"),
      ...shown.map(({ name, visits, q, u, score, taken }) =>
        line([name, visits, signed(q), u?.toFixed(3) ?? "", score?.toFixed(3) ?? ""], "td", { class: taken ? "taken" : "" })),
      ...(rest ? [element("tr", {}, element("td", { colspan: 5, text: `and ${rest} more` }))] : []));
  }

  /** Return the address of the search: that of the game, then agent and simulations. */
  #search() {
    return [this.#game.fragment(), encodeURIComponent(this.#agent.value), this.#simulations.value].join("/");
  }
}

/** Return the marks of a step; the stones of its rollout leave the view. @param {Step} step @param {View} view */
function marksOf({ edges, rollout }, view) {
  /** @type {Required<Pick<Marks, "texts" | "heat" | "selected">> & Marks} */
  const marks = { texts: {}, heat: {}, heatKind: "visits", selected: [] };
  const most = Math.max(1, ...edges.map((edge) => edge.visits));
  for (const { cell, score, visits, taken } of edges) {
    if (view.cells[cell]) continue;
    if (taken) marks.selected.push(cell);
    if (score === null) continue;
    marks.texts[cell] = score.toFixed(2);
    marks.heat[cell] = 0.55 * visits / most;
  }
  // Where each move sets one stone, those of a rollout are drawn as imagined ones.
  if (new Set(rollout).size === rollout.length && rollout.every((cell) => view.cells[cell])) {
    marks.ghosts = rollout.map((cell, ply) => ({ cell, player: view.cells[cell], text: String(ply + 1) }));
    view.cells = view.cells.map((player, cell) => (rollout.includes(cell) ? 0 : player));
  }
  return marks;
}
