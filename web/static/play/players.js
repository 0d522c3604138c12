// The players: an agent for each colour, from a beginner to full strength, and its time.

/** @import { Game } from "../board/game.js" */
/** @import { About, Catalogue } from "../types.js" */
import { element, labelled, options, panel, row } from "../page/elements.js";
import { shared } from "../board/game.js";
import { page } from "../page/page.js";

export const YOU = "you";
/** An opponent that moves up a level when you win, and down when you lose. */
const MATCH = "match", MATCH_KEY = "hex-match";
const OTHER = "other", USUAL = "Casual";
/** @type {[string, string][]} */
const TIMES = [["", "set by the level"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"], ["10", "10 s"], ["30", "30 s"]];

/** Return the levels that can play, the weakest first. @param {Catalogue} catalogue */
const playable = ({ levels }) => levels.filter((each) => each.agent);

/** Return the level of the opponent that matches you, as this browser keeps it. @param {Catalogue} catalogue */
function matched(catalogue) {
  const title = localStorage.getItem(MATCH_KEY) ?? USUAL, levels = playable(catalogue);
  return levels.find((each) => each.title === title) ?? levels[3];
}

/** Return the usual opponents, each as a word and a title. @param {Catalogue} [catalogue] */
export const opponentsOf = (catalogue) => /** @type {[string, string][]} */ ([
  ...(catalogue ? playable(catalogue).map(({ agent, title }) => [agent, title]) : []),
  [MATCH, "matches you"], [YOU, "yourself"],
]);

/**
 * Keep a finished game between others in this browser, and open it in Review.
 * @param {import("../board/game.js").Game} game @param {string[]} seats @param {object} more Values of the game.
 */
export function reviewOthers(game, seats, more = {}) {
  Object.assign(game, { players: { 1: YOU, 2: YOU }, names: seats, seats, isOver: true, ...more });
  game.save();
  page.open("review", game.fragment());
}

/** Return the agent that a word stands for now. @param {string} word */
export const agentOf = (word) => (word === MATCH && shared.catalogue ? matched(shared.catalogue).agent : word);

/**
 * Return the agent that reviews moves, and its effort; large boards take longer.
 * @param {string} agent
 * @param {About} about
 */
export const reviewerOf = (agent, about) => ({ agent, simulations: about.params.size > 8 ? 300 : 1000 });

/** Return an agent's word and title for each net. @param {string} kind @param {Catalogue["nets"]} nets */
export const choicesOf = (kind, nets) => nets.map(({ run, episode, net }) =>
  /** @type {[string, string]} */ ([`${kind}:${net}`, `${run}, episode ${episode}`]));

/** The choice of the players; onChange() is called after a change. */
export class Players {
  #rows = [1, 2].map((player) => this.#newRow(player));
  #time = element(
    "select",
    { id: "thinking-time", onchange: () => this.#change({ seconds: this.#time.value }) },
    ...options(TIMES),
  );
  #teach = element("input", {
    type: "checkbox",
    id: "teach",
    onchange: () => this.#change({ teach: this.#teach.checked }),
  });
  #ratings = element("p", { class: "soft" });
  element = panel(
    "Players",
    ...this.#rows.map(({ swatch, label, select, own }) => row(swatch, label, select, own)),
    this.#ratings,
    labelled("Move time", this.#time),
    labelled("Teach me: take bad moves back, and say why", this.#teach),
  );

  constructor(/** @type {() => void} */ onChange) {
    this.onChange = onChange;
  }

  /** Show the agents for a game, and its players. @param {Catalogue} catalogue @param {Game} game */
  fill(catalogue, game) {
    this.#rows.forEach(({ select, own, label, swatch }, index) => {
      swatch.className = `swatch role${catalogue.roles[index]}`;
      select.replaceChildren(...choices(catalogue));
      label.textContent = catalogue.players[index];
      const word = game.players[index + 1];
      select.value = word;
      own.hidden = select.value === word;
      own.value = own.hidden ? "" : word;
      if (!own.hidden) select.value = OTHER;
    });
    this.#time.value = game.seconds ?? "";
    this.#teach.checked = Boolean(game.teach);
    this.#drawRatings();
  }

  /** Let the level that matches you follow the result of a game, once. @param {Game} game @param {number} winner */
  settle(game, winner) {
    const other = [1, 2].find((each) => game.players[each] === MATCH && game.players[3 - each] === YOU);
    const counts = [1, 2].includes(winner) && !game.isSettled && !game.setup.length && game.trying === undefined;
    if (!counts || !other || !shared.catalogue) return;
    const levels = playable(shared.catalogue), place = levels.indexOf(matched(shared.catalogue));
    game.isSettled = true;
    game.matched = levels[place]?.title ?? "";
    game.save();
    const next = levels[place + (winner === other ? -1 : 1)];
    if (next) localStorage.setItem(MATCH_KEY, next.title);
    this.#drawRatings();
  }

  /** Tell the ratings of the levels that play. */
  #drawRatings() {
    const { players } = shared.game, words = new Set([1, 2].map((player) => players[player]));
    const said = [...words].flatMap((word) => {
      const { elo, note } = shared.catalogue?.levels.find((each) => each.agent === agentOf(word)) ?? {};
      const rating = elo ? `Elo ${elo[0]} (${elo[1]} to ${elo[2]})` : "";
      return rating || word === MATCH ? [[this.title(word), rating, note].filter(Boolean).join(", ")] : [];
    });
    const isRated = said.some((each) => each.includes("Elo"));
    this.#ratings.textContent = said.length ? `${said.join("; ")}.${isRated ? " Random moves have Elo 0." : ""}` : "";
  }

  /**
   * Return the title of an agent.
   * @param {string} word
   * @param {string} [played] The level that has matched you in a game.
   */
  title(word, played) {
    const { levels = [], nets = [] } = shared.catalogue ?? {};
    if (word === MATCH && played) return `Matches you, as ${played}`;
    if (word === MATCH && shared.catalogue) return `Matches you, now ${matched(shared.catalogue).title}`;
    return word === YOU ? "You" : levels.find((each) => each.agent === word)?.title
      ?? choicesOf("anet", nets).find(([agent]) => agent === word)?.[1] ?? word;
  }

  #newRow(/** @type {number} */ player) {
    const choose = (/** @type {string} */ word) =>
      this.#change({ players: { ...shared.game.players, [player]: word } });
    const select = element("select", { id: `player-${player}`, onchange: () => {
      own.hidden = select.value !== OTHER;
      if (own.hidden) choose(select.value);
      else own.focus();
    } });
    const own = element("input", {
      "aria-label": "Agent, as on the command line",
      placeholder: "mcts:best,simulations=500",
      hidden: true,
      spellcheck: "false",
      onchange: () => own.value.trim() && choose(own.value.trim()),
    });
    const label = element("label", { for: `player-${player}` }), swatch = element("i", { "aria-hidden": "true" });
    return { select, own, label, swatch };
  }

  #change(/** @type {Partial<Game>} */ choice) {
    Object.assign(shared.game, choice);
    this.#drawRatings();
    this.onChange();
  }
}

