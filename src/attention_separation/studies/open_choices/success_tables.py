"""Probabilities of success over two parameters, exactly: over the threshold and a panel's swept
parameter, of one network alone and of all with the same threshold; over a map's two parameters."""

from enum import StrEnum

import numpy as np
import pyarrow as pa

from ...results.tables import Row, schema, table_from_rows
from ..softmax_vs_linear.exact.best_thresholds import Best, best_thresholds, success_at
from ..softmax_vs_linear.exact.compute import references
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.model import AttentionModel, Point
from ..softmax_vs_linear.models.panel_tables import DECIMALS, PARAMETER_COLUMNS
from ..softmax_vs_linear.settings.panels import Panel, PanelsJob, PhaseJob


class ThetaKind(StrEnum):
    """What a row of the table over theta is of."""

    PAPER = "paper"
    """The panel's own theta, at every point; `reconstructed` says whether the theta is."""

    BEST = "best"
    """Where P(E_success) is largest, anywhere in [theta_low, theta_high), `theta` its middle, at
    every point; all null where float64 does not resolve the best (`ThresholdCurve.resolved`)."""

    MAP = "map"
    """Each of THETAS, at MAP_POINTS values of the swept parameter at most."""


THETA_SCHEMA = schema(
    panel=str,
    parameter=str,
    value=float,
    kind=str,
    theta=float,
    p_exact=float,
    theta_low=float,
    theta_high=float,
    reconstructed=bool,
)
"""theta is tau / sqrt(log n), the same for all networks; `kind` is a ThetaKind."""

THETAS = np.round(np.arange(0.3, 2.21, 0.02), 10)
MAP_POINTS = 31

THRESHOLD_SCHEMA = schema(
    panel=str,
    model=str,
    attention_x=str,
    network=str,
    parameter=str,
    value=float,
    **PARAMETER_COLUMNS,
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

PHASE_SCHEMA = schema(
    map=str,
    parameter=str,
    model=str,
    attention_x=str,
    **PARAMETER_COLUMNS,
    delta=float,
    tau=float,
    p_exact=float,
)
"""One row per point of a map; `parameter` names the two swept parameters."""


def theta_table(job: PanelsJob) -> pa.Table:
    """The table of P(E_success) at each panel's own threshold, at the best one, and at each of
    THETAS, as THETA_SCHEMA."""
    rows = []
    for panel in job.panels:
        model = MODELS[panel.model]
        # Thresholds in units of s are of attention alone.
        assert isinstance(model, AttentionModel)
        points = panel.points()
        few = min(panel.most_values or MAP_POINTS, MAP_POINTS)
        mapped = panel.with_more(most_values=few).points()
        on_map = dict(zip(mapped, success_at(model, mapped, THETAS).tolist(), strict=True))
        for point, best in zip(points, best_thresholds(model, points, None), strict=True):
            at_point = _swept_columns(panel, point)
            at_own_theta = at_point | {
                "kind": ThetaKind.PAPER,
                "theta": point.theta,
                "p_exact": best.p_at_theta,
                "reconstructed": "theta" in panel.reconstructed,
            }
            rows += [at_own_theta, at_point | _best_columns(best)]
            if point in on_map:
                for theta, p in zip(THETAS.tolist(), on_map[point], strict=True):
                    on_grid = {"kind": ThetaKind.MAP, "theta": theta, "p_exact": round(p, DECIMALS)}
                    rows.append(at_point | on_grid)
    return table_from_rows(rows, THETA_SCHEMA)


def _best_columns(best: Best) -> Row:
    """The columns of THETA_SCHEMA on the best thresholds at a point."""
    middle = None
    if best.low is not None and best.high is not None:
        middle = (best.low + best.high) / 2
    return {
        "kind": ThetaKind.BEST,
        "theta": middle,
        "p_exact": best.p_best,
        "theta_low": best.low,
        "theta_high": best.high,
    }


def threshold_table(job: PanelsJob) -> pa.Table:
    """The table of the best threshold of each network alone at every point of the panels, as
    THRESHOLD_SCHEMA."""
    rows = []
    for panel in job.panels:
        model = MODELS[panel.model]
        points = panel.points()
        kernels = panel.contest.kernels
        best_by_kernel = {kernel: best_thresholds(model, points, kernel) for kernel in kernels}
        for k, point in enumerate(points):
            at_point = _swept_columns(panel, point) | _parameter_columns(point)
            at_point["reconstructed"] = panel.reconstruction
            for kernel in kernels:
                best = best_by_kernel[kernel][k]
                network_columns = {
                    "network": kernel,
                    "p_at_theta": best.p_at_theta,
                    "best_theta_low": best.low,
                    "best_theta_high": best.high,
                    "p_best": best.p_best,
                    "resolved": best.p_best is not None,
                }
                rows.append(at_point | network_columns)
    return table_from_rows(rows, THRESHOLD_SCHEMA)


def phase_table(job: PhaseJob) -> pa.Table:
    """The table of P(E_success) at every point of every map, as PHASE_SCHEMA."""
    rows = []
    for panel in job.panels:
        points = panel.points()
        for point, reference in zip(points, references(MODELS[panel.model], points), strict=True):
            at_point = _swept_columns(panel, point) | _parameter_columns(point)
            rows.append(at_point | {"map": panel.name, "p_exact": reference.success})
    return table_from_rows(rows, PHASE_SCHEMA)


def _swept_columns(panel: Panel, point: Point) -> Row:
    """The columns that say of which panel and model a row's point is, and what is swept there: of
    two swept parameters both names, and the first value."""
    return {
        "panel": panel.name,
        "model": panel.model,
        "parameter": ",".join(panel.sweep),
        "value": point.swept[0],
    }


def _parameter_columns(point: Point) -> Row:
    """The values of a point's parameters, by column."""
    names = ("attention_x", *PARAMETER_COLUMNS, "delta", "theta", "tau")
    return {name: getattr(point, name) for name in names}
