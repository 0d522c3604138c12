"""What the formats read and refuse: readings.txt and sessions.txt, read in review.

Usage: python -m tests.formats.tables

writes them anew.
"""

from collections.abc import Callable
from pathlib import Path

from agents import AgentError, make_agent
from agents.agent import Agent
from formats.annotations import MoveReview, annotate
from formats.game_text import games_in, is_game_text
from formats.htp import HTPEngine
from formats.links import hexworld_link
from formats.sgf import MoveReader, ReadGame, cell_name, read_game
from formats.sgf_text import SgfError, SGFNode, decoded, parse, parse_games, write
from state_manager import make_game
from tests.golden.tables import Answers, rewrite

READINGS, SESSIONS = (Path(__file__).with_name(f"{name}.txt") for name in ("readings", "sessions"))


def of_sgf(text: str) -> str:
    return _of_games(*parse_games(text))


def of_pasted(text: str) -> str:
    """Return what is read of a text for a board of 5 x 5, and whether it is taken for a name."""
    kind = [] if is_game_text(text) else ["not taken for a game"]
    return "\n".join([*kind, _of_games(*games_in(text, 5))])


def of_bytes(content: bytes) -> str:
    """Return what is read of the bytes of a file."""
    text, note = decoded(content)
    return "\n".join([of_sgf(text), *[f"note: {note}"] * bool(note)])


def _of_games(games: list[SGFNode], mistake: SgfError | None) -> str:
    lines = []
    for root in games:
        try:
            lines += _summary(read_game(root))
        except SgfError as error:
            mistake = mistake or error
    return "\n".join([*lines, *[f"refused: {mistake}"] * (mistake is not None)])


def _summary(game: ReadGame) -> list[str]:
    """Return size, players, player to begin, position, moves, result and place of a game."""
    record, size = game.record, int(game.params["size"])
    setup = "".join(".12"[cell] for cell in record.setup)
    rows = [setup[start : start + size] for start in range(0, len(setup), size)]
    moves = [cell_name(action, size) for action in record.actions]
    result = f"{'BW'[record.winner - 1]}+{record.ending}" if record.winner else "no result"
    line, column = game.begin.at
    parts = [f"{size}{' with swap' * game.params.get('swap', False)}", " - ".join(record.players)]
    parts += [" ".join([f"player {record.starting_player} begins", *rows]), " ".join(moves)]
    parts += [result, f"at {line}:{column}"]
    comments = [f"comments: {list(record.comments)}"] * bool(record.comments)
    link = hexworld_link(record, size)
    return [" | ".join(parts), *comments, *(f"note: {note}" for note in game.notes), link]


def move_nodes(root: SGFNode) -> list[SGFNode]:
    reader = MoveReader(root)
    return [each for each in read_game(root).begin.main_line() if reader.move(each)]


def reviewed(text: str, *reviews: MoveReview) -> SGFNode:
    """Return a game with reviews of its moves, written and read again."""
    [root] = parse(text)
    annotate(root, list(zip(move_nodes(root), reviews, strict=False)))
    [again] = parse(write([root]))
    return again


def of_review(case: str) -> str:
    """Return a game with the reviews ``VALUE COST GRADE BEST,... REPLY,...`` of its moves."""
    text, *reviews = case.split(" || ")
    given = []
    for value, cost, grade, *lines in map(str.split, reviews):
        best, reply = (tuple(map(int, line.split(","))) for line in lines or ("0", "0"))
        exact = value in ("1", "-1")
        mistake = (grade, best, reply) if grade != "fine" else ("",)
        given.append(MoveReview(float(value), exact, float(cost), *mistake))
    return write([reviewed(text, *given)]).rstrip("\n")


def exact_player(size: int, seconds: float | None) -> Agent:
    if size > 4:
        raise AgentError("expected a board of up to 4 rows")
    return make_agent("exact", make_game("hex", size=size))


def answer(engine: HTPEngine, line: str) -> str:
    return "".join(engine.responses(line))


def exact_engine() -> HTPEngine:
    return HTPEngine(exact_player, 3, "exact", "1")


def random_player(size: int, seconds: float | None = None) -> Agent:
    return make_agent("random", make_game("hex", size=size))


def session(make: Callable[[], HTPEngine]) -> Callable[[], Callable[[str], str]]:
    """Return a beginning of sessions, whose replies are without the empty line at their end."""

    def begin() -> Callable[[str], str]:
        engine = make()
        return lambda line: answer(engine, line).removesuffix("\n\n")

    return begin


def on_3x3(word: str, swap: bool = False, **options: bool) -> Callable[[], Callable[[str], str]]:
    """Return a beginning of sessions with an agent on 3x3."""

    def make() -> HTPEngine:
        agent = make_agent(word, make_game("hex", size=3, swap=swap))
        return HTPEngine(lambda size, seconds: agent, 3, word, "1", swap, **options)

    return session(make)


ANSWERS: Answers = {
    "sgf": lambda: of_sgf,
    "pasted": lambda: of_pasted,
    "bytes": lambda: of_bytes,
    "review": lambda: of_review,
    "exact": session(exact_engine),
    "searching": on_3x3("mcts:simulations=90"),
    "swapping": on_3x3("exact", swap=True),
    "judging": on_3x3("mcts:judge=true,simulations=9"),
    "resigning": on_3x3("mcts:judge=true,simulations=9", resigns=True),
    "random": session(lambda: HTPEngine(random_player, 3, "x", "1")),
}

if __name__ == "__main__":
    rewrite(READINGS, ANSWERS)
    rewrite(SESSIONS, ANSWERS)
