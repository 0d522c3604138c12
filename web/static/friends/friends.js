// Friends: a game between two people on this server. Its address has the spectators' token; the friend's, an invitation.

/** @import { Passing, Table } from "../types.js" */
import { beginsAMove, moveOfClicks } from "../board/board.js";
import { BoardTab } from "../board/board_tab.js";
import { Chat } from "./chat.js";
import { copy } from "../page/controls.js";
import { button, element, form, labelled, options, panel, row } from "../page/elements.js";
import { Game } from "../board/game.js";
import { Lobby, wordsOf } from "./lobby.js";
import { createNotifySetting, notify } from "./notify.js";
import { asksTwice, Latest, page, setting } from "../page/page.js";
import { ownTables } from "./own_tables.js";
import { reviewOthers } from "../play/players.js";
import { forgetSeat, keepSeat, ownSeats, seatOf, takeSeat } from "./seats.js";
import { GameChoice } from "../play/setup.js";
import { knock } from "../board/sound.js";
import { TableClock } from "./table_clock.js";

const NAME_KEY = "hex-name";
const seconds = new Worker("/static/friends/tick_worker.js");

export default class Friends extends BoardTab {
  #token = ownSeats().at(-1) ?? "";
  #table = /** @type {Table | undefined} */ (undefined);
  own = new Game(); // the moves of the table: nodes are numbered by plies
  #tapped = /** @type {number[]} */ ([]); // the first cell of a move of two taps
  #actions = new Latest();

