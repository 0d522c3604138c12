// The status line of a game: whose move it is, what an agent has just played, how the game ended.

/** @import { Game } from "./game.js" */
/** @import { View } from "../types.js" */
import { flagged, wonOffBoard } from "./game.js";

/** Return your player, if one of the two is you. @param {Game} game */
export const ownPlayer = ({ players }) =>
  (players[1] === "you") === (players[2] === "you") ? 0 : players[1] === "you" ? 1 : 2;

/**
 * Say how a game ended off the board.
 * @param {Game} game @param {number} winner @param {string[]} players @param {number} [own] The player who reads it.
 */
export function endWords(game, winner, players, own) {
  const how = flagged(game) ? "ran out of time"
    : { R: "resigned", T: "ran out of time", F: "forfeited" }[game.result[2]];
  const [winning, losing] = [winner, 3 - winner].map((each) => `${players[each - 1]} (${game.seats[each - 1]})`);
  if (own === winner) return `You won: ${how ? `${losing} ${how}` : "not on the board"}.`;
  if (own) return `You lost: ${how ? `you ${how}` : `${winning} wins, not on the board`}.`;
  return how ? `${losing} ${how}: ${winning} wins.` : `${winning} wins, not on the board.`;
}

/**
 * Say who is to move, or has won.
 * @param {View} view @param {Game} game @param {(player: number) => string} name
 * @param {boolean} isYours Whether you move. @param {string | false} thinks What an agent does before it moves.
 */
export function statusWords({ winner, to_play: mover, players }, game, name, isYours, thinks) {
  const moves = game.line().length, own = ownPlayer(game);
  if (winner === 3) return "A draw.";
  if (winner && (flagged(game) || wonOffBoard(game))) return endWords(game, winner, players, own);
  if (winner && !moves) return `${players[winner - 1]} has already won here.`;
  if (winner && winner === own) return `You won in ${moves} moves.`;
  if (winner) return `${own ? "You lost: " : ""}${name(winner)} wins in ${moves} moves.${agentsMove(game, name)}`;
  if (game.trying !== undefined) return `Trying a line: ${players[mover - 1]} to move.`;
  if (thinks) return `${name(mover)} is ${thinks} …`;
  return (isYours ? `Your move: ${players[mover - 1]}.` : `${name(mover)} is to move.`) + agentsMove(game, name);
}

/** Say which move an agent has just made: those who hear the page see no stone. @param {Game} game @param {(player: number) => string} name */
function agentsMove(game, name) {
  const { by, name: move = "" } = game.nodes[game.at];
  return by ? ` ${name(3 - game.toPlay())} ${move.startsWith("swap") ? "swapped" : `played ${move}`}.` : "";
}
