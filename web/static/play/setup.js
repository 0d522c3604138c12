// A new game: its board, its rules, the first player.

/** @import { About, Catalogue } from "../types.js" */
import { newClock } from "./clock.js";
import { usesSwap } from "../page/controls.js";
import { Game, hasBegun, shared } from "../board/game.js";
import { button, element, fold, form, labelled, options, row } from "../page/elements.js";
import { page } from "../page/page.js";
import { opponentsOf, YOU } from "./players.js";

const FRIEND = "friend", CLOCKS = ["none", "1+0", "3+2", "10+5", "another"];
const eitherPlayer = () => 1 + Math.floor(2 * Math.random());

/** The choice of a game and its parameters. */
export class GameChoice {
  #games = /** @type {Catalogue["games"]} */ ([]);
  #isSwapChosen = false; // by the user, for the next game
  #params = element("div", { class: "params", onchange: (/** @type {Event} */ { target }) => {
    const [size, swap] = [this.input("size"), this.input("swap")];
    if (target === swap) this.#isSwapChosen = true;
    else if (swap && target === size && !this.#isSwapChosen) swap.checked = usesSwap(Number(size?.value));
  } });

  constructor(/** @type {string} */ prefix) {
    this.prefix = prefix; // of the ids
    this.name = element("select", { id: `${prefix}-name`, onchange: () => this.#drawParams() });
    this.element = element("div", { class: "params" }, labelled("Game", this.name), this.#params);
  }

  /** Begin the choice of the next game. */
  renew() {
    this.#isSwapChosen = false;
  }

  /** Show the choices, and one that is made. @param {Catalogue["games"]} games @param {About} about */
  fill(games, { name, params }) {
    this.#games = games;
    this.renew();
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

  /** Return the input for a parameter, if the game has it. @param {"size" | "swap"} name @returns {HTMLInputElement | null} */
  input = (name) => this.#params.querySelector(`[name=${name}]`);

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

/**
 * The form for a new game, and the choices beside the board: they are for the next game, and hold at once while
 * the board is empty. onStart(game, players) is called with a new game; without players, they stay.
 */
export class Setup {
  #choice = new GameChoice("game");
  #made = /** @type {Game | undefined} */ (undefined); // the last game of this form
  #start = element("select", { id: "game-start" });
  #clock = element("select", { id: "game-clock" }, ...options(CLOCKS.map((each) => [each, each])));
  #ownClock = element("input", {
    "aria-label": "Minutes + seconds a move", title: "Minutes + seconds a move", placeholder: "5+3",
    pattern: "[1-9]\\d{0,2}\\+\\d{1,3}", required: true, hidden: true, disabled: true,
  });
  #form = form("stack", () => this.onStart(this.#newGame(), this.#chosenPlayers()), this.#choice.element,
    labelled("First move", this.#start),
    row(element("label", { for: "game-clock", text: "Clock" }), this.#clock, this.#ownClock),
    element("button", { class: "primary", text: "New game" }));
  element = fold("New game", this.#form);
  #size = element("select", { id: "board-size", "aria-label": "Size of the board", onchange: () => {
    const input = this.#choice.input("size");
    if (input) input.value = this.#size.value;
    input?.dispatchEvent(new Event("change", { bubbles: true }));
    this.#choose();
  } });
  #swap = element("input", { type: "checkbox", id: "board-swap", onchange: () => {
    const input = this.#choice.input("swap");
    if (input) input.checked = this.#swap.checked;
    this.#choose();
  } });
  #swapRow = labelled("Swap", this.#swap);
  #colour = element("select", { id: "own-colour", "aria-label": "Your colour", onchange: () => this.#choose() });
  #opponent = element("select", { id: "opponent", "aria-label": "Opponent", onchange: () => {
    if (this.#opponent.value !== FRIEND) return this.#choose();
    this.showPlayers(shared.game);
    page.open("friends");
  } });
  #pace = element("select", { id: "pace", "aria-label": "Clock", onchange: () => {
    this.#clock.value = this.#pace.value;
    this.#showForm();
    this.#choose();
  } }, ...options(CLOCKS.map((each) => [each, each === "none" ? "no clock" : each])));
  /** What a new game needs, without opening the form. */
  quick = element(
    "div",
    { class: "quick", role: "group", "aria-label": "A new game", hidden: true },
    element("div", {}, this.#size, this.#colour, this.#swapRow),
    element("div", {}, this.#opponent, this.#pace),
    button("New game", () => this.#begin()),
  );

  constructor(/** @type {(game: Game, players?: Record<number, string>) => void} */ onStart) {
    this.onStart = onStart;
    this.#form.addEventListener("change", () => this.#showForm());
  }

  #begin() {
    // What is wrong is seen.
    if (!this.#form.checkValidity()) /** @type {HTMLDetailsElement} */ (this.element).open = true;
    this.#form.requestSubmit();
  }

  #choose() {
    if (!hasBegun(shared.game)) this.#begin();
  }

  /** Show beside the board what the form says. */
  #showForm() {
    const input = this.#choice.input("size"), swap = this.#choice.input("swap"), [least, most] = [Number(input?.min), Number(input?.max)];
    this.#ownClock.hidden = this.#ownClock.disabled = this.#clock.value !== "another";
    this.#pace.value = this.#clock.value;
    this.quick.hidden = false;
    this.#size.hidden = !input;
    this.#swapRow.hidden = !swap;
    this.#swap.checked = Boolean(swap?.checked);
    this.#size.replaceChildren(
      ...options(Array.from({ length: most - least + 1 }, (_, n) => [least + n, `${least + n}x${least + n}`])),
    );
    this.#size.value = input?.value ?? "";
  }

  /** Show the players of the game beside the board. @param {Game} game */
  showPlayers({ players }) {
    const own = [1, 2].find((each) => players[each] === YOU), word = own ? players[3 - own] : "";
    if (this.#colour.value !== "3" || !own) this.#colour.value = String(own ?? "");
    const known = /** @type {[string, string][]} */ ([...opponentsOf(shared.catalogue), [FRIEND, "a friend …"]]);
    const isKnown = !word || known.some(([each]) => each === word);
    this.#opponent.replaceChildren(...options(isKnown ? known : [[word, word], ...known]));
    this.#opponent.value = word;
  }

  /** Show the choices, and the game that is played. @param {Catalogue} catalogue @param {Game} game */
  fill(catalogue, game) {
    const colour = this.#colour.value, start = this.#start.value, [first, second] = catalogue.players;
    const isOwn = game === this.#made; // what was typed while its answer was on the way stays
    this.#made = undefined;
    if (isOwn) this.#choice.renew();
    else this.#choice.fill(catalogue.games, game.about);
    this.#start.replaceChildren(...options([[1, first], [2, second], [3, "either, at random"]]));
    this.#start.value = isOwn ? start : game.starter ?? String(game.setup.length ? 1 : game.start);
    this.#colour.replaceChildren(...options([[1, `You: ${first}`], [2, `You: ${second}`], [3, "You: either"]]));
    this.#colour.value = colour;
    this.showPlayers(game);
    this.#showForm();
  }

  /** Return the players that are chosen, if you are one of them. */
  #chosenPlayers() {
    const colour = Number(this.#colour.value), own = colour === 3 ? eitherPlayer() : colour;
    return own ? { [own]: YOU, [3 - own]: this.#opponent.value } : undefined;
  }

  #newGame() {
    const first = this.#start.value === "3" ? eitherPlayer() : Number(this.#start.value);
    const game = new Game(this.#choice.about(), first);
    game.starter = this.#start.value;
    this.#made = game;
    const kind = this.#ownClock.disabled ? this.#clock.value : this.#ownClock.value;
    if (kind !== "none") game.clock = newClock(kind);
    return game;
  }
}
