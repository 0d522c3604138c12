// What a review says, in words.

const SHOWN_MOVES = 4, SHOWN_BETTER = 3;

/** Say what a move cost: what it gave away for certain, or its grade. */
export function priceWords({ exact, alternative, before, grade, loss }) {
  const had = (alternative ?? before).winner === 3 ? "the draw" : "the win";
  return exact ? `${grade}, gave ${had} away` : `${grade ? `${grade}, ` : ""}cost ${Math.round(loss)} %`;
}

/** Say why a move was bad. */
export function lessonWords(view, review) {
  const { player, name, exact, line, better, after } = review;
  const mover = view.players[player - 1];
  const names = (moves, most) => moves.slice(0, most).map((each) => each.name);
  const certainty = exact ? "for certain" : "of the chances, as a search sees it";
  const end = after.winner === 3 ? exact ? "it is a draw" : "it is open"
    : `${view.players[after.winner - 1]} ${after.exact ? "wins" : "is ahead"}`;
  return [
    `${mover[0].toUpperCase()}${mover.slice(1)}'s ${name}: ${priceWords(review)} ${certainty}`,
    line.length ? `: after ${names(line, SHOWN_MOVES).join(" ")} … ${end}.` : ".",
    better.length ? ` Better: ${names(better, SHOWN_BETTER).join(", ")}.` : "",
  ].join("");
}

/** Say how accurately both play, by the reviews of their moves. */
export function accuracyWords(players, reviews) {
  const share = (player) => {
    const found = reviews.filter((each) => each.player === player).map((each) => each.accuracy);
    return found.length ? `${players[player - 1]} ${Math.round(found.reduce((sum, each) => sum + each) / found.length)} %` : null;
  };
  const shares = [share(1), share(2)].filter(Boolean);
  return shares.length ? `Accuracy: ${shares.join(", ")}.` : "";
}