/** Return the options and groups of options for a player. @param {Catalogue} catalogue */
function choices(catalogue) {
  const group = (/** @type {string} */ label, /** @type {[string, string][]} */ entries) =>
    (entries.length ? [element("optgroup", { label }, ...options(entries))] : []);
  const levels = catalogue.levels.map(({ agent, title, note, elo }) => element("option", {
    value: agent, disabled: !agent, text: [title, elo && `Elo ${elo[0]}`, note].filter(Boolean).join(", "),
  }));
  return [
    ...options([[YOU, "You"], [MATCH, "Matches you"]]),
    element("optgroup", { label: "Strength" }, ...levels),
    ...group("A net of a run, without search", choicesOf("anet", catalogue.nets)),
    ...group("From the command line", catalogue.given.map((each) => [each, each])),
    ...options([[OTHER, "Another agent …"]]),
  ];
}

/** Return the agent of the level that a word had in the catalogue before, else the usual one. @param {string} word */
export function sameLevel(/** @type {Catalogue} */ catalogue, word, /** @type {Catalogue | undefined} */ before) {
  if (word === YOU || word === MATCH) return word;
  const title = before?.levels.find((each) => each.agent === word)?.title ?? USUAL;
  return (playable(catalogue).find((each) => each.title === title) ?? catalogue.levels[3]).agent;
}
