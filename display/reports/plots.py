"""Pictures of a tournament's standings and of the course of training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from display.boards.palette import CELL, FAINT, INK, PAPER, RED
from display.reports.plot_style import (
    BLUE,
    OCHRE,
    WINS_AND_LOSSES,
    new_figure,
    save_figure,
    style_axes,
)

if TYPE_CHECKING:
    from display.reports.tables import StandingsRow

_LABEL_SHARE, _LABEL_GAP = 0.29, 0.025
"""How much of the axis of win rates a label takes, and its distance from what it labels."""
_FLAT = 0.5
"""A curve that stays above this share of its highest value would look flat over zero."""


def plot_standings(
    path: Path,
    rows: Sequence[StandingsRow],
    wins: Sequence[Sequence[float]],
    games: Sequence[Sequence[int]],
    title: str = "Tournament of Progressive Policies",
    subtitle: str = "",
) -> None:
    """Save win rates with their 95 % intervals beside the cross table.

    Args:
        path: A PNG file; it appears whole or not at all.
        rows: In order of training.
        wins: `[n, n]`, wins of row i against row j.
        games: `[n, n]`, games between them.
        title: The heading.
        subtitle: A line below it: which game, and how it was played.
    """
    nets = len(rows)
    figure = new_figure(title, 11, max(3.8, 1.9 + 0.5 * nets), subtitle)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    _draw_win_rates(left, rows)
    _draw_cross_table(right, np.asarray(wins, float), np.asarray(games, float))
    right.set_yticks(range(nets), [str(number) for number in range(1, nets + 1)])
    save_figure(figure, path)


def plot_training(path: Path, records: Sequence[Mapping[str, float]]) -> None:
    """Save loss, agreement and time over the episodes, from the lines of ``metrics.jsonl``.

    Args:
        path: A PNG file; it appears whole or not at all.
        records: One for each update, with ``episode`` and whichever are known of ``loss`` and
            ``entropy`` (nats), ``value_loss``, ``accuracy`` (0 to 1), ``seconds`` since the start;
            of gating ``win_fraction``, ``gating_threshold`` (0 to 1) and ``accepted``.
    """
    panels: list[tuple[str, dict[str, tuple[str, str]]]] = [
        (
            "cross-entropy (nats)",
            {
                "loss": ("loss", RED),
                "entropy": ("entropy of the targets: no loss is lower", BLUE),
            },
        ),
        ("loss of the critic", {"value_loss": ("value loss", OCHRE)}),
        (
            "agreement with the search",
            {"accuracy": ("same best move as the search", BLUE)},
        ),
        (
            "wins against the old net",
            {"win_fraction": ("share of the new net", OCHRE)},
        ),
    ]
    shown = [panel for panel in panels if any(_has(records, key) for key in panel[1])]
    shown = shown or panels[:1]
    figure = new_figure(_training_title(records), 9, 0.9 + 2.7 * len(shown))
    all_axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, curves) in zip(all_axes, shown, strict=True):
        style_axes(axes)
        axes.set_ylabel(label, color=INK)
        for key, (name, colour) in curves.items():
            _draw_curve(axes, records, key, name, colour)
        if "win_fraction" in curves:
            _mark_gating(axes, records)
        if axes.lines:
            axes.legend(frameon=False, labelcolor=INK, fontsize=9)
        if "accuracy" in curves or "win_fraction" in curves:
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        elif not _looks_flat(records, curves):
            axes.set_ylim(bottom=0)
    all_axes[-1].set_xlabel("episode", color=INK)
    all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    all_axes[-1].set_xlim(0, max((each["episode"] for each in records), default=1) * 1.02)
    save_figure(figure, path)


def smoothed(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return the mean of each value and its neighbours, ``window`` of them, fewer at both ends."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    index = np.arange(len(values))
    first = np.maximum(index - window // 2, 0)
    end = np.minimum(index + window // 2 + 1, len(values))
    return np.asarray((sums[end] - sums[first]) / (end - first))


def _draw_win_rates(axes: Axes, rows: Sequence[StandingsRow]) -> None:
    """Draw one bar a net, the least trained on top."""
    style_axes(axes)
    places = np.arange(len(rows))
    rates = np.array([row.win_rate for row in rows])
    shades = LinearSegmentedColormap.from_list("age", ["#ecdccb", "#e0837a"])(
        np.linspace(0, 1, max(2, len(rows)))
    )
    axes.barh(places, rates, color=shades[: len(rows)], edgecolor="none", height=0.62)
    reach = np.abs(np.array([[row.low, row.high] for row in rows]).reshape(-1, 2).T - rates)
    axes.errorbar(rates, places, xerr=reach, fmt="none", ecolor=INK, elinewidth=1.2, capsize=3.5)
    for place, row in enumerate(rows):
        # Beside the interval, on whichever side there is room inside the axes.
        at_right = row.high <= 1 - _LABEL_SHARE
        axes.text(
            row.high + _LABEL_GAP if at_right else max(row.low - _LABEL_GAP, _LABEL_SHARE),
            place,
            f"{row.win_rate:.1%}  ({row.elo:+.0f})",
            ha="left" if at_right else "right",
            va="center",
            color=INK,
            fontsize=9.5,
            path_effects=[withStroke(linewidth=3, foreground=PAPER)] if at_right else [],
        )
    axes.axvline(0.5, color=FAINT, linewidth=0.9, linestyle=(0, (4, 4)), zorder=0)
    names = [f"{row.name}  {number}" for number, row in enumerate(rows, start=1)]
    axes.set_yticks(places, names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xticks(np.linspace(0, 1, 5))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(visible=False, axis="y")
    axes.set_title("Win rate with 95 % interval (Elo)", color=INK, fontsize=11)


def _draw_cross_table(axes: Axes, wins: NDArray[np.float64], games: NDArray[np.float64]) -> None:
    """Write how often the row beat the column, on red where it won more, on blue where less."""
    played = games > 0
    # A draw is half a win for both, so equals are neither red nor blue however often they draw.
    points = (games + wins - wins.T) / 2
    shares = np.divide(points, games, out=np.full(wins.shape, np.nan), where=played)
    axes.imshow(np.ma.masked_invalid(shares), cmap=WINS_AND_LOSSES, vmin=0, vmax=1, aspect="auto")
    axes.set_facecolor(CELL)
    for (i, j), share in np.ndenumerate(shares):
        if played[i, j]:
            colour = "white" if abs(share - 0.5) > 0.3 else INK
            axes.text(j, i, f"{wins[i, j]:g}", ha="center", va="center", color=colour)
    numbers = [str(number) for number in range(1, len(wins) + 1)]
    axes.set_xticks(range(len(wins)), numbers)
    axes.set_xticks(np.arange(len(wins) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(wins) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=2)
    axes.tick_params(which="both", length=0, colors=INK)
    axes.spines[:].set_visible(False)
    axes.set_title("Wins of the row against the column", color=INK, fontsize=11)


def _draw_curve(
    axes: Axes, records: Sequence[Mapping[str, float]], key: str, name: str, colour: str
) -> None:
    """Draw what was measured faintly, and its running mean over it."""
    points = [(each["episode"], each[key]) for each in records if each.get(key) is not None]
    if not points:
        return
    episodes, values = np.array(points, float).T
    window = max(1, len(values) // 20) | 1
    if window > 1:
        axes.plot(episodes, values, color=colour, alpha=0.25, linewidth=0.9)
    marker = "o" if len(values) == 1 else ""
    axes.plot(
        episodes, smoothed(values, window), color=colour, linewidth=2, label=name, marker=marker
    )


def _mark_gating(axes: Axes, records: Sequence[Mapping[str, float]]) -> None:
    """Draw what the new net had to exceed, and a mark for each time: filled where it stays."""
    played = [each for each in records if each.get("win_fraction") is not None]
    limits = [each.get("gating_threshold") for each in played]
    if played and None not in limits:
        axes.plot(
            [each["episode"] for each in played],
            np.array(limits, float),
            color=FAINT,
            linewidth=0.9,
            linestyle=(0, (4, 4)),
            label="more than this is needed",
            zorder=1,
        )
    for accepted, face, name in (
        (True, OCHRE, "the new net stays"),
        (False, PAPER, "the old net stays"),
    ):
        chosen = [each for each in played if each.get("accepted") == accepted]
        if chosen:
            axes.plot(
                [each["episode"] for each in chosen],
                [each["win_fraction"] for each in chosen],
                linestyle="",
                marker="o",
                markersize=6,
                markerfacecolor=face,
                markeredgecolor=OCHRE,
                label=name,
                zorder=3,
            )


def _looks_flat(records: Sequence[Mapping[str, float]], keys: Iterable[str]) -> bool:
    """Whether over an axis from zero the curves would use less than half of the height."""
    values = [each[key] for each in records for key in keys if each.get(key) is not None]
    return bool(values) and min(values) > _FLAT * max(values)


def _has(records: Sequence[Mapping[str, float]], key: str) -> bool:
    return any(each.get(key) is not None for each in records)


def _training_title(records: Sequence[Mapping[str, float]]) -> str:
    """The heading: how many episodes, in how long."""
    if not records:
        return "Training: no updates yet"
    last = records[-1]
    seconds = f" in {last['seconds']:.0f} seconds" if last.get("seconds") is not None else ""
    episodes = round(last["episode"])
    return f"Training: {episodes} episode{'' if episodes == 1 else 's'}{seconds}"
