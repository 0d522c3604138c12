// A new game: which one, on which board, by which rules, who begins.

import { Game } from "./game.js";
import { element } from "./page.js";

/** Make the form. onStart(game) is called with a new game. Returns {element, fill(catalogue, game)}. */
export function createSetup(onStart) {
  const name = element("select", { id: "game-name" });
  const params = element("div", { class: "params" });
  const start = element("select", { id: "game-start" });
  const form = element("form", { class: "stack" },
    element("div", { class: "row" }, element("label", { for: "game-name", text: "Game" }), name),
    params,
    element("div", { class: "row" }, element("label", { for: "game-start", text: "First move" }), start),
    element("button", { class: "primary", text: "New game" }));
  let known = null;

  function drawParams(values = {}) {
    const game = known.games.find((each) => each.name === name.value);
    params.replaceChildren(...game.params.map((param) => {
      const id = `game-${param.name}`, value = values[param.name] ?? param.default;
      if (typeof value === "boolean") {
        const box = element("input", { type: "checkbox", id, name: param.name, checked: value });
        return element("div", { class: "row" }, box, element("label", { for: id, text: param.title }));
      }
      const isList = Array.isArray(value);
      const input = element("input", {
        id, name: param.name, value: isList ? value.join(" ") : value, type: isList ? "text" : "number",
        ...(isList ? { pattern: "[0-9 ,]+" } : { min: param.least ?? 1, max: param.most ?? 200, required: true }),
      });
      return element("div", { class: "row" },
        element("label", { for: id, text: param.title }), input);
    }));
  }

  name.addEventListener("change", () => drawParams());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const inputs = [...params.querySelectorAll("input")].filter((input) => input.type !== "checkbox" || input.checked);
    const values = inputs.map((input) => [input.name, input.type === "checkbox" ? true
      : input.type === "number" ? Number(input.value) : input.value.trim().split(/[\s,]+/).map(Number)]);
    const first = start.value === "3" ? 1 + Math.floor(2 * Math.random()) : Number(start.value);
    const game = new Game({ name: name.value, params: Object.fromEntries(values) }, first);
    game.starter = start.value;
    onStart(game);
  });

  /** Show what there is to choose from, and what is played now. */
  function fill(catalogue, game) {
    known = catalogue;
    name.replaceChildren(...catalogue.games.map((each) => element("option", { value: each.name, text: each.title })));
    name.value = game.about.name;
    drawParams(game.about.params);
    start.replaceChildren(
      ...catalogue.players.map((player, index) => element("option", { value: index + 1, text: player })),
      element("option", { value: 3, text: "either, by chance" }));
    start.value = game.starter ?? game.start;
  }

  const card = element("details", { class: "panel" }, element("summary", { text: "New game" }), form);
  return { element: card, fill };
}
