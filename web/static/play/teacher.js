// The teacher: why a move was bad, by the opponent's connection on the board.

/** @import { Marks, Position, Review, View } from "../types.js" */
import { ghostsOf } from "../board/board.js";
import { shared } from "../board/game.js";
import { page } from "../page/page.js";
import { reviewerOf } from "./players.js";
import { lessonWords, threatWords } from "../board/verdicts.js";

const CHECKING = 1.5, DRAWING = 3, COMPARING = 0.5; // seconds
const SHOWN_BETTER = 3, SHOWN_MOVES = 6;

/** Return who reviews moves in a game. @param {Position} position */
const reviewer = ({ game }) => reviewerOf(shared.catalogue?.analyst ?? "mcts", game);

/** Review the last move of a position. @param {Position} position @param {AbortSignal} signal */
export const reviewLast = (position, signal) =>
  page.ask("review", { position, ...reviewer(position), seconds: CHECKING }, signal);

/**
 * Explain a mistake: in Hex by the chain that the judge's line ends in, or by the line that a search expects.
 * @param {View} view @param {Review} review @param {Position} position @param {AbortSignal} signal
 * @returns {Promise<{words: string, marked: [number, "good" | "bad"][], marks: Marks}>}
 */
export async function lessonOf(view, review, position, signal) {
  const { exact, player, cell, action, after, better } = review, other = 3 - player;
  const hasChain = view.hexagonal && !view.winner && cell !== null;
  const asked = { position, seconds: DRAWING, comparing: COMPARING }, isLost = hasChain && exact && after.winner === other;
  const found = isLost ? await page.ask("finish", asked, signal).catch(() => undefined) : undefined;
  let line = (found ?? review).line.map((each) => each.cell);
  if (hasChain && !line.length) {
    const searched = page.ask("search", { position, ...reviewer(position) }, signal);
    line = await searched.then((each) => each.line, () => []);
  }
  signal.throwIfAborted();
  const isDrawn = hasChain && line.length > 0;
  const ghosts = found ? chainOf(view, found.path, line, other) : ghostsOf(line.slice(0, SHOWN_MOVES), other);
  return {
    words: isDrawn ? threatWords(view, review, Boolean(found)) : lessonWords(view, review),
    marked: [...better.slice(0, SHOWN_BETTER).map((each) => /** @type {[number, "good"]} */ ([each.action, "good"])),
      [action, "bad"]],
    marks: isDrawn ? { ghosts: [{ cell, player, text: "✗" }, ...ghosts], path: found?.path } : {},
  };
}

/**
 * Mark the stones that a chain still lacks, numbered as the line plays them.
 * @param {View} view @param {number[]} path @param {(number | null)[]} line @param {number} player
 */
function chainOf(view, path, line, player) {
  const lacking = line.flatMap((cell) => (cell !== null && path.includes(cell) && !view.cells[cell] ? [cell] : []));
  return lacking.map((cell, index) => ({ cell, player, text: String(index + 1) }));
}
