// Watch: a run, by its files only: its newest game, its curves, its nets, its tournament.

/** @import { Progress, Run, RunGame, RunStamp, Standings } from "../types.js" */
import { BoardTab } from "../board/board_tab.js";
import { chartOf, short } from "./chart.js";
import { button, element, fold, labelled, options, panel } from "../page/elements.js";
import { decoded, Game, newId } from "../board/game.js";
import { Latest, page } from "../page/page.js";

const PAUSE = 2000, LONG_PAUSE = 10000, LISTED = 10000; // milliseconds between requests
const OLD = 600, RUNNING = 60; // seconds
const PACE = 350, REST = 5; // milliseconds for a move, moves of rest after a game

export default class Watch extends BoardTab {
  #name = ""; // of the run
  #run = /** @type {Run | undefined} */ (undefined);
  own = new Game(); // on the board: its nodes are numbered by plies
  #record = /** @type {RunGame | undefined} */ (undefined);
  #rest = 0; // ticks for which the end of the game has been shown
  #timer = 0;
  #ticking = 0;
  #listed = 0;
  #known = /** @type {string[] | null} */ (null); // the names of the listed runs
  #isChosen = false; // whether the user has named the run
  #training = ""; // the run that the server trains
  #stamp = /** @type {RunStamp} */ ({ stamp: "", age: 0, idle: 0, state: "" });
  #choosing = new Latest();

