// Review: who was winning after each move, the costliest moves, better ones to find, and the finish.

/** @import { LineMove, Marks, Review as MoveReview, View } from "../types.js" */
import { beginsAMove, cellOf, ghostsOf, moveOfClicks, refutation } from "../board/board.js";
import { BoardTab } from "../board/board_tab.js";
import { ValueCurve } from "./curve.js";
import { button, element, labelled, options, panel } from "../page/elements.js";
import { saveSgf } from "../play/files.js";
import { shared, wonOffBoard } from "../board/game.js";
import { Latest, page, setting } from "../page/page.js";
import { reviewerOf, YOU } from "../play/players.js";
import { endWords } from "../board/status.js";
import {
  betterNames,
  createGrades,
  finishOf,
  gradeOf,
  isBetter,
  lessonWords,
  markOf,
  priceWords,
  tryWords,
} from "../board/verdicts.js";

/** @typedef {{name: string, cell?: number, review?: MoveReview}} Tried */

const SHOWN = 3, LEAST_SHOWN = 0.5; // percent
const TOGETHER = 8; // moves that are reviewed at a time
const TOGETHER_SECONDS = 0.5; // of the judge for them
const SECONDS = 1, LEAST_SECONDS = 0.05, FINISHING = 5, NAMED = 12;

const hides = () => page.isOn("retry", true);
const line = () => shared.game.wholeLine();

/** Return the review of a move, if there is one. @param {number} node */
const reviewOf = (node) => shared.game.nodes[node]?.review;

/** Return the moves that cost most, the worst first. */
function worst() {
  const reviews = line().map((node) => ({ node, loss: reviewOf(node)?.loss ?? 0 }));
  const dear = reviews.filter(({ loss }) => loss >= LEAST_SHOWN).toSorted((a, b) => b.loss - a.loss || b.node - a.node);
  return dear.slice(0, SHOWN).map(({ node }) => node);
}

/** Tell whether a move has a grade, or is one of those that cost most. @param {number} node */
const isBad = (node) => Boolean(reviewOf(node)?.grade) || worst().includes(node);

