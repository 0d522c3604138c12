// A game on the page: the tree of played and tried moves. The server keeps none of it; it is in the
// browser's memory (localStorage) and, unless it is too long, in the address.

/** @import { About, Catalogue, GameClock, GameNode, NamedMove, Position } from "../types.js" */
/** @import { Review, SavedReview, StepName, TreeNode } from "../types.js" */

const MOST_KEPT = 30;
/** The longest tree in an address, in characters: chats and mails cut longer ones. */
const LONGEST = 4000;
/** The longest comment, in characters; as web/sgf_tree.py has it. */
export const MOST_COMMENT = 10_000;
export const KEY = "hex-game-";

/** Write what a game begins with: the first player and, after a _, the cells that are set up, as 2_3r4bb. */
const writtenStart = (/** @type {number} */ start, /** @type {number[]} */ setup) =>
  `${start}${setup.length ? "_" : ""}${setup
    .map((cell) => ".rb"[cell])
    .join("")
    .replace(/\.+/g, (empty) => String(empty.length))}`;

/** Read what a game begins with; the server refuses wrong cells. @param {string} text */
function readStart(text) {
  const [start, stones = ""] = text.split("_");
  const cells = stones.replace(/\d+/g, (count) => ".".repeat(Math.min(Number(count), 999)));
  return { start: start === "2" ? 2 : 1, setup: [...cells].map((cell) => ".rb".indexOf(cell)) };
}

export const newId = () => Math.random().toString(36).slice(2, 8);

/** The tree of a game. Nodes are numbered in order of creation; 0 is the start. */
export class Game {
  id = newId();
  at = 0; // the number of the node that is shown
  nodes = /** @type {GameNode[]} */ ([{ action: -1, parent: 0, children: [] }]);
  clock = /** @type {GameClock | undefined} */ (undefined);
  /** Of each player "you", an agent's word, or nothing before the catalogue is there. @type {Record<number, string>} */
  players = { 1: "you", 2: "" };
  starter = /** @type {string | undefined} */ (undefined); // the choice of the player who starts, 3: random
  seconds = ""; // for a move of an agent; empty: as its level says
  teach = false; // whether bad moves are taken back
  isSettled = false; // whether its result has moved the level that matches you
  matched = ""; // the level that matched you, once its result is settled
  trying = /** @type {number | undefined} */ (undefined); // the node from which a line is tried
  title = ""; // as the user named it
  names = ["", ""]; // the players in a file
  seats = ["", ""]; // the players in the list of games
  /** The day it began, or that of its file, which may have none. */
  date = new Date().toLocaleDateString("sv"); // Sweden writes 2026-11-25
  facts = /** @type {Record<string, string>} */ ({}); // what its file says about it: EV, RE, ...
  /** The result of a game that ended off the board, as SGF has it ("W+R"), and the node where it ended. */
  result = "";
  ended = 0;
  isOver = false;
  saved = 0; // when, in milliseconds

  /** @param {About} about @param {number[]} setup The cells of a board that is set up; empty without. */
  constructor(about = { name: "hex", params: { size: 5 } }, start = 1, setup = []) {
    this.about = about;
    this.start = start;
    this.setup = setup;
  }

  /** Return the numbers of the nodes from the start to a node, without the start. */
  line(at = this.at) {
    const line = [];
    for (let each = at; each; each = this.nodes[each].parent) line.unshift(each);
    return line;
  }

  /** Return the numbers of all nodes of the line that is shown. */
  wholeLine() {
    return [...this.line(), ...this.ahead()];
  }

  /** Return how the line goes on from a node. */
  ahead(at = this.at) {
    const line = [];
    for (let each = this.nextOf(at); each !== undefined; each = this.nextOf(each)) line.push(each);
    return line;
  }

  /** Return the child that was visited last, else the one on the main line. @param {number} at */
  nextOf(at) {
    const { next, children } = this.nodes[at];
    return next ?? children.find((each) => !this.nodes[each].taken);
  }

  /** Name the last moves of the line. @param {string[]} names */
  nameLine(names, at = this.at) {
    const line = this.line(at).slice(-names.length || this.nodes.length);
    line.forEach((each, index) => { this.nodes[each].name = names[index]; });
  }

  /** Return the name of a move as far as it is known. @param {number} at */
  nameOf(at) {
    return this.nodes[at].name ?? String(this.nodes[at].action);
  }

  /** Return a position for the server. @returns {Position} */
  position(at = this.at) {
    const { about, start, setup } = this;
    return { game: about, start, setup, actions: this.line(at).map((each) => this.nodes[each].action) };
  }

  /** Return the player to move. */
  toPlay(at = this.at) {
    return this.line(at).length % 2 ? 3 - this.start : this.start;
  }

