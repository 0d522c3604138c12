// Elements of the page, made by one call each.

/**
 * Make an element: element("p", {class: "soft", onclick: f, text: "Go"}, ...children). A key clicks it (pressKey).
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Record<string, any>} [attributes] @param {(Node | string)[]} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "text") made.textContent = value;
    else if (key === "key") made.ariaKeyShortcuts = value;
    else if (typeof value === "boolean") made.toggleAttribute(key, value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Make a button. @param {string} text @param {() => void} onclick @param {Record<string, any>} [more] */
export const button = (text, onclick, more) => element("button", { type: "button", text, onclick, ...more });

/** Make a row. @param {(Node | string)[]} children */
export const row = (...children) => element("div", { class: "row" }, ...children);

/** Make a row of an input and its label. @param {string} text @param {HTMLInputElement | HTMLSelectElement} input */
export function labelled(text, input) {
  const label = element("label", { for: input.id, text });
  return input.type === "checkbox" ? row(input, label) : row(label, input);
}

/** Make the options of a select element. @param {[string | number, string][]} choices */
export const options = (choices) => choices.map(([value, text]) => element("option", { value, text }));

/** Make a form, which calls a function in place of being sent. @param {string} kind @param {() => void} onSubmit */
export const form = (kind, onSubmit, /** @type {(Node | string)[]} */ ...children) =>
  element("form", { class: kind, onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    onSubmit();
  } }, ...children);

/** Make a panel. @param {string} label @param {(Node | string)[]} children */
export const panel = (label, ...children) =>
  element("section", { class: "panel stack", "aria-label": label }, ...children);

/** Make a panel that opens by a click. @param {string} title @param {(Node | string)[]} children */
export const fold = (title, ...children) =>
  element("details", { class: "panel" }, element("summary", { text: title }), ...children);
