// Games as files: SGF, and links.

/** @import { Responses } from "./types.js" */
import { Game, shared } from "./game.js";
import { button, element, fold } from "./elements.js";
import { Latest, page } from "./page.js";

/**
 * Make the panel that loads and saves. titleOf names an agent; onLoad(game, words) gets a loaded game.
 * @param {(agent: string) => string} titleOf @param {(game: Game, words: string) => void} onLoad
 */
export function createFiles(titleOf, onLoad) {
  const file = element("input", { type: "file", accept: ".sgf", id: "sgf-file", hidden: true });
  const world = element("a", { class: "button", text: "HexWorld", target: "_blank", rel: "noopener noreferrer" });
  const requests = new Latest();
  world.hidden = true;

  const save = () => requests.run(async (signal) => {
    const { game } = shared;
    const players = [1, 2].map((player) => titleOf(game.players[player]).slice(0, 200));
    const question = { game: game.about, start: game.start, setup: game.setup, nodes: game.ordered(), players };
    const { sgf, link } = await page.ask("write_sgf", question, signal);
    const address = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    element("a", { href: address, download: "game.sgf" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
    world.href = link;
    world.hidden = false;
  });

  file.addEventListener("change", () => requests.run(async (signal) => {
    if (!file.files?.length) return;
    const text = await file.files[0].text();
    file.value = ""; // the same file can be chosen again after a repair
    const read = await page.ask("read_sgf", { text }, signal);
    onLoad(gameOf(read), `Loaded: ${read.players.join(" against ")}.`);
  }));

  const copy = () => requests.run(async () => {
    await navigator.clipboard.writeText(location.href);
    page.say("The link to this position is copied.");
  });

  return fold("Files and links", element("div", { class: "row wrap" },
    button("Save SGF", save, { id: "save-sgf" }), button("Load SGF", () => file.click()), button("Copy link", copy),
    world, file));
}

/** Return the game of an SGF file, at the end of its main line. @param {Responses["read_sgf"]} read */
function gameOf(read) {
  const game = new Game(read.game, read.start, read.setup);
  for (const { action, parent, name } of read.nodes) {
    game.at = parent;
    game.play(action, { name });
  }
  game.nodes.forEach((node) => delete node.next);
  game.at = game.ahead(0).at(-1) ?? 0;
  return game;
}
