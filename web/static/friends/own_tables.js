// The games between two people in which this browser has a seat: a list, and how many of them wait for you.

/** @import { OwnTable, Responses } from "../types.js" */
import { written } from "../play/clock.js";
import { element, panel } from "../page/elements.js";
import { titleOf } from "./lobby.js";
import { Latest, page } from "../page/page.js";
import { isKept, ownSeats } from "./seats.js";

const PAUSE = 2000; // milliseconds between requests

class OwnTables {
  #list = element("ul", { class: "games" });
  element = panel("Your games", element("h2", { text: "Your games" }), this.#list);
  #tables = /** @type {Map<string, OwnTable>} */ (new Map());
  #requests = new Latest();
  #open = "";

  /** Ask at once, and from then on. @param {string} [open] The spectators' token of the game that is shown. */
  follow(open = this.#open) {
    this.#open = open;
    this.#requests.run(async (signal) => {
      for (let known = "", version = -1; !signal.aborted;) {
        const seats = ownSeats();
        if (!seats.length) return this.#draw({ version, ids: [], left: [], tables: [] });
        if (String(seats) !== known) [known, version] = [String(seats), -1];
        const answer = await page.ask("own_tables", { seats, version }, signal);
        version = answer.version;
        this.#draw(answer);
        await new Promise((done) => setTimeout(done, PAUSE));
      }
    });
  }

  #draw(/** @type {Responses["own_tables"]} */ { ids, left, tables }) {
    for (const table of tables) this.#tables.set(table.id, table);
    const all = ids.map((id, n) => ({ .../** @type {OwnTable} */ (this.#tables.get(id)), left: left[n] }));
    page.tellWaiting(all.filter(waitsForYou).length);
    const shown = all.filter(({ id, rematch }) => !rematch || !isKept(rematch) || id === this.#open);
    this.element.hidden = shown.every(({ id }) => id === this.#open);
    const rank = (/** @type {OwnTable} */ each) => (waitsForYou(each) ? 0 : each.winner ? 2 : 1);
    this.#list.replaceChildren(...shown.toSorted((a, b) => rank(a) - rank(b)).map((each) => element("li", {},
      element("a", { href: `#friends/${each.id}`, "aria-current": each.id === this.#open },
        element("span", { text: `${each.other || "A friend"}: ${titleOf(each.game)}` }),
        element("span", { class: "soft", text: wordsOf(each) })))));
  }
}

/** Tell whether it is your turn against another player, or in a rematch that has not been opened here. @param {OwnTable} table */
const waitsForYou = ({ joined, to_play: mover, you, rematch }) => (rematch ? !isKept(rematch) : joined && mover === you);

/** Say whose turn it is, and the time that is left for it. @param {OwnTable & {left: number | null}} table */
function wordsOf({ joined, other, winner, you, to_play: mover, left, rematch }) {
  if (rematch) return "a rematch has begun";
  if (winner) return winner === 3 ? "a draw" : winner === you ? "you have won" : "you have lost";
  if (!joined) return "waits for a player";
  const turn = mover === you ? "your move" : `${other || "your friend"} to move`;
  return turn + (left === null ? "" : `, ${written(1000 * left)} left`);
}

export const ownTables = new OwnTables();
ownTables.follow();
