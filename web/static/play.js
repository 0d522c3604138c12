// Play: a game against any agent, with everything that helps to understand it.

import { createAnalysis } from "./analysis.js";
import { beginsAMove, createBoard, emptyHex, moveOfClicks } from "./board.js";
import { createFiles } from "./files.js";
import { Game, share, shared } from "./game.js";
import { createMoves, createSteps, isTyped, nodeAfter, stepOfKey } from "./moves.js";
import { createPlayers, reviewerOf, sameLevel, withTime, YOU } from "./players.js";
import { createSetup } from "./setup.js";
import { element } from "./page.js";
import { lessonWords } from "./verdicts.js";

const KEYS = [
  ["arrows, Enter", "on the board: choose a cell, play it"], ["← →, Home, End", "step through the game"],
  ["U, H, S, T", "undo, hint, swap, try a line"], ["0 1 2 3 4", "bare board, policy, visits, value, judge"],
  ["B", "to the board"], ["O", "turn the board"],
];

export function mount(root, page) {
  let view = null, clicks = [], turn = 0, asking = new AbortController(), catalogue = null;
  // Whether no agent is to move by itself, or one is to move though the game went on here.
  let paused = false, forced = false, hinted = null, lesson = null;

  const place = element("div", { class: "board-place" });
  const status = element("p", { class: "status", "aria-live": "polite" });
  const reason = element("p", { class: "reason", "aria-live": "polite", hidden: true });
  const board = createBoard(place, onCell);
  const button = (id, text, title, onclick) => element("button", { type: "button", id, text, title, onclick });
  const buttons = {
    stop: button("stop", "Stop", "Let the agent not move now", () => { [paused, forced] = [true, false]; refresh(); }),
    go: button("go", "Go on", "Let the agent move", () => { forced = true; refresh(); }),
    undo: button("undo", "Undo", "Take your last move back (U)", undo),
    hint: button("hint", "Hint", "Show a good move (H)", hint),
    swap: button("swap", "Swap", "Take over the first stone, mirrored (S)", swap),
    try: button("try", "Try a line", "Play for both sides, then return (T)", tryOrReturn),
    review: button("to-review", "Review", "Where was the game lost?", () => page.open("review")),
  };
  for (const name of ["stop", "go", "swap", "review"]) buttons[name].hidden = true;
  const players = createPlayers(() => { paused = false; refresh(); });
  const setup = createSetup((game) => begin(game));
  const analysis = createAnalysis(page, draw);
  const moves = createMoves((node) => { shared.game.go(node); refresh(); });
  const files = createFiles(page, () => shared.game, players.title, (game, words) => {
    game.players = { 1: YOU, 2: YOU };
    begin(game);
    page.say(words);
  });
  const keys = element("details", { class: "panel" }, element("summary", { text: "Keys" }),
    element("dl", {}, ...KEYS.flatMap(([key, what]) => [element("dt", { text: key }), element("dd", { text: what })])));
  root.className = "table";
  root.append(
    element("div", { class: "board-area" }, status, place, reason,
      element("div", { class: "tools" }, createSteps(step), ...Object.values(buttons))),
    element("div", { class: "side" }, players.element, analysis.element, moves.element, setup.element, files.element, keys));

  /** Begin a game in the place of the one that is played. */
  function begin(game) {
    const before = shared.game;
    if (game.nodes.length === 1) Object.assign(game, { players: { ...before.players }, seconds: before.seconds, teach: before.teach });
    share(game);
    [paused, forced, lesson] = [false, false, null];
    page.say("");
    return outfit().then(refresh).catch((error) => { page.say(error.message); share(before); });
  }

  /** Find out who can play the game. */
  async function outfit() {
    const game = shared.game, before = catalogue;
    catalogue = await page.ask("catalogue", { game: game.about });
    if (before && JSON.stringify(before.game) !== JSON.stringify(catalogue.game)) {
      for (const player of [1, 2]) game.players[player] = sameLevel(catalogue, game.players[player], before);
    }
    for (const player of [1, 2]) if (game.players[player] === "") game.players[player] = sameLevel(catalogue, "");
    game.about = catalogue.game;
    players.fill(catalogue, game);
    setup.fill(catalogue, game);
    analysis.fill(catalogue);
  }

  const isTrying = () => shared.game.trying !== undefined;
  const isYours = () => isTrying() || shared.game.players[shared.game.toPlay()] === YOU;

  /** Show where the game stands, and let whoever is to move do so. */
  async function refresh() {
    const game = shared.game, mine = ++turn, position = game.position();
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    analysis.stop();
    [clicks, hinted] = [[], null];
    if (lesson && lesson.at !== game.at) lesson = null;
    page.setFragment(game.fragment());
    game.save();
    try {
      const shown = await page.ask("position", { position }, signal);
      if (mine !== turn) return;
      view = shown;
      game.nameLine(view.history);
      draw();
      if (thinks()) return await think(game, mine, signal);
      await analysis.show(position, view);
    } catch (error) {
      if (mine === turn && !signal.aborted) page.say(error.message);
    }
  }

  /** Tell whether an agent is about to move: at the end of a line, or where it was told to. */
  function thinks() {
    const isEnd = shared.game.nodes[shared.game.at].children.length === 0;
    return !isYours() && shared.game.players[shared.game.toPlay()] && !view.winner && (forced || (isEnd && !paused));
  }

  async function think(game, mine, signal) {
    const word = game.players[game.toPlay()];
    const question = { position: game.position(), agent: withTime(word, game.seconds) };
    if (analysis.kind()) analysis.show(game.position(), view);
    const answer = await page.ask("move", question, signal);
    if (mine !== turn) return;
    forced = false;
    game.play(answer.action, { name: answer.name, by: word });
    await refresh();
  }

  async function onCell(cell) {
    const game = shared.game;
    if (!view || view.winner || !isYours()) return;
    const move = moveOfClicks(view, [...clicks, cell]) ?? moveOfClicks(view, [cell]);
    clicks = !move && beginsAMove(view, cell) ? [cell] : [];
    if (!move) return draw();
    const node = game.play(move.action, { name: move.name });
    [paused, forced] = [false, false];
    if (game.teach && !isTrying()) return teach(game, node);
    await refresh();
  }

  /** Take a bad move back, and say why. */
  async function teach(game, node) {
    const mine = ++turn, position = game.position();
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      view = await page.ask("position", { position }, signal);
      draw();
      status.textContent = "Is that a good move?";
      const agent = reviewerOf(catalogue.analyst, game.about);
      const review = await page.ask("review", { position, agent, seconds: 1.5 }, signal);
      if (mine !== turn) return;
      game.nodes[node].review = review;
      if (review.mistake) {
        game.takeBack(node);
        lesson = { at: game.at, review };
      }
    } catch (error) {
      if (!signal.aborted) page.say(error.message);
    }
    if (mine === turn) await refresh();
  }

  /** Go back to where you were to move last. */
  function undo() {
    const game = shared.game;
    const yours = game.line().slice(0, -1).reverse().concat(game.at ? [0] : [])
      .find((each) => isTrying() || game.players[game.toPlay(each)] === YOU);
    if (yours === undefined) return;
    game.at = yours;
    forced = false;
    refresh();
  }

  async function hint() {
    if (!view || view.winner) return;
    const mine = turn;
    status.textContent = "Looking for a good move …";
    try {
      hinted = await analysis.hint(shared.game.position(), asking.signal);
      if (mine === turn) draw();
    } catch (error) {
      if (mine === turn) page.say(error.message);
    }
  }

  /** Return the legal move of a game that has no cell, if there is one: the swap. */
  const moveWithoutCell = () => (isYours() ? view?.moves.find((move) => !move.cells.length) : undefined);

  function swap() {
    const move = moveWithoutCell();
    if (!move) return;
    shared.game.play(move.action, { name: move.name });
    refresh();
  }

  /** Play for both sides for a while, or go back to where that began. */
  function tryOrReturn() {
    const game = shared.game;
    if (isTrying()) {
      game.go(game.trying);
      delete game.trying;
    } else {
      game.trying = game.at;
    }
    refresh();
  }

  function step(name) {
    const game = shared.game;
    game.at = nodeAfter(game, name);
    forced = false;
    refresh();
  }

  /** Draw the board, and what can be done now. */
  function draw() {
    if (!view) return;
    const game = shared.game, marks = analysis.marks(view);
    const badge = (action, kind) => {
      const cell = view.moves.find((move) => move.action === action)?.cells.at(-1);
      if (cell !== undefined) marks.badges[cell] = kind;
    };
    if (hinted) badge(hinted.action, "hint");
    if (lesson) {
      lesson.review.better.slice(0, 3).forEach((each) => badge(each.action, "good"));
      badge(lesson.review.action, "bad");
    }
    board.draw(view, { ...marks, selected: clicks }, { playable: isYours() && !view.winner, flat: page.isFlat });
    reason.hidden = !(lesson || hinted);
    reason.textContent = lesson ? lessonWords(view, lesson.review) : hinted ? `Hint: ${hinted.words}` : "";
    drawStatus(game);
    moves.draw(game);
  }

  /** Return what a player joins, as the board lies. */
  function aim(player) {
    const isTurned = view.hexagonal && page.isFlat;
    return isTurned ? ["joins top and bottom", "joins left and right"][player - 1] : view.sides[player - 1];
  }

  function drawStatus(game) {
    const name = (player) => `${view.players[player - 1]} (${players.title(game.players[player])})`;
    const mover = view.to_play;
    status.dataset.role = view.roles[(view.winner || mover) - 1] ?? 0;
    status.textContent = view.winner === 3 ? "A draw."
      : view.winner ? `${name(view.winner)} wins in ${game.line().length} moves.`
        : isTrying() ? `Trying a line: ${view.players[mover - 1]} to move.`
          : thinks() ? `${name(mover)} is thinking …`
            : isYours() ? `Your move: ${[view.players[mover - 1], aim(mover)].filter(Boolean).join(", ")}.`
              : `${name(mover)} is to move.`;
    buttons.stop.hidden = !thinks();
    buttons.go.hidden = thinks() || isYours() || Boolean(view.winner);
    buttons.undo.disabled = !game.at;
    buttons.hint.disabled = Boolean(view.winner);
    buttons.swap.hidden = !moveWithoutCell();
    buttons.try.textContent = isTrying() ? "Return to the game" : "Try a line";
    buttons.review.hidden = !view.winner;
  }

  addEventListener("keydown", (event) => {
    if (root.hidden || isTyped(event)) return;
    const kinds = ["", "policy", "visits", "value", "judge"];
    const key = event.key.toLowerCase(), named = stepOfKey(event);
    if (named) step(named);
    else if (kinds[key] !== undefined) analysis.choose(kinds[key]);
    else if (key === "o") { page.turn(); draw(); }
    else if (key === "b") board.focus();
    else ({ u: undo, h: hint, s: swap, t: tryOrReturn })[key]?.();
  });

  async function show(fragment) {
    const game = fragment && fragment !== shared.game.fragment() ? Game.from(fragment) : null;
    if (game) share(game);
    const { size } = shared.game.about.params; // a game with a size is Hex
    if (size && !view) {
      view = emptyHex(size, shared.game.start);
      draw();
    }
    try {
      const known = JSON.stringify(catalogue?.game);
      if (game || known !== JSON.stringify(shared.game.about)) await outfit();
    } catch (error) {
      page.say(`${error.message}. A new game instead.`);
      return begin(new Game(page.firstGame));
    }
    await refresh();
  }

  return { show, hide() { turn++; asking.abort(); analysis.stop(); } };
}