  #runs = element("select", { "aria-label": "Run", onchange: () => this.#open(this.#runs.value, true) });
  #headline = element("p", { class: "soft", "aria-live": "polite" });
  #progress = element("progress", { max: 1, "aria-label": "Progress" });
  #nets = element("p", { class: "soft" });
  #empty = element("div", { class: "stack", hidden: true },
    element("h2", { text: "No run yet" }),
    element("p", { text: "A run is a training. Here you watch it learn: its games, its curves, its nets." }),
    element("p", { class: "soft" }, "Start a small one: 400 games of Hex 4x4, a minute or two. Or your own: ",
      element("code", { text: "python main.py train --run runs/mine" })));
  #start = button("Start a small training", () => this.#train());
  #curves = panel("Curves");
  #table = element("table", { class: "standings" });
  #verdict = element("p", { class: "soft" });
  #tournament = panel("Tournament", element("h2", { text: "Tournament" }),
    element("div", { class: "scroll" }, this.#table), this.#verdict);
  #params = element("pre");
  #paramsPanel = fold("Parameters", this.#params);
  #live = element("input", {
    type: "checkbox",
    id: "watch-live",
    checked: true,
    onchange: () => this.#setLive(this.#live.checked),
  });
  #log = element("select", { "aria-label": "Whose games", onchange: () => this.#setLive(true) },
    ...options([["", "the newest"], ["false", "of training"], ["true", "of the TOPP"]]));
  #number = element("input", { type: "number", min: 1, "aria-label": "Game", onchange: () => this.#chooseGame() });

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.status.setAttribute("aria-live", "off");
    this.layOut([labelled("Follow games", this.#live), this.#log, element("label", {}, "game ", this.#number),
      button("Play on from here", () => this.#openIn("play")), button("Review", () => this.#openIn("review")),
      button("Explain", () => this.#openIn("explain"))],
    [panel("The run", this.#empty, this.#runs, this.#headline, this.#progress, this.#nets, this.#start), this.#curves,
      this.#tournament, this.#paramsPanel], this.moves.element);
    this.#drawEmpty(false);
  }

  show(/** @type {string} */ fragment) {
    clearInterval(this.#ticking);
    this.#ticking = setInterval(() => this.#tick(), PACE);
    this.#listed = 0;
    this.#open(decoded(fragment) || this.#name, Boolean(fragment));
  }

  hide() {
    super.hide();
    clearTimeout(this.#timer);
    clearInterval(this.#ticking);
  }

  #open(/** @type {string} */ name, isChosen = false) {
    this.#isChosen = isChosen;
    this.#choose(name);
    this.#poll();
  }

  #choose(/** @type {string} */ name) {
    if (name === this.#name) return;
    this.#run = undefined;
    this.#record = undefined;
    this.#live.checked = true;
    this.#log.value = "";
    this.#name = name;
    this.#stamp = { stamp: "", age: 0, idle: 0, state: "" };
    this.#choosing.stop();
  }

  /** Start a training in the server, or stop it. */
  async #train() {
    const wanted = !this.#training;
    this.#start.disabled = true;
    this.#start.textContent = wanted ? "Starting, the first time for a minute …" : "Stopping …";
    const asked = await page.ask("training", { wanted }).catch(page.say);
    this.#listed = 0;
    this.#start.disabled = false;
    if (!this.root.hidden) this.#open(asked?.run || this.#name, this.#isChosen);
  }

  /** Load changes now and then; seldom, if nothing has been written for long. */
  async #poll() {
    clearTimeout(this.#timer);
    const isLatest = await this.requests.run((signal) => this.#load(signal));
    const pause = this.#stamp.age > OLD ? LONG_PAUSE : PAUSE;
    if (isLatest && !this.root.hidden) this.#timer = setTimeout(() => this.#poll(), pause);
  }

  async #load(/** @type {AbortSignal} */ signal) {
    if (!this.#run || Date.now() > this.#listed + LISTED) await this.#list(signal);
    if (!this.#name) return;
    const answer = await page.ask("run", { run: this.#name, stamp: this.#stamp.stamp }, signal);
    if ("panels" in answer) {
      this.#run = answer;
      page.setFragment(encodeURIComponent(this.#name));
      this.#drawRun(answer);
      if (!this.#record && this.#live.checked) this.#beginNewest();
    }
    this.#stamp = answer;
    this.#drawHeadline(this.#run?.progress);
  }

  async #list(/** @type {AbortSignal} */ signal) {
    const { runs, training } = await page.ask("runs", {}, signal), known = this.#known;
    const names = runs.map((each) => each.name);
    // A run that starts while the shown one has ended.
    const started = runs.find((each) => each.running && known && !known.includes(each.name));
    if (started && this.#live.checked && !this.#isChosen && this.#stamp.state !== "running") this.#choose(started.name);
    if (!names.includes(this.#name)) this.#choose(names[0] ?? "");
    // A list that is open stays as it is, unless there are other runs.
    if (document.activeElement !== this.#runs || names.join("/") !== known?.join("/")) {
      this.#runs.replaceChildren(...options(runs.map((each) => [each.name, titleOf(each)])));
      this.#runs.value = this.#name;
    }
    this.#listed = Date.now();
    this.#known = names;
    this.#training = training;
    if (!this.#start.disabled)
      this.#start.textContent = training ? "Stop the small training" : "Start a small training";
    this.#start.classList.toggle("primary", !runs.length);
    if (!runs.length) this.#drawEmpty(true);
  }

  /** Show no run: there is none, or none is loaded yet. @param {boolean} isKnown */
  #drawEmpty(isKnown) {
    this.#empty.hidden = !isKnown;
    this.root.classList.remove("table");
    for (const each of [this.#runs, this.#headline, this.#progress, this.#nets, this.#curves, this.#tournament,
      this.#paramsPanel]) each.hidden = true;
  }

  /** @param {Progress | null} [progress] */
  #drawHeadline(progress) {
    this.#progress.hidden = !progress;
    if (progress) this.#progress.value = Math.min(1, progress.done / progress.whole);
    const { age, state } = this.#stamp, option = [...this.#runs.options].find((each) => each.value === this.#name);
    // The list is loaded less often than the run.
    if (option && progress)
      option.text = titleOf({ name: this.#name, running: state === "running", episode: progress.episode });
    this.#headline.textContent = progress
      ? progressWords(progress, this.#stamp)
      : `${state && `${state}, `}last written ${time(age)} ago`;
  }

  #drawRun(/** @type {Run} */ run) {
    this.#empty.hidden = true;
    this.root.classList.add("table");
    for (const each of [this.#runs, this.#headline, this.#nets]) each.hidden = false;
    const shown = run.panels.filter((each) => each.curves.length);
    this.#curves.hidden = !shown.length;
    this.#curves.replaceChildren(...shown.flatMap((each) => [
      element("h2", { text: each.label }),
      element("p", { class: "legend" }, ...each.curves.map((curve, n) =>
        element("span", { class: `curve${n}`, text: `${curve.name} ${short(curve.last)}` }))),
      chartOf(each)]));
    this.#nets.textContent = run.nets.length ? `Nets cached after episode ${run.nets.join(", ")}` : "";
    this.#params.textContent = run.params;
    this.#paramsPanel.hidden = !run.params;
    const newest = this.#newest();
    this.#number.max = String(newest?.number ?? 1);
    this.#log.hidden = run.newest.length < 2;
    for (const each of [this.place, this.moves.element, this.tools]) each.hidden = !newest;
    if (!newest) this.status.textContent = run.standings ? "A tournament." : "No game is finished yet.";
    this.#tournament.hidden = !run.standings;
    if (run.standings) this.#drawStandings(run.standings);
  }

  #drawStandings(/** @type {Standings} */ { rows, wins, games, running, total, planned, verdict }) {
    const labels = rows.map((each, i) => element("th", { text: each.episode ?? i + 1 }));
    this.#table.replaceChildren(
      element("tr", {}, element("th"), ...labels, element("th", { text: "wins" })),
      ...rows.map((each, i) =>
        element(
          "tr",
          {},
          element("th", { text: each.episode ?? `${i + 1} ${each.name}` }),
          ...rows.map((_, j) => {
            const played = i === j ? 0 : games[i][j];
            const cell = element("td", { text: i === j ? "" : played ? wins[i][j] : "·" });
            if (played) cell.style.setProperty("--share", `${Math.round((70 * wins[i][j]) / played)}%`);
            return cell;
          }),
          element("td", { class: "sum", text: `${Math.round(100 * each.win_rate)} %` }),
        ),
      ),
    );
    this.#verdict.textContent = running ? `${total} of ${planned} games played; the tournament goes on.` : verdict;
  }

  #newest() {
    const newest = this.#run?.newest ?? [];
    return newest.find(({ topp }) => String(topp) === this.#log.value) ?? newest[0];
  }

  #beginNewest() {
    const newest = this.#newest(), shown = this.#record;
    if (newest && (newest.number !== shown?.number || newest.topp !== shown.topp)) this.#begin(newest);
  }

  #begin(/** @type {RunGame} */ record) {
    this.#record = record;
    this.#rest = 0;
    this.#number.value = String(record.number);
    this.own = new Game(record.game, record.start);
    this.own.seats = record.players ?? [];
    record.actions.forEach((action, n) => this.own.play(action, { name: record.names[n] }));
    this.#show(0);
  }

  #show(/** @type {number} */ ply) {
    this.own.go(ply);
    this.draw();
  }

  draw() {
    const record = this.#record, ply = this.own.at;
    if (!record) return;
    this.view = { ...record.shape, ...record.states[ply], moves: [], history: [] };
    const { winner, players } = this.view, result = winner === 3 ? "a draw" : `${players[winner - 1]} has won`;
    const turn = winner ? `${result} after ${ply} moves` : `move ${ply} of ${record.actions.length}`;
    const title = record.players
      ? `Game ${record.number}: ${record.players.join(" against ")}`
      : `Episode ${record.number}`;
    this.drawBoard({}, `${title}, ${turn}`);
    this.moves.draw(this.own);
  }

  /** Show the next move of the newest game, and after a rest the next game. */
  #tick() {
    if (!this.#live.checked || !this.#record) return;
    if (this.own.at < this.#record.actions.length) this.#show(this.own.at + 1);
    else if (++this.#rest >= REST) this.#beginNewest();
  }

  go(/** @type {number} */ ply) {
    this.#setLive(false);
    this.#show(ply);
  }

  #setLive(/** @type {boolean} */ isLive) {
    this.#live.checked = isLive;
    if (isLive) this.#beginNewest();
  }

  #chooseGame() {
    this.#setLive(false);
    const topp = this.#log.value ? this.#log.value === "true" : this.#record?.topp;
    const question = { run: this.#name, number: Number(this.#number.value), topp };
    this.#choosing.run(async (signal) => this.#begin(await page.ask("run_game", question, signal)));
  }

  /** Open the position in another tab; its game keeps the moves to come. @param {string} tab */
  #openIn(tab) {
    if (!this.#record) return;
    // A search needs a game that goes on.
    if (tab === "explain") this.#show(Math.min(this.own.at, this.#record.actions.length - 1));
    this.own.id = newId(); // moves that are added there must not come back here
    this.own.save();
    page.open(tab, this.own.fragment());
  }
}

/** Name a run in the list. @param {{name: string, running: boolean, episode?: number}} run */
const titleOf = ({ name, running, episode }) =>
  `${running ? "● " : ""}${name}${episode ? `, ${episode} episodes` : ""}`;

/** Say how far training is. @param {Progress} progress @param {RunStamp} stamp */
function progressWords({ episode, unit, whole, seconds, over, interval, left }, { state, age, idle }) {
  const ofTime = unit === "seconds", isSlow = idle > Math.max(RUNNING, 3 * interval);
  return [
    `Episode ${episode}${ofTime ? "" : ` of ${whole}`}`,
    time(seconds) + (ofTime ? ` of ${time(whole)}` : ""),
    over ? "finished" : state !== "running" ? `${state || "stopped"} ${time(age)} ago; train --resume continues it`
      : isSlow ? `no training for ${time(idle)}` : left !== null && `about ${time(Math.max(0, left - idle))} left`,
  ].filter(Boolean).join(" · ");
}

/** Return seconds as 42 s, 12 min, 3 h 5 min. @param {number} seconds */
function time(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
