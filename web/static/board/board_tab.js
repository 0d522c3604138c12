// What tabs with a board share: the board, its status line, the position, and the keys that step.

/** @import { Marks } from "../types.js" */
import { Board, emptyHex } from "./board.js";
import { isFlat, isTyped, pressKey, turn, wide } from "../page/controls.js";
import { button, element } from "../page/elements.js";
import { Game, shared, wonOffBoard } from "./game.js";
import { MoveList, stepOfKey } from "./moves.js";
import { Latest, page } from "../page/page.js";

export class BoardTab {
  status = element("p", { class: "status", "aria-live": "polite" });
  #sides = element("p", { class: "sides" });
  place = element("div", { class: "board-place" });
  tools = element("div", { class: "tools", onclick: (/** @type {any} */ { target: { dataset: { step } } }) => {
    if (step) this.go(this.game.after(step));
  } }, page.part("steps"));
  reason = element("p", { class: "reason", "aria-live": "polite" });
  #turn = button("Turn", () => {
    turn();
    this.draw();
  }, { title: "Turn the board (O)" });
  board = new Board(this.place, (cell) => this.onCell(cell));
  moves = new MoveList((node) => this.go(node));
  requests = new Latest();
  view = emptyHex(5); // an empty board before the server answers
  own = /** @type {Game | undefined} */ (undefined); // of a tab that does not show the shared game

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    root.className = "table";
    wide.addEventListener("change", () => root.hidden || this.draw());
    addEventListener("keydown", (event) => {
      if (root.hidden || isTyped(event)) return;
      const key = event.key.toLowerCase(), step = stepOfKey(event), next = step && this.game.after(step);
      if (next !== undefined && (next !== this.game.at || !["up", "down"].includes(step ?? ""))) { // else they scroll
        event.preventDefault();
        this.go(next);
      } else if (key === "b") this.board.focus();
      else if (key === "o") this.#turn.click();
      else if (!pressKey(root, key)) this.onKey(key);
    });
  }

  /** The game that is shown. */
  get game() {
    return this.own ?? shared.game;
  }

  /** Put tools below the board, panels beside it. @param {Node[]} tools @param {Node[]} panels @param {Node[]} below */
  layOut(tools, panels, ...below) {
    this.tools.append(this.#turn, ...tools);
    this.root.append(
      element("div", { class: "board-area" }, this.status, this.#sides, this.place, this.reason, this.tools, ...below),
      element("div", { class: "side" }, ...panels));
  }

  /** Draw the view with a line of text. @param {Marks} marks @param {string} status */
  drawBoard(marks, status, playable = false) {
    const { roles, winner, to_play: mover } = this.view;
    this.board.draw(this.view, marks, { playable, flat: isFlat() });
    this.#turn.hidden = !this.view.hexagonal;
    for (const [name, is] of Object.entries({ flat: isFlat(), upright: !isFlat() })) {
      this.place.classList.toggle(name, is && this.view.hexagonal);
    }
    this.status.dataset.role = String(roles[(winner || mover) - 1] ?? 0);
    this.status.textContent = status;
    this.#drawSides();
  }

  /** The names of players 1 and 2; empty where unknown. */
  get names() {
    return this.game.seats;
  }

  /** Tell who has which colour, and in Hex which sides to join. */
  #drawSides() {
    const { players, roles, sides, hexagonal } = this.view, { names } = this;
    const joined = hexagonal && isFlat() ? ["top and bottom", "left and right"]
      : sides.map((each) => each.replace("joins ", ""));
    this.#sides.replaceChildren(...players.map((colour, n) => element("span", { class: `side${roles[n]}` },
      element("i", { class: `swatch role${roles[n]}`, "aria-hidden": "true" }),
      element("b", { text: names[n] ? `${names[n]} (${colour})` : colour }), joined[n] && `: ${joined[n]}`)));
  }

  /** Show the game of an address, if there is another one; return whether there is. @param {string} fragment */
  take(fragment) {
    const game = fragment && fragment !== shared.game.fragment() ? Game.from(fragment) : null;
    if (game) shared.game = game;
    return Boolean(game);
  }

  /** Keep the shared game, and load its position into the view. @param {AbortSignal} signal */
  async load(signal) {
    const { game } = shared;
    page.setFragment(game.fragment());
    game.save();
    this.view = await page.ask("position", { position: game.position() }, signal);
    if (this.view.winner && game.at === game.ended) game.result = ""; // the board tells it
    else if (wonOffBoard(game)) this.view = { ...this.view, winner: wonOffBoard(game), moves: [] };
    game.nameLine(this.view.history);
    for (const node of game.order().toReversed()) {
      if (game.nodes[node].name) continue; // only moves of a link have none yet
      await page.ask("position", { position: game.position(node) }, signal).then(
        ({ history }) => game.nameLine(history, node),
        () => { signal.throwIfAborted(); game.nodes[node].name = "?"; }); // no legal move; a click on it says so
    }
  }

  hide() {
    this.requests.stop();
  }

  // What tabs do: draw the view, react to a click or a key, show another node of the game.
  draw() {}
  onCell(/** @type {number} */ _cell) {}
  onKey(/** @type {string} */ _key) {}
  go(/** @type {number} */ _node) {}
}