  /** Make a move, or go to it if it exists; return its number. @param {number} action */
  play(action, /** @type {Partial<GameNode>} */ more = {}) {
    const here = this.nodes[this.at];
    let next = here.children.find((each) => this.nodes[each].action === action);
    if (next === undefined) {
      next = this.nodes.push({ action, parent: this.at, children: [], ...more }) - 1;
      // Against an agent the game goes on where you last moved; elsewhere a new line is a variation.
      const isPlayed = this.trying === undefined && [1, 2].some((each) => !["you", ""].includes(this.players[each]));
      here.children[isPlayed ? "unshift" : "push"](next);
    }
    here.next = next;
    delete this.nodes[next].taken;
    this.at = next;
    return next;
  }

  /** Return the node that a step leads to. @param {StepName} step */
  after(step) {
    const ahead = this.ahead(), { at } = this;
    if (step === "up" || step === "down") return this.#beside(step === "up" ? -1 : 1);
    return { first: 0, back: this.nodes[at].parent ?? 0, forward: ahead[0] ?? at, last: ahead.at(-1) ?? at }[step];
  }

  /** Return the node of another line next to the shown one, where they part last. @param {1 | -1} way */
  #beside(way) {
    for (let node = this.at; node; node = this.nodes[node].parent) {
      const { children } = this.nodes[this.nodes[node].parent], other = children[children.indexOf(node) + way];
      if (other !== undefined) return other;
    }
    return this.at;
  }

  /** Take a move back; it stays as a variation. @param {number} node */
  takeBack(node) {
    this.at = this.nodes[node].parent;
    this.nodes[node].taken = true;
    const here = this.nodes[this.at];
    here.children = [...here.children.filter((each) => each !== node), node];
    delete here.next;
  }

  /** Cut a branch off and go to where it began; return what puts it back. @param {number} node */
  remove(node) {
    const { parent } = this.nodes[node], here = this.nodes[parent], place = here.children.indexOf(node);
    here.children.splice(place, 1);
    if (here.next === node) delete here.next;
    if (this.trying !== undefined && this.line(this.trying).includes(node)) this.trying = undefined;
    this.at = parent;
    return () => {
      here.children.splice(place, 0, node);
      this.go(node);
    };
  }

  /** Tell whether a node is on the main line: each move is the first child. @param {number} at */
  isMain(at) {
    return this.line(at).every((node) => this.nodes[this.nodes[node].parent].children[0] === node);
  }

  /** Make the line to a node the main line. @param {number} at */
  promote(at) {
    for (const node of this.line(at)) {
      const here = this.nodes[this.nodes[node].parent];
      here.children = [node, ...here.children.filter((each) => each !== node)];
    }
  }

  /** Return the numbers of all nodes but the start, the main line before variations. */
  order() {
    const order = [0];
    for (let place = 0; place < order.length; place++) order.splice(place + 1, 0, ...this.nodes[order[place]].children);
    return order.slice(1);
  }

  /** Play for both sides for a while, or go back to where that began. */
  tryOrReturn() {
    const { trying } = this;
    this.trying = trying === undefined ? this.at : undefined;
    if (trying !== undefined) this.go(trying);
  }

  /** Return the nodes for SGF, in the order of their numbers there. @returns {TreeNode[]} */
  ordered() {
    const order = this.order(), numbers = new Map([0, ...order].map((node, number) => [node, number]));
    const nodes = order.map((node) => this.nodes[node]);
    return nodes.map(({ action, parent, comment, review }) =>
      ({ action, parent: numbers.get(parent) ?? 0, comment, review: review && savedReview(review) }));
  }

  /** Go to a node; the line through it is shown from now on. @param {number} at */
  go(at) {
    this.at = at;
    for (let each = at; each; each = this.nodes[each].parent) {
      this.nodes[this.nodes[each].parent].next = each;
    }
  }

  /** Return the tree as a walk to the shown node, as "4.40.-1.41~well": -1 is a move back, "well" a comment. */
  #walk() {
    const order = this.order(), steps = [writtenComment(this.nodes[0].comment)];
    let path = [0];
    for (const [index, node] of [...order, this.at].entries()) {
      const line = [0, ...this.line(node)], shared = line.filter((each, place) => each === path[place]).length;
      if (path.length > shared) steps.push(String(shared - path.length));
      for (const each of line.slice(shared)) {
        const { action, comment } = this.nodes[each];
        steps.push(action + (index < order.length ? writtenComment(comment) : "")); // the last walk repeats moves
      }
      path = line;
    }
    return steps.filter(Boolean).join(".");
  }

  /** Tell whether the tree is too long for the address, which has the line that is shown then. */
  isLong() {
    return this.order().length > LONGEST / 2 || this.#walk().length > LONGEST;
  }

  /** Return what the address has: id, game, start, moves. */
  fragment() {
    const written = (/** @type {unknown} */ value) =>
      Array.isArray(value) && value.length === 1 ? `${value},` : value; // a list still
    const params = Object.entries(this.about.params).map(([name, value]) => `${name}=${written(value)}`);
    const moves = this.isLong() ? this.line().map((each) => this.nodes[each].action).join(".") : this.#walk();
    return [this.id, [this.about.name, ...params].join("."), writtenStart(this.start, this.setup), moves].join("/");
  }

  /** Keep the game in this browser. */
  save(when = Date.now()) {
    this.saved = when;
    try {
      if (keptIds().length > MOST_KEPT)
        Game.all()
          .slice(MOST_KEPT)
          .forEach(({ id }) => localStorage.removeItem(KEY + id));
      localStorage.setItem(KEY + this.id, JSON.stringify(this));
    } catch {
      // A full or forbidden memory: the address still has the line.
    }
  }

  /** Return the game that this browser keeps under an id, if there is one. @param {string} id */
  static kept(id) {
    try {
      const data = JSON.parse(localStorage.getItem(KEY + id) ?? "null");
      return data && Array.isArray(data.nodes) ? Object.assign(new Game(), data, { id }) : null;
    } catch {
      return null;
    }
  }

  /** Return the games that this browser keeps, the newest first, those without a move last. @returns {Game[]} */
  static all() {
    return keptIds().flatMap((id) => Game.kept(id) ?? [])
      .toSorted((a, b) => Number(hasBegun(b)) - Number(hasBegun(a)) || b.saved - a.saved);
  }

  /** Return the game of an address, with what this browser keeps of it; null without one. @param {string} fragment */
  static from(fragment) {
    const [id, about, beginning = "", moves = ""] = fragment.split("/");
    if (!about) return null;
    const { start, setup } = readStart(beginning);
    const [name, ...pairs] = about.split(".");
    const params = Object.fromEntries(pairs.map((pair) => {
      const [key, value = ""] = pair.split("=");
      if (value === "true" || value === "false") return [key, value === "true"];
      const numbers = value.replace(/,$/, "").split(",").map(Number);
      return [key, value.includes(",") ? numbers : numbers[0]];
    }));
    const kept = Game.kept(id);
    const asked = new Game({ name, params }, start, setup);
    const first = (/** @type {Game} */ each) => JSON.stringify(each.position(0));
    const isSame = kept && first(kept) === first(asked), game = isSame ? kept : asked;
    // A link does not name the players: a game that has begun is analysed, an empty board is made to be played.
    if (moves || setup.length || start === 2) asked.players = { 1: "you", 2: "you" };
    if (!isSame && /^\w{1,12}$/.test(id)) game.id = id;
    game.at = 0;
    const taken = game.nodes.filter((/** @type {GameNode} */ node) => node.taken);
    for (const step of moves ? moves.split(".") : []) {
      const [move, comment] = step.split("~"), back = Number(move);
      if (back < 0) game.at = [0, ...game.line()].at(back - 1) ?? 0;
      else if (move) game.play(Number(move));
      // What this browser has is newer than a link.
      if (comment) game.nodes[game.at].comment ??= decoded(comment).slice(0, MOST_COMMENT);
    }
    for (const node of taken) node.taken = true; // though the address went through it
    game.nodes.forEach((/** @type {GameNode} */ node) => delete node.next);
    game.go(game.at);
    return game;
  }
}

