"""What each network alone could do with its own best threshold."""

from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...looks.colors import INK
from ...looks.kernel_styles import kernel_lines
from ...pages.drawing import (
    Look,
    key,
    legend_beside,
    save,
    shade,
    shade_key,
    sheet,
    sorted_columns,
    ticks_at,
)
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, schema, select_rows, table_from_rows
from ..softmax_vs_linear.exact.best_thresholds import best_thresholds, curve_at
from ..softmax_vs_linear.figures.figure_text import (
    are_outside,
    choices_in_words,
    footnote,
    held_title,
    marked,
    symbol_of,
)
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.contest import network_name
from ..softmax_vs_linear.models.model import SWEEPABLE, Point
from ..softmax_vs_linear.models.panel_tables import SIZES
from ..softmax_vs_linear.settings.panels import COLUMN, Panel, PanelsJob

SCHEMA = schema(
    panel=str,
    model=str,
    attention_x=str,
    network=str,
    parameter=str,
    value=float,
    **SIZES,
    theta=float,
    p_at_theta=float,
    best_theta_low=float,
    best_theta_high=float,
    p_best=float,
    resolved=bool,
    reconstructed=str,
)
"""theta is tau / sqrt(log n); `theta` is the panel's own, the same for all networks. `value` is of
the first swept parameter. The best is null where it is not `resolved`: scores of D0 and D1 then lie
so close that float64 does not tell which thresholds are between them."""

PARAMETERS = ("attention_x", *SIZES, "theta")
TITLE = "Thresholds: what each network alone can do"
ABOUT = (
    "Exact probability that one network alone separates the pair, positive on D1 and zero on D0: "
    "at its panel's own threshold theta = tau / sqrt(log n), the same for all networks, and at "
    "its own best one, which lies anywhere from best theta low to best theta high. Each point has "
    "its own best; two scores closer than 1e-13 of their rows' size have no threshold between "
    "them, and where that could hide a better one, resolved says no and the best stays empty. In "
    "softmax regression theta is tau, and all entries of Ax but the special one are 1.2 log n: "
    "what is exact is of such entries, not of the panels' random ones. " + COLUMN
)
COLUMNS = 4
BEST: Look = {"linewidth": 1.6}
AT_THETA: Look = {"linewidth": 0.7}

Looks = dict[str, Look]
"""By kernel."""

X_NAMES = {"identity": "X = identity", "ones": "X = all ones"}


def threshold_table(job: PanelsJob) -> pa.Table:
    """The best threshold of each network at every point of the panels."""
    rows = []
    for panel in job.panels:
        model = MODELS[panel.model]
        points = panel.points()
        kernels = panel.contest.kernels
        best_of = {kernel: best_thresholds(model, points, kernel) for kernel in kernels}
        for k, point in enumerate(points):
            at_point: Row = {name: getattr(point, name) for name in PARAMETERS}
            at_point |= {
                "panel": panel.name,
                "model": model.name,
                "parameter": ",".join(panel.sweep),
                "value": point.swept[0],
                "reconstructed": panel.reconstruction,
            }
            for kernel in kernels:
                best = best_of[kernel][k]
                of_network = {
                    "network": kernel,
                    "p_at_theta": best.p_at_theta,
                    "best_theta_low": best.low,
                    "best_theta_high": best.high,
                    "p_best": best.p_best,
                    "resolved": best.p_best is not None,
                }
                rows.append(at_point | of_network)
    return table_from_rows(rows, SCHEMA)


def draw(job: PanelsJob, table: pa.Table) -> Figure:
    """Plots of each model, X and contest, on lines of their own: the curve over theta, then the
    best over each swept parameter."""
    groups: dict[tuple[object, ...], list[Panel]] = {}
    for panel in job.panels:
        first = panel.with_more(most_values=1).points()[0]
        groups.setdefault((panel.model, first.attention_x, panel.contest), []).append(panel)
    plots: list[Panel | list[Panel] | None] = []
    for panels in groups.values():
        plots.append(panels)
        plots += [panel for panel in panels if len(panel.sweep) == 1]
        plots += [None] * (-len(plots) % COLUMNS)
    kernels = _kernels_of(job.panels)
    # Of X and of Ax the titles speak.
    titled = {model.titled_by for model in MODELS.values()}
    lines = [
        "Exact; in softmax regression where all entries of 𝐴𝑥 but the special one are 1.2 log 𝑛. "
        "First plot of a model: against the threshold; dotted, the panels' own, the same for "
        f"{'both' if len(kernels) == 2 else 'all'} networks. Other plots: at the panels' points, "
        "each drawn to midway to the next.",
        choices_in_words(job.panels, titled) + ".",
    ]
    note = footnote(lines, job.panels, names_contests=False, is_shaded=True)
    title = "One network alone separates D1 from D0: at its best threshold, and at the shared one"
    looks = kernel_lines(kernels)
    all_plots = sheet(
        title, note, panels=len(plots), cell=(2.6, 1.75), around=(1.5, 1.2), columns=COLUMNS
    )
    with all_plots as (figure, axes):
        for k, (ax, plot) in enumerate(zip(axes, plots, strict=True)):
            if plot is None:
                ax.set_axis_off()
            elif isinstance(plot, Panel):
                _draw_best(ax, plot, table, looks)
            else:
                _draw_curve(ax, plot, looks)
            if k % COLUMNS == 0:
                ax.set_ylabel("probability")
        handles: list[Artist] = [
            key(network_name(kernel).replace("F", "𝐹"), **look) for kernel, look in looks.items()
        ]
        handles += [
            key("thick: best threshold", **BEST),
            key("thin: the panel's own\nthreshold", **AT_THETA),
        ]
        if any(any(are_outside(panel)) for panel in job.panels):
            handles.append(shade_key("outside the datasets'\ndefinition"))
        legend_beside(figure, handles)
    return figure


