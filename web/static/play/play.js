// Play: a game against any agent, with everything that helps to understand it.

/** @import { Marks, Move, View } from "../types.js" */
import { Analysis, ghostsOfLine } from "./analysis.js";
import { beginsAMove, cellOf, emptyHex, moveOfClicks, withStone } from "../board/board.js";
import { BoardTab } from "../board/board_tab.js";
import { Clock, shareOf } from "./clock.js";
import { Editor } from "./editor.js";
import { isTouched } from "../page/controls.js";
import { button, fold } from "../page/elements.js";
import { createFiles } from "./files.js";
import { flagged, Game, hasBegun, shared } from "../board/game.js";
import { Games, offer } from "./games.js";
import { Loader } from "./loader.js";
import { asksTwice, Latest, page, setting } from "../page/page.js";
import { agentOf, Players, sameLevel, YOU } from "./players.js";
import { Rules } from "./rules.js";
import { SecondBoard } from "./second_board.js";
import { Setup } from "./setup.js";
import { knock } from "../board/sound.js";
import { ownPlayer, statusWords } from "../board/status.js";
import { lessonOf, reviewLast } from "./teacher.js";
import { Variations } from "./variations.js";
import { refusal } from "../board/verdicts.js";

export default class Play extends BoardTab {
  #hints = new Latest();
  #clicks = /** @type {number[]} */ ([]); // the first cell of a move of two
  /**
   * A hint, why a move was taken back, or why a click made no move; with marks on moves. A lesson stays at its node.
   * @type {{words: string, at?: number, marked?: [number, "good" | "bad" | "hint"][], marks?: Marks} | undefined}
   */
  #note;
  #unseen = /** @type {number[]} */ ([]); // your new moves, until the server has taken them
  #isPaused = false; // whether agents wait
  #isForced = false; // whether one moves although the line continues
  #heard = 0; // moves of the line when it was last drawn: one more is heard
  #buttons = {
    stop: button("Stop", () => this.#letMove(true, false), { id: "stop", title: "Stop the agent before it moves" }),
    go: button("Go on", () => this.#letMove(this.#isPaused, true), { id: "go", title: "Let the agent move" }),
    undo: button("Undo", () => this.#undo(), { id: "undo", title: "Take your last move back (U)", key: "U" }),
    hint: button("Hint", () => this.#askHint(), { id: "hint", title: "Show a good move (H)", key: "H" }),
    swap: button("Swap", () => this.#swap(),
      { id: "swap", title: "Take over the first stone, mirrored (S)", key: "S" }),
    resign: button("Resign", () => confirm("Resign this game?") && this.#resign(), { id: "resign" }),
    try: button("Try a line", () => this.#tryOrReturn(),
      { id: "try", title: "Play for both sides, then return (T)", key: "T" }),
    edit: button("Set up", () => this.#edit(), { id: "edit", title: "Set up a position to play from (E)", key: "E" }),
    review: button("Review", () => page.open("review"), { id: "to-review", title: "Show where the game was lost" }),
  };
  #players = new Players(() => {
    this.#setup.showPlayers(shared.game);
    this.#note = undefined;
    this.#letMove(false, this.#isForced);
  });
  #setup = new Setup((game, players) => {
    this.#begin(game, players);
    this.status.scrollIntoView({ block: "nearest" }); // the form is below the board on a phone
  });
  #editor = new Editor(() => this.draw(), (view) => this.#endEdit(view));
  #clock = new Clock(() => this.#refresh());
  #loader = new Loader(() => { // an agent's time does not run before it can think
    if (this.#loader.isLoading) this.#clock.stop();
    else this.#clock.run(shared.game, true);
    this.draw();
  });
  #rules = new Rules();
  #analysis = new Analysis(() => this.draw());
  #variations = new Variations((isCut) => (isCut ? this.#letMove(true, false) : this.draw()));
  #second = new SecondBoard((node) => this.go(node));
  #games = new Games();
  #offer = /** @type {Node | undefined} */ (undefined); // of the last game, while the shown one is new

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.#drawButtons();
    this.moves.element.append(this.#variations.element);
    const files = createFiles((game) => this.#seats(game), (game, words) => {
      game.players = { 1: YOU, 2: YOU };
      this.#begin(game);
      page.say(words);
    });
    const settings = fold("Settings and keys", setting("sound", "A sound for each move", false),
      setting("twice", "Two taps for a move on 11x11 and larger", isTouched), page.part("keys"));
    const panels = [this.#players, this.#analysis, this.moves, this.#second, this.#games, this.#setup, this.#rules];
    const elements = [...panels.map((each) => each.element), files, settings];
    this.layOut(Object.values(this.#buttons), elements, this.#editor.element);
    this.status.after(this.#clock.element);
    this.place.append(this.#setup.quick);
  }

  async show(/** @type {string} */ fragment) {
    const isNew = this.take(fragment), { about, start } = shared.game;
    if (isNew) this.#arrive(shared.game);
    if (about.params.size && !shared.catalogue) { // a game with a size is Hex
      this.view = emptyHex(about.params.size, start);
      this.draw();
    }
    try {
      if (isNew || JSON.stringify(shared.catalogue?.game) !== JSON.stringify(about)) await this.#outfit();
      if (isNew) await page.ask("position", { position: shared.game.position() });
    } catch (error) {
      await this.#begin(new Game(page.firstGame));
      return page.say(`${error instanceof Error ? error.message : error}. A new game instead.`);
    }
    this.#offer = hasBegun(shared.game) ? undefined : offer();
    this.#games.draw();
    await this.#refresh();
  }

  hide() {
    super.hide();
    this.#hints.stop();
    this.#analysis.requests.stop();
    this.#clock.stop();
  }

  /** Show a game of an address. No agent adds to what this browser has not seen before. @param {Game} game */
  #arrive(game) {
    const kept = Game.kept(game.id), isLinked = !kept && game.players[1] === YOU && game.players[2] === YOU;
    this.#editor.view = undefined;
    this.#steer(kept?.nodes.length < game.nodes.length, false);
    this.#note = isLinked
      ? { words: "Opened from a link: you move for both. Choose an opponent to play on.", at: game.at }
      : undefined;
  }

  /** Replace the game that is played; one without a move gets players. @param {Game} game */
  async #begin(game, players = shared.game.players) {
    const before = shared.game, { seconds, teach } = before;
    if (game.nodes.length === 1) Object.assign(game, { players: { ...players }, seconds, teach });
    shared.game = game;
    this.#editor.view = undefined;
    this.#steer(false, false);
    [this.#unseen, this.#note, this.#offer] = [[], undefined, undefined];
    page.say("");
    try {
      await this.#outfit();
      if (game === shared.game) await this.#refresh();
    } catch (error) {
      page.say(error);
      shared.game = before;
    }
  }

  /** Load the agents for the game; those that cannot play it are replaced by others of their level. */
  async #outfit() {
    const { game, catalogue: before } = shared, catalogue = await page.ask("catalogue", { game: game.about });
    if (game !== shared.game) return; // a newer game is outfitted
    shared.catalogue = catalogue;
    const isOther = before && JSON.stringify(before.game) !== JSON.stringify(catalogue.game);
    for (const player of [1, 2]) {
      const word = game.players[player];
      if (isOther || word === "") game.players[player] = sameLevel(catalogue, word, before);
    }
    game.about = catalogue.game;
    for (const each of [this.#players, this.#setup, this.#analysis, this.#rules]) each.fill(catalogue, game);
  }

  /** Name the players of a game; you have the name that its file gives you. @param {Game} game */
  #seats = ({ players, names, isOver, matched }) => [1, 2].map((each) =>
    (players[each] === YOU && names[each - 1]) || this.#players.title(players[each], isOver ? matched : ""));
  #isTrying = () => shared.game.trying !== undefined;
  #isYours = (at = shared.game.at) => this.#isTrying() || shared.game.players[shared.game.toPlay(at)] === YOU;

  /** Show the position, and let an agent move if it is its turn. */
  #refresh() {
    const { game } = shared;
    if (this.#editor.view) return this.draw();
    this.#hints.stop();
    this.#analysis.requests.stop();
    this.#clicks = [];
    if (this.#note?.at !== game.at) this.#note = undefined;
    game.seats = this.#seats(game);
    return this.requests.run(async (signal) => {
      if (!await this.#isLoaded(signal)) return;
      if (flagged(game)) this.view = { ...this.view, winner: 3 - flagged(game), moves: [] };
      if (!game.nodes[game.at].children.length) game.isOver = this.view.winner > 0;
      this.#players.settle(game, this.view.winner);
      game.seats = this.#seats(game);
      if (game.isOver) game.save();
      this.draw();
      const length = game.line().length;
      if (length === this.#heard + 1 && page.isOn("sound")) knock();
      this.#heard = length;
      this.#clock.run(game, !this.view.winner && (this.#isYours() || this.#thinks()));
      if (this.#thinks()) await this.#think(game, signal);
      else await this.#analysis.show(game.position(), this.view);
    });
  }

  /** Load the position; take your move back if the server refuses it. @param {AbortSignal} signal */
  async #isLoaded(signal) {
    try {
      await this.load(signal);
      this.#unseen = [];
    } catch (error) {
      const node = signal.aborted ? undefined : this.#unseen.pop();
      if (!node) throw error;
      shared.game.remove(node);
      this.#clock.press(shared.game);
      page.say(error);
      this.#refresh();
    }
    return !signal.aborted;
  }

  /** Tell whether an agent is about to move: at the end of a line, or where the user forces it. */
  #thinks() {
    const { nodes, at, players } = shared.game, isEnd = nodes[at].children.length === 0;
    const isAgents = !this.#isYours() && players[shared.game.toPlay()];
    return Boolean(isAgents && !this.view.winner && (this.#isForced || (isEnd && !this.#isPaused)));
  }

  /** Play the move of an agent. @param {Game} game @param {AbortSignal} signal */
  async #think(game, signal) {
    const agent = agentOf(game.players[game.toPlay()]), position = game.position();
    const question = { position, agent, seconds: Number(game.seconds) || undefined, clock: shareOf(game) };
    if (this.#analysis.kind()) this.#analysis.show(position, this.view);
    const answer = await this.#loader.move(question, signal).catch((error) => {
      if (!signal.aborted) {
        this.#steer(true, false);
        this.#clock.stop();
        this.draw();
      }
      throw error;
    });
    this.#isForced = false;
    game.play(answer.action, { name: answer.name, by: agent });
    this.#clock.press(game);
    await this.#refresh();
  }

  async onCell(/** @type {number} */ cell) {
    const { view } = this;
    if (!this.#note?.marked) this.#note = undefined;
    if (this.#editor.view) return this.#editor.place(cell);
    const move = view.winner || !this.#isYours() ? undefined : moveOfClicks(view, [...this.#clicks, cell]);
    const isFirst = move ? move.cells.length === 1 && this.#clicks[0] !== cell && asksTwice(view)
      : this.#isYours() && !view.winner && beginsAMove(view, cell);
    this.#clicks = isFirst ? [cell] : [];
    if (move && !isFirst) return this.#make(move);
    if (move) this.#note = { words: `Tap ${move.name} once more to play it.` };
    else if (!isFirst) this.#note = { words: refusal(view, cell, this.#isYours()) };
    this.draw();
  }

  /** Make your move. @param {Move} move */
  #make(move) {
    const { game } = shared, count = game.nodes.length, { action, name } = move, node = game.play(action, { name });
    if (game.nodes.length > count) this.#unseen.push(node);
    this.#clock.press(game);
    this.#steer(false, false);
    this.view = withStone(this.view, move);
    this.draw();
    return game.teach && !this.#isTrying() ? this.#teach(game, node) : this.#refresh();
  }

  /** Take a move back if it is bad, and say why. @param {Game} game @param {number} node */
  async #teach(game, node) {
    const isLatest = await this.requests.run(async (signal) => {
      const position = game.position();
      if (!await this.#isLoaded(signal)) return;
      this.draw();
      this.status.textContent = "Checking your move …";
      const review = await reviewLast(position, signal);
      game.nodes[node].review = review;
      if (!review.mistake) return;
      const lesson = await lessonOf(this.view, review, position, signal);
      game.takeBack(node);
      this.#clock.press(game);
      this.#note = { ...lesson, at: game.at };
    });
    if (isLatest) await this.#refresh();
  }

  /** Pause or force the agents. @param {boolean} isPaused @param {boolean} isForced */
  #letMove(isPaused, isForced) {
    this.#steer(isPaused, isForced);
    this.#refresh();
  }

  /** @param {boolean} isPaused @param {boolean} isForced */
  #steer(isPaused, isForced) {
    this.#isPaused = isPaused;
    this.#isForced = isForced;
  }

  go(/** @type {number} */ node) {
    if (this.#editor.view) return;
    shared.game.go(node);
    this.#letMove(this.#isPaused, false);
  }

  /** Go back to your last turn. */
  #undo() {
    const { game } = shared;
    const yours = [...game.line().slice(0, -1).toReversed(), ...(game.at ? [0] : [])].find(this.#isYours);
    if (yours !== undefined) this.go(yours);
  }

  #askHint() {
    this.status.textContent = "Looking for a good move …";
    this.#hints.run(async (signal) => {
      const position = shared.game.position(), agent = shared.catalogue?.analyst;
      const { words, action, line } = await page.ask("hint", { position, agent, simulations: 2000, seconds: 1 }, signal);
      const marks = line.length ? { ghosts: ghostsOfLine(this.view, line) } : {};
      this.#note = { words: `Hint: ${words}`, marked: [[action, "hint"]], marks };
      this.draw();
    });
  }

  /** Return the legal move without a cell, if there is one: the swap. */
  #swapMove = () => (this.#isYours() ? this.view.moves.find((move) => !move.cells.length) : undefined);

  #swap() {
    const move = this.#swapMove();
    if (move) this.#make(move);
  }

  #resign() {
    const { game } = shared, winner = 3 - ownPlayer(game);
    game.result = `${"BW"[winner - 1]}+R`;
    game.ended = game.at;
    this.#refresh();
  }

  #tryOrReturn() {
    shared.game.tryOrReturn();
    this.#refresh();
  }

