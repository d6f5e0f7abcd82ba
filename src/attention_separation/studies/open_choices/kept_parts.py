"""What docs/ keeps of the long tables of thresholds: the parts that its pages read."""

from collections.abc import Callable

import pyarrow as pa

from ...results.tables import array_of

COLUMNS_OF_BEST = ("panel", "network", "value", "p_at_theta", "p_best")


def without_maps(theta: pa.Table) -> pa.Table:
    """The rows of the table over theta on the panels' own threshold and on the best one, without
    those of the maps."""
    is_kept = [kind != "map" for kind in theta["kind"].to_pylist()]
    return theta.filter(array_of(is_kept, pa.bool_()))


KEPT_PARTS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "theta": without_maps,
    "threshold": lambda table: table.select(COLUMNS_OF_BEST),
}
"""By the names of outputs."""
