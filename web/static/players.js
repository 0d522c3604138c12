// The players: an agent for each colour, from a beginner to full strength, and its time.

/** @import { Game } from "./game.js" */
/** @import { About, Catalogue } from "./types.js" */
import { element, labelled, options, panel, row } from "./elements.js";
import { shared } from "./game.js";

export const YOU = "you";
const OTHER = "other", USUAL = "Casual";
/** @type {[string, string][]} */
const TIMES = [["", "set by the level"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"], ["10", "10 s"], ["30", "30 s"]];

/** Return an agent's word with a time per move, if it searches. @param {string} word @param {string} seconds */
export function withTime(word, seconds) {
  if (!seconds || !/^(mcts|best)\b/.test(word)) return word;
  const [kind, ...rest] = word.split(":");
  const kept = rest.join(":").split(",").filter((item) => item && !/^(simulations|time_limit)=/.test(item));
  return `${kind}:${[...kept, "simulations=1000000", `time_limit=${seconds}`].join(",")}`;
}

/** Return the agent that reviews moves; large boards take longer. @param {string} analyst @param {About} about */
export function reviewerOf(analyst, about) {
  const simulations = about.params.size > 8 ? 300 : 1000;
  return `${analyst}${analyst.includes(":") ? "," : ":"}simulations=${simulations},time_limit=null`;
}

/** Return an agent's word and title for each net. @param {string} kind @param {Catalogue["nets"]} nets */
export const choicesOf = (kind, nets) => nets.map(({ run, episode, net }) =>
  /** @type {[string, string]} */ ([`${kind}:${net}`, `${run}, episode ${episode}`]));

/** The choice of the players; onChange() is called after a change. */
export class Players {
  #rows = [1, 2].map((player) => this.#newRow(player));
  #time = element("select", { id: "thinking-time" }, ...options(TIMES));
  #teach = element("input", { type: "checkbox", id: "teach" });
  element = panel("Players", ...this.#rows.map(({ swatch, label, select, own }) => row(swatch, label, select, own)),
    labelled("Move time", this.#time), labelled("Teach me: take bad moves back, and say why", this.#teach));

  constructor(/** @type {() => void} */ onChange) {
    this.onChange = onChange;
    this.#time.addEventListener("change", () => this.#change({ seconds: this.#time.value }));
    this.#teach.addEventListener("change", () => this.#change({ teach: this.#teach.checked }));
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
  }

  /** Return the title of an agent. @param {string} word */
  title(word) {
    const { levels = [], nets = [] } = shared.catalogue ?? {};
    return word === YOU ? "You" : levels.find((each) => each.agent === word)?.title
      ?? choicesOf("anet", nets).find(([agent]) => agent === word)?.[1] ?? word;
  }

  #newRow(/** @type {number} */ player) {
    const select = element("select", { id: `player-${player}` });
    const own = element("input", {
      "aria-label": "Agent, as on the command line", placeholder: "mcts:best,simulations=500", hidden: true, spellcheck: "false",
    });
    /** @param {string} word */
    const choose = (word) => this.#change({ players: { ...shared.game.players, [player]: word } });
    select.addEventListener("change", () => {
      own.hidden = select.value !== OTHER;
      if (own.hidden) choose(select.value);
      else own.focus();
    });
    own.addEventListener("change", () => own.value.trim() && choose(own.value.trim()));
    const label = element("label", { for: `player-${player}` }), swatch = element("i", { "aria-hidden": "true" });
    return { select, own, label, swatch };
  }

  #change(/** @type {Partial<Game>} */ choice) {
    Object.assign(shared.game, choice);
    this.onChange();
  }
}

/** Return the options and groups of options for a player. @param {Catalogue} catalogue */
function choices(catalogue) {
  /** @param {string} label @param {[string, string][]} entries */
  const group = (label, entries) => (entries.length ? [element("optgroup", { label }, ...options(entries))] : []);
  return [
    ...options([[YOU, "You"]]),
    ...group("Strength", catalogue.levels.map(({ agent, title, note }) => [agent, note ? `${title}, ${note}` : title])),
    ...group("A net of a run, without search", choicesOf("anet", catalogue.nets)),
    ...group("From the command line", catalogue.given.map((each) => [each, each])),
    ...options([[OTHER, "Another agent …"]]),
  ];
}

/** Return the agent of the level that a word had in the catalogue before, else the usual one. @param {string} word */
export function sameLevel(/** @type {Catalogue} */ catalogue, word, /** @type {Catalogue | undefined} */ before) {
  if (word === YOU) return YOU;
  const title = before?.levels.find((each) => each.agent === word)?.title ?? USUAL;
  return (catalogue.levels.find((each) => each.title === title) ?? catalogue.levels[3]).agent;
}
