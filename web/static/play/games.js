// The games that this browser keeps: a list, and the offer to go on with the last one.

import { button, element, fold } from "../page/elements.js";
import { Game, hasBegun, KEY, shared } from "../board/game.js";
import { capital } from "../board/verdicts.js";

/** Return what leads to a game. @param {Game} game @param {string} text */
const linkTo = (game, text) => element("a", { href: `#play/${game.fragment()}`, text });

/** Return how far a game is. @param {Game} game */
const lengthOf = (game) => (game.isOver ? `over after ${game.wholeLine().length} moves` : `move ${game.line().length}`);

/** Return a link that offers the last unfinished game, if there is another one than the shown. */
export function offer() {
  const game = Game.all().find((each) => hasBegun(each) && !each.isOver && each.id !== shared.game.id);
  if (!game) return undefined;
  const others = game.seats.filter((/** @type {string} */ each) => each && each !== "You");
  const name = game.title ? `“${game.title}”` : others.length === 1 ? `your game against ${others[0]}` : "your game";
  return linkTo(game, `Continue ${name}, ${lengthOf(game)}`);
}

/** The list of games, made when it is opened. */
export class Games {
  #list = element("ul", { class: "games stack" });
  element = fold("Your games", this.#list);

  constructor() {
    this.element.addEventListener("toggle", () => this.draw());
  }

  draw() {
    if (!this.element.open) return;
    const rows = Game.all().filter(hasBegun).map((game) => this.#row(game));
    this.#list.replaceChildren(
      ...rows,
      ...(rows.length ? [] : [element("li", { class: "soft", text: "No game yet." })]),
    );
  }

  #row(/** @type {Game} */ game) {
    const { about, seats, saved, id } = game, isShown = id === shared.game.id;
    const kind = [capital(about.name).replaceAll("_", " "), about.params.size].filter(Boolean).join(" ");
    const name = game.title || `${kind}: ${seats.join(" against ")}`, link = linkTo(game, name);
    link.ariaCurrent = isShown ? "true" : null;
    link.addEventListener("click", () => scrollTo(0, 0));
    const facts = isShown ? "on the board" : `${lengthOf(game)}, ${new Date(saved).toLocaleDateString()}`;
    const undo = button("Undo", () => {
      game.save(saved);
      this.draw();
    });
    const item = element("li", {}, element("div", {}, link, element("span", { class: "soft", text: facts })));
    item.append(button("Rename", () => {
      const renamed = id === shared.game.id ? shared.game : game;
      renamed.title = (prompt("Name of the game", name) ?? renamed.title).trim().slice(0, 80);
      renamed.save(saved);
      this.draw();
    }, { class: "quiet" }));
    if (!isShown) item.append(button("Delete", () => {
      localStorage.removeItem(KEY + id);
      item.replaceChildren(element("span", { class: "soft", text: `Deleted: ${name}` }), undo);
      undo.focus();
    }, { class: "quiet" }));
    return item;
  }
}
