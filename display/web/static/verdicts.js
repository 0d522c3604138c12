// What a review says, in words.

const SHOWN_MOVES = 4, SHOWN_BETTER = 3;

/** Say why a move was bad. */
export function lessonWords(view, review) {
  const { player, name, exact, line, better, after } = review;
  const had = (review.alternative ?? review.before).value * (player === 1 ? 1 : -1);
  const mover = view.players[player - 1], other = view.players[2 - player];
  const names = (moves, most) => moves.slice(0, most).map((each) => each.name);
  const certainty = exact ? "for certain" : "as a search sees it";
  const end = after.winner === 3 ? "it is a draw" : `${other} ${exact ? "wins" : "is ahead"}`;
  return [
    `${mover[0].toUpperCase()}${mover.slice(1)}'s ${name} gives ${had > 0 ? "the win" : "the draw"} away, ${certainty}`,
    line.length ? `: after ${names(line, SHOWN_MOVES).join(" ")} … ${end}.` : ".",
    better.length ? ` Better: ${names(better, SHOWN_BETTER).join(", ")}.` : "",
  ].join("");
}
