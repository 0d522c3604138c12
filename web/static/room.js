// The room: all games between two people on this server, as small boards. Its link is the assistant's.

/** @import { Ladder, Responses, SmallTable } from "./types.js" */
import { Board } from "./board.js";
import { element, panel } from "./elements.js";
import { Latest, page } from "./page.js";

const PAUSE = 2000; // milliseconds between requests

export default class Room {
  #question = { token: "", version: -1 };
  #requests = new Latest();
  /** A small board for each game; it leads to the game. */
  #cards = /** @type {Map<string, {link: HTMLElement, board: Board, words: HTMLElement, table: SmallTable}>} */ (
    new Map()
  );
  #status = element("h2");
  #boards = element("div", { class: "boards" });
  #pairs = element("p", { class: "soft" });
  #table = element("table", { class: "standings" });
  #notes = element("ul", { class: "soft" });
  #ladder = panel(
    "Ladder",
    element("h2", { text: "Ladder" }),
    this.#pairs,
    element("div", { class: "scroll" }, this.#table),
    this.#notes,
  );

  constructor(/** @type {HTMLElement} */ root) {
    root.append(this.#status, this.#boards, this.#ladder);
  }

  show(/** @type {string} */ fragment) {
    if (fragment) this.#question = { token: fragment, version: -1 };
    page.setFragment(this.#question.token);
    this.#requests.run(async (signal) => {
      while (!signal.aborted) {
        const answer = await page.ask("room", this.#question, signal);
        this.#draw(answer);
        this.#drawLadder(answer.ladder);
        await new Promise((done) => setTimeout(done, PAUSE));
      }
    });
  }

  hide() {
    this.#requests.stop();
  }

  #draw(/** @type {Responses["room"]} */ { version, ids, here, tables }) {
    this.#question.version = version;
    for (const table of tables) {
      const card = this.#cards.get(table.id) ?? this.#newCard(table);
      this.#cards.set(table.id, Object.assign(card, { table }));
      card.board.draw({ ...table.view, moves: [], history: [] }, {}, { flat: page.isOn("flat") });
    }
    for (const [id, { link, words, table }] of this.#cards) {
      words.textContent = wordsOf(table, here[ids.indexOf(id)]);
      if (!ids.includes(id) && this.#cards.delete(id)) link.remove();
    }
    this.#status.textContent = `${ids.length || "No"} game${ids.length === 1 ? "" : "s"} in the room`;
  }

  /** Show the nets, the best first. @param {Ladder | null} ladder */
  #drawLadder(ladder) {
    this.#ladder.hidden = !ladder;
    if (!ladder) return;
    const { folder, rows, left, notes } = ladder;
    this.#pairs.textContent = !rows.length
      ? `Put net files into ${folder}.`
      : rows.length === 1
        ? "A second net is missing."
        : left
          ? `${left} pair${left === 1 ? " has" : "s have"} games to play.`
          : "All pairs have played.";
    this.#table.hidden = !rows.length;
    this.#table.replaceChildren(
      element(
        "tr",
        {},
        ...["", "net", "games", "wins", "Elo", "95 %"].map((text) => element("th", { scope: "col", text })),
      ),
      ...rows.map(({ name, games, wins, elo }, n) => {
        const [rating, low, high] = elo?.map((each) => signed(each)) ?? ["\u2013", "", ""];
        const cells = [games, wins, rating, n && elo ? `${low} to ${high}` : ""];
        return element("tr", {}, element("th", { text: n + 1 }), element("th", { scope: "row", text: name }),
          ...cells.map((text) => element("td", { text })));
      }));
    this.#notes.replaceChildren(...notes.map((text) => element("li", { text })));
  }

  #newCard(/** @type {SmallTable} */ table) {
    const host = element("div", { inert: true }), words = element("span");
    const link = element("a", { class: "panel", href: `#friends/${table.id}` }, host, words);
    this.#boards.append(link);
    return { link, words, board: new Board(host), table };
  }
}

/** Write a rating with its sign. @param {number} elo */
const signed = (elo) => String(Math.round(elo)).replace("-", "\u2212");

/** Say who plays, and how it is. @param {SmallTable} table @param {boolean[]} [here] */
function wordsOf({ names, joined, moves, view: { players, winner } }, here) {
  const called = players.map((each, n) => names[n] || each);
  const shown = called.map((each, n) => each + (!joined[n] ? " (not here yet)" : here?.[n] || winner ? "" : " (away)"));
  const state = winner ? `${called[winner - 1]} has won` : `move ${moves}`;
  return `${shown.join(" – ")}: ${winner === 3 ? "a draw" : state}`;
}
