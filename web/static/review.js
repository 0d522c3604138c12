// Review: who was winning after each move, the moves that cost most, and what was better.

import { createBoard } from "./board.js";
import { Game, share, shared } from "./game.js";
import { createMoves, createSteps, isTyped, nodeAfter, stepOfKey } from "./moves.js";
import { element } from "./page.js";
import { createCurve } from "./curve.js";
import { reviewerOf } from "./players.js";
import { accuracyWords, lessonWords, priceWords } from "./verdicts.js";

const SHOWN = 3, LEAST_SHOWN = 0.5; // percent
const SECONDS = 1, LEAST_SECONDS = 0.05;

export function mount(root, page) {
  let view = null, turn = 0, asking = new AbortController(), reviewed = null;
  const place = element("div", { class: "board-place" });
  const status = element("p", { class: "status", "aria-live": "polite" });
  const reason = element("p", { class: "reason", "aria-live": "polite" });
  const progress = element("progress", { max: 1, hidden: true, "aria-label": "Moves reviewed" });
  const mistakes = element("ol", { class: "mistakes" });
  const accuracy = element("p", { class: "soft", title: "100 % if no move cost anything; a mean over all moves" });
  const next = element("button", { type: "button", id: "next-mistake", class: "primary", text: "Next mistake →", onclick: nextMistake });
  const board = createBoard(place);
  const curve = createCurve((ply) => go(line()[ply - 1] ?? 0));
  const moves = createMoves(go);
  root.className = "table";
  root.append(
    element("div", { class: "board-area" }, status, place, reason,
      element("div", { class: "tools" }, createSteps((name) => go(nodeAfter(shared.game, name))), next,
        element("button", { type: "button", text: "Play on from here", onclick: playOn }))),
    element("div", { class: "side" },
      element("section", { class: "panel stack", "aria-label": "Value" }, element("h2", { text: "Who was winning" }), curve.element, progress),
      element("section", { class: "panel stack", "aria-label": "Mistakes" }, element("h2", { text: "The moves that cost most" }), mistakes, accuracy),
      moves.element));

  const line = () => [...shared.game.line(), ...shared.game.ahead()];
  const reviewOf = (node) => {
    const review = shared.game.nodes[node]?.review;
    return review?.grade === undefined ? undefined : review; // those that an older page kept have none
  };

  function go(node) {
    shared.game.go(node);
    refresh();
  }

  function playOn() {
    page.open("play", shared.game.fragment());
  }

  /** Return the moves that cost most, the worst first. */
  function worst() {
    const dear = line().filter((node) => reviewOf(node)?.loss >= LEAST_SHOWN);
    const loss = (node) => reviewOf(node).loss;
    return dear.sort((one, other) => loss(other) - loss(one) || other - one).slice(0, SHOWN);
  }

  /** Tell whether a move is worth a look: it has a grade, or is one of those that cost most. */
  const isBad = (node) => Boolean(reviewOf(node)?.grade) || worst().includes(node);

  function nextMistake() {
    const bad = line().filter(isBad);
    const here = line().indexOf(shared.game.at);
    // The position before a mistake is shown, so the next one is at least two moves on.
    const found = bad.find((node) => line().indexOf(node) > here + 1) ?? bad[0];
    if (found !== undefined) go(shared.game.nodes[found].parent);
  }

  /** Show the position, and the mistake that is made in it, if one is. */
  async function refresh() {
    const game = shared.game, mine = ++turn;
    page.setFragment(game.fragment());
    game.save();
    try {
      const shown = await page.ask("position", { position: game.position() });
      if (mine !== turn) return;
      view = shown;
      game.nameLine(view.history);
      draw();
    } catch (error) {
      if (mine === turn) page.say(error.message);
    }
  }

  function draw() {
    const game = shared.game, node = game.ahead()[0], review = reviewOf(node);
    const marks = { badges: {}, arrows: [], texts: {} };
    const cellOf = (action) => view.moves.find((move) => move.action === action)?.cells.at(-1);
    if (node !== undefined) {
      const played = cellOf(game.nodes[node].action);
      if (played !== undefined) {
        const bad = isBad(node);
        marks.badges[played] = bad ? "bad" : "hint";
        marks.texts[played] = bad ? "✗" : "•";
        const best = bad ? review.better.slice(0, 3).map((each) => cellOf(each.action)) : [];
        for (const cell of best.filter((each) => each !== undefined)) {
          marks.badges[cell] = "good";
          marks.texts[cell] = "✓";
        }
        if (best.length && best[0] !== undefined) marks.arrows.push({ from: played, to: best[0], kind: "good" });
      }
    }
    board.draw(view, marks, { flat: page.isFlat });
    const ply = game.line().length, all = line();
    status.dataset.role = view.roles[(view.winner || view.to_play) - 1] ?? 0;
    status.textContent = !all.length ? "No game to review yet: play one, or load one in Play."
      : view.winner ? `${view.players[view.winner - 1] ?? "Nobody"} has won after ${ply} moves.`
        : node === undefined ? `After ${ply} moves, ${view.players[view.to_play - 1]} is to move.`
          : `Move ${ply + 1} of ${all.length}: ${view.players[view.to_play - 1]} plays ${game.nameOf(node)}.`;
    reason.textContent = review ? review.loss >= LEAST_SHOWN ? lessonWords(view, review) : "This cost nothing." : "";
    reason.hidden = !reason.textContent;
    next.disabled = !all.some(isBad);
    drawCurve(all, ply);
    mistakes.replaceChildren(...worst().map((each) => {
      const found = reviewOf(each);
      return element("li", {}, element("button", {
        type: "button", class: "quiet", onclick: () => go(game.nodes[each].parent),
        text: `Move ${found.ply}, ${view.players[found.player - 1]} ${found.name}: ${priceWords(found)}`,
      }), element("span", { class: "soft", text: found.better.length ? ` better: ${found.better.slice(0, 3).map((b) => b.name).join(", ")}` : "" }));
    }));
    if (!mistakes.children.length) {
      const known = all.filter(reviewOf).length;
      const text = all.length && known === all.length ? "No move cost anything." : `None known yet: ${known} of ${all.length} moves reviewed.`;
      mistakes.append(element("li", { class: "soft", text }));
    }
    accuracy.textContent = accuracyWords(view.players, all.map(reviewOf).filter(Boolean));
    moves.draw(game);
  }

  function drawCurve(all, ply) {
    const points = all.flatMap((node, index) => {
      const review = reviewOf(node);
      if (!review) return [];
      const at = (number, verdict) => ({ ply: number, value: verdict.value, exact: verdict.exact });
      const after = { ...at(index + 1, review.after), mistake: Boolean(review.grade) };
      return index && reviewOf(all[index - 1]) ? [after] : [at(index, review.before), after];
    });
    curve.draw(points, all.length, ply, view.players);
  }

  /** Review all moves, the last one first: it is the easiest for the judge. */
  async function reviewAll() {
    const game = shared.game, all = line();
    const key = JSON.stringify(game.position(all.at(-1) ?? 0));
    if (!all.length || reviewed === key) return;
    reviewed = key;
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    let seconds = SECONDS, done = 0;
    progress.hidden = false;
    try {
      const { analyst } = await page.ask("catalogue", { game: game.about }, signal);
      const agent = reviewerOf(analyst, game.about);
      for (const node of [...all].reverse()) {
        progress.value = done++ / all.length;
        if (reviewOf(node)) continue;
        const position = game.position(node);
        const review = await page.ask("review", { position, agent, seconds }, signal);
        if (signal.aborted || shared.game !== game) return;
        game.nodes[node].review = review;
        // Where the judge gives up, it will for earlier positions, too: waste little on them.
        if (!review.before.exact) seconds = Math.max(LEAST_SECONDS, seconds / 2);
        if (view) draw();
      }
      game.save();
      progress.hidden = true;
    } catch (error) {
      if (signal.aborted) return;
      [reviewed, progress.hidden] = [null, true];
      page.say(error.message);
    }
  }

  addEventListener("keydown", (event) => {
    if (root.hidden || isTyped(event) || !view) return;
    const step = stepOfKey(event);
    if (step) go(nodeAfter(shared.game, step));
    else if (event.key === "n") nextMistake();
    else if (event.key === "o") { page.turn(); draw(); }
  });

  async function show(fragment) {
    const game = fragment && fragment !== shared.game.fragment() ? Game.from(fragment) : null;
    if (game) share(game);
    await refresh();
    await reviewAll();
  }

  return { show, hide() { turn++; asking.abort(); reviewed = null; } };
}