const keptIds = () =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(KEY))
    .map((key) => key.slice(KEY.length));

/** Return what SGF keeps of a review. @param {Review} review @returns {SavedReview} */
function savedReview({ after: { value, exact }, loss, grade, best = [], line }) {
  const actions = (/** @type {NamedMove[]} */ moves) => moves.map(({ action }) => action);
  return { value, exact, loss, grade, best: actions(best), reply: actions(line) };
}

/** Return a comment for the address, without characters that end an address in a chat. @param {string} [comment] */
const writtenComment = (comment) => comment ? `~${encodeURIComponent(comment.toWellFormed())
  .replace(/[.~!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)}` : "";

/** Return the player whose time is up, or 0; trying a line needs no time. @param {Game} game */
export const flagged = ({ clock, trying }) => (clock && trying === undefined ? 1 + clock.left.indexOf(0) : 0);

/** Return the winner of a game that ended off the board, at its end; else 0. @param {Game} game */
export function wonOffBoard(game) {
  const { result, ended, at, nodes, trying } = game, out = flagged(game);
  if (nodes[at].children.length || trying !== undefined) return 0;
  if (out) return 3 - out;
  return at === ended && /^[BW]\+/.test(result) ? "BW".indexOf(result[0]) + 1 : 0;
}

/** Tell whether a game has a move or is set up. @param {Game} game */
export const hasBegun = ({ nodes, setup }) => nodes?.length > 1 || setup?.length > 0;

/** Return a part of the address without its escapes; empty if it is broken. @param {string} part */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

/** The game that all tabs share, and the agents for it; any tab may replace them. */
export const shared = { game: new Game(), catalogue: /** @type {Catalogue | undefined} */ (undefined) };