  #name = element("input", {
    id: "friends-name",
    maxlength: 30,
    value: localStorage.getItem(NAME_KEY) ?? "",
    onchange: () => this.#rename(),
  });
  #choice = new GameChoice("friends-game");
  #player = element(
    "select",
    { id: "friends-player" },
    ...options([
      [0, "either, at random"],
      [1, "the first player"],
      [2, "the second player"],
    ]),
  );
  #time = element("select", { id: "friends-clock" },
    ...options(["none", "3+2", "10+5", "1 day"].map((each) => [each, wordsOf(each)])));
  #listed = element("input", { type: "checkbox", id: "friends-listed" });
  #form = form(
    "stack",
    () => this.#create(),
    this.#choice.element,
    labelled("You are", this.#player),
    labelled("Clock", this.#time),
    labelled("In the lobby: anybody with the link to this server may join", this.#listed),
    element("p", { class: "soft", text: "You get a link to send to your friend. It can be used once." }),
    element("button", { class: "primary", text: "Play a friend" }),
  );
  #seats = [1, 2].map(() => row());
  #nameRow = labelled("Your name", this.#name);
  #links = [newLink("friend", "For your friend"), newLink("watch", "For spectators")];
  #here = element("p", {
    class: "soft",
    text: "These links work on this machine. For others, start the server with --host 0.0.0.0.",
  });
  #lobby = new Lobby((watch) => this.requests.run((signal) => this.#join(watch, watch, signal)));
  #chat = new Chat((what, more) => this.#do(what, more));
  #clock = new TableClock();
  #notify = createNotifySetting();
  #warn = setting("warn", "A sound when you have ten seconds left", true);
  #buttons = {
    swap: button("Swap", () => this.#do("move", { action: this.#swapMove()?.action }), {
      title: "Take over the first stone, mirrored (S)",
      key: "S",
    }),
    resign: button("Resign", () => confirm("Resign this game?") && this.#do("resign")),
    takeback: button("Take back", () => this.#do(this.#isAsked() ? "grant" : "takeback")),
    refuse: button("Refuse", () => this.#do(this.#isAsked() ? "refuse" : "withdraw")),
    rematch: button("Rematch", () => {
      const { rematch } = this.#table ?? {};
      if (rematch) this.#open(rematch);
      else this.#do("rematch");
    }),
    review: button("Review", () => this.#review()),
    other: button("New game", () => {
      if (this.#table?.view.winner) forgetSeat(this.#token); // others stay in the list
      this.#open("");
    }),
  };

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.#form.addEventListener("change", () => this.#preview());
    this.layOut(Object.values(this.#buttons), [
      panel(
        "Two people",
        element("h2", { text: "Two people" }),
        ...this.#seats,
        this.#nameRow,
        this.#form,
        ...this.#links,
        this.#here,
        this.#notify,
        this.#warn,
      ),
      ownTables.element,
      this.#lobby.element,
      this.#chat.element,
      this.moves.element,
    ]);
    this.status.after(this.#clock.element);
  }

  show(/** @type {string} */ fragment) {
    this.#open(fragment || this.#token);
  }

  hide() {
    super.hide();
    this.#lobby.stop();
    this.#clock.take();
  }

  /** Show the table of a token, and its changes now and then; or the form for a new game. @param {string} word */
  #open(word) {
    const token = seatOf(word) || word;
    if (token !== this.#token) [this.#table, this.own, this.#tapped] = [undefined, new Game(), []];
    this.#token = token;
    const watch = this.#table ? watchOf(this.#table) : "";
    if (watch || !token) page.setFragment(watch); // never a seat's secret
    ownTables.follow(watch);
    this.#clock.take();
    this.draw();
    if (token) this.#lobby.stop();
    else {
      this.#lobby.start();
      this.#preview();
    }
    this.requests.run(async (signal) => {
      while (token && !signal.aborted) {
        const answer = await page.ask("table", { token, version: this.#table?.version }, signal);
        if (isInvitation(answer, token)) return this.#join(token, watchOf(answer), signal, answer.joined.every(Boolean));
        this.#take(answer);
        await new Promise((done) => seconds.addEventListener("message", done, { once: true }));
      }
    }, (error) => {
      forgetSeat(token); // the game is no longer there
      this.#open("");
      page.say(error);
    });
  }

  /**
   * Take the second seat of a game, which the server gives once; a used link shows the game.
   * @param {string} invitation @param {string} watch @param {AbortSignal} signal
   */
  async #join(invitation, watch, signal, isUsed = false) {
    const isOwn = seatOf(watch) && (isUsed || !confirm("You are in this game already. Take the other seat, too?"));
    const refused = isOwn ? "" : await takeSeat(invitation, watch, signal).catch((error) => error);
    signal.throwIfAborted();
    this.#open(refused && invitation === watch ? "" : watch);
    page.say(refused ?? "");
  }

  /** Show the board of the game in the form. */
  #preview() {
    this.#actions.run(async (signal) => {
      const about = { name: "hex", params: { size: 7, swap: true } };
      if (!this.#choice.name.value)
        this.#choice.fill((await page.ask("catalogue", { game: about }, signal)).games, about);
      if (!this.#form.checkValidity()) return;
      this.view = {
        ...(await page.ask("position", { position: new Game(this.#choice.about()).position() }, signal)),
        moves: [],
      };
      [...this.#player.options].slice(1).forEach((option, n) => {
        option.textContent = `${this.view.players[n]}, who moves ${["first", "second"][n]}`;
      });
      this.draw();
    });
  }

  /** Show what the server has sent. @param {Table | Passing} answer */
  #take(answer) {
    if (answer.version < (this.#table?.version ?? 0)) return; // sent before the last action, received after it
    const at = this.#isAtEnd() ? Infinity : this.own.at, before = this.#table;
    const table = this.#table = before ? { ...before, ...answer } : /** @type {Table} */ (answer);
    if (before && !before.rematch && table.rematch && table.you) return this.#open(table.rematch);
    if (table.version !== before?.version) {
      const { position: { game, start, actions }, view, you } = table;
      this.own = new Game(game, start);
      actions.forEach((action, n) => this.own.play(action, { name: view.history[n] }));
      const made = actions.length - (before?.position.actions.length ?? 0);
      if (before && made > 0 && page.isOn("sound")) knock();
      if (at < actions.length) this.own.go(at);
      else [this.view, this.#tapped] = [view, []];
      if (you && !before) keepSeat(watchOf(table), this.#token);
      if (!before) page.setFragment(watchOf(table));
      ownTables.follow(watchOf(table));
      if (you && !table.names[you - 1] && this.#name.value) this.#rename();
      if (before && isAwaited(table) && !isAwaited(before)) notify(`Your move: ${nameOf(table, 3 - you)} ${made ? "has moved" : "is here"}.`);
      this.reason.textContent = you && this.#isAsked()
        ? `${nameOf(table, 3 - you)} asks to take the last move back.` : "";
    }
    this.#clock.take(table);
    this.draw();
  }

  #create() {
    const question = {
      game: this.#choice.about(), player: Number(this.#player.value), name: this.#name.value,
      clock: this.#time.value, listed: this.#listed.checked,
    };
    this.#actions.run(async (signal) => this.#open((await page.ask("new_table", question, signal)).token));
  }

  /** Do something at the table. @param {string} what @param {object} [more] */
  #do(what, more) {
    const token = this.#token, question = { token, what, ply: this.#table?.position.actions.length, ...more };
    this.#actions.run(async (signal) => {
      const answer = await page.ask("table_action", question, signal);
      if (token === this.#token) this.#take(answer); // else the rematch is open already
    });
  }

  /** Open the game for review; this browser keeps it, with its players and a resignation. */
  #review() {
    const table = /** @type {Table} */ (this.#table), { names, resigned, view: { players }, position: { actions } } = table;
    const loser = resigned || table.flagged;
    const seats = names.map((name, index) => name || players[index]);
    reviewOthers(this.own, seats, {
      result: loser ? `${"WB"[loser - 1]}+${resigned ? "R" : "T"}` : "", ended: actions.length,
    });
  }

  #rename() {
    localStorage.setItem(NAME_KEY, this.#name.value);
    if (this.#table?.you) this.#do("name", { name: this.#name.value });
  }

  #isAsked = () => this.#table !== undefined && this.#table.takeback === 3 - this.#table.you;
  #isAtEnd = () => !this.#table || this.own.at === this.#table.position.actions.length;
  #isYours = () => this.#isAtEnd() && this.view.moves.length > 0;
  #swapMove = () => (this.#isYours() ? this.view.moves.find((move) => !move.cells.length) : undefined);

  onCell(/** @type {number} */ cell) {
    const { view } = this, isYours = this.#isYours();
    const move = isYours ? moveOfClicks(view, [...this.#tapped, cell]) ?? moveOfClicks(view, [cell]) : undefined;
    const isFirst = move
      ? asksTwice(view) && move.cells.length === 1 && this.#tapped[0] !== cell
      : isYours && beginsAMove(view, cell);
    this.#tapped = isFirst ? [cell] : [];
    if (move && !isFirst) return this.#do("move", { action: move.action });
    this.reason.textContent = move ? `Tap ${move.name} once more to play it.` : isFirst ? ""
      : isYours ? "No move is possible there." : this.status.textContent;
    this.draw();
  }

  go(/** @type {number} */ ply) {
    this.own.go(ply);
    this.#actions.run(async (signal) => {
      this.view = this.#table && this.#isAtEnd() ? this.#table.view
        : { ...await page.ask("position", { position: this.own.position() }, signal), moves: [] };
      this.draw();
    });
  }

  get names() {
    const { names = [], you, away = [], joined = [] } = this.#table ?? {};
    return names.map((name, n) => (n + 1 === you ? "You"
      : [name, (away[n] !== 0 && joined[n]) ? presenceOf(away[n]) : ""].filter(Boolean).join(", ")));
  }

  draw() {
    const table = this.#table;
    this.drawBoard(
      { selected: this.#tapped },
      table ? this.#statusWords(table) : "A game with a friend",
      this.#isYours(),
    );
    if (table) page.tellTurn(this.status.textContent.replace(/\.$/, ""), Number(this.status.dataset.role));
    this.#form.hidden = Boolean(this.#token) || !this.#choice.name.value; // before the games are known
    this.#nameRow.hidden = Boolean(this.#token && !table?.you);
    for (const each of [this.tools, this.moves.element, ...this.#seats, ...this.#links]) each.hidden = !table;
    for (const each of [this.#chat.element, this.#notify]) each.hidden = !table?.you;
    this.#warn.hidden = !table?.you || !table.left;
    this.moves.draw(this.own);
    if (table) this.#drawTable(table);
    this.#here.hidden = !table?.friend || !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  }

  #drawTable(/** @type {Table} */ table) {
    const { view, you, joined, away, wins } = table, { swap, resign, review } = this.#buttons;
    this.#seats.forEach((each, n) =>
      each.replaceChildren(
        element("i", { class: `swatch role${view.roles[n]}`, "aria-hidden": "true" }),
        element("span", { text: nameOf(table, n + 1) }),
        element("span", {
          class: "soft",
          text: [joined[n] ? presenceOf(away[n]) : "not here yet", wins[n] && `${wins[n]} won`]
            .filter(Boolean)
            .join(", "),
        }),
      ),
    );
    this.#links.forEach((each, n) => {
      const path = [table.friend, table.watch][n], input = each.querySelector("input");
      each.hidden = !path;
      if (input) input.value = location.origin + path;
    });
    swap.hidden = !this.#swapMove();
    resign.hidden = !you || view.winner > 0;
    review.hidden = !view.winner;
    this.#drawOffers(table);
    if (you) this.#chat.draw(table, [1, 2].map((each) => nameOf(table, each)));
  }

  /** Show the buttons for what needs both players. @param {Table} table */
  #drawOffers({ view, you, offers, takeback: asks, rematch: after, position: { start, actions } }) {
    const { rematch, takeback, refuse } = this.#buttons, isOver = view.winner > 0, isAsked = this.#isAsked();
    rematch.hidden = !isOver || (!you && !after);
    rematch.disabled = Boolean(offers[you - 1]) && !after;
    rematch.textContent = after ? "To the rematch" : rematch.disabled ? "Rematch offered"
      : offers[2 - you] ? "Accept the rematch" : "Offer a rematch";
    const hasMoved = actions.length > (you === start ? 0 : 1);
    takeback.hidden = !you || isOver || !(hasMoved || isAsked);
    takeback.disabled = asks === you;
    takeback.textContent = isAsked ? "Grant it" : takeback.disabled ? "Asked to take back" : "Take back";
    refuse.hidden = takeback.hidden || !asks;
    refuse.textContent = isAsked ? "Refuse" : "Withdraw";
  }

  #statusWords(/** @type {Table} */ table) {
    const { view: { winner, to_play: mover }, you, resigned, flagged, position: { actions } } = table;
    if (!this.#isAtEnd()) return `Move ${this.own.at} of ${actions.length}.`;
    if (!winner) return you === mover ? "Your move." : `${nameOf(table, mover)} to move.`;
    if (winner === 3) return `A draw after ${actions.length} moves.`;
    const won = winner === you ? "You have won" : `${nameOf(table, winner)} has won`;
    const how = resigned ? `: ${nameOf(table, resigned)} resigned`
      : flagged ? `: ${nameOf(table, flagged)} is out of time` : ` after ${actions.length} moves`;
    return `${won}${how}.`;
  }
}

/** Return the spectators' token of a table. @param {Table} table */
const watchOf = ({ watch }) => watch.slice(watch.lastIndexOf("/") + 1);

/**
 * Tell whether a token is the friend's link to a table.
 * @param {Table | Passing} answer @param {string} token @returns {answer is Table}
 */
const isInvitation = (answer, token) => "you" in answer && !answer.you && watchOf(answer) !== token;

/** Tell whether both players are in a game, and the other one waits for you. @param {Table} table */
const isAwaited = ({ view, you, joined }) => !view.winner && view.to_play === you && joined.every(Boolean);

/** Say whether a player is here, else since when not. @param {number | null} away Seconds. */
function presenceOf(away) {
  const minutes = Math.floor((away ?? 0) / 60);
  if (away === 0) return "here";
  return minutes < 1 ? "away" : `away for ${minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`}`;
}

/** Return the name of a player, else of the colour. @param {Table} table @param {number} player */
const nameOf = ({ names, view, you }, player) =>
  (names[player - 1] || view.players[player - 1]) + (player === you ? " (you)" : "");

/** Make a row with a link to copy. @param {string} id @param {string} text */
function newLink(id, text) {
  const input = element("input", { readonly: true, id: `friends-${id}`, onfocus: () => input.select() });
  const made = labelled(text, input);
  made.append(button("Copy", async () => page.say(await copy(input.value, "The link is copied."))));
  return made;
}