  /** Set up a position, beginning with the one that is shown. */
  #edit() {
    this.hide();
    this.#clicks = [];
    this.#note = undefined;
    this.view = this.#editor.open(this.view);
    this.draw();
    this.board.focus();
  }

  /** Play from a position that was set up, unless it is won; without one, return to the game. @param {View} [edited] */
  #endEdit(edited) {
    if (!edited) {
      this.#editor.view = undefined;
      return this.#refresh();
    }
    const game = new Game(shared.game.about, edited.to_play, edited.cells.some(Boolean) ? [...edited.cells] : []);
    return this.requests.run(async (signal) => {
      const { winner, players } = await page.ask("position", { position: game.position() }, signal);
      if (!winner) return this.#begin(game);
      this.#note = { words: `${players[winner - 1]} has already won here: take a stone away.` };
      this.draw();
    });
  }

  draw() {
    const { view } = this, marks = this.#analysis.marks(view), { words = "", marked = [], marks: drawn } = this.#note ?? {};
    const isEdited = this.tools.hidden = Boolean(this.#editor.view);
    this.#editor.element.hidden = !isEdited;
    for (const [action, kind] of marked) {
      const cell = cellOf(view, action);
      if (cell !== undefined) marks.badges[cell] = kind;
    }
    const playable = isEdited || (this.#isYours() && !view.winner);
    this.drawBoard({ ...marks, ...drawn, selected: this.#clicks }, this.#statusWords(), playable);
    this.reason.textContent = words;
    page.tellTurn(this.status.textContent.replace(/\.( .*)?$/, ""), Number(this.status.dataset.role));
    if (this.#offer && !words && !isEdited && !hasBegun(shared.game)) this.reason.append(this.#offer);
    this.#drawButtons();
    this.moves.draw(shared.game);
    this.#variations.draw(isEdited);
    this.#second.draw(view);
  }

  #statusWords() {
    const { view } = this, { game } = shared, thinks = this.#thinks() && (this.#loader.isLoading ? "loading" : "thinking");
    if (this.#editor.view) return `Set up a position; ${view.players[view.to_play - 1]} moves next.`;
    const name = (/** @type {number} */ player) =>
      `${view.players[player - 1]} (${this.#players.title(game.players[player], view.winner ? game.matched : "")})`;
    return statusWords(view, game, name, this.#isYours(), thinks);
  }

  #drawButtons() {
    const { stop, go, undo, hint, swap, resign, try: tryLine, edit, review } = this.#buttons;
    const isOver = this.view.winner > 0;
    stop.hidden = !this.#thinks();
    go.hidden = this.#thinks() || this.#isYours() || isOver;
    undo.disabled = !shared.game.at;
    hint.disabled = isOver;
    swap.hidden = !this.#swapMove();
    edit.hidden = !this.view.hexagonal;
    const { game } = shared;
    resign.hidden = !ownPlayer(game) || isOver || this.#isTrying() || game.nodes[game.at].children.length > 0;
    tryLine.textContent = this.#isTrying() ? "Return to the game" : "Try a line";
    review.hidden = !isOver;
  }
}
