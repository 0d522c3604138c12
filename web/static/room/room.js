// The room: all games between two people on this server, as small boards. Its link is the assistant's.

/** @import { Responses, SmallTable } from "../types.js" */
import { Board } from "../board/board.js";
import { isFlat } from "../page/controls.js";
import { element } from "../page/elements.js";
import { Latest, page } from "../page/page.js";

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

  constructor(/** @type {HTMLElement} */ root) {
    root.append(this.#status, this.#boards);
  }

  show(/** @type {string} */ fragment) {
    if (fragment) this.#question = { token: fragment, version: -1 };
    page.setFragment(this.#question.token);
    this.#requests.run(async (signal) => {
      while (!signal.aborted) {
        this.#draw(await page.ask("room", this.#question, signal));
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
      card.board.draw({ ...table.view, moves: [], history: [] }, {}, { flat: isFlat() });
    }
    for (const [id, { link, words, table }] of this.#cards) {
      words.textContent = wordsOf(table, here[ids.indexOf(id)]);
      if (!ids.includes(id) && this.#cards.delete(id)) link.remove();
    }
    this.#status.textContent = `${ids.length || "No"} game${ids.length === 1 ? "" : "s"} in the room`;
  }

  #newCard(/** @type {SmallTable} */ table) {
    const host = element("div", { inert: true }), words = element("span");
    const link = element("a", { class: "panel", href: `#friends/${table.id}` }, host, words);
    this.#boards.append(link);
    return { link, words, board: new Board(host), table };
  }
}

/** Say who plays, and how it is. @param {SmallTable} table @param {boolean[]} [here] */
function wordsOf({ names, joined, moves, view: { players, winner } }, here) {
  const called = players.map((each, n) => names[n] || each);
  const shown = called.map((each, n) => each + (!joined[n] ? " (not here yet)" : here?.[n] || winner ? "" : " (away)"));
  const state = winner ? `${called[winner - 1]} has won` : `move ${moves}`;
  return `${shown.join(" – ")}: ${winner === 3 ? "a draw" : state}`;
}
