// The secrets of the seats that this browser has. The address has the spectators' token, so that it can be shared.

import { page } from "../page/page.js";

const KEY = "hex-seats", JOINING = "hex-joining", MOST = 50;

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

/** Return the own tokens of all games, that of the game opened last at the end. */
export const ownSeats = () => seatsIn(localStorage).map(([watch]) => seatOf(watch)).slice(-MOST);

/** Tell whether this browser has a seat. @param {string} token */
export const isKept = (token) =>
  [...seatsIn(sessionStorage), ...seatsIn(localStorage)].some((each) => each.includes(token));

/**
 * Take the second seat of a game, with a secret that this browser makes; throws as page.ask does.
 * @param {string} invitation @param {string} watch @param {AbortSignal} signal
 */
export async function takeSeat(invitation, watch, signal) {
  // A page that was left before the answer came asks once more, with the same secret.
  const [known, kept] = (localStorage.getItem(JOINING) ?? "").split(" ");
  const seat = known === invitation ? kept : newSecret();
  localStorage.setItem(JOINING, `${invitation} ${seat}`);
  await page.ask("join_table", { id: invitation, seat }, signal);
  keepSeat(watch, seat);
}

const newSecret = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) =>
  byte.toString(16).padStart(2, "0")).join("");

/** Keep the own token of a game. @param {string} watch @param {string} token */
export function keepSeat(watch, token) {
  change((seats) => [...seats.filter(([each]) => each !== watch), [watch, token]]);
}

/** Forget a game. @param {string} token The own one, or the spectators'. */
export function forgetSeat(token) {
  change((seats) => seats.filter((each) => !each.includes(token)));
}

function change(/** @type {(seats: [string, string][]) => [string, string][]} */ news) {
  for (const storage of [sessionStorage, localStorage]) {
    storage.setItem(KEY, JSON.stringify(news(seatsIn(storage)).slice(-MOST)));
  }
}
