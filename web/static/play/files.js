// Games as files: SGF, and links.

/** @import { Responses } from "../types.js" */
import { copy } from "../page/controls.js";
import { flagged, Game, shared } from "../board/game.js";
import { button, element, fold, form } from "../page/elements.js";
import { Latest, page } from "../page/page.js";

/** Return a name for a file in letters that every system takes. @param {string} name */
const safe = (name) =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "") || "player";

/**
 * Save a game with its reviews as SGF; return the links to its main line on other sites.
 * @param {Game} game @param {string[]} names @param {AbortSignal} signal
 */
export async function saveSgf(game, names, signal) {
  const { about, start, setup, date, nodes, facts } = game, players = names.map((each) => each.slice(0, 200));
  const result = flagged(game) ? `${"?WB"[flagged(game)]}+T` : resultOf(game), { comment } = nodes[0];
  const question = { game: about, start, setup, nodes: game.ordered(), players, date, comment, facts, result };
  const { sgf, ...links } = await page.ask("write_sgf", question, signal);
  const download = [`hex-${about.params.size}`, players.map(safe).join("-vs-"), date].filter(Boolean).join("_");
  saveFile(sgf, "application/x-go-sgf", `${download}.sgf`);
  return links;
}

/** Let the browser save a text. @param {string} text @param {string} type @param {string} name */
export function saveFile(text, type, name) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/**
 * Make the panel that loads and saves. seatsOf(game) names its players; onLoad(game, words) gets a loaded game.
 * @param {(game: Game) => string[]} seatsOf @param {(game: Game, words: string) => void} onLoad
 */
export function createFiles(seatsOf, onLoad) {
  const file = element("input", { type: "file", id: "sgf-file", hidden: true }); // of any name: the content tells
  const games = element("ul", { class: "games stack", id: "sgf-games", hidden: true });
  const sites = ["HexWorld", "trmph"].map((text) =>
    element("a", { class: "button", text, target: "_blank", rel: "noopener noreferrer", hidden: true }));
  const pasted = element("textarea", { id: "paste", rows: "2", "aria-label": "A game as text",
    placeholder: "Paste moves (c2 d4 e5), a HexWorld or trmph link, or SGF" });
  const requests = new Latest();

  const save = () => requests.run(async (signal) => {
    const { link, trmph } = await saveSgf(shared.game, seatsOf(shared.game), signal);
    for (const [n, href] of [link, trmph].entries()) Object.assign(sites[n], { href, hidden: !href });
  });

  /** Load a game of a file; without a number ask which one, if there are several. */
  const load = (/** @type {string} */ content, /** @type {number | undefined} */ number = undefined) =>
    requests.run(async (signal) => {
      const { size } = shared.game.about.params;
      const read = await page.ask("read_sgf", { file: content, game: number, size }, signal);
      if (!number) {
        games.hidden = !read.games.length;
        games.replaceChildren(...read.games.map(({ title, error }, index) => element("li", {}, error
          ? element("span", { class: "soft", text: `${index + 1}. cannot be read: ${error}` })
          : button(`${index + 1}. ${title}`, () => load(content, index + 1), { class: "quiet" }))));
        if (read.games.length) {
          games.querySelector("button")?.focus();
          return page.say(`The file has ${read.games.length} games: choose one.`);
        }
      }
      onLoad(gameOf(read), [`Loaded: ${read.players.join(" against ")}.`, ...read.notes].join(" "));
    });

  file.addEventListener("change", async () => {
    if (!file.files?.length) return;
    const content = await inBase64(file.files[0]);
    file.value = ""; // the same file can be chosen again after a repair
    load(content);
  });
  // With a byte-order mark, as the text may name the encoding of the file that it is from.
  const loadPasted = async () => load(await inBase64(new Blob([`\ufeff${pasted.value}`])));

  const copyLink = async () => page.say(await copy(location.href, shared.game.isLong()
    ? "The link is copied with the shown line only: the game is too long for a link. Save SGF keeps all of it."
    : "The link to this position is copied, with its variations and comments."));

  return fold("Files and links", element("div", { class: "row wrap" },
    button("Save SGF", save, { id: "save-sgf" }), button("Load SGF", () => file.click()),
    button("Copy link", copyLink, { id: "copy-link" }), ...sites, file),
  form("row", loadPasted, pasted, element("button", { text: "Load text" })), games);
}

/** Return a file in base64. @param {Blob} file @returns {Promise<string>} */
export const inBase64 = (file) => new Promise((done, fail) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => done(String(reader.result).split(",")[1] ?? ""));
  reader.addEventListener("error", () => fail(new Error("The browser cannot read this file.")));
  reader.readAsDataURL(file);
});

/**
 * Return the result off the board, in the form that the server writes, if the game still ends there.
 * @param {Game} game
 */
const resultOf = ({ result, ended, nodes }) => (nodes[ended].children.length || !/[RT]$/.test(result) ? "" : result);

/** Return the game of an SGF file, at the end of its main line. @param {Responses["read_sgf"]} read */
function gameOf(read) {
  const game = new Game(read.game, read.start, read.setup);
  Object.assign(game, { names: read.players, date: read.date, facts: read.facts });
  game.nodes[0].comment = read.comment;
  const numbers = [0]; // a file may have a variation twice, the tree has it once
  for (const { action, parent, name, comment } of read.nodes) {
    game.at = numbers[parent];
    const node = game.nodes[numbers[numbers.push(game.play(action, { name })) - 1]];
    node.comment = [node.comment, comment].filter(Boolean).join("\n");
  }
  game.nodes.forEach((node) => delete node.next);
  game.at = game.ahead(0).at(-1) ?? 0;
  const [, colour, how] = /^([BW])\+([RTF]?)/i.exec(read.facts.RE ?? "") ?? [];
  if (colour) {
    game.result = `${colour}+${how}`.toUpperCase();
    game.ended = game.at;
  }
  return game;
}
