"""The map of first stones as text: which one to swap."""

from agents.first_stones import FirstStones
from display.boards.cells import Coordinates
from display.boards.palette import player_name


def first_stones_text(names: Coordinates, stones: FirstStones, starter: int) -> str:
    """Return the percentages on a board of text; those to swap have a star."""
    game = names.game
    first, width = player_name(game, starter), game.board_shape[0]
    lines = [
        f"The chances of {first} after its first stone, in percent; swap those with a *.",
        f"Known: {stones.known}. 0 and 100 are certain.",
        "    " + "".join(f"{name:>4}" for name in names.columns),
    ]
    for number, name in enumerate(names.rows):
        row = stones.percent[number * width :][:width].tolist()
        cells = "".join(f"{each:4}{'*' if each >= 50 else ' '}"[1:] for each in row)
        lines.append(f"{'  ' * number}{name:>3} {cells}".rstrip())
    return "\n".join(lines)
