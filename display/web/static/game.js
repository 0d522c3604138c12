// A game on the page: the tree of what was played and tried. The server keeps none of it.

/** The tree of a game; nodes are numbered in the order in which they were made, 0 is the start. */
export class Game {
  constructor(about = { name: "hex", params: { size: 5 } }, start = 1) {
    this.about = about;
    this.start = start;
    this.nodes = [{ action: null, parent: null, children: [] }];
    this.at = 0;
  }

  /** Return the numbers of the nodes that lead to one, without the start. */
  line(at = this.at) {
    const line = [];
    for (let each = at; each; each = this.nodes[each].parent) line.unshift(each);
    return line;
  }

  /** Return where the line goes on from a node, the first variation first: to its end. */
  ahead(at = this.at) {
    const line = [];
    for (let each = this.nodes[at].next ?? this.nodes[at].children[0]; each;
      each = this.nodes[each].next ?? this.nodes[each].children[0]) line.push(each);
    return line;
  }

  /** Return what the server is asked about. */
  position(at = this.at) {
    const actions = this.line(at).map((each) => this.nodes[each].action);
    return { game: this.about, start: this.start, actions };
  }

  /** Make a move from where we are, or go to it if it was made before. */
  play(action) {
    const here = this.nodes[this.at];
    let next = here.children.find((each) => this.nodes[each].action === action);
    if (!next) {
      next = this.nodes.push({ action, parent: this.at, children: [] }) - 1;
      here.children.push(next);
    }
    here.next = next;
    this.at = next;
  }
}
