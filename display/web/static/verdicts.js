// What a review says, in words.

/** Say why a move was bad. */
export function lessonWords(view, review) {
  const { could, left } = { could: review.alternative ?? review.before, left: review.after };
  const mover = view.players[review.player - 1];
  const had = could.value * (review.player === 1 ? 1 : -1);
  const what = had > 0 ? "the win" : "the draw";
  const how = review.exact ? `${review.name} gives ${what} away, for certain` : `${review.name} gives ${what} away, as a search sees it`;
  const answer = review.line.length ? `: after ${review.line.slice(0, 4).map((each) => each.name).join(" ")} … ${left.winner === 3 ? "it is a draw" : `${view.players[2 - review.player]} is ahead`}` : "";
  const better = review.better.length ? ` Better: ${review.better.slice(0, 3).map((each) => each.name).join(", ")}.` : "";
  return `${mover[0].toUpperCase()}${mover.slice(1)}'s ${how}${answer}.${better}`;
}
