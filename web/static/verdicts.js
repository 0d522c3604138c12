// What a review says, in words.

/** @import { Review, View } from "./types.js" */

const SHOWN_MOVES = 4, SHOWN_BETTER = 3;

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
    `${mover[0].toUpperCase()}${mover.slice(1)}'s ${name}: ${priceWords(review)} ${certainty}`,
    line.length ? `: after ${line.slice(0, SHOWN_MOVES).map((each) => each.name).join(" ")} … ${end}.` : ".",
    better && ` Better: ${better}.`,
  ].join("");
}

/** Say how accurately both play. @param {string[]} players @param {Review[]} reviews */
export function accuracyWords(players, reviews) {
  const shares = players.flatMap((name, index) => {
    const found = reviews.filter((each) => each.player === index + 1).map((each) => each.accuracy);
    return found.length ? [`${name} ${Math.round(found.reduce((sum, each) => sum + each) / found.length)} %`] : [];
  });
  return shares.length ? `Accuracy: ${shares.join(", ")}.` : "";
}
