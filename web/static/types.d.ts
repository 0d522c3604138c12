// What the server sends, and what the modules pass to each other. Only the type checker reads this.
// Players are 1 and 2. A winner is 0 (none yet), 1, 2 or 3 (a draw). Values are in [-1, 1] for player 1.

/** A game and its parameters, as {name: "hex", params: {size: 5}}. */
export interface About { name: string; params: Record<string, any> }

/** A position for the server: the cells that are set up, if any, and all moves since then. */
export interface Position { game: About; start: number; setup?: number[]; actions: number[] }

/** A legal move; a mark on it goes to the last of its cells. The swap has no cell. */
export interface Move { action: number; cells: number[]; name: string }

/** What all positions of a game share (web/server/positions.py). */
export interface Shape {
  drawing: "diamond" | "grid" | "heap" | "ledge";
  hexagonal: boolean;
  rows: number;
  columns: number;
  row_names: string[];
  column_names: string[];
  /** The owners of the first row, the last row, the first column, the last column; 0: none. */
  edges: number[];
  players: string[];
  /** The goal of each player, as "joins north-east and south-west". */
  sides: string[];
  /** The shape of each player's pieces. */
  shapes: ("disc" | "cross" | "ring" | string)[];
  /** The colour of each player: 1 red, 2 black, 3 white. */
  roles: number[];
  /** The cells of each line of a heap. */
  lines: number[][];
}

/** A board: `cells` has 0, 1 or 2 row by row, `path` the winning chain. */
export interface BoardState { cells: number[]; to_play: number; winner: number; path: number[]; last: number | null }

/** A position with its legal moves, and the names of the moves before it. */
export interface View extends Shape, BoardState { moves: Move[]; history: string[] }

/** What is drawn on a board besides pieces; keys are cells. `heat` is in [0, 1]. */
export interface Marks {
  heat?: Record<number, number>;
  heatKind?: "policy" | "visits" | "value" | "good";
  texts?: Record<number, string>;
  badges?: Record<number, "good" | "bad" | "hint">;
  /** The grades of moves, as dots on their stones. */
  grades?: Record<number, string>;
  selected?: number[];
  /** A threatened chain, in place of the winning one. */
  path?: number[];
  ghosts?: { cell: number; player: number; text: string }[];
  arrows?: { from: number; to: number }[];
}

/** A node of a game's tree; numbers are indices of nodes, 0 is the start. */
export interface GameNode {
  action: number;
  parent: number;
  children: number[];
  /** The child that was visited last. */
  next?: number;
  comment?: string;
  name?: string;
  /** Whether the teacher took the move back. */
  taken?: boolean;
  /** The agent that played it. */
  by?: string;
  review?: Review;
}

/** The clock of a game: milliseconds left for player 1 and 2, milliseconds a move, the node of the last timed move. */
export interface GameClock { left: number[]; increment: number; at: number }

/** A node as SGF is made of it; nodes are numbered from 1. */
export interface TreeNode { action: number; parent: number; comment?: string; review?: SavedReview }
/** What SGF keeps of a review; lines are of actions. */
export interface SavedReview {
  value: number; exact: boolean; loss: number; grade: string; best: number[]; reply: number[];
}

/** A step through a game. */
export type StepName = "first" | "back" | "forward" | "last" | "up" | "down";

/** The agents and parameters to choose from (web/play/catalogue.py). */
export interface Catalogue {
  games: { name: string; title: string; params: Parameter[] }[];
  game: About;
  players: string[];
  roles: number[];
  /** The weakest first; `elo` has the ends of its interval, above random moves. Without an agent it cannot play. */
  levels: { title: string; agent: string; note: string; elo: [number, number, number] | null }[];
  nets: { run: string; episode: string; net: string }[];
  given: string[];
  analyst: string;
  analyst_title: string;
  has_net: boolean;
}
interface Parameter {
  name: string;
  title: string;
  default: number | number[] | boolean;
  least: number | null;
  most: number | null;
}

