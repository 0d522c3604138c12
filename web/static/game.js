// A game on the page: the tree of what was played and tried. The server keeps none of it; it is in
// the browser's memory (localStorage), and the line that is shown is in the address as well.

const MOST_KEPT = 30;
const KEY = "hex-game-";

/**
 * The tree of a game. Nodes are numbered in the order in which they were made, 0 is the start:
 * {action, parent, children, next (the child that is gone on with), name, swap (whether the second
 * player takes over the first stone), taken (whether a teacher took the move back), by, review}.
 */
export class Game {
  constructor(about = { name: "hex", params: { size: 5 } }, start = 1) {
    Object.assign(this, { about, start, at: 0, nodes: [{ action: null, parent: null, children: [] }] });
    this.id = Math.random().toString(36).slice(2, 8);
    // Who plays: "you", an agent's word, or nothing until that is known; and whether the second player may swap.
    this.players = { 1: "you", 2: "" };
    this.swap = false;
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
    line.forEach((each, index) => this.nodes[each].swap || (this.nodes[each].name = names[index]));
  }

  /** Return what a move is called, as far as that is known. */
  nameOf(at) {
    const { name, action } = this.nodes[at], size = this.about.params.size;
    if (name || this.about.name !== "hex") return name ?? String(action);
    return String.fromCharCode(97 + (action % size)) + (1 + Math.floor(action / size));
  }

  /** Return what the server is asked about: after a swap, as if the second player had begun. */
  position(at = this.at) {
    let line = this.line(at).map((each) => this.nodes[each]), start = this.start;
    if (line[1]?.swap) [line, start] = [line.slice(1), 3 - start];
    return { game: this.about, start, actions: line.map((each) => each.action) };
  }

  /** Return who is to move. */
  toPlay(at = this.at) {
    return this.line(at).length % 2 ? 3 - this.start : this.start;
  }

  /** Tell whether the second player may now take over the first stone. */
  maySwap(at = this.at) {
    return this.swap && this.about.name === "hex" && this.line(at).length === 1;
  }

  /** Make a move from where we are, or go to it if it was made before. Return its number. */
  play(action, more = {}) {
    const here = this.nodes[this.at];
    const same = (each) => each.action === action && Boolean(each.swap) === Boolean(more.swap);
    let next = here.children.find((each) => same(this.nodes[each]));
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

  /** Return {action, parent, swap} of all nodes but the start, the main line before variations. */
  ordered() {
    const made = [], left = [[0, 0]];
    while (left.length) {
      const [node, parent] = left.pop(), { action, swap, children } = this.nodes[node];
      const number = node ? made.push({ action, parent, swap: Boolean(swap) }) : 0;
      const first = this.nextOf(node), others = children.filter((each) => each !== first);
      for (const each of [...others.reverse(), ...(first === undefined ? [] : [first])]) left.push([each, number]);
    }
    return made;
  }

  /** Let the second player take over the first stone, which is mirrored. */
  swapStone() {
    const size = this.about.params.size, first = this.nodes[this.at].action;
    return this.play((first % size) * size + Math.floor(first / size), { swap: true, name: "swap" });
  }

  /** Go to a node; the line through it is the one that is gone on with. */
  go(at) {
    this.at = at;
    for (let each = at; each; each = this.nodes[each].parent) {
      this.nodes[this.nodes[each].parent].next = each;
    }
  }

  /** Return the line for the address: id, game, who started, moves; a swap begins with x. */
  fragment() {
    const written = (value) => (Array.isArray(value) && value.length === 1 ? `${value},` : value); // a list still
    const params = Object.entries(this.about.params).map(([name, value]) => `${name}=${written(value)}`);
    const moves = this.line().map((each) => (this.nodes[each].swap ? "x" : this.nodes[each].action));
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
      return data && Array.isArray(data.nodes) ? Object.assign(new Game(), data) : null;
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
      const numbers = value.replace(/,$/, "").split(",").map(Number);
      return [key, value.includes(",") ? numbers : numbers[0]];
    }));
    const asked = { name, params }, kept = Game.kept(id);
    const isSame = kept && JSON.stringify(kept.about) === JSON.stringify(asked) && kept.start === +start;
    const game = isSame ? kept : new Game(asked, start === "2" ? 2 : 1);
    if (!isSame && /^\w{1,12}$/.test(id)) game.id = id;
    game.at = 0;
    for (const move of moves ? moves.split(".") : []) {
      if (move === "x") game.swapStone();
      else game.play(Number(move));
    }
    return game;
  }
}

/** The game that all tabs share; ask shared.game anew each time. */
export const shared = { game: new Game(), onChange: new Set() };

/** Put another game in the place of the one that all tabs share. */
export function share(game) {
  shared.game = game;
  shared.onChange.forEach((each) => each());
}
