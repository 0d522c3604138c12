// The rules of each game in three lines, with a picture.

/** @import { Catalogue } from "./types.js" */
/** @import { Game } from "./game.js" */
import { Board } from "./board.js";
import { element, fold } from "./elements.js";
import { Latest, page } from "./page.js";

/** The lines, and the parameters and moves of the position in the picture. @type {Record<string, [string[], object, number[]]>} */
const RULES = {
  hex: [["Players take turns to place one stone of their colour on an empty cell.",
    "The first to join the two edges of their colour with a chain of stones wins.",
    "There is no draw. With the swap, the second player may take over the first stone."], { size: 3 }, [1, 0, 4, 3, 7]],
  nim: [["The stones lie in one heap.", "Players take turns to take one stone or more, up to the limit.",
    "Taking the last stone wins."], {}, []],
  ledge: [["Copper coins and one gold coin lie in a row; the first cell is the ledge.",
    "A move picks up the coin on the ledge, or slides a coin to the left, past no other coin.",
    "Picking up the gold coin wins."], {}, []],
  tic_tac_toe: [["Players take turns to mark an empty cell.", "Three of your marks in a row, in any direction, win.",
    "A full board without that is a draw."], {}, [0, 3, 1, 4, 2]],
  connect_four: [["Players take turns to drop a stone, which falls down its column.",
    "Four of your stones in a row, in any direction, win.", "A full board without that is a draw."],
  {}, [0, 1, 0, 1, 0, 1, 0]],
  hexapawn: [["A pawn moves one cell forward, or captures a piece diagonally in front of it.",
    "Reaching the far row wins, and so does capturing all pawns.", "A player who cannot move loses."], {}, []],
};

/** The rules of the game that is played. The picture is drawn when they are opened. */
export class Rules {
  #lines = element("ul");
  #picture = element("div", { class: "picture" });
  #board = new Board(this.#picture, () => {});
  #requests = new Latest();
  element = fold("Rules", this.#lines, this.#picture);
  #name = "";

  constructor() {
    this.element.id = "rules";
    this.element.addEventListener("toggle", () => this.#draw());
  }

  fill(/** @type {Catalogue} */ _catalogue, /** @type {Game} */ { about }) {
    this.#name = about.name;
    this.element.hidden = !(about.name in RULES);
    this.#draw();
  }

  #draw() {
    if (!this.element.open || this.element.hidden) return;
    const [lines, params, actions] = RULES[this.#name];
    this.#lines.replaceChildren(...lines.map((text) => element("li", { text })));
    this.#requests.run(async (signal) => {
      const position = { game: { name: this.#name, params }, start: 1, actions };
      this.#board.draw(await page.ask("position", { position }, signal), {}, { flat: page.isOn("flat") });
    });
  }
}
