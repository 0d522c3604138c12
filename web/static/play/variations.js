// Work on the tree of a game: a comment for the shown move, its line made the main line, its branch deleted.

import { button, element, row } from "../page/elements.js";
import { MOST_COMMENT, shared } from "../board/game.js";
import { page } from "../page/page.js";

/**
 * The tools below the list of moves; onChange(isCut) is called after changes, true if a branch has gone or come back.
 */
export class Variations {
  #label = element("label", { for: "comment", class: "soft" });
  #text = element("textarea", {
    id: "comment", rows: 1, maxlength: MOST_COMMENT, placeholder: "Add a comment",
    oninput: () => {
      const { game, node } = this.#shown, { comment } = game.nodes[node], { value } = this.#text;
      game.nodes[node].comment = value.toWellFormed();
      game.save();
      if (!comment !== !value) this.onChange(false); // not after the text, when a click on a move may have begun
    },
    onblur: () => {
      // Not at each letter, as browsers limit how often it may change; and only the address of this tab.
      if (this.element.offsetParent) page.setFragment(shared.game.fragment());
      this.draw();
    },
  });
  #main = button("Make main line", () => {
    shared.game.promote(shared.game.at);
    page.setFragment(shared.game.fragment());
    shared.game.save();
    this.onChange(false);
  }, { id: "promote" });
  #delete = button("Delete from here", () => {
    const { game } = shared;
    this.#back = { game, run: game.remove(game.at) };
    this.onChange(true);
  }, { id: "delete-branch", title: "Delete this move and all after it" });
  #undo = button("Undo delete", () => {
    this.#back?.run();
    this.#back = undefined;
    this.onChange(true);
  }, { id: "restore-branch" });
  element = element("div", { class: "stack" }, this.#label, this.#text, row(this.#main, this.#delete, this.#undo));
  /**
   * The game and the node of the text; what puts the last branch back.
   * @type {{game: typeof shared.game, node: number}}
   */
  #shown = { game: shared.game, node: 0 };
  #back = /** @type {{game: typeof shared.game, run: () => void} | undefined} */ (undefined);

  constructor(/** @type {(isCut: boolean) => void} */ onChange) {
    this.onChange = onChange;
  }

  draw(isDisabled = false) {
    const { game } = shared, { at } = game;
    this.element.hidden = isDisabled || game.nodes.length === 1;
    this.#main.hidden = game.isMain(at);
    this.#delete.hidden = !at;
    this.#undo.hidden = this.#back?.game !== game;
    // A text that is being written stays with its move, whatever an agent plays meanwhile.
    if (document.activeElement === this.#text && this.#shown.game === game) return;
    this.#shown = { game, node: at };
    this.#label.textContent = at ? `Comment on ${game.line().length}. ${game.nameOf(at)}` : "Comment on the start";
    this.#text.value = game.nodes[at].comment ?? "";
  }
}
