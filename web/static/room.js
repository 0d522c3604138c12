// The room: all games between two people on this server, as small boards. Its link is the assistant's.

/** @import { Responses, SmallTable } from "./types.js" */
import { Board } from "./board.js";
import { element } from "./elements.js";
import { Latest, page } from "./page.js";

const PAUSE = 2000; // milliseconds between requests

export default class Room {
  #question = { token: "", version: -1 };
  #timer = 0;
  #requests = new Latest();
  /** A small board for each game; it leads to the game. */
  #cards = /** @type {Map<string, {link: HTMLElement, board: Board, words: HTMLElement, table: SmallTable}>} */ (new Map());
  #status = element("h2");
  #boards = element("div", { class: "boards" });

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    root.append(this.#status, this.#boards);
  }

  show(/** @type {string} */ fragment) {
    if (fragment) this.#question = { token: fragment, version: -1 };
    page.setFragment(this.#question.token);
    this.#poll();
  }

  hide() {
    this.#requests.stop();
    clearTimeout(this.#timer);
  }

  /** Load changes now and then. */
  async #poll() {
    clearTimeout(this.#timer);
    const isLatest = await this.#requests.run(async (signal) => this.#draw(await page.ask("room", this.#question, signal)));
    if (isLatest && !this.root.hidden) this.#timer = setTimeout(() => this.#poll(), PAUSE);
  }

  #draw(/** @type {Responses["room"]} */ { version, ids, here, tables }) {
    this.#question.version = version;
    for (const table of tables) {
      const card = { ...this.#cards.get(table.id) ?? newCard(table.id), table };
      this.#cards.set(table.id, card);
      card.board.draw({ ...table.view, moves: [], history: [] }, {}, { flat: page.isOn("flat") });
    }
    this.#status.textContent = `${ids.length || "No"} game${ids.length === 1 ? "" : "s"} in the room`;
    this.#boards.replaceChildren(...ids.flatMap((id, n) => {
      const card = this.#cards.get(id);
      if (card) card.words.textContent = wordsOf(card.table, here[n]);
      return card?.link ?? [];
    }));
  }
}

function newCard(/** @type {string} */ id) {
  const host = element("div", { inert: true }), words = element("span");
  return { link: element("a", { class: "panel", href: `#friends/${id}` }, host, words), words, board: new Board(host) };
}

/** Say who plays, and how it is. @param {SmallTable} table @param {boolean[]} here */
function wordsOf({ names, joined, moves, view: { players, winner } }, here) {
  const called = players.map((each, n) => names[n] || each);
  const shown = called.map((each, n) => each + (!joined[n] ? " (not here yet)" : here[n] || winner ? "" : " (away)"));
  return `${shown.join(" – ")}: ${winner === 3 ? "a draw" : winner ? `${called[winner - 1]} has won` : `move ${moves}`}`;
}