interface Verdict { winner: number; value: number; exact: boolean }
export interface NamedMove { action: number; name: string }
/** A move of a line, and the cell on which it ends, if there is one. */
export interface LineMove extends NamedMove { cell: number | null }

/** The review of a move (web/play/reviewing.py); `loss` and `accuracy` are in percent. */
export interface Review extends LineMove {
  ply: number;
  player: number;
  before: Verdict;
  after: Verdict;
  alternative: Verdict | null;
  loss: number;
  grade: string;
  accuracy: number;
  exact: boolean;
  mistake: boolean;
  better: NamedMove[];
  line: LineMove[];
  /** The best line in place of the move. */
  best: NamedMove[];
}

export interface Policy { policy: Record<number, number>; value: number | null; net: string }
export interface Search {
  action: number;
  visits: Record<number, number>;
  values: Record<number, number>;
  value: number;
  line: number[];
  names: string[];
  simulations: number;
}
export interface Judged { winner: number; keep: number[]; words: string }
/** A hint; `line` has the actions that a search expects, if nothing is proven. */
export interface Hint { action: number; words: string; line: number[] }

/** A puzzle (web/play/puzzles.py); `grade` is the place of `level` in `levels`, the weakest first. */
export interface Puzzle {
  id: string;
  size: number;
  game: About;
  moves: number[];
  /** All moves that win. */
  wins: number[];
  names: string[];
  grade: number;
  level: string;
  levels: string[];
  sizes: number[];
}

/** A game of a run, with the board after each move. */
export interface RunGame {
  game: About;
  shape: Shape;
  number: number;
  topp: boolean;
  /** Those of player 1 and player 2, if not of training. */
  players: string[] | null;
  start: number;
  actions: number[];
  names: string[];
  states: BoardState[];
}

/** A curve; its points are [episode, value, running mean]. */
interface Curve { name: string; points: [number, number, number][]; last: number }
export interface Panel { label: string; curves: Curve[] }
export interface Standings {
  rows: { episode: number | null; name: string; win_rate: number }[];
  wins: number[][];
  games: number[][];
  total: number;
  planned: number;
  verdict: string;
  running: boolean;
}
/** Times are in seconds. */
export interface Progress {
  episode: number;
  seconds: number;
  done: number;
  whole: number;
  unit: "seconds" | "episode";
  left: number | null;
  interval: number;
  over: boolean;
}

/** The files of a run (web/runs/watch.py); `age` and `idle` are the seconds since the last write. */
export interface RunStamp { stamp: string; age: number; idle: number; state: "running" | "crashed" | "" }
export interface Run extends RunStamp {
  params: string;
  progress: Progress | null;
  panels: Panel[];
  nets: number[];
  /** The last game of training or a comparison, and that of a TOPP; the newer first. */
  newest: RunGame[];
  standings: Standings | null;
}

/** A step of a recorded search (web/play/evaluations.py). */
export interface Step {
  simulation: number;
  process: number;
  title: string;
  words: string[];
  /** The nodes from the root to the leaf. */
  nodes: number[];
  board: BoardState;
  rollout: number[];
  edges: { cell: number; name: string; visits: number; q: number; u: number | null; score: number | null; taken: boolean }[];
  /** The new values of nodes; a node exists from its first change on. */
  changes: { node: number; visits: number; outcome: number; q: number }[];
}
export interface Recording {
  policy: string;
  formula: string;
  processes: { name: string; places: string }[];
  nodes: { parent: number; name: string; depth: number; x: number; to_play: number }[];
  steps: Step[];
  view: View;
}

