// A new game: its board, its rules, the first player.

/** @import { Catalogue } from "./types.js" */
import { newClock } from "./clock.js";
import { Game } from "./game.js";
import { element, fold, form, labelled, options, row } from "./elements.js";

/** The form for a new game; onStart(game) is called with it. */
export class Setup {
  #name = element("select", { id: "game-name", onchange: () => this.#drawParams() });
  #params = element("div", { class: "params" });
  #start = element("select", { id: "game-start" });
  #clock = element("select", { id: "game-clock", onchange: () => {
    this.#ownClock.hidden = this.#ownClock.disabled = this.#clock.value !== "another";
  } }, ...options(["none", "1+0", "3+2", "10+5", "another"].map((each) => [each, each])));
  #ownClock = element("input", {
    "aria-label": "Minutes + seconds a move", title: "Minutes + seconds a move", placeholder: "5+3",
    pattern: "[1-9]\\d{0,2}\\+\\d{1,3}", required: true, hidden: true, disabled: true,
  });
  #form = form("stack", () => this.onStart(this.#newGame()), labelled("Game", this.#name), this.#params,
    labelled("First move", this.#start), row(element("label", { for: "game-clock", text: "Clock" }), this.#clock, this.#ownClock),
    element("button", { class: "primary", text: "New game" }));
  element = fold("New game", this.#form);
  #games = /** @type {Catalogue["games"]} */ ([]);

  constructor(/** @type {(game: Game) => void} */ onStart) {
    this.onStart = onStart;
  }

  /** Show the choices, and the game that is played. @param {Catalogue} catalogue @param {Game} game */
  fill(catalogue, game) {
    this.#games = catalogue.games;
    this.#name.replaceChildren(...options(catalogue.games.map(({ name, title }) => [name, title])));
    this.#name.value = game.about.name;
    this.#drawParams(game.about.params);
    this.#start.replaceChildren(
      ...options([[1, catalogue.players[0]], [2, catalogue.players[1]], [3, "either, at random"]]));
    this.#start.value = game.starter ?? String(game.setup.length ? 1 : game.start);
  }

  #drawParams(/** @type {Record<string, any>} */ values = {}) {
    const game = this.#games.find((each) => each.name === this.#name.value);
    this.#params.replaceChildren(...(game?.params ?? []).map((param) => {
      const value = values[param.name] ?? param.default;
      const kind = typeof value === "boolean" ? { type: "checkbox", checked: value }
        : Array.isArray(value) ? { type: "text", pattern: "[0-9 ,]+", value: value.join(" ") }
          : { type: "number", min: param.least ?? 1, max: param.most ?? 200, required: true, value };
      return labelled(param.title, element("input", { id: `game-${param.name}`, name: param.name, ...kind }));
    }));
  }

  #newGame() {
    const inputs = [...this.#params.querySelectorAll("input")].filter(({ type, checked }) => type !== "checkbox" || checked);
    const params = inputs.map(({ name, type, value }) => [name, type === "checkbox" ? true
      : type === "number" ? Number(value) : value.trim().split(/[\s,]+/).map(Number)]);
    const first = this.#start.value === "3" ? 1 + Math.floor(2 * Math.random()) : Number(this.#start.value);
    const game = new Game({ name: this.#name.value, params: Object.fromEntries(params) }, first);
    game.starter = this.#start.value;
    const kind = this.#ownClock.disabled ? this.#clock.value : this.#ownClock.value;
    if (kind !== "none") game.clock = newClock(kind);
    return game;
  }
}
