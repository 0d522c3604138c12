// The opinions of a net, a search and the judge: heat and numbers on the board, and the value.

/** @import { Catalogue, Judged, Marks, Policy, Position, Responses, Search, View } from "./types.js" */
import { ghostsOf } from "./board.js";
import { element, labelled, options, panel, row } from "./elements.js";
import { shared } from "./game.js";
import { Latest, page } from "./page.js";
import { choicesOf } from "./players.js";

const DEPTHS = [200, 2000, 20000];
const MOST_KEPT = 300;
const JUDGING = 3; // seconds

const percent = (/** @type {number} */ share) => String(Math.round(100 * share));
const simulations = (/** @type {number} */ count) => `${count.toLocaleString("en")} simulations`;

/** The panel of opinions; onMarks() is called when marks() has changed. */
export class Analysis {
  #choice = page.part("opinions");
  #line = element("input", { type: "checkbox", id: "expected-line" });
  #depth = element("select", { id: "depth", "aria-label": "Simulations" },
    ...options(DEPTHS.map((each) => [each, simulations(each)])));
  #agent = element("select", { id: "analyst", "aria-label": "Agent" });
  #words = element("p", { class: "soft", "aria-live": "polite" });
  #share = element("i");
  #verdict = element("span");
  #bar = element("div", { class: "value-bar", role: "img", hidden: true }, this.#share, this.#verdict);
  element = panel("Analysis", this.#choice, this.#bar, labelled("Expected line", this.#line),
    row(this.#agent, this.#depth), this.#words);
  #kept = /** @type {Map<string, any>} */ (new Map()); // responses by their questions
  #requests = new Latest();
  #found = /** @type {{policy?: Policy, search?: Search, judged?: Judged}} */ ({});
  #shown = /** @type {{position: Position, view: View} | undefined} */ (undefined);

  constructor(/** @type {() => void} */ onMarks) {
    this.onMarks = onMarks;
    this.#depth.value = "2000";
    for (const each of [this.#choice, this.#line, this.#depth, this.#agent]) {
      each.addEventListener("change", () => this.#again());
    }
  }

  /** Return the kind of opinion on the board; empty: none. @returns {"" | "policy" | "visits" | "value" | "judge"} */
  kind() {
    return this.#choice.querySelector(":checked").value;
  }

  /** Analyse a position, more and more deeply. @param {Position} position @param {View} view */
  async show(position, view) {
    this.stop();
    this.#shown = { position, view };
    this.#found = {};
    this.#drawWords();
    this.onMarks();
    const { catalogue } = shared, kind = this.kind();
    const isSearched = ["visits", "value"].includes(kind) || this.#line.checked;
    if ((!kind && !isSearched) || view.winner || !catalogue) return;
    await this.#requests.run(async (signal) => {
      const take = (/** @type {{policy?: Policy, search?: Search, judged?: Judged}} */ found) => {
        signal.throwIfAborted();
        Object.assign(this.#found, found);
        this.#drawWords();
        this.onMarks();
      };
      const agent = this.#agent.value || catalogue.analyst, net = agent.startsWith("mcts:") ? agent.slice(5) : "best";
      if (kind === "judge") take({ judged: await this.#ask("judge", { position, seconds: JUDGING }, signal) });
      const hasPolicy = kind === "policy" && catalogue.has_net;
      if (hasPolicy) take({ policy: await this.#ask("policy", { position, net }, signal) });
      for (const depth of isSearched ? DEPTHS.filter((each) => each <= Number(this.#depth.value)) : []) {
        take({ search: await this.#ask("search", { position, agent, simulations: depth }, signal) });
      }
    }, (error) => { this.#words.textContent = error instanceof Error ? error.message : String(error); });
  }

  stop() {
    this.#requests.stop();
  }

  /** Return the opinions as marks on a board. @param {View} view */
  marks(view) {
    const { search } = this.#found, kind = this.kind(), shares = view === this.#shown?.view ? this.#shares(view) : {};
    /** @type {Marks & Required<Pick<Marks, "heat" | "texts" | "badges">>} */
    const marks = { heat: {}, texts: {}, badges: {}, heatKind: kind === "judge" ? "good" : kind || undefined };
    const most = Math.max(0.08, ...Object.values(shares));
    for (const { action, cells } of view.moves) {
      const share = shares[action], cell = cells.at(-1);
      if (share === undefined || cell === undefined) continue;
      const heat = kind === "judge" ? 0.55 : 0.92 * (kind === "value" ? share ** 2 : share / most);
      marks.heat[cell] = Math.max(marks.heat[cell] ?? 0, heat);
      marks.texts[cell] = kind === "judge" ? "✓" : percent(share);
    }
    const isShown = this.#line.checked && view === this.#shown?.view;
    const isOnCells = view.moves.every(({ action, cells }) => cells[0] === action);
    if (isShown && isOnCells && search?.line.every((action) => action < view.cells.length)) {
      marks.ghosts = ghostsOf(search.line, view.to_play);
      marks.texts = {};
    }
    return marks;
  }

  /** Return the numbers of moves, by action. @param {View} view @returns {Record<number, number>} */
  #shares(view) {
    const { policy, search, judged } = this.#found, sign = view.to_play === 1 ? 1 : -1, kind = this.kind();
    if (kind === "policy") return policy?.policy ?? {};
    if (kind === "visits") return search?.visits ?? {};
    if (kind === "judge") return Object.fromEntries((judged?.keep ?? []).map((action) => [action, 1]));
    const values = Object.entries(kind === "value" && search ? search.values : {});
    return Object.fromEntries(values.map(([action, value]) => [action, (1 + sign * value) / 2]));
  }

  /** Return a good move, and why. @param {Position} position @param {AbortSignal} signal */
  hint(position, signal) {
    return this.#ask("hint", { position, agent: shared.catalogue?.analyst, simulations: 2000, seconds: 1 }, signal);
  }

  /** Show the nets of a catalogue. @param {Catalogue} catalogue */
  fill(catalogue) {
    const before = this.#agent.value;
    this.#agent.replaceChildren(
      ...options([[catalogue.analyst, catalogue.analyst_title], ...choicesOf("mcts", catalogue.nets)]));
    this.#agent.value = before;
    if (this.#agent.selectedIndex < 0) this.#agent.selectedIndex = 0;
  }

  /**
   * Send a question once.
   * @template {keyof Responses} K
   * @param {K} name @param {object} question @param {AbortSignal} signal @returns {Promise<Responses[K]>}
   */
  async #ask(name, question, signal) {
    const key = JSON.stringify([name, question]);
    if (!this.#kept.has(key)) {
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
      this.#kept.set(key, await page.ask(name, question, signal));
    }
    return this.#kept.get(key);
  }

  #again() {
    if (this.#shown) this.show(this.#shown.position, this.#shown.view);
  }

  #drawWords() {
    const { policy, search, judged } = this.#found, kind = this.kind(), said = [];
    if (kind === "policy" && shared.catalogue?.has_net === false) {
      said.push("No net knows this board; Visits and Value search without one.");
    }
    if (kind === "policy" && policy) said.push(`The net ${policy.net}.`);
    if (search) said.push(`${simulations(search.simulations)}; expected: ${search.names.slice(0, 10).join(" ")}.`);
    if (judged) said.push(`${judged.words[0].toUpperCase()}${judged.words.slice(1)}.`);
    this.#words.textContent = said.join(" ");
    const value = judged?.winner ? [0, 1, -1, 0][judged.winner] : search?.value ?? policy?.value;
    const players = this.#shown?.view.players ?? [], chance = (1 + (value ?? 0)) / 2, better = chance >= 0.5 ? 0 : 1;
    this.#bar.hidden = value === undefined || value === null;
    this.#share.style.width = `${100 * chance}%`;
    this.#verdict.textContent = judged?.winner && value ? `${players[better]} wins`
      : `${players[better]} ${percent(better ? 1 - chance : chance)} %`;
    this.#bar.setAttribute("aria-label", `Value: ${this.#verdict.textContent}`);
  }
}
