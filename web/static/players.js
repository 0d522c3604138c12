// Who plays: the choice of an agent for each colour, from a beginner to full strength, and the time.

import { element } from "./page.js";

export const YOU = "you";
const OTHER = "other";
const USUAL = "Casual";
const TIMES = [["", "as the level has it"], ["0.3", "0.3 s"], ["1", "1 s"], ["3", "3 s"], ["10", "10 s"], ["30", "30 s"]];

/** Return an agent's word that thinks so many seconds for a move, if it is one that searches. */
export function withTime(word, seconds) {
  if (!seconds || !/^(mcts|best)\b/.test(word)) return word;
  const [kind, rest = ""] = [word.split(":")[0], word.slice(word.indexOf(":") + 1)];
  const items = word.includes(":") ? rest.split(",") : [];
  const kept = items.filter((item) => !/^(simulations|time_limit)=/.test(item));
  return `${kind}:${[...kept, "simulations=1000000", `time_limit=${seconds}`].join(",")}`;
}

/** Return who reviews moves: with fewer simulations on large boards, where a net takes long for each. */
export function reviewerOf(analyst, about) {
  const simulations = about.params.size > 8 ? 300 : 1000;
  return `${analyst}${analyst.includes(":") ? "," : ":"}simulations=${simulations},time_limit=null`;
}

/**
 * Make the part of the page that chooses who plays. onChange() is called when somebody else is to.
 * Returns {element, fill(catalogue, game), title(word)}.
 */
export function createPlayers(onChange) {
  const rows = [1, 2].map((player) => {
    const select = element("select", { id: `player-${player}` });
    const own = element("input", {
      "aria-label": "An agent's word", placeholder: "mcts:best,simulations=500", hidden: true, spellcheck: "false",
    });
    const label = element("label", { for: `player-${player}` });
    const swatch = element("i", { "aria-hidden": "true" });
    select.addEventListener("change", () => {
      own.hidden = select.value !== OTHER;
      if (own.hidden) choose(player, select.value);
      else own.focus();
    });
    own.addEventListener("change", () => own.value.trim() && choose(player, own.value.trim()));
    return { select, own, label, swatch, line: element("div", { class: "row" }, swatch, label, select, own) };
  });
  const time = element("select", { id: "thinking-time" },
    ...TIMES.map(([value, text]) => element("option", { value, text })));
  const teach = element("input", { type: "checkbox", id: "teach" });
  let game = null, known = null;
  time.addEventListener("change", () => { game.seconds = time.value; onChange(); });
  teach.addEventListener("change", () => { game.teach = teach.checked; onChange(); });

  function choose(player, word) {
    game.players[player] = word;
    onChange();
  }

  function options() {
    const group = (label, entries) => entries.length
      ? [element("optgroup", { label }, ...entries.map(([value, text]) => element("option", { value, text })))] : [];
    return [
      element("option", { value: YOU, text: "You" }),
      ...group("Strength", known.levels.map((each) => [each.agent, [each.title, each.note].filter(Boolean).join(", ")])),
      ...group("A net of a run, without search", known.nets.map(({ run, episode, net }) =>
        [`anet:${net}`, `${run}, episode ${episode}`])),
      ...group("Of the command line", known.given.map((each) => [each, each])),
      element("option", { value: OTHER, text: "Another agent …" }),
    ];
  }

  /** Show who can play a game, and who does; agents that cannot play it make way for others. */
  function fill(catalogue, shown) {
    [known, game] = [catalogue, shown];
    rows.forEach(({ select, own, label, swatch }, index) => {
      swatch.className = `swatch role${catalogue.roles[index]}`;
      select.replaceChildren(...options());
      label.textContent = catalogue.players[index];
      const word = game.players[index + 1];
      const isListed = [...select.options].some((option) => option.value === word);
      select.value = isListed ? word : OTHER;
      own.hidden = isListed;
      own.value = isListed ? "" : word;
    });
    time.value = game.seconds ?? "";
    teach.checked = Boolean(game.teach);
  }

  /** Return what to call an agent. */
  function title(word) {
    if (word === YOU) return "You";
    return known?.levels.find((each) => each.agent === word)?.title
      ?? known?.nets.map((each) => [`anet:${each.net}`, `${each.run}, episode ${each.episode}`])
        .find(([agent]) => agent === word)?.[1] ?? word;
  }

  const card = element("section", { class: "panel stack", "aria-label": "Players" },
    ...rows.map((row) => row.line),
    element("div", { class: "row" }, element("label", { for: "thinking-time", text: "Time a move" }), time),
    element("div", { class: "row" }, teach,
      element("label", { for: "teach", text: "Teach me: take bad moves back, and say why" })));
  return { element: card, fill, title };
}

/** Return the agent of a catalogue that is as strong as another one's; the usual one if none is. */
export function sameLevel(catalogue, word, before) {
  if (word === YOU) return YOU;
  const title = before?.levels.find((each) => each.agent === word)?.title ?? USUAL;
  return (catalogue.levels.find((each) => each.title === title) ?? catalogue.levels[3]).agent;
}
