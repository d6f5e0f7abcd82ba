"""What each network alone could do with its own best threshold."""

from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, PALETTE, RC, frame, save_with_numbers
from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import numpy_column, select_rows, table_from_rows

from ..exact.best_thresholds import Best, best_thresholds, curve_at
from ..figures.figure_text import choices_in_words, footnote, held_title, parameters_of, symbol_of
from ..models import MODELS
from ..models.contest import PAPERS, Contest, network_name
from ..models.model import SYMBOLS, Point
from ..settings.panels import COLUMN, MARK, Panel, PanelsJob

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("network", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("n", pa.int64()),
        ("d", pa.int64()),
        ("m", pa.int64()),
        *((name, pa.float64()) for name in ("a0", "a1", "b", "c")),
        ("theta", pa.float64()),
        ("p_at_theta", pa.float64()),
        ("best_theta_low", pa.float64()),
        ("best_theta_high", pa.float64()),
        ("p_best", pa.float64()),
        ("resolved", pa.bool_()),
        ("reconstructed", pa.string()),
    ]
)
"""theta is tau / sqrt(log n); `theta` is the panel's own, the same for all networks. `value` is of
the first swept parameter. The best is null where it is not `resolved`: scores of D0 and D1 then lie
so close that float64 does not tell which thresholds are between them."""

OF_POINT = ("attention_x", "n", "d", "m", "a0", "a1", "b", "c")
TITLE = "Thresholds: what each network alone can do"
ABOUT = (
    "Exact probability that one network alone separates the pair, positive on D1 and zero on D0: "
    "at its panel's own threshold theta = tau / sqrt(log n), the same for all networks, and at "
    "its own best one, which lies anywhere from best theta low to best theta high. Each point has "
    "its own best; two scores closer than 1e-13 of the largest have no threshold between them, and "
    "where that could hide a better one, resolved says no and the best stays empty. In softmax "
    "regression theta is tau, and all entries of Ax but the special one are 1.2 log n: what is "
    "exact is of such entries, not of the panels' random ones. " + COLUMN
)
DRAWN = (("n", "d", "m"), ("a1", "a0", "c"))
"""The swept parameters of a model's two lines of plots."""
COLUMNS = 4
NOTE_INCHES = 10.3

X_NAMES = {"identity": "X = identity", "ones": "X = all ones"}


def threshold_table(job: PanelsJob) -> pa.Table:
    """The best threshold of each network at every point of the panels."""
    rows = []
    for panel in job.panels:
        model, of_panel = MODELS[panel.model], panel.points()
        of_all = {
            "panel": panel.name,
            "model": model.name,
            "parameter": ",".join(panel.sweep),
            "reconstructed": panel.reconstruction,
        }
        kernels = panel.contest.kernels
        best = {kernel: best_thresholds(model, of_panel, kernel) for kernel in kernels}
        for k, point in enumerate(of_panel):
            at = {
                "value": point.swept[0],
                "theta": point.theta,
                **{name: getattr(point, name) for name in OF_POINT},
            }
            rows += [of_all | at | _best_columns(kernel, best[kernel][k]) for kernel in kernels]
    return table_from_rows(rows, SCHEMA)


def _best_columns(kernel: str, found: Best) -> dict[str, object]:
    return {
        "network": kernel,
        "p_at_theta": found.p_at_theta,
        "best_theta_low": found.low,
        "best_theta_high": found.high,
        "p_best": found.p_best,
        "resolved": found.p_best is not None,
    }


def operating_point(panels: list[Panel]) -> tuple[Panel, Point]:
    """The panel and the point whose curve stands for a row: of the last, which sweeps m, the one
    nearest to the m of the row's other panels."""
    last = panels[-1]
    others = [p.m for panel in panels[:-1] for p in panel.points()]
    wanted = np.median(others) if others else 0
    return last, min(last.points(), key=lambda point: abs(point.m - wanted))


def draw(job: PanelsJob, table: pa.Table) -> Figure:
    """Two lines of plots for each model, X and contest: the curve over theta, and the best over
    each swept parameter."""
    groups: dict[tuple, dict[str, Panel]] = {}
    for panel in job.panels:
        first = panel.with_more(most_values=1).points()[0]
        row = groups.setdefault((panel.model, first.attention_x, panel.contest), {})
        row.setdefault(",".join(panel.sweep), panel)
    lines = [
        (key, names, panels)
        for key, panels in groups.items()
        for names in DRAWN
        if names == DRAWN[0] or {*names} & panels.keys()
    ]
    colours = colours_of(job.panels)
    with matplotlib.rc_context(RC):
        figure = Figure(figsize=(11.7, 2.45 * len(lines) + 1.2), layout="constrained")
        axes = figure.subplots(len(lines), COLUMNS, squeeze=False)
        for line, (key, names, panels) in zip(axes, lines, strict=True):
            plots = list(line)
            if names == DRAWN[0]:
                _draw_curve(plots.pop(0), _title(key, panels), panels, colours)
            present = [panels[name] for name in names if name in panels]
            for ax, panel in zip(plots, present, strict=False):
                _draw_best(ax, panel, table, colours)
            for ax in plots[len(present) :]:
                ax.set_axis_off()
            line[0].set_ylabel("probability")
        _add_texts(figure, job, colours)
    return figure


