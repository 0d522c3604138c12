// Puzzles: find the winning move, in positions that the exact judge has decided (web/puzzles.py).

/** @import { LineMove, Marks, NamedMove, Puzzle } from "../types.js" */
import { refutation } from "../board/board.js";
import { BoardTab } from "../board/board_tab.js";
import { copy } from "../page/controls.js";
import { button, element, labelled, options, panel } from "../page/elements.js";
import { Game } from "../board/game.js";
import { page } from "../page/page.js";

const KEY = "hex-puzzles", MOST_SEEN = 500, RISE = 3;
const JUDGING = 5, COMPARING = 0.5; // seconds
const COUNTS = ["", "one move wins", "two moves win", "three moves win"];

export default class Puzzles extends BoardTab {
  own = new Game();
  #puzzle = /** @type {Puzzle | undefined} */ (undefined);
  #root = 0; // the node of the puzzle; the player goes on from it
  #isOpen = true; // whether the answer is still hidden
  #counts = true; // whether the first answer has still to come
  /** The wrong move, and the line that refutes it. @type {NamedMove & {line?: LineMove[]} | undefined} */
  #wrong;
  /** What the browser keeps: a grade that follows the player, the choices, and the ids of puzzles. */
  #kept = {
    streak: 0,
    best: 0,
    solved: 0,
    tried: 0,
    grade: 2,
    size: "0",
    wins: "0",
    level: "0",
    seen: /** @type {string[]} */ ([]),
    ...JSON.parse(localStorage.getItem(KEY) ?? "{}"),
  };
  #choices = {
    size: this.#choice("size", [["0", "any"]]),
    wins: this.#choice("wins", [["0", "one to three"], ["1", "one"], ["2", "two"], ["3", "three"]]),
    level: this.#choice("level", [["0", "follows you"]]),
  };
  #about = element("p", { class: "soft" });
  #score = element("dl");
  #next = button("Next puzzle", () => this.#load(), { id: "next-puzzle", class: "primary", title: "N", key: "N" });
  #answer = button("Show the answer", () => {
    this.#settle(false);
    this.#isOpen = false;
    this.#wrong = undefined;
    this.go(this.#root);
  }, { id: "show-answer", disabled: true });

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.layOut([this.#answer, this.#next, button("Play on from here", () => this.#playOn())], [
      panel(
        "Puzzle",
        element("h2", { text: "Find the winning move" }),
        this.#about,
        button("Copy link to this puzzle", async () =>
          page.say(await copy(location.href, "The link to this puzzle is copied.")),
        ),
      ),
      panel("Score", element("h2", { text: "Your score in this browser" }), this.#score),
      panel("Choice", labelled("Board", this.#choices.size), labelled("Winning moves", this.#choices.wins),
        labelled("Difficulty", this.#choices.level)),
    ]);
    this.drawBoard({}, "Looking for a puzzle …");
  }

  async show(/** @type {string} */ id) {
    const shown = this.#puzzle?.id;
    if (!shown || (id && id !== shown)) return this.#load(id);
    page.setFragment(shown);
    this.draw();
  }

  go(/** @type {number} */ node) {
    this.own.go(node);
    this.#refresh();
  }

  /** Make a choice that is kept. @param {"size" | "wins" | "level"} name @param {[string, string][]} choices */
  #choice(name, choices) {
    const select = element("select", { id: `puzzle-${name}`, onchange: () => {
      this.#kept[name] = select.value;
      this.#save();
      this.#load();
    } }, ...options(choices));
    return select;
  }

  /** Load the puzzle of an id, else another one of the chosen kind. */
  #load(id = "") {
    const { size, wins, level, grade, seen } = this.#kept;
    const question = id ? { id } : { size: Number(size), wins: Number(wins), grade: Number(level) || grade, seen };
    return this.requests.run(async (signal) => {
      const puzzle = this.#puzzle = await page.ask("puzzle", question, signal).catch((error) => {
        if (id && !signal.aborted) {
          page.say(`${error.message}. Another puzzle instead.`);
          this.#load();
        }
        throw error;
      });
      this.own = new Game(puzzle.game);
      puzzle.moves.forEach((move) => this.own.play(move));
      this.#root = this.own.at;
      this.own.seats[this.own.toPlay() - 1] = "You";
      this.#isOpen = true;
      this.#wrong = undefined;
      this.#counts = !this.#kept.seen.includes(puzzle.id);
      const { size: sizes, level: levels } = this.#choices;
      if (sizes.length === 1) { // boards and levels come with a puzzle
        sizes.append(...options(puzzle.sizes.map((each) => [each, `${each}x${each}`])));
        levels.append(...options(puzzle.levels.slice(1).map((title, place) => [place + 1, `${title} finds it`])));
      }
      for (const [name, select] of Object.entries(this.#choices)) select.value = this.#kept[name];
      page.setFragment(puzzle.id);
      await this.#look(signal);
    });
  }

  /** Play the game on, for the side that is to find the move. */
  #playOn() {
    const game = this.own;
    game.players = { 1: "", 2: "", [game.toPlay(this.#root)]: "you" };
    if (!Game.kept(game.id)) game.save();
    page.open("play", game.fragment());
  }

  /** Load the position that is shown, and draw it. @param {AbortSignal} signal */
  async #look(signal) {
    this.view = await page.ask("position", { position: this.own.position() }, signal);
    this.draw();
  }

  #refresh = () => this.requests.run((signal) => this.#look(signal));

  async onCell(/** @type {number} */ cell) {
    const { view } = this, puzzle = this.#puzzle, move = view.moves.find((each) => each.cells[0] === cell);
    if (!puzzle || !move || !this.#isAsked()) return;
    if (puzzle.wins.includes(move.action)) {
      this.#settle(true);
      this.#isOpen = false;
      this.own.play(move.action, { name: move.name });
      return this.#refresh();
    }
    this.#settle(false);
    const wrong = this.#wrong = /** @type {NamedMove & {line?: LineMove[]}} */ ({ ...move });
    this.draw();
    const position = this.own.position();
    position.actions.push(move.action);
    await this.requests.run(async (signal) => {
      const question = { position, seconds: JUDGING, comparing: COMPARING };
      wrong.line = (await page.ask("finish", question, signal)).line;
      this.draw();
    });
  }

  /** Tell whether the position of the puzzle is shown, and the answer is not. */
  #isAsked = () => this.#isOpen && this.own.at === this.#root;

  /** Count the first answer to a puzzle; the grade follows the player. @param {boolean} isRight */
  #settle(isRight) {
    const kept = this.#kept, { id, levels } = /** @type {Puzzle} */ (this.#puzzle);
    if (!this.#counts) return;
    this.#counts = false;
    kept.tried++;
    kept.solved += Number(isRight);
    kept.streak = isRight ? kept.streak + 1 : 0;
    kept.best = Math.max(kept.best, kept.streak);
    const step = isRight ? Number(kept.streak % RISE === 0) : -1;
    kept.grade = Math.min(Math.max(kept.grade + step, 1), levels.length - 1);
    kept.seen = [...kept.seen, id].slice(-MOST_SEEN);
    this.#save();
  }

  #save() {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#kept));
    } catch {
      // A full or forbidden memory: the score lasts until the page is closed.
    }
  }

  draw() {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    const { view } = this, isThere = this.own.at === this.#root, count = puzzle.wins.length;
    this.drawBoard(isThere ? this.#marks(puzzle) : {}, this.#statusWords(puzzle), this.#isAsked());
    this.reason.textContent = this.#reasonWords(puzzle);
    this.#answer.disabled = !this.#isOpen;
    this.#next.classList.toggle("primary", !this.#isOpen);
    const { levels, level, grade } = puzzle, isHardest = grade === levels.length - 1;
    const isSeen = this.#isAsked() && !this.#counts && !this.#wrong;
    this.#about.textContent = [
      `${view.rows}x${view.columns}: ${COUNTS[count]}, for certain.`,
      isHardest ? `Of the levels, only ${level} finds it.` : `The weakest level that finds it: ${level}.`,
      isSeen ? "You have seen it; it does not count again." : "",
    ].join(" ").trim();
    const { streak, best, solved, tried } = this.#kept;
    const rows = [["Streak", `${streak}`], ["Best streak", `${best}`], ["Solved at once", `${solved} of ${tried}`]];
    this.#score.replaceChildren(...rows.flatMap(([name, value]) =>
      [element("dt", { text: name }), element("dd", { text: value })]));
  }

  /** Mark the answer, or the wrong move and the line that refutes it. @param {Puzzle} puzzle @returns {Marks} */
  #marks({ wins }) {
    if (!this.#isOpen) {
      return { badges: Object.fromEntries(wins.map((cell) => [cell, "good"])),
        texts: Object.fromEntries(wins.map((cell) => [cell, "✓"])) };
    }
    if (!this.#wrong) return {};
    return refutation(this.#wrong.action, this.view.to_play, this.#wrong.line);
  }

  #statusWords(/** @type {Puzzle} */ { wins }) {
    const { to_play: mover, players, winner } = this.view, colour = players[mover - 1];
    if (this.#isAsked()) return `You are ${colour}: find the winning move.`;
    if (winner) return `${players[winner - 1]} has won.`;
    const { action, parent } = this.own.nodes[this.own.at];
    return parent === this.#root && wins.includes(action) ? `Right: ${players[2 - mover]} wins.` : `${colour} to move.`;
  }

  #reasonWords(/** @type {Puzzle} */ { names }) {
    const { players, to_play: mover } = this.view;
    if (!this.#isOpen) return `${names.join(" and ")} ${names[1] ? "win" : "wins"}; every other move loses.`;
    if (!this.#wrong || this.own.at !== this.#root) return "";
    const { name, line } = this.#wrong;
    if (!line) return `${name} does not win. Looking for the refutation …`;
    const moves = line.slice(0, 6).map((each) => each.name).join(" ");
    return `${name} loses: after ${moves}${line.length > 6 ? " …" : ""} ${players[2 - mover]} wins. Try another move.`;
  }
}
