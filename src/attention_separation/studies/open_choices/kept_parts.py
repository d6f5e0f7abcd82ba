"""What docs/ keeps of the long tables of thresholds: the parts that its pages read."""

from collections.abc import Callable

import pyarrow as pa

from ...results.tables import array_of

COLUMNS_OF_BEST = ("panel", "network", "value", "p_at_theta", "p_best")


def without_maps(theta: pa.Table) -> pa.Table:
    """The panels' own threshold and the best one, without the maps."""
    return theta.filter(array_of([kind != "map" for kind in theta["kind"].to_pylist()], pa.bool_()))


KEPT_PARTS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "theta": without_maps,
    "threshold": lambda table: table.select(COLUMNS_OF_BEST),
}
"""By the names of outputs."""
