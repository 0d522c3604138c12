// Watch: a run, by its files only: its newest game, its curves, its nets, its tournament.

import { createBoard } from "./board.js";
import { chartOf, short } from "./chart.js";
import { Game } from "./game.js";
import { createSteps, stepOfKey } from "./moves.js";
import { decoded, element, setCurrent } from "./page.js";

const PAUSE = 2000, LONG_PAUSE = 15000, OLD = 600;
const PACE = 350, REST = 5;
const RUNNING = 60;
const LISTED = 10000;

export function mount(root, page) {
  let run = null, stamp = "", age = 0, idle = 0, game = null, ply = 0, isLive = true, rest = 0;
  let timer = 0, ticking = 0, turn = 0;
  let wanted = "", listed = 0;

  const status = element("p", { class: "status", "aria-live": "off" });
  const place = element("div", { class: "board-place" });
  const board = createBoard(place);
  const number = element("input", { type: "number", min: 1, "aria-label": "Episode", onchange: () => choose(Number(number.value)) });
  const live = element("input", { type: "checkbox", id: "watch-live", checked: true, onchange: () => setLive(live.checked) });
  const names = element("ol", { class: "moves", "aria-label": "Moves" });
  const chosen = element("select", { "aria-label": "Run", onchange: () => open(chosen.value) });
  const headline = element("p", { class: "soft", "aria-live": "polite" });
  const progress = element("progress", { max: 1, "aria-label": "Progress" });
  const curves = element("section", { class: "panel stack", "aria-label": "Curves" });
  const table = element("table", { class: "standings" }), verdict = element("p", { class: "soft" });
  const tournament = element("section", { class: "panel stack", "aria-label": "Tournament" },
    element("h2", { text: "Tournament of the cached nets" }), element("div", { class: "scroll" }, table), verdict);
  const nets = element("p", { class: "soft" });
  const params = element("pre", {});
  root.className = "table";
  root.append(
    element("div", { class: "board-area" }, status, place,
      element("div", { class: "tools" }, createSteps(step),
        element("span", { class: "row" }, live, element("label", { for: "watch-live", text: "the newest game" })),
        element("label", {}, "episode ", number),
        element("button", { type: "button", text: "Play on from here", onclick: () => hand("play") }),
        element("button", { type: "button", text: "Review", onclick: () => hand("review") }),
        element("button", { type: "button", text: "Explain", onclick: () => hand("explain") })),
      names),
    element("div", { class: "side" },
      element("section", { class: "panel stack", "aria-label": "The run" }, chosen, headline, progress, nets),
      curves, tournament,
      element("details", { class: "panel" }, element("summary", { text: "Parameters" }), params)));

  function open(name) {
    if (name !== wanted) [run, game, stamp, isLive, live.checked] = [null, null, "", true, true];
    wanted = name;
    poll();
  }

  /** Ask what is new, now and then; seldom, if nothing has been written for long. */
  async function poll() {
    const mine = ++turn;
    clearTimeout(timer);
    try {
      const isOpen = document.activeElement === chosen;
      if (!run || (Date.now() > listed + LISTED && !isOpen)) await list();
      if (mine !== turn || !wanted) return;
      const answer = await page.ask("run", { run: wanted, stamp });
      if (mine !== turn) return;
      ({ age, idle } = answer);
      if (answer.stamp !== stamp) {
        run = answer;
        stamp = answer.stamp;
        page.setFragment(encodeURIComponent(wanted));
        draw();
        if (isLive && run.newest && run.newest.number !== game?.number && (!game || atEnd())) begin(run.newest);
      }
      say();
    } catch (error) {
      if (mine === turn) page.say(error.message);
    }
    if (mine === turn && !root.hidden) timer = setTimeout(poll, age > OLD ? LONG_PAUSE : PAUSE);
  }

  async function list() {
    const { runs } = await page.ask("runs", {});
    if (!runs.some((each) => each.name === wanted)) wanted = runs[0]?.name ?? "";
    chosen.replaceChildren(...runs.map((each) => element("option", {
      value: each.name, text: `${each.name}${each.episode ? `, ${each.episode} episodes` : ""}${each.age < RUNNING ? " ●" : ""}`,
    })));
    chosen.value = wanted;
    listed = Date.now();
    chosen.hidden = !runs.length;
    if (!runs.length) headline.textContent = "There is no run yet: python main.py train --run runs/mine";
  }

  function say() {
    const { progress: how } = run;
    if (!how) return void (headline.textContent = `written ${time(age)} ago`);
    const isRunning = !how.over && idle < Math.max(RUNNING, 3 * how.interval);
    const words = [`Episode ${how.episode}`];
    if (how.unit === "episode") words[0] += ` of ${how.whole}`;
    words.push(how.unit === "seconds" ? `${time(how.seconds)} of ${time(how.whole)}` : time(how.seconds));
    if (how.over) words.push("finished");
    else if (!isRunning) words.push(`no training for ${time(idle)}`);
    else if (how.left !== null) words.push(`about ${time(Math.max(0, how.left - idle))} left`);
    headline.textContent = words.join(" · ");
    progress.hidden = false;
    progress.value = Math.min(1, how.done / how.whole);
  }

  function draw() {
    const shown = run.panels.filter((panel) => panel.curves.length);
    curves.hidden = !shown.length;
    curves.replaceChildren(...shown.flatMap((panel) => [
      element("h2", { text: panel.label }),
      element("p", { class: "legend" }, ...panel.curves.map((curve, n) =>
        element("span", { class: `curve${n}`, text: `${curve.name} ${short(curve.last)}` }))),
      chartOf(panel)]));
    nets.textContent = run.nets.length ? `Nets cached after episode ${run.nets.join(", ")}` : "";
    params.textContent = run.params;
    params.parentElement.hidden = !run.params;
    progress.hidden = !run.progress;
    number.max = run.newest?.number ?? 1;
    for (const each of [place, names, number.parentElement.parentElement]) each.hidden = !run.newest;
    if (!run.newest) status.textContent = run.standings ? "A tournament." : "No game is finished yet.";
    drawStandings();
  }

  function drawStandings() {
    const { standings } = run;
    tournament.hidden = !standings;
    if (!standings) return;
    const { rows, wins, games } = standings;
    const label = (row) => String(row.episode ?? row.name);
    table.replaceChildren(
      element("tr", {}, element("th", { text: "net" }), ...rows.map((row) => element("th", { text: label(row) })), element("th", { text: "wins" })),
      ...rows.map((row, i) => element("tr", {}, element("th", { text: label(row) }),
        ...rows.map((_, j) => {
          const cell = element("td", { text: i === j ? "" : games[i][j] ? wins[i][j] : "·" });
          if (i !== j && games[i][j]) cell.style.setProperty("--share", `${Math.round(70 * wins[i][j] / games[i][j])}%`);
          return cell;
        }),
        element("td", { class: "sum", text: `${Math.round(100 * row.win_rate)} %` }))));
    verdict.textContent = standings.running ? `${standings.total} of ${standings.planned} games played, it goes on.` : standings.verdict;
  }

  function begin(other) {
    [game, ply, rest] = [other, 0, 0];
    number.value = game.number;
    names.replaceChildren(...game.names.map((name, n) => element("li", { class: `player${1 + (game.start - 1 + n) % 2}` },
      element("button", { type: "button", class: "move", text: `${n + 1}. ${name}`, onclick: () => { setLive(false); to(n + 1); } }))));
    show();
  }

  const atEnd = () => ply >= game.actions.length && rest >= REST;

  function show() {
    const state = game.states[ply], view = { ...run.shape, ...state, moves: [] };
    board.draw(view, {}, { flat: page.isFlat });
    [...names.children].forEach((each, n) => setCurrent(each.firstChild, n + 1 === ply));
    status.dataset.role = view.roles[(view.winner || view.to_play) - 1] ?? 0;
    status.textContent = `Episode ${game.number}, ` + (state.winner
      ? `${view.players[state.winner - 1] ?? "nobody"} has won after ${ply} moves` : `move ${ply} of ${game.actions.length}`);
  }

  /** One move of the newest game, then the next newest. */
  function tick() {
    if (!isLive || !game) return;
    if (ply < game.actions.length) to(ply + 1);
    else if (++rest >= REST && run?.newest && run.newest.number !== game.number) begin(run.newest);
  }

  function to(other) {
    if (!game) return;
    ply = Math.min(Math.max(other, 0), game.actions.length);
    show();
  }

  function step(name) {
    setLive(false);
    to({ first: 0, back: ply - 1, forward: ply + 1, last: Infinity }[name]);
  }

  function setLive(is) {
    isLive = live.checked = is;
    if (is && run?.newest) begin(run.newest);
  }

  async function choose(episode) {
    setLive(false);
    try {
      begin(await page.ask("run_game", { run: wanted, number: episode }));
      page.say("");
    } catch (error) {
      page.say(error.message);
    }
  }

  /** Open this position in another tab; the moves to come stay in the game. */
  function hand(tab) {
    if (!game) return;
    const other = new Game(run.game, game.start);
    game.actions.forEach((action, n) => other.play(action, { name: game.names[n] }));
    // A search needs a game that goes on.
    other.go(other.line()[tab === "explain" ? Math.min(ply, game.actions.length - 1) - 1 : ply - 1] ?? 0);
    other.save();
    page.open(tab, other.fragment());
  }

  addEventListener("keydown", (event) => {
    const name = root.hidden ? null : stepOfKey(event);
    if (name) { step(name); event.preventDefault(); }
  });

  return {
    show(fragment) {
      clearInterval(ticking);
      listed = 0;
      ticking = setInterval(tick, PACE);
      open(decoded(fragment) || wanted);
    },
    hide() {
      turn++;
      clearTimeout(timer);
      clearInterval(ticking);
    },
  };
}

/** Return seconds as 42 s, 12 min, 3 h 5 min. */
function time(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
