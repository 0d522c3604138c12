// A few words between two players, once both have switched the chat on.

/** @import { Table } from "../types.js" */
import { element, form, labelled, panel } from "../page/elements.js";

/** The chat; onDo(what, more) is called for what the player does. */
export class Chat {
  #on = element("input", {
    type: "checkbox",
    id: "friends-chat",
    onchange: () => this.onDo("chat", { on: this.#on.checked }),
  });
  #state = element("p", { class: "soft" });
  #lines = element("ul", { class: "said", role: "log", "aria-label": "What was said" });
  #text = element("input", { maxlength: 120, autocomplete: "off", "aria-label": "A few words", id: "friends-say" });
  #form = form(
    "row",
    () => {
      if (this.#text.value.trim()) this.onDo("say", { text: this.#text.value });
      this.#text.value = "";
    },
    this.#text,
    element("button", { text: "Send" }),
  );
  element = panel("Chat", labelled("Chat", this.#on), this.#state, this.#lines, this.#form);
  #shown = "";

  constructor(/** @type {(what: string, more: object) => void} */ onDo) {
    this.onDo = onDo;
  }

  /** Show the chat of a player. @param {Table} table @param {string[]} names */
  draw({ you, chats, said }, names) {
    const [own, others] = [you, 3 - you].map((each) => Boolean(chats[each - 1])), other = names[2 - you];
    this.#on.checked = own;
    this.#state.textContent = own && others ? "Only you two see it, and it is gone after the game."
      : own ? `On as soon as ${other} switches it on, too.`
        : others ? `${other} would like to chat.` : "Off until both of you switch it on.";
    this.#form.hidden = this.#lines.hidden = !own || !others;
    const shown = JSON.stringify([said, names]);
    if (shown === this.#shown) return; // else a screen reader would hear it again
    this.#shown = shown;
    this.#lines.replaceChildren(...said.map(({ player, text }) =>
      element("li", {}, element("b", { text: `${names[player - 1]}: ` }), text)));
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }
}
