// The ladder: nets that play each other by themselves, their games, and a net of your own (web/ladder.py).

/** @import { Ladder as Table, LadderGame, Responses } from "../types.js" */
import { copy } from "../page/controls.js";
import { button, element, form, labelled, panel, row } from "../page/elements.js";
import { inBase64, saveFile } from "../play/files.js";
import { Game } from "../board/game.js";
import { eloChart } from "./ladder_chart.js";
import { Latest, page } from "../page/page.js";
import { reviewOthers } from "../play/players.js";

const PAUSE = 1000; // milliseconds between requests
const MOST_CROSSED = 40; // opponents in the table; the CSV has all

export default class Ladder {
  #shown = /** @type {Table | undefined} */ (undefined);
  #drawn = ""; // what the table shows
  #requests = new Latest();
  #adding = new Latest();
  #choosing = new Latest();
  #state = element("p");
  #round = element("ul", { class: "games", "aria-label": "The round" });
  #table = element("table", { class: "standings" });
  #notes = element("ul", { class: "soft" });
  #csv = button("Save CSV", () => this.#shown && saveFile(csvOf(this.#shown), "text/csv", "ladder.csv"), { id: "ladder-csv" });
  #chart = element("div");
  #chartPanel = panel("Elo against time", element("h2", { text: "Elo against time" }), this.#chart);
  #title = element("h2", { tabindex: -1 });
  #games = element("ul", { class: "games" });
  #gamesPanel = panel("Games", this.#title, this.#games);
  #name = element("input", { id: "net-name", maxlength: 20, required: true, autocomplete: "off" });
  #file = element("input", { id: "net-file", type: "file", accept: ".pt", required: true });
  #add = element("button", { class: "primary", text: "Add" });
  #told = element("p", { "aria-live": "polite" });
  #addPanel = panel("Your net", element("h2", { text: "Add a net" }), form("stack", () => this.#addNet(),
    labelled("Name", this.#name), labelled("Net", this.#file), this.#add), this.#told);
  #command = element("input", { "aria-label": "The command", readonly: true, onfocus: () => this.#command.select() });
  #arena = panel("Arena", element("h2", { text: "The best net enters the arena" }),
    row(this.#command, button("Copy", async () => page.say(await copy(this.#command.value, "The command is copied.")))),
    element("p", { class: "soft", text: "On the server's machine, beside the ladder's folder, with your arena's server." }));

  constructor(/** @type {HTMLElement} */ root) {
    root.className = "table ladder";
    const standings = panel("Ladder", element("h2", { text: "Ladder" }), this.#state, this.#round,
      element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "The table" }, this.#table),
      this.#notes, row(this.#csv));
    const results = [this.#gamesPanel, this.#chartPanel], beside = [this.#addPanel, this.#arena];
    for (const each of [...results, ...beside]) each.hidden = true;
    root.append(element("div", { class: "side" }, standings, ...results), element("div", { class: "side" }, ...beside));
    this.#state.textContent = "Loading the ladder …";
  }

  show() {
    this.#requests.run(async (signal) => {
      while (!signal.aborted) {
        const answer = await page.ask("ladder", { version: this.#shown?.version ?? -1 }, signal);
        if ("rows" in answer) this.#draw(answer);
        await new Promise((done) => setTimeout(done, PAUSE));
      }
    });
  }

  hide() {
    this.#requests.stop();
  }

  #draw(/** @type {Table} */ shown) {
    this.#shown = shown;
    const { rows, left, round, notes, arena, most_bytes: most } = shown;
    this.#state.textContent = rows.length < 2
      ? rows.length ? "A second net is missing." : "No net is here yet. The ladder's folder takes net files (*.pt)."
      : left ? `${left} pair${left === 1 ? " has" : "s have"} games to play.` : "All pairs have played.";
    this.#round.hidden = !round.some((each) => each.plays);
    this.#round.replaceChildren(...round.map((each) =>
      element("li", each.plays ? { "aria-current": "true" } : {}, roundWords(shown, each))));
    this.#drawTable(shown);
    this.#csv.disabled = this.#table.hidden = !rows.length;
    this.#notes.replaceChildren(...notes.map((text) => element("li", { text })));
    const rated = rows.filter((each) => each.elo);
    this.#chartPanel.hidden = rated.length < 2;
    if (rated.length > 1) this.#chart.replaceChildren(eloChart(rows));
    this.#addPanel.hidden = !most;
    this.#arena.hidden = !arena;
    this.#command.value = arena;
  }

  /** Draw the standings, and beside them each net's points against each other one. @param {Table} shown */
  #drawTable({ rows, points, met, round }) {
    const now = round.find((each) => each.plays)?.nets ?? [], crossed = rows.slice(0, MOST_CROSSED);
    const drawn = JSON.stringify([rows, points, met, now]);
    if (drawn === this.#drawn) return; // a click on a button is not lost
    this.#drawn = drawn;
    const focused = this.#table.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.pair : "";
    const heads = ["", "net", "games", "wins", "Elo", "95 %", ...crossed.map((_, n) => `${n + 1}`)];
    this.#table.replaceChildren(
      element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text }))),
      ...rows.map(({ id, name, games, wins, elo }, i) => {
        const [rating, low, high] = elo?.map(signed) ?? ["–", "", ""];
        const cells = [games, halves(wins), rating, i && elo ? `${low} to ${high}` : ""];
        return element("tr", {}, element("th", { text: i + 1 }), element("th", { scope: "row", text: name, title: name }),
          ...cells.map((text) => element("td", { text })),
          ...crossed.map((other, j) => {
            const isNow = i !== j && now.includes(id) && now.includes(other.id), count = met[i][j];
            const cell = element("td", { class: isNow ? "plays" : "" });
            if (!count) return cell;
            cell.style.setProperty("--share", `${Math.round((70 * points[i][j]) / count)}%`);
            const text = halves(points[i][j]), label = `${name} against ${other.name}: ${text} of ${count}; show the games`;
            cell.append(button(text, () => this.#choose([id, other.id]),
              { class: "quiet", "aria-label": label, title: label, "data-pair": `${id} ${other.id}` }));
            return cell;
          }));
      }));
    if (focused) /** @type {HTMLElement | null} */ (this.#table.querySelector(`[data-pair="${focused}"]`))?.focus();
  }

  /** Show the games of two nets. @param {string[]} nets */
  #choose(nets) {
    const names = nets.map((net) => this.#shown?.rows.find(({ id }) => id === net)?.name);
    this.#gamesPanel.hidden = false;
    this.#title.textContent = `${names.join(" against ")}: loading …`;
    this.#games.replaceChildren();
    this.#title.focus();
    this.#choosing.run(async (signal) => {
      const found = await page.ask("ladder_games", { nets }, signal), none = "These games were not kept.";
      this.#title.textContent = names.join(" against ");
      this.#games.replaceChildren(...found.games.map((each) => element("li", {},
        element("span", { text: gameWords(each, found) }),
        button("Review", () => openGame(each, found), { "aria-label": `Review game ${each.number}` }))),
      ...(found.games.length ? [] : [element("li", { class: "soft", text: none })]));
    }, (error) => {
      this.#gamesPanel.hidden = true;
      page.say(error);
    });
  }

  /** Send a net, and say whether it plays. */
  #addNet() {
    const [file] = this.#file.files ?? [], most = this.#shown?.most_bytes ?? 0, mega = 2 ** 20;
    if (!file) return;
    if (file.size > most) {
      this.#told.textContent = `Expected at most ${most / mega} MB, got ${Math.ceil(file.size / mega)} MB.`;
      return;
    }
    this.#told.textContent = "The net is sent and checked …";
    this.#add.disabled = true;
    this.#adding.run(async (signal) => {
      const { name } = await page.ask("add_net", { name: this.#name.value, file: await inBase64(file) }, signal);
      this.#told.textContent = `It is ${name} in the ladder, and plays in the next round.`;
      this.#file.value = "";
    }, (error) => { this.#told.textContent = error instanceof Error ? error.message : String(error); }).then(() => {
      this.#add.disabled = false;
    });
  }
}

