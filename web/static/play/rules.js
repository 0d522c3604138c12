// The rules of each game, with a picture: the templates rules-… of page.html.

/** @import { Catalogue } from "../types.js" */
/** @import { Game } from "../board/game.js" */
import { Board } from "../board/board.js";
import { isFlat } from "../page/controls.js";
import { element, fold } from "../page/elements.js";
import { Latest, page } from "../page/page.js";

/** The rules of the game that is played. The picture is drawn when they are opened. */
export class Rules {
  #lines = element("div");
  #picture = element("div", { class: "picture" });
  #board = new Board(this.#picture);
  #requests = new Latest();
  element = fold("Rules", this.#lines, this.#picture);
  #name = "";

  constructor() {
    this.element.id = "rules";
    this.element.addEventListener("toggle", () => this.#draw());
  }

  fill(/** @type {Catalogue} */ _catalogue, /** @type {Game} */ { about }) {
    this.#name = about.name;
    this.#draw();
  }

  #draw() {
    const lines = page.part(`rules-${this.#name}`);
    this.element.hidden = !lines;
    if (!lines || !this.element.open) return;
    this.#lines.replaceChildren(lines);
    const { params = "{}", actions = "[]" } = lines.dataset; // of the position in the picture
    this.#requests.run(async (signal) => {
      const position = {
        game: { name: this.#name, params: JSON.parse(params) },
        start: 1,
        actions: JSON.parse(actions),
      };
      this.#board.draw(await page.ask("position", { position }, signal), {}, { flat: isFlat() });
    });
  }
}
