// Says that the page waits, where a click has led to a request, or to a tab, that takes long.

/** Requests for which the tab says itself that it waits. */
const TOLD = new Set(["add_net", "explain", "finish", "hint", "ladder_games", "move", "own_tables", "prepare", "review",
  "reviews", "sketch", "training"]);
const CLICK = 500; // milliseconds from a click to its request
const PATIENCE = 150; // milliseconds before the page says it

const words = /** @type {HTMLElement} */ (document.querySelector("#waiting"));
const late = /** @type {Set<object>} */ (new Set());
let clicked = performance.now(); // the page itself has been opened

for (const kind of ["pointerdown", "pointerup", "keydown", "change"]) {
  addEventListener(kind, () => { clicked = performance.now(); }, { capture: true });
}

/** Follow a request, or the loading of a tab. @param {string} name @param {Promise<unknown>} answer */
export async function follow(name, answer) {
  if (TOLD.has(name) || performance.now() > clicked + CLICK) return;
  const tell = () => { words.textContent = late.size ? "Loading …" : ""; };
  const timer = setTimeout(() => {
    late.add(answer);
    tell();
  }, PATIENCE);
  await answer.catch(() => {}); // the tab says it
  clearTimeout(timer);
  late.delete(answer);
  tell();
  clicked = performance.now(); // the next request may be for the same click
}
