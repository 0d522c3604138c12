// Review: who was winning after each move, the costliest moves, and better ones.

/** @import { Marks, Review as MoveReview, View } from "./types.js" */
import { cellOf } from "./board.js";
import { BoardTab } from "./board_tab.js";
import { ValueCurve } from "./curve.js";
import { button, element, panel } from "./elements.js";
import { shared } from "./game.js";
import { Latest, page } from "./page.js";
import { reviewerOf } from "./players.js";
import { accuracyWords, betterNames, lessonWords, priceWords } from "./verdicts.js";

const SHOWN = 3, LEAST_SHOWN = 0.5; // percent
const SECONDS = 1, LEAST_SECONDS = 0.05;

const line = () => shared.game.wholeLine();

/** Return the review of a move, if there is one. @param {number} node */
function reviewOf(node) {
  const review = shared.game.nodes[node]?.review;
  return review?.grade === undefined ? undefined : review; // reviews kept by an older page have none
}

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
  #progress = element("progress", { max: 1, hidden: true, "aria-label": "Moves reviewed" });
  #mistakes = element("ol", { class: "mistakes" });
  #accuracy = element("p", { class: "soft", title: "The mean over all moves; a move that costs nothing has 100 %" });
  #next = button("Next mistake →", () => this.#nextMistake(), { id: "next-mistake", class: "primary" });
  #curve = new ValueCurve((ply) => this.go(line()[ply - 1] ?? 0));

  constructor(/** @type {HTMLElement} */ root) {
    super(root);
    this.layOut([this.#next, button("Play on from here", () => page.open("play", shared.game.fragment()))], [
      panel("Value", element("h2", { text: "Who was winning" }), this.#curve.element, this.#progress),
      panel("Mistakes", element("h2", { text: "The costliest moves" }), this.#mistakes, this.#accuracy),
      this.moves.element]);
  }

  async show(/** @type {string} */ fragment) {
    this.take(fragment);
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

  onKey(/** @type {string} */ key) {
    if (key === "n") this.#nextMistake();
  }

  #nextMistake() {
    const all = line(), bad = all.filter(isBad), here = all.indexOf(shared.game.at);
    // The position before a mistake is shown, so the next one is at least two moves on.
    const found = bad.find((node) => all.indexOf(node) > here + 1) ?? bad[0];
    if (found !== undefined) this.go(shared.game.nodes[found].parent);
  }

  #refresh() {
    return this.requests.run(async (signal) => {
      await this.load(signal);
      this.draw();
    });
  }

  /** Review all moves, the last one first: it is the easiest for the judge. */
  async #reviewAll() {
    const { game } = shared, all = line();
    this.#progress.hidden = !all.length;
    const isLatest = await this.#reviews.run(async (signal) => {
      const { analyst } = await page.ask("catalogue", { game: game.about }, signal);
      const agent = reviewerOf(analyst, game.about);
      let seconds = SECONDS;
      for (const [done, node] of all.toReversed().entries()) {
        this.#progress.value = done / all.length;
        if (reviewOf(node)) continue;
        const review = await page.ask("review", { position: game.position(node), agent, seconds }, signal);
        if (shared.game !== game) return;
        game.nodes[node].review = review;
        // Where the judge gives up, it will for earlier positions, too: waste little on them.
        if (!review.before.exact) seconds = Math.max(LEAST_SECONDS, seconds / 2);
        this.draw();
      }
      game.save();
    });
    if (isLatest) this.#progress.hidden = true;
  }

  /** Draw the position, and the mistake that is made in it, if there is one. */
  draw() {
    const { game } = shared, { view } = this, node = game.ahead()[0], review = reviewOf(node), all = line();
    this.drawBoard(marksOf(view, node), statusWords(view, node));
    const isDear = review && review.loss >= LEAST_SHOWN;
    this.reason.textContent = isDear ? lessonWords(view, review) : review ? "This move costs nothing." : "";
    this.#next.disabled = !all.some(isBad);
    this.#drawCurve(all);
    this.#drawMistakes(all);
    this.#accuracy.textContent = accuracyWords(view.players, all.flatMap((each) => reviewOf(each) ?? []));
    this.moves.draw(game);
  }

  #drawMistakes(/** @type {number[]} */ all) {
    const known = all.filter(reviewOf).length;
    const none = all.length && known === all.length ? "No move cost anything."
      : `No mistake found yet: ${known} of ${all.length} moves reviewed.`;
    this.#mistakes.replaceChildren(...worst().map((node) => {
      const review = /** @type {MoveReview} */ (reviewOf(node)), better = betterNames(review);
      const words = `Move ${review.ply}, ${this.view.players[review.player - 1]} ${review.name}: ${priceWords(review)}`;
      return element("li", {}, button(words, () => this.go(shared.game.nodes[node].parent), { class: "quiet" }),
        element("span", { class: "soft", text: better && ` better: ${better}` }));
    }));
    if (!this.#mistakes.children.length) this.#mistakes.append(element("li", { class: "soft", text: none }));
  }

  #drawCurve(/** @type {number[]} */ all) {
    const points = all.flatMap((node, index) => {
      const review = reviewOf(node);
      if (!review) return [];
      const after = { ...review.after, ply: index + 1, mistake: Boolean(review.grade) };
      return index && reviewOf(all[index - 1]) ? [after] : [{ ...review.before, ply: index }, after];
    });
    this.#curve.draw(points, all.length, shared.game.line().length, this.view.players);
  }
}

/** Mark the next move, and better ones if it is bad. @param {View} view @param {number} node */
function marksOf(view, node) {
  /** @type {Required<Pick<Marks, "badges" | "texts" | "arrows">>} */
  const marks = { badges: {}, texts: {}, arrows: [] };
  const played = cellOf(view, shared.game.nodes[node]?.action);
  if (played === undefined) return marks;
  const bad = isBad(node), better = bad ? reviewOf(node)?.better.slice(0, 3) ?? [] : [];
  marks.badges[played] = bad ? "bad" : "hint";
  marks.texts[played] = bad ? "✗" : "•";
  for (const { action } of better) {
    const cell = cellOf(view, action);
    if (cell === undefined) continue;
    marks.badges[cell] = "good";
    marks.texts[cell] = "✓";
    if (action === better[0].action) marks.arrows.push({ from: played, to: cell, kind: "good" });
  }
  return marks;
}

/** Say where the game stands. @param {View} view @param {number | undefined} node The next move. */
function statusWords(view, node) {
  const ply = shared.game.line().length, all = line().length, mover = view.players[view.to_play - 1];
  if (!all) return "No game to review yet: play one, or load one in Play.";
  if (view.winner === 3) return `A draw after ${ply} moves.`;
  if (view.winner) return `${view.players[view.winner - 1]} has won after ${ply} moves.`;
  if (node === undefined) return `After ${ply} moves, ${mover} is to move.`;
  return `Move ${ply + 1} of ${all}: ${mover} plays ${shared.game.nameOf(node)}.`;
}
