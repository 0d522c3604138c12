// A notification of the browser, for a page in the background.

import { page, setting } from "../page/page.js";

/** Make its setting. The browser asks for permission at the click; it gives none to a page without encryption. */
export function createNotifySetting() {
  const made = setting("notify", "Notify me of my move", false, async () => {
    if (!page.isOn("notify")) return;
    if (globalThis.Notification && (await Notification.requestPermission()) === "granted") return;
    page.set("notify", false);
    /** @type {HTMLInputElement} */ (made.querySelector("input")).checked = false;
    page.say("The browser allows this page no notifications.");
  });
  return made;
}

/** Notify the user, if the page is in the background. @param {string} words */
export function notify(words) {
  if (!document.hidden || !page.isOn("notify")) return;
  try {
    const shown = new Notification(words, { tag: "hex" }); // a newer one replaces it
    shown.addEventListener("click", () => {
      focus();
      shown.close();
    });
  } catch {
    // Browsers of phones have none for a page; the title tells the turn.
  }
}
