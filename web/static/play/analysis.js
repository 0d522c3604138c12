// The opinions of a net, a search and the judge: heat and numbers on the board, and the value.

/** @import { Catalogue, Marks, Position, Responses, View } from "../types.js" */
import { ghostsOf } from "../board/board.js";
import { element, labelled, options, panel, row } from "../page/elements.js";
import { shared } from "../board/game.js";
import { Latest, page } from "../page/page.js";
import { choicesOf } from "./players.js";
import { capital } from "../board/verdicts.js";

const DEPTHS = [200, 2000, 20000];
const MOST_KEPT = 300;
const JUDGING = 3; // seconds

/** The colours of the kinds of opinions. @type {Record<string, Marks["heatKind"]>} */
const HEATS = { policy: "policy", visits: "visits", value: "value", judge: "good", openings: "value" };

const percent = (/** @type {number} */ share) => String(Math.round(100 * share));
const simulations = (/** @type {number} */ count) => `${count.toLocaleString("en")} simulations`;

/** Mark an expected line, where each action is that of its cell. @param {View} view @param {number[]} [line] */
export function ghostsOfLine(view, line = []) {
  const isOnCells = view.moves.every(({ action, cells }) => !cells.length || cells[0] === action);
  return isOnCells && line.every((action) => action < view.cells.length) ? ghostsOf(line, view.to_play) : [];
}

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
  requests = new Latest();
  #found = /** @type {Partial<Pick<Responses, "policy" | "search" | "judge" | "openings">>} */ ({});
  #shown = /** @type {{position: Position, view: View} | undefined} */ (undefined);

  constructor(/** @type {() => void} */ onMarks) {
    this.onMarks = onMarks;
    this.#depth.value = "2000";
    for (const each of [this.#choice, this.#line, this.#depth, this.#agent]) {
      each.addEventListener("change", () => this.#shown && this.show(this.#shown.position, this.#shown.view));
    }
  }

  /** Return the kind of opinion on the board; empty: none. @returns {"" | "policy" | "visits" | "value" | "judge" | "openings"} */
  kind = () => this.#choice.querySelector(":checked").value;

  /** Analyse a position, more and more deeply. @param {Position} position @param {View} view */
  async show(position, view) {
    this.requests.stop();
    this.#shown = { position, view };
    this.#found = {};
    this.#drawWords();
    this.onMarks();
    const { catalogue } = shared, kind = this.kind();
    const isSearched = ["visits", "value"].includes(kind) || this.#line.checked;
    if ((!kind && !isSearched) || view.winner || !catalogue) return;
    await this.requests.run(async (signal) => {
      const find = async (/** @type {"policy" | "search" | "judge" | "openings"} */ name, /** @type {object} */ question) => {
        const found = await this.#ask(name, { position, ...question }, signal);
        signal.throwIfAborted();
        Object.assign(this.#found, { [name]: found });
        this.#drawWords();
        this.onMarks();
      };
      const agent = this.#agent.value || catalogue.analyst, net = agent.startsWith("mcts:") ? agent.slice(5) : "best";
      if (kind === "judge") await find("judge", { seconds: JUDGING });
      if (kind === "openings") await find("openings", {});
      if (kind === "policy" && catalogue.has_net) await find("policy", { net });
      for (const depth of isSearched ? DEPTHS.filter((each) => each <= Number(this.#depth.value)) : []) {
        await find("search", { agent, simulations: depth });
      }
    }, (error) => { this.#words.textContent = error instanceof Error ? error.message : String(error); });
  }

  /** Return the opinions as marks on a board. @param {View} view */
  marks(view) {
    const { search } = this.#found, kind = this.kind(), shares = view === this.#shown?.view ? this.#shares(view) : {};
    /** @type {Marks & Required<Pick<Marks, "heat" | "texts" | "badges">>} */
    const marks = { heat: {}, texts: {}, badges: {}, heatKind: HEATS[kind] };
    const most = Math.max(0.08, ...Object.values(shares));
    for (const { action, cells } of view.moves) {
      const share = shares[action], cell = cells.at(-1);
      if (share === undefined || cell === undefined) continue;
      const heat = kind === "judge" ? 0.55 : kind === "openings" ? (share >= 0.5 ? 0.25 + 0.6 * (2 * share - 1) : 0)
        : 0.92 * (kind === "value" ? share ** 2 : share / most);
      marks.heat[cell] = Math.max(marks.heat[cell] ?? 0, heat);
      marks.texts[cell] = kind === "judge" ? "✓" : percent(share);
    }
    const ghosts = this.#line.checked && view === this.#shown?.view ? ghostsOfLine(view, search?.line) : [];
    return ghosts.length ? { ...marks, ghosts, texts: {} } : marks;
  }

  /** Return the numbers of moves, by action. @param {View} view @returns {Record<number, number>} */
  #shares(view) {
    const { policy, search, judge } = this.#found, sign = view.to_play === 1 ? 1 : -1, kind = this.kind();
    if (kind === "policy") return policy?.policy ?? {};
    if (kind === "visits") return search?.visits ?? {};
    if (kind === "openings") return view.history.length ? {} : this.#openings();
    if (kind === "judge") return Object.fromEntries((judge?.keep ?? []).map((action) => [action, 1]));
    const values = Object.entries(kind === "value" && search ? search.values : {});
    return Object.fromEntries(values.map(([action, value]) => [action, (1 + sign * value) / 2]));
  }

  /** Return how often the first player wins after each first stone. @returns {Record<number, number>} */
  #openings() {
    return Object.fromEntries((this.#found.openings?.percent ?? []).map((each, cell) => [cell, each / 100]));
  }

  /** Say which first stone to swap; of the one that lies, whether. @param {Position} position @param {View} view */
  #openingWords({ start, actions }, { players, moves }) {
    const { percent: chances = [], known = "" } = this.#found.openings ?? {}, first = players[start - 1];
    const chance = chances[actions[0]], canSwap = moves.some(({ cells }) => !cells.length);
    if (!chances.length) return "There is a map of first stones for empty boards of Hex up to 11x11.";
    if (!actions.length) return `${capital(first)}'s chances after each first stone (${known}): swap the coloured ones.`;
    const advice = canSwap ? chance >= 50 ? ": swap it" : ": leave it" : "";
    return `${capital(first)}'s chances after the first stone: ${chance} % (${known})${advice}.`;
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

  #drawWords() {
    const { policy, search, judge } = this.#found, kind = this.kind(), said = [];
    if (kind === "policy" && shared.catalogue?.has_net === false) {
      said.push("No net knows this board; Visits and Value search without one.");
    }
    if (kind === "policy" && policy) said.push(`The net ${policy.net}.`);
    if (kind === "openings" && this.#found.openings && this.#shown) {
      said.push(this.#openingWords(this.#shown.position, this.#shown.view));
    }
    if (search) said.push(`${simulations(search.simulations)}; expected: ${search.names.slice(0, 10).join(" ")}.`);
    if (judge) said.push(`${capital(judge.words)}.`);
    this.#words.textContent = said.join(" ");
    const value = judge?.winner ? [0, 1, -1, 0][judge.winner] : search?.value ?? policy?.value;
    const players = this.#shown?.view.players ?? [], chance = (1 + (value ?? 0)) / 2, better = chance >= 0.5 ? 0 : 1;
    this.#bar.hidden = value === undefined || value === null;
    this.#share.style.width = `${100 * chance}%`;
    this.#verdict.textContent = judge?.winner && value ? `${players[better]} wins`
      : `${players[better]} ${percent(better ? 1 - chance : chance)} %`;
    this.#bar.setAttribute("aria-label", `Value: ${this.#verdict.textContent}`);
  }
}
