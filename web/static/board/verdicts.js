// What a review says, in words.

/** @import { Review, View } from "../types.js" */
import { element } from "../page/elements.js";
import { page } from "../page/page.js";

const SHOWN_MOVES = 4, SHOWN_BETTER = 3;

export const capital = (/** @type {string} */ word) => word[0].toUpperCase() + word.slice(1);

/** Return the names of the best other moves. @param {Review} review */
export const betterNames = ({ better }) => better.slice(0, SHOWN_BETTER).map((each) => each.name).join(", ");

/** Say the price of a move: the result that it gave away for certain, or its grade. @param {Review} review */
export function priceWords({ exact, alternative, before, grade, loss }) {
  const had = (alternative ?? before).winner === 3 ? "the draw" : "the win";
  return exact ? `${grade}, gave ${had} away` : `${grade ? `${grade}, ` : ""}cost ${Math.round(loss)} %`;
}

/** Say why a move was bad. @param {View} view @param {Review} review */
export function lessonWords(view, review) {
  const { player, name, exact, line, after } = review;
  const mover = view.players[player - 1], better = betterNames(review);
  const certainty = exact ? "for certain" : "of the chances, as a search sees it";
  const end = after.winner === 3 ? exact ? "it is a draw" : "it is open"
    : `${view.players[after.winner - 1]} ${after.exact ? "wins" : "is ahead"}`;
  return [
    `${capital(mover)}'s ${name}: ${priceWords(review)} ${certainty}`,
    line.length ? `: after ${line.slice(0, SHOWN_MOVES).map((each) => each.name).join(" ")} … ${end}.` : ".",
    better && ` Better: ${better}.`,
  ].join("");
}

/** Say what a mistake allows, where the board shows it. @param {View} view @param {Review} review */
export function threatWords(view, review, /** @type {boolean} */ isChain) {
  const { player, name } = review, mover = view.players[player - 1], other = view.players[2 - player];
  const better = betterNames(review);
  const what = isChain ? `lets ${other} join its sides, whatever ${mover} plays: by a chain like the golden one.`
    : `helps ${other}. The numbers show how, as a search expects it.`;
  return `${capital(mover)}'s ${name} ${what}${better && ` Better: ${better}.`}`;
}

/** The grades of moves, the least costly first, with their marks, as in chess. @type {Record<string, string>} */
const GRADES = { fine: "", inaccuracy: "?!", mistake: "?", blunder: "??" };

/** Return the grade of a move. @param {Review} review */
export const gradeOf = ({ grade }) => grade || "fine";

/** Return the mark of a move. @param {Review} review */
export const markOf = (review) => GRADES[gradeOf(review)];

/** Make the table of both players' accuracy and grades, which explains the dots. @param {string[]} players */
export function createGrades(players, /** @type {Review[]} */ reviews) {
  const rows = players.map((player, index) => {
    const own = reviews.filter((each) => each.player === index + 1);
    const mean = own.reduce((sum, each) => sum + each.accuracy, 0) / own.length;
    const cells = [own.length ? `${Math.round(mean)} %` : "–",
      ...Object.keys(GRADES).map((name) => own.filter((each) => gradeOf(each) === name).length)];
    return element(
      "tr",
      {},
      element("th", { scope: "row", text: player }),
      ...cells.map((text) => element("td", { text })),
    );
  });
  return [page.part("grades"), ...rows];
}

/** Say what a try is worth, against the move of the game. @param {View} view @param {Review} played */
export function tryWords(view, played, /** @type {{name: string, review?: Review} | undefined} */ tried) {
  const mover = view.players[played.player - 1], { name, review } = tried ?? { name: "" };
  if (!name) return `${capital(mover)}'s ${played.name}: ${priceWords(played)}. Find a better move.`;
  if (!review) return `Looking at ${name} …`;
  if (review.action === played.action) return `${name} was played: ${priceWords(played)}. Try another move.`;
  return `${lessonWords(view, { ...review, better: [] })} Try another move.`;
}

/** Tell whether a try is better than the move of the game. @param {Review} tried @param {Review} played */
export const isBetter = (tried, played) => !tried.grade && tried.loss <= played.loss / 2;

/**
 * Say from which move on the result was certain; index is that of this move.
 * Nothing if it never was, or is not yet known.
 * @param {(Review | undefined)[]} reviews @param {string[]} players
 */
export function finishOf(reviews, players) {
  const result = reviews.at(-1)?.after;
  const isSame = (/** @type {Review["after"] | undefined} */ each) => each?.exact && each.winner === result?.winner;
  const index = 1 + reviews.findLastIndex((each) => !isSame(each?.after)), review = reviews[index];
  if (!result || !review || (index && !reviews[index - 1])) return undefined;
  const end = result.winner === 3 ? "it is a draw" : `${players[result.winner - 1]} wins`, ply = index + 1;
  if (isSame(review.before)) {
    return { index: index - 1, words: `From ${index ? `move ${index}` : "the start"} on ${end}, for certain.` };
  }
  if (!review.before.exact && ply === reviews.length)
    return { index, words: `Only the last position is proven: ${end}.` };
  return { index, words: review.before.exact
    ? `Move ${ply}, ${players[review.player - 1]} ${review.name}, decided the game: from then on ${end}, for certain.`
    : `From move ${ply} on it is proven that ${end}. Before that, the judge found no proof.` };
}

/** Say why a click on a cell makes no move. @param {View} view @param {number} cell @param {boolean} isYours */
export function refusal({ winner, players, to_play: mover, cells, drawing }, cell, isYours) {
  if (winner) return "The game is over.";
  if (!isYours) return `It is the turn of ${players[mover - 1]}.`;
  const isTaken = cells[cell] && !["heap", "ledge"].includes(drawing);
  return isTaken ? "That cell is taken." : "No move is possible there.";
}
