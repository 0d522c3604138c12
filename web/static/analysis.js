// What a net, a search and the judge think of a position: heat and numbers on the board, the value.

import { element } from "./page.js";

const KINDS = [
  ["", "Off", "Show the bare board"],
  ["policy", "Policy", "What the net would play, in percent"],
  ["visits", "Visits", "Where the search has looked, in percent"],
  ["value", "Value", "How often the mover wins after each move, as the search has it, in percent"],
  ["judge", "Judge", "Which moves keep the win, for certain"],
];
const DEPTHS = [200, 2000, 20000];
const MOST_KEPT = 300;
const JUDGING = 3;

/**
 * Make the part of the page that shows opinions.
 *
 * onMarks() is called when marks() has changed. Returns {element, bar, marks(view), show(position,
 * view), stop(), hint(position), fill(catalogue), kind()}.
 */
export function createAnalysis(page, onMarks) {
  const choice = element("div", { class: "choice", role: "radiogroup", "aria-label": "What is shown on the board" },
    ...KINDS.map(([value, text, title]) => element("label", { title },
      element("input", { type: "radio", name: "overlay", value, checked: value === "" }), element("span", { text }))));
  const line = element("input", { type: "checkbox", id: "expected-line" });
  const depth = element("select", { id: "depth", "aria-label": "Simulations" },
    ...DEPTHS.map((each) => element("option", { value: each, text: `${each.toLocaleString("en")} simulations` })));
  const who = element("select", { id: "analyst", "aria-label": "Who is asked" });
  const words = element("p", { class: "soft", "aria-live": "polite" });
  const bar = element("div", { class: "value-bar", role: "img", hidden: true }, element("i"), element("span"));
  const kept = new Map();
  let known = null, result = null, asking = null, now = null;
  depth.value = "2000";

  const kind = () => choice.querySelector("input:checked").value;

  async function ask(name, question, signal) {
    const key = JSON.stringify([name, question]);
    if (!kept.has(key)) {
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
      kept.set(key, await page.ask(name, question, signal));
    }
    return kept.get(key);
  }

  const analyst = () => who.value || known?.analyst || "mcts";
  const net = () => who.value.startsWith("mcts:") ? who.value.slice(5) : "best";

  /** Ask about a position, and ask on, more and more deeply. */
  async function show(position, view) {
    stop();
    now = [position, view];
    result = null;
    onMarks();
    drawWords();
    if ((!kind() && !line.checked) || view.winner || !known) return;
    const { signal } = (asking = new AbortController());
    const take = (found) => {
      if (signal.aborted) return;
      result = { ...result, ...found };
      drawWords();
      onMarks();
    };
    try {
      if (kind() === "judge") take({ judged: await ask("judge", { position, seconds: JUDGING }, signal) });
      if (kind() === "policy" && known.has_net) take({ policy: await ask("policy", { position, net: net() }, signal) });
      if (["visits", "value"].includes(kind()) || line.checked) {
        for (const simulations of DEPTHS.filter((each) => each <= Number(depth.value))) {
          take({ search: await ask("search", { position, agent: analyst(), simulations }, signal) });
        }
      }
    } catch (error) {
      if (!signal.aborted) words.textContent = error.message;
    }
  }

  function stop() {
    asking?.abort();
    asking = null;
  }

  /** Return what is written on a board. */
  function marks(view) {
    const made = { heat: {}, texts: {}, badges: {}, ghosts: [] };
    if (!result || !view || view !== now?.[1]) return made;
    const { policy, search, judged } = result, sign = view.to_play === 1 ? 1 : -1;
    const put = (shares, scale, text) => {
      for (const { action, cells } of view.moves) {
        const share = shares[action], cell = cells.at(-1);
        if (share === undefined || cell === undefined) continue;
        made.heat[cell] = Math.max(made.heat[cell] ?? 0, scale(share));
        made.texts[cell] = text(share);
      }
    };
    const percent = (share) => String(Math.round(100 * share));
    const most = (shares) => Math.max(0.08, ...Object.values(shares));
    if (kind() === "policy" && policy) {
      put(policy.policy, (share) => (0.92 * share) / most(policy.policy), percent);
      made.heatKind = "policy";
    } else if (kind() === "visits" && search) {
      put(search.visits, (share) => (0.92 * share) / most(search.visits), percent);
      made.heatKind = "visits";
    } else if (kind() === "value" && search) {
      const chance = (value) => (1 + sign * value) / 2;
      put(search.values, (value) => 0.92 * chance(value) ** 2, (value) => percent(chance(value)));
      made.heatKind = "value";
    } else if (kind() === "judge" && judged?.keep) {
      put(Object.fromEntries(judged.keep.map((each) => [each, 1])), () => 0.55, () => "✓");
      made.heatKind = "good";
    }
    const isOnCells = view.moves.every(({ action, cells }) => cells[0] === action);
    if (line.checked && search && isOnCells && search.line.every((action) => action < view.cells.length)) {
      made.ghosts = search.line.map((cell, ply) =>
        ({ cell, player: ply % 2 ? 3 - view.to_play : view.to_play, text: String(ply + 1) }));
      made.texts = {};
    }
    return made;
  }

  function value() {
    if (result?.judged?.winner) return [0, 1, -1, 0][result.judged.winner];
    return result?.search?.value ?? result?.policy?.value ?? null;
  }

  function drawWords() {
    const { policy, search, judged } = result ?? {};
    const said = [];
    if (kind() === "policy" && known && !known.has_net) said.push("No net knows this board; Visits and Value search without one.");
    if (policy && kind() === "policy") said.push(`The net ${policy.net}.`);
    if (search) said.push(`${search.simulations.toLocaleString("en")} simulations; expected: ${search.names.slice(0, 10).join(" ")}.`);
    if (judged) said.push(`${judged.words[0].toUpperCase()}${judged.words.slice(1)}.`);
    words.textContent = said.join(" ");
    const worth = value(), players = now?.[1].players ?? ["red", "black"];
    const chance = worth === null ? 0.5 : (1 + worth) / 2;
    bar.hidden = worth === null;
    bar.firstChild.style.width = `${100 * chance}%`;
    const better = chance >= 0.5 ? 0 : 1, share = Math.round(100 * (better ? 1 - chance : chance));
    bar.lastChild.textContent = judged?.winner && worth ? `${players[better]} wins` : `${players[better]} ${share} %`;
    bar.setAttribute("aria-label", `Value: ${bar.lastChild.textContent}`);
  }

  /** Return a good move, and why. */
  const hint = (position, signal) => ask("hint", { position, agent: known.analyst, simulations: 2000, seconds: 1 }, signal);

  function fill(catalogue) {
    known = catalogue;
    const before = who.value;
    who.replaceChildren(
      element("option", { value: catalogue.analyst, text: catalogue.analyst_title }),
      ...catalogue.nets.map(({ run, episode, net: file }) =>
        element("option", { value: `mcts:${file}`, text: `${run}, episode ${episode}` })));
    if ([...who.options].some((option) => option.value === before)) who.value = before;
  }

  /** Choose what is shown: a kind, as the radio buttons have it. */
  function choose(wanted) {
    choice.querySelector(`input[value="${wanted}"]`).checked = true;
    again();
  }

  const again = () => now && show(...now);
  for (const each of [choice, line, depth, who]) each.addEventListener("change", again);
  const card = element("section", { class: "panel stack", "aria-label": "Analysis" }, choice, bar,
    element("div", { class: "row" }, line, element("label", { for: "expected-line", text: "Expected line" })),
    element("div", { class: "row" }, who, depth), words);
  return { element: card, marks, show, stop, hint, fill, kind, choose };
}