def colours_of(panels: list[Panel]) -> dict[str, str]:
    """A colour for each kernel: those of the paper have their own, others follow."""
    kernels = [*PAPERS.kernels, *(k for panel in panels for k in panel.contest.kernels)]
    kernels = list(dict.fromkeys(kernels))
    further = matplotlib.colormaps["turbo"](np.linspace(0, 1, max(len(kernels) - len(PALETTE), 0)))
    return dict(zip(kernels, [*PALETTE, *map(tuple, further.tolist())], strict=False))


def _title(key: tuple[str, str | None, Contest], panels: dict[str, Panel]) -> str:
    """Model and X; Ax of softmax regression and X are marked where they are reconstructed."""
    model, x = MODELS[key[0]], key[1]
    marked = any(model.titled_by in panel.reconstructed for panel in panels.values())
    return ", ".join(filter(None, [model.title, X_NAMES.get(x)])) + MARK * marked


def _add_texts(figure: Figure, job: PanelsJob, colours: dict[str, str]) -> None:
    shown = dict.fromkeys(k for panel in job.panels for k in panel.contest.kernels)
    labels = [network_name(kernel).replace("F", "𝐹") for kernel in shown]
    handles = [Line2D([], [], color=colours[kernel], linewidth=1.2) for kernel in shown]
    styles = {"own best threshold": "-", "the panel's own threshold": "--"}
    handles += [Line2D([], [], color=INK, linestyle=style) for style in styles.values()]
    # In the last cell, that no plot needs; in small figures, above.
    last = figure.axes[-1]
    place = {"loc": "center"} if not last.axison else {"loc": "upper right", "ncols": 2}
    (last if not last.axison else figure).legend(handles, [*labels, *styles], fontsize=8, **place)
    # Of X and of Ax the titles speak.
    titled = {model.titled_by for model in MODELS.values()}
    lines = [
        "Exact; in softmax regression where all entries of 𝐴𝑥 but the special one are 1.2 log 𝑛. "
        "First plot of a model: against the threshold; dotted, the panels' own, the same for "
        f"{'both' if len(shown) == 2 else 'all'} networks.",
        choices_in_words(job.panels, titled) + ".",
    ]
    note = footnote(lines, job.panels, {}, parameters_of(job.panels), NOTE_INCHES)
    title = (
        "One network alone separates D1 from D0: at its own best threshold, and at the shared one"
    )
    frame(figure, title, note)


def _draw_curve(ax: Axes, title: str, panels: dict[str, Panel], colours: dict[str, str]) -> None:
    of_sizes = [panels[name] for name in DRAWN[0] if name in panels]
    panel, point = operating_point(of_sizes or list(panels.values()))
    for kernel in panel.contest.kernels:
        found = curve_at(MODELS[panel.model], point, kernel)
        colour = colours[kernel]
        ax.stairs(found.probability, found.edges, color=colour, linewidth=1.2)
    ax.axvline(point.theta, color=INK, linestyle=":", linewidth=1)
    ax.set_xlim(0, 2 if point.d else 1)
    ax.set_ylim(0, 1)
    name = "tau" if point.d is None else "theta"
    sizes = [(key, getattr(point, key)) for key in DRAWN[0]]
    marks = {key: MARK * (key in panel.reconstructed) for key in DRAWN[0]}
    at = ", ".join(
        f"{SYMBOLS[key]} = {size}{marks[key]}" for key, size in sizes if size is not None
    )
    ax.set_xlabel(f"{symbol_of(name, panel.reconstructed)}  at {at}")
    ax.set_title(title, fontweight="bold", fontsize=9, y=1.0, pad=8)


def _draw_best(ax: Axes, panel: Panel, table: pa.Table, colours: dict[str, str]) -> None:
    (name,) = panel.sweep
    rows = select_rows(table, panel=panel.name)
    for kernel in panel.contest.kernels:
        colour = colours[kernel]
        own = select_rows(rows, network=kernel).sort_by("value")
        x = numpy_column(own, "value")
        marker = "o" if len(x) <= 12 else None
        best = numpy_column(own, "p_best")
        ax.plot(x, best, color=colour, marker=marker, markersize=3)
        ax.plot(x, numpy_column(own, "p_at_theta"), color=colour, linestyle="--", linewidth=0.9)
    if name == "d" and len(x) > 2:
        ax.set_xscale("log", base=2)
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    ax.set_ylim(0, 1)
    # delta enters through m alone; theta of regression is tau, and of Ax the title speaks.
    held = {key: value for key, value in panel.fixed.items() if key != "delta"}
    ax.set_title(
        held_title(held, rows["m"].to_pylist(), panel.reconstructed), y=1.0, pad=8, fontsize=7.5
    )
    ax.set_xlabel(symbol_of(name, panel.reconstructed))


def run(job: PanelsJob, table: Path, figure: Path) -> None:
    if not job.panels:
        raise ValueError("every panel sweeps the threshold itself")
    found = threshold_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(found, table.with_suffix(""), provenance, TITLE, ABOUT)
    save_with_numbers(draw(job, found), figure.with_suffix(""), found, provenance)
