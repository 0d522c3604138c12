// What the page and the exported one share: taps, keys, the clipboard, how a board lies, when the swap is usual.

/** @import { View } from "../types.js" */

/** Whether this is a screen for fingers: a move on a large board takes two taps, since its cells are small. */
export const isTouched = matchMedia("(pointer: coarse)").matches;
/** A screen that is wider than it is high. */
export const wide = matchMedia("(orientation: landscape)");
const flatKey = () => `hex-flat-${wide.matches ? "wide" : "tall"}`;
/** @type {Record<string, string | null>} */
const turned = {}; // by keys; a browser may forbid to keep it

/** Tell whether a diamond lies flat: on a wide screen it does, on a tall one not, unless the user has turned it there. */
export function isFlat() {
  const key = flatKey();
  try {
    turned[key] ??= localStorage.getItem(key);
  } catch {
    // Forbidden: turned until the page is closed.
  }
  return (turned[key] ?? (wide.matches ? "yes" : "no")) === "yes";
}

/** Turn all boards, on screens such as this one. */
export function turn() {
  const key = flatKey(), is = turned[key] = isFlat() ? "no" : "yes";
  try {
    localStorage.setItem(key, is);
  } catch {
    // As above.
  }
}

/** Tell whether the first stone decides too much on boards of a size: they are played with the swap. @param {number} size */
export const usesSwap = (size) => size >= 7;
/** Tell whether a board is large. @param {View} view */
export const isLarge = (view) => view.cells.length >= 121;

/** Tell whether an event is in an element, or in one within it. @param {Event} event @param {string} selector */
export const isIn = ({ target }, selector) => target instanceof Element && target.closest(selector) !== null;

/** Tell whether a key belongs to a field of text, or to the browser. @param {KeyboardEvent} event */
export function isTyped(event) {
  const isText = isIn(event, "input:not([type=radio], [type=checkbox], [type=range]), select, textarea");
  return isText || event.ctrlKey || event.metaKey || event.altKey;
}

/** Click the first visible element with this key (aria-keyshortcuts); tell whether there is one. @param {string} key */
export function pressKey(/** @type {ParentNode} */ root, key) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = root.querySelectorAll(`[aria-keyshortcuts="${CSS.escape(key)}" i]`);
  const shown = [...all].find((each) => each.checkVisibility());
  shown?.click();
  return Boolean(shown);
}

/** Copy a text; return what to tell the user. @param {string} text @param {string} words */
export async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    return words;
  } catch {
    return `This browser copies nothing here. The text: ${text}`;
  }
}
