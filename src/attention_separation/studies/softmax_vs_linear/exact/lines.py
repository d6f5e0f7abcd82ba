"""Exact success rates between a panel's points, as close together as a line through them needs.

A panel sweeps a parameter over a grid, whose places are its points; its line is drawn through the
exact probabilities of success. The rate is constant between jumps: each is where a score of some
state of a column of signs crosses the threshold.
"""

import math
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from ....results.tables import Row, schema, table_from_rows
from ..models import MODELS
from ..models.model import AttentionModel
from ..models.panel_tables import DECIMALS
from ..settings.panels import Panel
from .attention_probabilities import references

SCHEMA = schema(panel=str, parameter=str, value=float, p_exact=float)
"""The corners of each panel's line, in order; the panel's own points are among them."""

WHOLE = ("n", "d", "m")
"""Parameters with no values between whole numbers."""

PARTS_OF_LINE = 256
"""Into which a panel's range is divided at least, before jumps are looked for."""

JUMP = 0.004
"""Two neighbouring values that differ by more have another between them, or are
FINEST_STEP apart."""

FINEST_STEP = 2.0**-13
"""Of a panel's range: less than a pixel."""


def has_line(panel: Panel) -> bool:
    """Whether a panel of attention sweeps one parameter that has values between its points."""
    if len(panel.sweep) > 1 or not isinstance(MODELS[panel.model], AttentionModel):
        return False
    (swept,) = panel.sweep
    return swept not in WHOLE


def lines_table(panels: Iterable[Panel]) -> pa.Table:
    """The table of the lines' corners, as SCHEMA, of all panels that have a line."""
    rows: list[Row] = []
    for panel in panels:
        if has_line(panel):
            (swept,) = panel.sweep
            values, rates = line(panel)
            for value, rate in zip(values.tolist(), rates.tolist(), strict=True):
                rows.append(
                    {"panel": panel.name, "parameter": swept, "value": value, "p_exact": rate}
                )
    return table_from_rows(rows, SCHEMA)


def line(panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    """Values of the swept parameter from the first to the last point, rising, and P(success) at
    each. Between two neighbours the rate moves by JUMP at most, or they are FINEST_STEP apart."""
    swept_values = np.unique([point.swept[0] for point in panel.points()])
    values = swept_values
    gaps = len(swept_values) - 1
    if gaps:
        parts = math.ceil(PARTS_OF_LINE / gaps)
        places = np.arange(parts * gaps + 1) / parts
        values = np.interp(places, np.arange(len(swept_values)), swept_values)
    rates = rates_at(panel, values)
    finest = FINEST_STEP * (swept_values[-1] - swept_values[0])
    while True:
        is_jump = (np.abs(np.diff(rates)) > JUMP) & (np.diff(values) > finest)
        if not is_jump.any():
            return values, rates
        after = np.flatnonzero(is_jump) + 1
        middles = (values[after - 1] + values[after]) / 2
        values = np.insert(values, after, middles)
        rates = np.insert(rates, after, rates_at(panel, middles))


def rates_at(panel: Panel, values: np.ndarray) -> np.ndarray:
    """The exact probability of success, (V,), at values (V,) of the one parameter that a panel of
    attention sweeps."""
    (swept,) = panel.sweep
    model = MODELS[panel.model]
    assert isinstance(model, AttentionModel)
    between = panel.with_more(sweep={swept: values.tolist()}, most_values=None)
    rates = [reference.success for reference in references(model, between.points())]
    return np.round(rates, DECIMALS)
