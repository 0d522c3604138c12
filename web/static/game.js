// A game on the page: the tree of what was played and tried. The server keeps none of it; it is in
// the browser's memory (localStorage), and the line that is shown is in the address as well.

const MOST_KEPT = 30;
const KEY = "hex-game-";

/**
 * The tree of a game. Nodes are numbered in the order in which they were made, 0 is the start:
 * {action, parent, children, next (the child that is gone on with), name, taken (whether a teacher
 * took the move back), by, review}.
 */
export class Game {
  constructor(about = { name: "hex", params: { size: 5 } }, start = 1) {
    Object.assign(this, { about, start, at: 0, nodes: [{ action: null, parent: null, children: [] }] });
    this.id = Math.random().toString(36).slice(2, 8);
    // Who plays: "you", an agent's word, or nothing until that is known.
    this.players = { 1: "you", 2: "" };
  }

  /** Return the numbers of the nodes that lead to one, without the start. */
  line(at = this.at) {
    const line = [];
    for (let each = at; each; each = this.nodes[each].parent) line.unshift(each);
    return line;
  }

  /** Return how the line goes on from a node. */
  ahead(at = this.at) {
    const line = [];
    for (let each = this.nextOf(at); each !== undefined; each = this.nextOf(each)) line.push(each);
    return line;
  }

  /** Return the child that a node is gone on with, if there is one. */
  nextOf(at) {
    const { next, children } = this.nodes[at];
    return next ?? children.find((each) => !this.nodes[each].taken);
  }

  /** Note what moves of the line are called; names are those of the last ones. */
  nameLine(names) {
    const line = this.line().slice(-names.length || this.nodes.length);
    line.forEach((each, index) => { this.nodes[each].name = names[index]; });
  }

  /** Return what a move is called, as far as that is known. */
  nameOf(at) {
    const { name, action } = this.nodes[at];
    return name ?? String(action);
  }

  /** Return what the server is asked about. */
  position(at = this.at) {
    const actions = this.line(at).map((each) => this.nodes[each].action);
    return { game: this.about, start: this.start, actions };
  }

  /** Return who is to move. */
  toPlay(at = this.at) {
    return this.line(at).length % 2 ? 3 - this.start : this.start;
  }

  /** Make a move from where we are, or go to it if it was made before. Return its number. */
  play(action, more = {}) {
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

  /** Take a move back that is not to count; it stays as a variation. */
  takeBack(node) {
    this.at = this.nodes[node].parent;
    this.nodes[node].taken = true;
    delete this.nodes[this.at].next;
  }

  /** Return {action, parent} of all nodes but the start, the main line before variations. */
  ordered() {
    const made = [], left = [[0, 0]];
    while (left.length) {
      const [node, parent] = left.pop(), { action, children } = this.nodes[node];
      const number = node ? made.push({ action, parent }) : 0;
      const first = this.nextOf(node), others = children.filter((each) => each !== first);
      for (const each of [...others.reverse(), ...(first === undefined ? [] : [first])]) left.push([each, number]);
    }
    return made;
  }

  /** Go to a node; the line through it is the one that is gone on with. */
  go(at) {
    this.at = at;
    for (let each = at; each; each = this.nodes[each].parent) {
      this.nodes[this.nodes[each].parent].next = each;
    }
  }

  /** Return the line for the address: id, game, who started, moves. */
  fragment() {
    const written = (value) => (Array.isArray(value) && value.length === 1 ? `${value},` : value); // a list still
    const params = Object.entries(this.about.params).map(([name, value]) => `${name}=${written(value)}`);
    const moves = this.line().map((each) => this.nodes[each].action);
    return [this.id, [this.about.name, ...params].join("."), this.start, moves.join(".")].join("/");
  }

  /** Keep the game in this browser. */
  save() {
    try {
      const kept = Object.keys(localStorage).filter((key) => key.startsWith(KEY));
      const age = (key) => JSON.parse(localStorage.getItem(key)).saved ?? 0;
      if (kept.length > MOST_KEPT) {
        kept.sort((one, other) => age(one) - age(other));
        kept.slice(0, kept.length - MOST_KEPT).forEach((key) => localStorage.removeItem(key));
      }
      localStorage.setItem(KEY + this.id, JSON.stringify({ ...this, saved: Date.now() }));
    } catch {
      // A full or forbidden memory: the address still has the line.
    }
  }

  /** Return the game that this browser keeps under an id, if there is one. */
  static kept(id) {
    try {
      const data = JSON.parse(localStorage.getItem(KEY + id));
      return data && Array.isArray(data.nodes) ? Object.assign(new Game(), withSwapAction(data)) : null;
    } catch {
      return null;
    }
  }

  /** Return the game of an address, with what this browser keeps of it; null if it says none. */
  static from(fragment) {
    const [id, about, start, moves = ""] = fragment.split("/");
    if (!about) return null;
    const [name, ...pairs] = about.split(".");
    const params = Object.fromEntries(pairs.map((pair) => {
      const [key, value = ""] = pair.split("=");
      if (value === "true") return [key, true];
      const numbers = value.replace(/,$/, "").split(",").map(Number);
      return [key, value.includes(",") ? numbers : numbers[0]];
    }));
    const kept = Game.kept(id);
    if (moves.includes("x") || kept?.about.params.swap) params.swap = true; // as an older page has it
    const asked = { name, params };
    const isSame = kept && JSON.stringify(kept.about) === JSON.stringify(asked) && kept.start === +start;
    const game = isSame ? kept : new Game(asked, start === "2" ? 2 : 1);
    if (!isSame && /^\w{1,12}$/.test(id)) game.id = id;
    game.at = 0;
    for (const move of moves ? moves.split(".") : []) {
      game.play(move === "x" ? params.size ** 2 : Number(move));
    }
    return game;
  }
}

/** Return what an older page kept, whose swap was a flag of the game and of its nodes. */
function withSwapAction({ swap, ...data }) {
  const swaps = data.nodes.filter((each) => each.swap);
  if (swap || swaps.length) data.about.params.swap = true;
  for (const node of swaps) {
    node.action = data.about.params.size ** 2;
    delete node.swap;
  }
  return data;
}

/** The game that all tabs share; ask shared.game anew each time. */
export const shared = { game: new Game(), onChange: new Set() };

/** Put another game in the place of the one that all tabs share. */
export function share(game) {
  shared.game = game;
  shared.onChange.forEach((each) => each());
}