/** Write a rating with its sign. @param {number} elo */
const signed = (elo) => String(Math.round(elo)).replace("-", "−");

/** Write points, in which a draw is a half. @param {number} points */
const halves = (points) => `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;

/** Say how a meeting of the round stands. @param {Table} shown @param {Table["round"][number]} meeting */
function roundWords({ rows }, { nets, points, games, plays }) {
  const [one, other] = nets.map((net) => rows.find(({ id }) => id === net)?.name ?? "?");
  const score = games ? ` ${points.map(halves).join(" : ")}` : "";
  return `${one} – ${other}${score}${plays ? `, now: ${games} game${games === 1 ? "" : "s"} played` : ""}`;
}

/** Return the nets that were player 1 and player 2. @param {LadderGame} game @param {string[]} nets */
const seatsOf = ({ first }, nets) => [nets[first], nets[1 - first]];

/** Say how a game ended. @param {LadderGame} game @param {Responses["ladder_games"]} found */
function gameWords(game, { nets, players }) {
  const { number, winner, actions } = game, seats = seatsOf(game, nets);
  const [red, black] = seats.map((each, n) => `${each} (${players[n]})`);
  const end = winner === 3 ? "a draw" : `${seats[winner - 1]} wins`;
  return `${number}. ${red} – ${black}: ${end} in ${actions.length} moves`;
}

/** Open a game in Review; this browser keeps it. @param {LadderGame} played @param {Responses["ladder_games"]} found */
function openGame(played, found) {
  const game = new Game(found.game, played.start), seats = seatsOf(played, found.nets);
  for (const action of played.actions) game.play(action);
  reviewOthers(game, seats);
}

/** Return the table as CSV. @param {Table} shown */
function csvOf({ rows, points, met }) {
  // A spreadsheet would take a name that begins with such a sign for a formula.
  const written = (/** @type {string} */ name) => `"${name.replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
  const round = (/** @type {number} */ each) => Math.round(10 * each) / 10;
  const lines = rows.map(({ name, games, wins, elo, since }, i) => [i + 1, written(name), games, wins,
    ...(elo?.map(round) ?? ["", "", ""]), new Date(1000 * since).toISOString(),
    ...rows.map((_, j) => (met[i][j] ? points[i][j] : ""))]);
  const heads = ["rank", "net", "games", "wins", "elo", "low", "high", "since", ...rows.map(({ name }) => written(name))];
  return `${[heads, ...lines].map((line) => line.join(",")).join("\n")}\n`;
}
