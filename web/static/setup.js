// A new game: its rules, its board, the first player, the swap rule.

/** @import { Catalogue } from "./types.js" */
import { Game } from "./game.js";
import { element, fold, labelled, options } from "./elements.js";

/** The form for a new game; onStart(game) is called with it. */
export class Setup {
  #name = element("select", { id: "game-name", onchange: () => this.#drawParams() });
  #params = element("div", { class: "params" });
  #start = element("select", { id: "game-start" });
  #swap = element("input", { type: "checkbox", id: "game-swap" });
  #swapRow = labelled("Swap rule: the second player may take over the first stone", this.#swap);
  #form = element("form", { class: "stack" }, labelled("Game", this.#name), this.#params,
    labelled("First move", this.#start), this.#swapRow, element("button", { class: "primary", text: "New game" }));
  element = fold("New game", this.#form);
  #games = /** @type {Catalogue["games"]} */ ([]);

  constructor(/** @type {(game: Game) => void} */ onStart) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      onStart(this.#newGame());
    });
  }

  /** Show the choices, and the game that is played. @param {Catalogue} catalogue @param {Game} game */
  fill(catalogue, game) {
    this.#games = catalogue.games;
    this.#name.replaceChildren(...options(catalogue.games.map(({ name, title }) => [name, title])));
    this.#name.value = game.about.name;
    this.#drawParams(game.about.params);
    this.#start.replaceChildren(
      ...options([[1, catalogue.players[0]], [2, catalogue.players[1]], [3, "either, at random"]]));
    this.#start.value = game.starter ?? String(game.start);
    this.#swap.checked = game.swap;
  }

  #drawParams(/** @type {Record<string, any>} */ values = {}) {
    const game = this.#games.find((each) => each.name === this.#name.value);
    this.#params.replaceChildren(...(game?.params ?? []).map((param) => {
      const value = values[param.name] ?? param.default, isList = Array.isArray(value);
      return labelled(param.name.replaceAll("_", " "), element("input", {
        id: `game-${param.name}`, name: param.name, value: isList ? value.join(" ") : value,
        ...(isList ? { type: "text", pattern: "[0-9 ,]+" }
          : { type: "number", min: param.least ?? 1, max: param.most ?? 200, required: true }),
      }));
    }));
    this.#swapRow.hidden = game?.name !== "hex";
  }

  #newGame() {
    const params = [...this.#params.querySelectorAll("input")].map(({ name, type, value }) =>
      [name, type === "number" ? Number(value) : value.trim().split(/[\s,]+/).map(Number)]);
    const first = this.#start.value === "3" ? 1 + Math.floor(2 * Math.random()) : Number(this.#start.value);
    const game = new Game({ name: this.#name.value, params: Object.fromEntries(params) }, first);
    game.swap = this.#swap.checked && game.about.name === "hex";
    game.starter = this.#start.value;
    return game;
  }
}
