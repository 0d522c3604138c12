// Games as files: SGF, and links.

import { Game } from "./game.js";
import { element } from "./page.js";

/** Make the part of the page that loads and saves. onLoad(game) is called with a loaded game. */
export function createFiles(page, gameOf, titleOf, onLoad) {
  const file = element("input", { type: "file", accept: ".sgf", id: "sgf-file", hidden: true });
  const world = element("a", { class: "button", text: "HexWorld", target: "_blank", rel: "noopener noreferrer", hidden: true });

  let reading = null;

  async function written() {
    const game = gameOf();
    const players = [1, 2].map((player) => titleOf(game.players[player]).slice(0, 200));
    return page.ask("write_sgf", { game: game.about, start: game.start, nodes: game.ordered(), players });
  }

  async function save() {
    const { sgf, link } = await written();
    const address = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    element("a", { href: address, download: "game.sgf" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
    world.href = link;
    world.hidden = false;
  }

  async function load() {
    if (!file.files[0]) return;
    const text = await file.files[0].text();
    file.value = ""; // so that the same file can be chosen again, mended
    reading?.abort();
    reading = new AbortController();
    const read = await page.ask("read_sgf", { text }, reading.signal);
    const game = new Game(read.game, read.start);
    for (const { action, parent, name } of read.nodes) {
      game.at = parent;
      game.play(action, { name });
    }
    game.nodes.forEach((node) => delete node.next);
    game.at = 0;
    game.at = game.ahead().at(-1) ?? 0;
    onLoad(game, `Loaded: ${read.players.join(" against ")}.`);
  }

  const asked = (work) => () => work().catch((error) => error.name === "AbortError" || page.say(error.message));
  file.addEventListener("change", asked(load));
  const buttons = element("div", { class: "row wrap" },
    element("button", { type: "button", text: "Save SGF", id: "save-sgf", onclick: asked(save) }),
    element("button", { type: "button", text: "Load SGF", onclick: () => file.click() }),
    element("button", {
      type: "button", text: "Copy link",
      onclick: asked(async () => {
        await navigator.clipboard.writeText(location.href);
        page.say("The link to this position is copied.");
      }),
    }), world, file);
  return { element: element("details", { class: "panel" }, element("summary", { text: "Files and links" }), buttons) };
}
