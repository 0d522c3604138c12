// The clocks of a game. As on lichess, they run once both players have moved, and a move adds the
// increment. They stop where no move is awaited: beside the last timed move, and with the page closed.

/** @import { GameClock } from "../types.js" */
/** @import { Game } from "../board/game.js" */
import { element } from "../page/elements.js";
import { flagged, shared } from "../board/game.js";

const TICK = 100; // milliseconds

/** Return the clock of a new game, for minutes and increment as 3+2. @param {string} kind @returns {GameClock} */
export const newClock = (kind) =>
  ({ left: [1, 2].map(() => 60000 * parseFloat(kind)), increment: 1000 * Number(kind.split("+")[1]), at: 0 });

/** Return the seconds that the clock allows for the next move; nothing without a clock. @param {Game} game */
export const shareOf = (game) =>
  game.clock && (game.clock.left[game.toPlay() - 1] / 20 + game.clock.increment / 2) / 1000;

/** Write a time; tenths of a second are shown below ten seconds. @param {number} left Milliseconds. */
export function written(left) {
  const [minutes, seconds] = [Math.floor(left / 60000), Math.floor(left / 1000) % 60];
  if (minutes >= 600) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return left < 10000 ? `0:0${(Math.floor(left / 100) / 10).toFixed(1)}`
    : `${minutes}:${String(seconds).padStart(2, "0")}`;
}

/** Two clocks as they are shown. */
export class ClockFaces {
  #faces = [1, 2].map(() => element("span", { role: "timer" }));
  element = element("div", { class: "clocks", hidden: true }, ...this.#faces);

  /**
   * Show the times of players 1 and 2, in milliseconds.
   * @param {number[]} left @param {number} mover Whose clock runs; 0: none.
   * @param {{players?: string[], roles?: number[]}} looks
   */
  draw(left, mover, { players, roles }) {
    this.#faces.forEach((face, index) => {
      face.className = `clock role${roles?.[index]} ${index + 1 === mover ? "running" : ""}`;
      face.setAttribute("aria-label", `Clock of ${players?.[index]}`);
      face.textContent = written(left[index]);
    });
  }
}

/** The clocks beside the board; onFlag() is called when time is up. */
export class Clock {
  #faces = new ClockFaces();
  element = this.#faces.element;
  #game = shared.game;
  #timer = 0;
  #updated = 0;

  constructor(/** @type {() => void} */ onFlag) {
    this.onFlag = onFlag;
    addEventListener("pagehide", () => this.stop());
  }

  /**
   * Let the mover's clock run, if a move is awaited after the last timed one.
   * @param {Game} game
   * @param {boolean} isAwaited
   */
  run(game, isAwaited) {
    this.stop();
    this.#game = game;
    const isTimed = game.clock?.at === game.at && game.trying === undefined && game.line().length > 1;
    if (isAwaited && isTimed) this.#timer = setInterval(() => this.#tick(), TICK);
    this.#update();
  }

  stop() {
    this.#update();
    if (this.#timer) this.#game.save();
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#update();
  }

  /** Note a move that was made or taken back. @param {Game} game */
  press(game) {
    const { clock, trying } = game, isRunning = this.#timer > 0;
    this.stop();
    if (!clock || trying !== undefined) return;
    const mover = game.toPlay(clock.at) - 1;
    if (isRunning && clock.left[mover]) clock.left[mover] += clock.increment;
    clock.at = game.at;
  }

  #tick() {
    this.#update();
    if (!flagged(this.#game)) return;
    this.stop();
    this.onFlag();
  }

  /** Take the time that has passed from the clock that runs, and show both. */
  #update() {
    const { clock } = this.#game, now = performance.now(), passed = now - this.#updated;
    this.#updated = now;
    this.element.hidden = !clock;
    if (!clock) return;
    const mover = this.#timer ? this.#game.toPlay(clock.at) : 0;
    if (mover) clock.left[mover - 1] = Math.max(0, clock.left[mover - 1] - passed);
    this.#faces.draw(clock.left, mover, shared.catalogue ?? {});
  }
}