/** What changes by itself: seconds that players are away (null: not known) and have left, the clock that runs, a chat. */
export interface Passing {
  version: number;
  away: (number | null)[];
  left: number[] | null;
  runs: number;
  said: { player: number; text: string }[];
}
/** A game of two people (web/friends/requests.py): pairs are in the order of the players. `you` is 0 for spectators. */
export interface Table extends Passing {
  /** Has moves only for the player to move; its winner may have won by a resignation. */
  view: View;
  position: Position;
  you: number;
  names: string[];
  joined: number[];
  offers: number[];
  /** Whether each player wants to chat. */
  chats: number[];
  wins: number[];
  /** The player who has resigned, whose time is up, or who asks to take a move back; else 0. */
  resigned: number;
  flagged: number;
  takeback: number;
  /** "none", "3+2", "10+5" or "1 day". */
  clock: string;
  /** The token in the rematch; empty without one. */
  rematch: string;
  /** The path of the link for the friend, only for the first player; and that for spectators. */
  friend: string;
  watch: string;
}
/** A game in the list of your own; `to_play` is 0 after its end, `rematch` is your token in the rematch. */
export interface OwnTable {
  id: string; game: About; other: string; joined: boolean; you: number; to_play: number; winner: number; rematch: string;
}
export interface SmallTable { id: string; view: Shape & BoardState; names: string[]; joined: number[]; moves: number }
/** The standings of nets, the best first (web/ladder/ladder.py); `elo` has a rating relative to the best, and its 95 % interval. */
export interface Ladder {
  version: number;
  /** `since` is when the file was written, in seconds since 1970. */
  rows: { id: string; name: string; since: number; games: number; wins: number; elo: number[] | null }[];
  /** The points of each net against each other one, and the number of their games. */
  points: number[][];
  met: number[][];
  /** The pairs of the round in order; one `plays` now. */
  round: { nets: string[]; points: number[]; games: number; plays: boolean }[];
  left: number;
  notes: string[];
  /** The command for the best net; empty without one. */
  arena: string;
  /** The limit of a net that a page may add; 0: the server takes none. */
  most_bytes: number;
}
/** A game of two nets; `first` is the place of the one that was player 1. */
export interface LadderGame { number: number; first: number; start: number; actions: number[]; winner: number }

/** The response to each request of web/server/app.py. */
export interface Responses {
  add_net: { name: string };
  catalogue: Catalogue;
  explain: Recording;
  /** The way to the end of a decided game, and the winning chain then. */
  finish: { line: LineMove[]; shortest: boolean; path: number[] };
  hint: Hint;
  join_table: object;
  judge: Judged;
  ladder: Ladder | { version: number };
  ladder_games: { game: About; nets: string[]; players: string[]; games: LadderGame[] };
  /** `you` names the player who joins. */
  lobby: { tables: { id: string; name: string; game: About; you: string; clock: string }[] };
  move: NamedMove;
  new_table: { token: string };
  /** How often the player who begins wins, in percent by the cell of its first stone; none without a map. */
  openings: { percent: number[]; known: string };
  /** `left` are the seconds of the movers; `tables` are those that have changed. */
  own_tables: { version: number; ids: string[]; left: (number | null)[]; tables: OwnTable[] };
  policy: Policy;
  position: View;
  prepare: { agent: string };
  puzzle: Puzzle;
  /**
   * `date` is like 2026-11-25, or empty; `comment` is on the start; `facts` are properties for the saved file;
   * `games` are those of a file with several, if none was asked for; `notes` say what is not as the file has it.
   */
  read_sgf: {
    game: About; start: number; setup: number[]; nodes: (TreeNode & { name: string })[]; players: string[];
    date: string; comment: string; facts: Record<string, string>; games: { title: string; error: string }[];
    notes: string[];
  };
  review: Review;
  reviews: { reviews: Review[] };
  room: { version: number; ids: string[]; here: boolean[][]; tables: SmallTable[] };
  run: RunStamp | Run;
  run_game: RunGame;
  runs: { runs: { name: string; running: boolean; episode?: number }[]; training: string };
  search: Search;
  /** The net's own values of all positions of a game that are not final, seen from player 1. */
  sketch: { values: number[] };
  table: Table | Passing;
  table_action: Table;
  training: { run: string };
  write_sgf: { sgf: string; link: string; trmph: string };
}