export default class Review extends BoardTab {
  #reviews = new Latest();
  #saving = new Latest();
  #progress = element("progress", { max: 1, hidden: true, "aria-label": "Moves reviewed" });
  #mistakes = element("ol", { class: "mistakes" });
  #grades = element("table", { class: "grades", "aria-label": "Accuracy and grades" });
  #found = element("p", { class: "soft" });
  #finish = element("p");
  #next = button("Next mistake →", () => this.#nextMistake(), {
    id: "next-mistake",
    class: "primary",
    title: "N",
    key: "N",
  });
  #answer = button("Show the answer", () => {
    const played = this.#asked();
    if (played) this.#answers.set(played, "shown");
    this.#tried = undefined;
    this.draw();
  }, { id: "review-answer", title: "A", key: "A" });
  #force = button("Show how it is won", () => this.#showFinish(), { id: "show-finish", title: "F", key: "F" });
  #saveButton = button("Save SGF", () => this.#save(), {
    id: "save-review",
    title: "Save the game with grades, values and best lines",
  });
  #curve = new ValueCurve((ply) => this.go(line()[ply - 1] ?? 0));
  #whose = element("select", { id: "whose", onchange: () => this.draw() },
    ...options([[0, "both players"], [1, ""], [2, ""]]));
  #reviewer = /** @type {ReturnType<typeof reviewerOf> | undefined} */ (undefined); // once it is known
  /** How the answers became known. @type {WeakMap<MoveReview, "found" | "shown">} */
  #answers = new WeakMap();
  #clicks = /** @type {number[]} */ ([]); // the first cell of a move of two
  #tried = /** @type {Tried | undefined} */ (undefined); // in place of the mistake that follows
  #forced = /** @type {LineMove[]} */ ([]); // the line to the end
  #isShortest = false; // whether no line is shorter against the best defence
  #sketch = /** @type {number[]} */ ([]); // the net's own value of each position

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.layOut(
      [
        this.#next,
        this.#answer,
        button("Play on from here", () => page.open("play", shared.game.fragment())),
        this.#saveButton,
      ],
      [
        panel(
          "Value",
          element("h2", { text: "Who was winning" }),
          this.#curve.element,
          this.#progress,
          this.#finish,
          this.#force,
        ),
        panel(
          "Mistakes",
          element("h2", { text: "The costliest moves" }),
          this.#mistakes,
          this.#grades,
          labelled("Mistakes of", this.#whose),
          setting("retry", "Find a better move before it is shown", true, () => {
            this.#tried = undefined;
            this.draw();
          }),
          this.#found,
        ),
        this.moves.element,
      ],
    );
  }

  #save() {
    const { game } = shared, names = game.seats.map((each, index) => each || game.names[index]);
    return this.#saving.run((signal) => saveSgf(game, names, signal));
  }

  async show(/** @type {string} */ fragment) {
    this.take(fragment);
    const { players } = shared.game;
    const yours = [1, 2].filter((player) => players[player] === YOU && players[3 - player]);
    this.#whose.value = String(yours.length === 1 ? yours[0] : 0);
    await this.#refresh();
    await this.#reviewAll();
  }

  hide() {
    super.hide();
    this.#reviews.stop();
  }

  go(/** @type {number} */ node) {
    shared.game.go(node);
    this.#refresh();
  }

  /** Return the mistakes of the chosen player, or of both. */
  #chosen() {
    const whose = Number(this.#whose.value);
    return line().filter((node) => isBad(node) && (!whose || reviewOf(node)?.player === whose));
  }

  /** Return the review of the mistake that follows, if its answer is still hidden. */
  #asked() {
    const [node] = shared.game.ahead(), review = reviewOf(node);
    const isHidden = review && hides() && !this.#answers.has(review);
    return isHidden && isBad(node) ? review : undefined;
  }

  /** Try a move in place of a mistake. @param {number} cell */
  async onCell(cell) {
    const { view } = this;
    const played = this.#asked();
    const swap = view.cells[cell] && view.moves.find((each) => !each.cells.length);
    if (!played || !this.#reviewer) return;
    const move = moveOfClicks(view, [...this.#clicks, cell]) ?? (swap || undefined);
    this.#clicks = !move && beginsAMove(view, cell) ? [cell] : [];
    if (!move) return this.draw();
    const tried = this.#tried = /** @type {Tried} */ ({ name: move.name, cell: move.cells.at(-1) });
    this.draw();
    const position = shared.game.position();
    position.actions.push(move.action);
    await this.requests.run(async (signal) => {
      tried.review = move.action === played.action ? played
        : await page.ask("review", { position, ...this.#reviewer, seconds: SECONDS }, signal);
      if (isBetter(tried.review, played)) this.#answers.set(played, "found");
      this.draw();
    }, (error) => {
      this.#tried = undefined;
      this.draw();
      page.say(error);
    });
  }

  /** Return the finish, as far as the reviews tell. */
  #finishing = () => finishOf(line().map(reviewOf), this.view.players);

  /** Show a forced line to the end, from here if the result is certain here, else from where it became so. */
  #showFinish() {
    const all = line(), index = this.#finishing()?.index ?? 0;
    if (all.indexOf(shared.game.at) < index) shared.game.go(all[index]);
    return this.#refresh(async (signal) => {
      if (this.view.winner && !wonOffBoard(shared.game)) return;
      this.status.textContent = "Looking for a line to the end …";
      const found = await page.ask("finish", { position: shared.game.position(), seconds: FINISHING }, signal);
      [this.#forced, this.#isShortest] = [found.line, found.shortest];
      this.view.path = found.path;
    });
  }

  #nextMistake() {
    const all = line(), bad = this.#chosen(), here = all.indexOf(shared.game.at);
    // The position before a mistake is shown, so the next one is at least two moves on.
    const found = bad.find((node) => all.indexOf(node) > here + 1) ?? bad[0];
    if (found !== undefined) this.go(shared.game.nodes[found].parent);
  }

  /** Load the position, do more, and draw. @param {(signal: AbortSignal) => Promise<void>} [more] */
  #refresh(more) {
    this.#clicks = [];
    this.#tried = undefined;
    this.#forced = [];
    return this.requests.run(async (signal) => {
      await this.load(signal);
      this.draw();
      if (!more) return;
      await more(signal);
      this.draw();
    });
  }

  /** Review all moves, some at a time: first those in which the net's own values say that most was lost. */
  async #reviewAll() {
    const { game } = shared, all = line();
    this.#progress.hidden = !all.length;
    this.#saveButton.disabled = false;
    this.#reviewer = undefined;
    this.#sketch = [];
    const isLatest = await this.#reviews.run(async (signal) => {
      const { analyst } = await page.ask("catalogue", { game: game.about }, signal);
      const reviewer = this.#reviewer = reviewerOf(analyst, game.about);
      const groups = groupsOf(all).filter((group) => !group.every(reviewOf));
      if (groups.length > 1) {
        const { values } = await page.ask("sketch", { position: game.position(all.at(-1)), agent: analyst }, signal);
        this.#sketch = values;
        this.draw();
        groups.sort((a, b) => lossIn(b, all, values) - lossIn(a, all, values));
      }
      let seconds = TOGETHER_SECONDS;
      for (const group of groups) {
        this.#progress.value = all.filter(reviewOf).length / all.length;
        const position = game.position(group.at(-1));
        const asked = { position, moves: group.length, explain: false, ...reviewer, seconds };
        const { reviews } = await page.ask("reviews", asked, signal);
        if (shared.game !== game) return;
        group.forEach((node, index) => { game.nodes[node].review ??= reviews[index]; });
        // Where the judge gives up, it often will for other positions, too: waste little on them.
        if (reviews.some(({ before }) => !before.exact)) seconds = Math.max(LEAST_SECONDS, seconds / 2);
        this.draw();
      }
      game.save();
      this.#progress.hidden = true;
      this.#saveButton.disabled = true; // until the lines are known
      await this.#explainAll(game, all, signal);
    });
    if (!isLatest) return;
    this.#progress.hidden = true;
    this.#saveButton.disabled = false;
  }

  /**
   * Complete the reviews of moves with a cost by better moves and lines, the costliest first.
   * @param {import("../board/game.js").Game} game @param {number[]} all @param {AbortSignal} signal
   */
  async #explainAll(game, all, signal) {
    const loss = (/** @type {number} */ node) => reviewOf(node)?.loss ?? 0;
    for (const node of all.toSorted((a, b) => loss(b) - loss(a))) {
      const review = reviewOf(node);
      if (!review?.loss || review.better.length || review.line.length) continue;
      const position = game.position(node);
      const explained = await page.ask("review", { position, ...this.#reviewer, seconds: SECONDS }, signal);
      if (shared.game !== game) return;
      Object.assign(review, explained); // the same object, whose answer may be known
      this.draw();
    }
    game.save();
  }

  /** Draw the position, and the mistake that is made in it, if there is one. */
  draw() {
    const { game } = shared, { view } = this, node = game.ahead()[0], review = reviewOf(node), all = line();
    const asked = this.#asked(), forced = this.#forced, answer = review && this.#answers.get(review);
    const marks = forced.length ? { ghosts: ghostsOf(forced.map((each) => each.cell), view.to_play) }
      : this.#marks(node, Boolean(asked), answer === "found");
    this.drawBoard({ ...marks, selected: this.#clicks }, statusWords(view, node), Boolean(asked));
    const isDear = review && review.loss >= LEAST_SHOWN;
    this.reason.textContent = forced.length ? forcedWords(forced, this.#isShortest) : asked ? tryWords(view, asked, this.#tried)
      : `${this.#tried && answer === "found" ? `${this.#tried.name} is better. ` : ""}${
        isDear ? lessonWords(view, review) : review ? "This move costs nothing." : ""}`;
    this.#next.disabled = !this.#chosen().length;
    this.#answer.hidden = !asked;
    [1, 2].forEach((player) => { this.#whose.options[player].text = view.players[player - 1]; });
    this.#drawCurve(all);
    this.#drawMistakes(all);
    const reviews = all.flatMap((each) => reviewOf(each) ?? []), finish = this.#finishing();
    this.#grades.replaceChildren(...createGrades(view.players, reviews));
    this.#finish.textContent = finish?.words ?? "";
    this.#finish.hidden = this.#force.hidden = !finish;
    this.moves.draw(game);
  }

  /**
   * Mark the position, the latest try, and what refutes it.
   * @param {number} node @param {boolean} isAsked @param {boolean} isFound @returns {Marks}
   */
  #marks(node, isAsked, isFound) {
    const marks = marksOf(this.view, node, isAsked);
    const { to_play: mover } = this.view;
    const { cell, review } = this.#tried ?? {};
    if (cell === undefined || !(isAsked || isFound)) return marks;
    if (isAsked && review) {
      const wrong = refutation(cell, mover, review.line);
      for (const ghost of wrong.ghosts) delete marks.texts[ghost.cell];
      return { ...marks, ...wrong };
    }
    marks.badges[cell] = isAsked ? "hint" : "good";
    marks.texts[cell] = isAsked ? "…" : "✓";
    return marks;
  }

  #drawMistakes(/** @type {number[]} */ all) {
    const known = all.filter(reviewOf).length;
    const none = all.length && known === all.length ? "No move cost anything."
      : `No mistake found yet: ${known} of ${all.length} moves reviewed.`;
    this.#mistakes.replaceChildren(...worst().map((node) => {
      const review = /** @type {MoveReview} */ (reviewOf(node)), isKnown = !hides() || this.#answers.has(review);
      const better = isKnown ? betterNames(review) : "";
      const words = `Move ${review.ply}, ${this.view.players[review.player - 1]} ${review.name}: ${priceWords(review)}`;
      return element("li", {}, button(words, () => this.go(shared.game.nodes[node].parent), { class: "quiet" }),
        element("span", { class: "soft", text: better && ` better: ${better}` }));
    }));
    if (!this.#mistakes.children.length) this.#mistakes.append(element("li", { class: "soft", text: none }));
    const answers = this.#chosen().map((node) => this.#answers.get(/** @type {MoveReview} */ (reviewOf(node))));
    const found = answers.filter((each) => each === "found").length;
    this.#found.textContent = answers.some(Boolean) ? `Better moves found: ${found} of ${answers.length}.` : "";
  }

  #drawCurve(/** @type {number[]} */ all) {
    const points = [0, ...all].flatMap((node, ply) => {
      const before = reviewOf(all[ply]), after = ply ? reviewOf(node) : undefined, verdict = after?.after ?? before?.before;
      const value = verdict?.value ?? this.#sketch[ply];
      const point = { value, ply, exact: Boolean(verdict?.exact), grade: after?.grade, isSketch: !verdict };
      return value === undefined ? [] : [point];
    });
    this.#curve.draw(points, all.length, shared.game.line().length, this.view.players);
  }
}

/** Return the moves in groups that are reviewed together. @param {number[]} all */
const groupsOf = (all) => Array.from({ length: Math.ceil(all.length / TOGETHER) },
  (_, index) => all.slice(index * TOGETHER, (index + 1) * TOGETHER));

/**
 * Return how much was lost at most by a move of a group, by the values of all positions.
 * @param {number[]} group @param {number[]} all @param {number[]} values
 */
const lossIn = (group, all, values) => Math.max(...group.map((node) => {
  const ply = all.indexOf(node);
  return Math.abs((values[ply + 1] ?? values[ply]) - values[ply]) || 0;
}));

/** Name a forced line. @param {LineMove[]} forced @param {boolean} isShortest */
const forcedWords = (forced, isShortest) =>
  `${isShortest ? "The shortest win against the best defence" : "A win"}, ${forced.length} moves: `
  + `${forced.slice(0, NAMED).map((each) => each.name).join(" ")}${forced.length > NAMED ? " …" : ""}.`;

/**
 * Mark the grades of the stones, the next move, and better ones if it is bad and they may be shown.
 * @param {View} view @param {number} node @param {boolean} isAsked
 */
function marksOf(view, node, isAsked) {
  /** @type {Marks & Required<Pick<Marks, "badges" | "texts" | "arrows" | "grades">>} */
  const marks = { badges: {}, texts: {}, arrows: [], grades: {} };
  for (const each of shared.game.line()) {
    const review = reviewOf(each), cell = review?.cell;
    if (!review || typeof cell !== "number" || view.cells[cell] !== review.player) continue;
    marks.grades[cell] = gradeOf(review);
    marks.texts[cell] = markOf(review);
  }
  const played = cellOf(view, shared.game.nodes[node]?.action);
  if (played === undefined) return marks;
  const bad = isBad(node), better = bad && !isAsked ? reviewOf(node)?.better.slice(0, 3) ?? [] : [];
  marks.badges[played] = bad ? "bad" : "hint";
  marks.texts[played] = bad ? "✗" : "•";
  for (const { action } of better) {
    const cell = cellOf(view, action);
    if (cell === undefined) continue;
    [marks.badges[cell], marks.texts[cell]] = ["good", "✓"];
    if (action === better[0].action) marks.arrows.push({ from: played, to: cell });
  }
  return marks;
}

/** Say where the game stands. @param {View} view @param {number | undefined} node The next move. */
function statusWords(view, node) {
  const ply = shared.game.line().length, all = line().length, mover = view.players[view.to_play - 1];
  if (!all) return "No game to review yet: play one, or load one in Play.";
  if (view.winner === 3) return `A draw after ${ply} moves.`;
  if (view.winner && wonOffBoard(shared.game)) return endWords(shared.game, view.winner, view.players);
  if (view.winner) return `${view.players[view.winner - 1]} has won after ${ply} moves.`;
  if (node === undefined) return `After ${ply} moves, ${mover} is to move.`;
  return `Move ${ply + 1} of ${all}: ${mover} plays ${shared.game.nameOf(node)}.`;
}
