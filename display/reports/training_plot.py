"""The picture of the course of training."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from display.boards.palette import INK, OCHRE, PAPER
from display.boards.picture import save_figure
from display.reports.sheet import DASHED, new_figure, style_axes
from display.reports.training_curves import PANELS, Records, points_of, smoothed

_FLAT = 0.5  # a curve that stays above this share of its highest value would look flat over zero


def plot_training(path: Path, records: Records) -> None:
    """Save loss, agreement and time over the episodes as a PNG file, whole or not at all.

    Each record, a line of ``metrics.jsonl``, has ``episode`` and whichever are known of ``loss``
    and ``entropy`` (nats), ``value_loss``, ``accuracy`` (0 to 1) and ``seconds`` since the start;
    of gating ``win_fraction``, ``gating_threshold`` (0 to 1) and ``accepted``; of cached nets
    ``regret`` and ``openings_wrong`` (0 to 1).
    """
    shown = [panel for panel in PANELS if any(points_of(records, key)[0] for key in panel[1])]
    shown = shown or [PANELS[0]]
    figure = new_figure(_title(records), 9, 0.9 + 2.7 * len(shown))
    all_axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, curves) in zip(all_axes, shown, strict=True):
        style_axes(axes)
        axes.set_ylabel(label, color=INK)
        for key, (name, colour) in curves.items():
            _draw_curve(axes, *points_of(records, key), name, colour)
        if "win_fraction" in curves:
            _mark_gating(axes, records)
        if "regret" in curves:
            for line in axes.lines:
                line.set_marker("o")
        if axes.lines:
            axes.legend(frameon=False, labelcolor=INK, fontsize=9)
        values = [value for key in curves for value in points_of(records, key)[1]]
        if curves.keys() & {"accuracy", "win_fraction", "regret"}:
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        if curves.keys() & {"accuracy", "win_fraction"}:
            axes.set_ylim(0, 1)
        elif "regret" in curves or not values or min(values) <= _FLAT * max(values):
            axes.set_ylim(bottom=0)
    all_axes[-1].set_xlabel("episode", color=INK)
    all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    all_axes[-1].set_xlim(0, max((each["episode"] for each in records), default=1) * 1.02)
    save_figure(figure, path)


def _draw_curve(
    axes: Axes, episodes: Sequence[float], values: Sequence[float], name: str, colour: str
) -> None:
    if not values:
        return
    window = max(1, len(values) // 20) | 1
    if window > 1:
        axes.plot(episodes, values, color=colour, alpha=0.25, linewidth=0.9)
    mean = smoothed(np.array(values, float), window)
    marker = "o" if len(values) == 1 else ""
    axes.plot(episodes, mean, color=colour, linewidth=2, label=name, marker=marker)


def _mark_gating(axes: Axes, records: Records) -> None:
    played = [each for each in records if each.get("win_fraction") is not None]
    episodes, limits = points_of(played, "gating_threshold")
    if played and len(limits) == len(played):
        axes.plot(episodes, limits, **DASHED, label="more than this is needed", zorder=1)
    marks = (True, OCHRE, "the new net stays"), (False, PAPER, "the old net stays")
    for accepted, face, name in marks:
        chosen = [each for each in played if each.get("accepted") == accepted]
        if chosen:
            axes.plot(
                *points_of(chosen, "win_fraction"), "o", color=OCHRE,
                markersize=6, markerfacecolor=face, label=name, zorder=3,
            )  # fmt: skip


def _title(records: Records) -> str:
    if not records:
        return "Training: no updates yet"
    last = records[-1]
    seconds = f" in {last['seconds']:.0f} seconds" if last.get("seconds") is not None else ""
    episodes = round(last["episode"])
    return f"Training: {episodes} episode{'' if episodes == 1 else 's'}{seconds}"
