// The lobby: games on this server that wait for a second player, whoever it is.

/** @import { About, Responses } from "../types.js" */
import { button, element, panel } from "../page/elements.js";
import { Latest, page } from "../page/page.js";

const PAUSE = 2000; // milliseconds between requests

/** The list of open games; onJoin(watch) is called with the spectators' token of the one that you choose. */
export class Lobby {
  #list = element("ul", { class: "games" });
  element = panel("Lobby", element("h2", { text: "Lobby" }), this.#list);
  #requests = new Latest();
  #shown = "";

  constructor(/** @type {(watch: string) => void} */ onJoin) {
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
    const rows = tables.map(({ id, name, game, you, clock }) => element("li", {},
      element("span", { text: `${name || "Somebody"}: ${titleOf(game)}` },
        element("span", { class: "soft", text: `you are ${you}, ${clock === "none" ? "no clock" : wordsOf(clock)}` })),
      button("Join", () => this.onJoin(id), { "aria-label": `Join ${name || "somebody"}` })));
    const none = element("li", { class: "soft", text: "No game waits for a player." });
    this.#list.replaceChildren(...(rows.length ? rows : [none]));
  }
}

/** Say what a kind of clock is. @param {string} clock */
export const wordsOf = (clock) => (clock === "1 day" ? "one day a move" : clock);

/** Return the name of a game, with the size of its board. @param {About} about */
export const titleOf = ({ name, params: { size } }) => `${name.replaceAll("_", " ")}${size ? ` ${size}x${size}` : ""}`;