def _kernels_of(panels: list[Panel]) -> list[str]:
    """The kernels of the panels' contests, each once."""
    return list(dict.fromkeys(chain.from_iterable(panel.contest.kernels for panel in panels)))


def operating_point(panels: list[Panel]) -> tuple[Panel, Point]:
    """The panel and the point whose curve stands for all: of the panel that sweeps m, or else of
    the last, the point nearest to the m of the others."""
    chosen = next((panel for panel in panels if "m" in panel.sweep), panels[-1])
    others = []
    for panel in panels:
        if panel is not chosen:
            others += [point.m for point in panel.points()]
    median = np.median(others) if others else 0
    return chosen, min(chosen.points(), key=lambda point: abs(point.m - median))


def _draw_curve(ax: Axes, panels: list[Panel], looks: Looks) -> None:
    panel, point = operating_point(panels)
    model = MODELS[panel.model]
    for kernel in panel.contest.kernels:
        curve = curve_at(model, point, kernel)
        ax.stairs(curve.probability, curve.edges, **looks[kernel] | {"linewidth": 1.2})
    ax.axvline(point.theta, color=INK, linestyle=":", linewidth=1)
    ax.set_xlim(0, 2 if point.d else 1)
    ax.set_ylim(0, 1)
    sizes = []
    for name in ("n", "d", "m"):
        value = getattr(point, name)
        if value is not None:
            size = f"{SWEEPABLE[name].symbol} = {value}"
            sizes.append(marked(size, name in panel.reconstructed))
    theta = symbol_of("tau" if point.d is None else "theta", panel.reconstructed)
    ax.set_xlabel(f"{theta}  at {', '.join(sizes)}")
    title = model.title
    if point.attention_x in X_NAMES:
        title = f"{title}, {X_NAMES[point.attention_x]}"
    # Ax of softmax regression, and X, are marked where they are reconstructed.
    is_reconstructed = any(model.titled_by in panel.reconstructed for panel in panels)
    ax.set_title(marked(title, is_reconstructed), fontweight="bold", fontsize=9)


def _draw_best(ax: Axes, panel: Panel, table: pa.Table, looks: Looks) -> None:
    (name,) = panel.sweep
    rows = select_rows(table, panel=panel.name)
    for kernel in panel.contest.kernels:
        of_network = select_rows(rows, network=kernel)
        x, best, at_theta = sorted_columns(of_network, "value", "p_best", "p_at_theta")
        # Whole numbers and steps: each value to midway to its neighbours.
        ax.plot(x, best, drawstyle="steps-mid", **looks[kernel] | BEST)
        ax.plot(x, at_theta, drawstyle="steps-mid", **looks[kernel] | AT_THETA)
    if name == "d" and len(x) > 2:
        ticks_at(ax.xaxis, x.tolist())
    outside = np.array(are_outside(panel))[np.argsort([p.swept[0] for p in panel.points()])]
    shade(ax, x, outside)
    ax.set_ylim(0, 1)
    # delta enters through m alone; theta of regression is tau, and of Ax the title speaks.
    held = held_title(panel, rows["m"].to_pylist(), per_line=3, without=("delta",))
    ax.set_title(held, fontsize=7.5)
    ax.set_xlabel(symbol_of(name, panel.reconstructed))


def run(job: PanelsJob, table: Path, figure: Path) -> None:
    if not job.panels:
        raise ValueError("every panel sweeps the threshold itself")
    thresholds = threshold_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(thresholds, table, provenance, TITLE, ABOUT)
    save(draw(job, thresholds), figure.with_suffix(""))
