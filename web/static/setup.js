// A new game: its board, its rules, the first player.

/** @import { About, Catalogue } from "./types.js" */
import { newClock } from "./clock.js";
import { Game } from "./game.js";
import { button, element, fold, form, labelled, options, row } from "./elements.js";

/** The choice of a game and its parameters. */
export class GameChoice {
  #games = /** @type {Catalogue["games"]} */ ([]);
  #params = element("div", { class: "params" });

  constructor(/** @type {string} */ prefix) {
    this.prefix = prefix; // of the ids
    this.name = element("select", { id: `${prefix}-name`, onchange: () => this.#drawParams() });
    this.element = element("div", { class: "params" }, labelled("Game", this.name), this.#params);
  }

  /** Show the choices, and one that is made. @param {Catalogue["games"]} games @param {About} about */
  fill(games, { name, params }) {
    this.#games = games;
    this.name.replaceChildren(...options(games.map((each) => [each.name, each.title])));
    this.name.value = name;
    this.#drawParams(params);
  }

  #drawParams(/** @type {Record<string, any>} */ values = {}) {
    const game = this.#games.find((each) => each.name === this.name.value);
    this.#params.replaceChildren(...(game?.params ?? []).map((param) => {
      const value = values[param.name] ?? param.default;
      const kind = typeof value === "boolean" ? { type: "checkbox", checked: value }
        : Array.isArray(value) ? { type: "text", pattern: "[0-9 ,]+", value: value.join(" ") }
          : { type: "number", min: param.least ?? 1, max: param.most ?? 200, required: true, value };
      return labelled(param.title, element("input", { id: `${this.prefix}-${param.name}`, name: param.name, ...kind }));
    }));
  }

  /** Return the input for the size of the board, if the game has one. @returns {HTMLInputElement | null} */
  sizeInput = () => this.#params.querySelector("[name=size]");

  /** Return the game that is chosen. @returns {About} */
  about() {
    const inputs = [...this.#params.querySelectorAll("input")].filter(
      ({ type, checked }) => type !== "checkbox" || checked,
    );
    const params = inputs.map(({ name, type, value }) => [name, type === "checkbox" ? true
      : type === "number" ? Number(value) : value.trim().split(/[\s,]+/).map(Number)]);
    return { name: this.name.value, params: Object.fromEntries(params) };
  }
}

/** The form for a new game, and its size and button beside the board; onStart(game) is called with it. */
export class Setup {
  #choice = new GameChoice("game");
  #start = element("select", { id: "game-start" });
  #clock = element("select", { id: "game-clock", onchange: () => {
    this.#ownClock.hidden = this.#ownClock.disabled = this.#clock.value !== "another";
  } }, ...options(["none", "1+0", "3+2", "10+5", "another"].map((each) => [each, each])));
  #ownClock = element("input", {
    "aria-label": "Minutes + seconds a move", title: "Minutes + seconds a move", placeholder: "5+3",
    pattern: "[1-9]\\d{0,2}\\+\\d{1,3}", required: true, hidden: true, disabled: true,
  });
  #form = form("stack", () => this.onStart(this.#newGame()), this.#choice.element,
    labelled("First move", this.#start),
    row(element("label", { for: "game-clock", text: "Clock" }), this.#clock, this.#ownClock),
    element("button", { class: "primary", text: "New game" }));
  element = fold("New game", this.#form);
  #size = element("select", { id: "board-size", "aria-label": "Size of the board of a new game", onchange: () => {
    const input = this.#choice.sizeInput();
    if (input) input.value = this.#size.value;
  } });
  /** The size and a button, to begin without opening the form. */
  quick = element("div", { class: "quick", hidden: true }, this.#size, button("New game", () => {
    // What is wrong is seen.
    if (!this.#form.checkValidity()) /** @type {HTMLDetailsElement} */ (this.element).open = true;
    this.#form.requestSubmit();
  }));

  constructor(/** @type {(game: Game) => void} */ onStart) {
    this.onStart = onStart;
    this.#form.addEventListener("change", () => this.#showSize());
  }

  #showSize() {
    const input = this.#choice.sizeInput(), [least, most] = [Number(input?.min), Number(input?.max)];
    this.quick.hidden = !input;
    this.#size.replaceChildren(
      ...options(Array.from({ length: most - least + 1 }, (_, n) => [least + n, `${least + n}x${least + n}`])),
    );
    this.#size.value = input?.value ?? "";
  }

  /** Show the choices, and the game that is played. @param {Catalogue} catalogue @param {Game} game */
  fill(catalogue, game) {
    this.#choice.fill(catalogue.games, game.about);
    this.#start.replaceChildren(
      ...options([[1, catalogue.players[0]], [2, catalogue.players[1]], [3, "either, at random"]]));
    this.#start.value = game.starter ?? String(game.setup.length ? 1 : game.start);
    this.#showSize();
  }

  #newGame() {
    const first = this.#start.value === "3" ? 1 + Math.floor(2 * Math.random()) : Number(this.#start.value);
    const game = new Game(this.#choice.about(), first);
    game.starter = this.#start.value;
    const kind = this.#ownClock.disabled ? this.#clock.value : this.#ownClock.value;
    if (kind !== "none") game.clock = newClock(kind);
    return game;
  }
}
