// The secrets of the seats that this browser has. The address has the spectators' token, so that it can be shared.

const KEY = "hex-seats", MOST = 50;

/** Return pairs of tokens, of spectators and of the own seat, the last opened game last. @returns {[string, string][]} */
function seatsIn(/** @type {Storage} */ storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

/** Return the own token of a game that spectators see under another one. @param {string} watch */
export function seatOf(watch) {
  // One window may have both seats of a game in two tabs, each of which remembers its own.
  const both = [...seatsIn(sessionStorage), ...seatsIn(localStorage)];
  return both.find(([each]) => each === watch)?.[1] ?? "";
}

/** Return the own token of the game that was opened last. */
export const lastSeat = () => seatsIn(localStorage).at(-1)?.[1] ?? "";

/** Keep the own token of a game. @param {string} watch @param {string} token */
export function keepSeat(watch, token) {
  change((seats) => [...seats.filter(([each]) => each !== watch).slice(-MOST), [watch, token]]);
}

/** Forget a game. @param {string} token The own one, or the spectators'. */
export function forgetSeat(token) {
  change((seats) => seats.filter((each) => !each.includes(token)));
}

function change(/** @type {(seats: [string, string][]) => [string, string][]} */ news) {
  for (const storage of [sessionStorage, localStorage]) storage.setItem(KEY, JSON.stringify(news(seatsIn(storage))));
}
