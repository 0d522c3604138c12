// The lobby: games on this server that wait for a second player, whoever it is.

/** @import { Responses } from "./types.js" */
import { button, element, panel } from "./elements.js";
import { Latest, page } from "./page.js";

const PAUSE = 2000; // milliseconds between requests

/** The list of open games; onJoin(token) is called with the seat that you are given. */
export class Lobby {
  #list = element("ul", { class: "games" });
  element = panel("Lobby", element("h2", { text: "Lobby" }), this.#list);
  #requests = new Latest();
  #joining = new Latest();
  #shown = "";

  constructor(/** @type {(token: string) => void} */ onJoin) {
    this.onJoin = onJoin;
  }

  start() {
    this.element.hidden = false;
    this.#requests.run(async (signal) => {
      while (!signal.aborted) {
        this.#draw(await page.ask("lobby", {}, signal));
        await new Promise((done) => setTimeout(done, PAUSE));
      }
    });
  }

  stop() {
    this.#requests.stop();
    this.element.hidden = true;
  }

  #draw(/** @type {Responses["lobby"]} */ { tables }) {
    const shown = JSON.stringify(tables);
    if (shown === this.#shown) return; // a button keeps the focus
    this.#shown = shown;
    const rows = tables.map(({ id, name, game: { name: kind, params: { size } }, you, clock }) => element("li", {},
      element("span", { text: `${name || "Somebody"}: ${kind.replaceAll("_", " ")}${size ? ` ${size}x${size}` : ""}` },
        element("span", { class: "soft", text: `you are ${you}, ${clock === "none" ? "no clock" : wordsOf(clock)}` })),
      button("Join", () => this.#join(id), { "aria-label": `Join ${name || "somebody"}` })));
    const none = element("li", { class: "soft", text: "No game waits for a player." });
    this.#list.replaceChildren(...(rows.length ? rows : [none]));
  }

  #join(/** @type {string} */ id) {
    this.#joining.run(async (signal) => this.onJoin((await page.ask("join_table", { id }, signal)).token));
  }
}

/** Say what a kind of clock is. @param {string} clock */
export const wordsOf = (clock) => (clock === "1 day" ? "one day a move" : clock);
