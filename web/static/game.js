// A game on the page: the tree of played and tried moves. The server keeps none of it; it is in the
// browser's memory (localStorage), and the address holds the line that is shown.

/** @import { About, Catalogue, GameClock, GameNode, Position, StepName, TreeNode } from "./types.js" */

const MOST_KEPT = 30;
const KEY = "hex-game-";

/** Write what a game begins with: the first player and, after a _, the cells that are set up, as 2_3r4bb. */
const writtenStart = (/** @type {number} */ start, /** @type {number[]} */ setup) => `${start}${setup.length ? "_" : ""}${
  setup.map((cell) => ".rb"[cell]).join("").replace(/\.+/g, (empty) => String(empty.length))}`;

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
  /** The number of the node that is shown. */
  at = 0;
  nodes = /** @type {GameNode[]} */ ([{ action: -1, parent: 0, children: [] }]);
  /** The clock of the game, if it has one. @type {GameClock | undefined} */
  clock;
  /** Of each player "you", an agent's word, or nothing before the catalogue is there. @type {Record<number, string>} */
  players = { 1: "you", 2: "" };
  /** The choice of the player who starts, 3: random. @type {string | undefined} */
  starter;
  /** Seconds for a move of an agent; empty: as its level says. */
  seconds = "";
  /** Whether bad moves are taken back. */
  teach = false;
  /** Whether its result has moved the level that matches you. */
  isSettled = false;
  /** The node from which a line is tried. @type {number | undefined} */
  trying;

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

  /** Return the child on the main line, if there is one. @param {number} at */
  nextOf(at) {
    const { next, children } = this.nodes[at];
    return next ?? children.find((each) => !this.nodes[each].taken);
  }

  /** Name the last moves of the line. @param {string[]} names */
  nameLine(names) {
    const line = this.line().slice(-names.length || this.nodes.length);
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
      here.children.push(next);
    }
    here.next = next;
    delete this.nodes[next].taken;
    this.at = next;
    return next;
  }

  /** Return the node that a step leads to. @param {StepName} step */
  after(step) {
    const ahead = this.ahead(), { at } = this;
    return { first: 0, back: this.nodes[at].parent ?? 0, forward: ahead[0] ?? at, last: ahead.at(-1) ?? at }[step];
  }

  /** Take a move back; it stays as a variation. @param {number} node */
  takeBack(node) {
    this.at = this.nodes[node].parent;
    this.nodes[node].taken = true;
    delete this.nodes[this.at].next;
  }

  /** Return all nodes but the start, the main line before variations. */
  ordered() {
    const made = /** @type {TreeNode[]} */ ([]);
    const left = [[0, 0]];
    for (let next = left.pop(); next; next = left.pop()) {
      const [node, parent] = next, { action, children } = this.nodes[node], first = this.nextOf(node);
      const number = node ? made.push({ action, parent }) : 0;
      const others = children.filter((each) => each !== first).toReversed();
      for (const each of first === undefined ? others : [...others, first]) left.push([each, number]);
    }
    return made;
  }

  /** Go to a node; the line through it becomes the main line. @param {number} at */
  go(at) {
    this.at = at;
    for (let each = at; each; each = this.nodes[each].parent) {
      this.nodes[this.nodes[each].parent].next = each;
    }
  }

  /** Return the line for the address: id, game, start, moves. */
  fragment() {
    /** @param {unknown} value */
    const written = (value) => (Array.isArray(value) && value.length === 1 ? `${value},` : value); // a list still
    const params = Object.entries(this.about.params).map(([name, value]) => `${name}=${written(value)}`);
    const moves = this.line().map((each) => this.nodes[each].action);
    return [this.id, [this.about.name, ...params].join("."), writtenStart(this.start, this.setup), moves.join(".")].join("/");
  }

  /** Keep the game in this browser. */
  save() {
    try {
      const kept = Object.keys(localStorage).filter((key) => key.startsWith(KEY));
      const age = (/** @type {string} */ key) => JSON.parse(localStorage.getItem(key) ?? "{}").saved ?? 0;
      if (kept.length > MOST_KEPT) {
        kept.sort((one, other) => age(one) - age(other));
        kept.slice(0, kept.length - MOST_KEPT).forEach((key) => localStorage.removeItem(key));
      }
      localStorage.setItem(KEY + this.id, JSON.stringify({ ...this, saved: Date.now() }));
    } catch {
      // A full or forbidden memory: the address still has the line.
    }
  }

  /** Return the game that this browser keeps under an id, if there is one. @param {string} id */
  static kept(id) {
    try {
      const data = JSON.parse(localStorage.getItem(KEY + id) ?? "null");
      return data && Array.isArray(data.nodes) ? Object.assign(new Game(), withSwapAction(data)) : null;
    } catch {
      return null;
    }
  }

  /** Return the game of an address, with what this browser keeps of it; null without one. @param {string} fragment */
  static from(fragment) {
    const [id, about, beginning = "", moves = ""] = fragment.split("/");
    if (!about) return null;
    const { start, setup } = readStart(beginning);
    const [name, ...pairs] = about.split(".");
    const params = Object.fromEntries(pairs.map((pair) => {
      const [key, value = ""] = pair.split("=");
      if (value === "true") return [key, true];
      const numbers = value.replace(/,$/, "").split(",").map(Number);
      return [key, value.includes(",") ? numbers : numbers[0]];
    }));
    const kept = Game.kept(id);
    if (moves.includes("x") || kept?.about.params.swap) params.swap = true; // as an older page has it
    const asked = new Game({ name, params }, start, setup);
    const first = (/** @type {Game} */ each) => JSON.stringify(each.position(0));
    const isSame = kept && first(kept) === first(asked), game = isSame ? kept : asked;
    if (!isSame && /^\w{1,12}$/.test(id)) game.id = id;
    game.at = 0;
    for (const move of moves ? moves.split(".") : []) {
      game.play(move === "x" ? params.size ** 2 : Number(move));
    }
    return game;
  }
}

/** Return a game of an older page, whose swap was a flag of the game and of nodes. @param {any} kept */
function withSwapAction({ swap, ...data }) {
  const swaps = data.nodes.filter((/** @type {any} */ each) => each.swap);
  if (swap || swaps.length) data.about.params.swap = true;
  for (const node of swaps) {
    node.action = data.about.params.size ** 2;
    delete node.swap;
  }
  return data;
}

/** The game that all tabs share, and the agents for it; any tab may replace them. */
export const shared = { game: new Game(), catalogue: /** @type {Catalogue | undefined} */ (undefined) };
