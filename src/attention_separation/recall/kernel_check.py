"""Whether a kernel of somebody's gives a query and a key a weight that is theirs: the same when it
is asked again, and the same, up to a factor of the row, without other queries and keys."""

import numpy as np

from ..attention.kernel import Kernel
from ..attention.kernel_names import is_built_in
from .simulation.layer_check import SAME_AGAIN_LIMIT, SMALL_OUTPUT
from .simulation.literal_layers import row_weights

QUERIES_ASKED, KEYS_ASKED = 4, 24
"""No two sizes here are one, and neither is a dimension that is asked for."""

PARTS_OF_KEYS = (slice(0, 5), slice(5, 24), slice(None, None, -1))
"""Keys that are asked without the others, and all in another order."""

REMEDIES = {
    "score": "weights of a score x are f(x) alone; rows(f) takes an f(x, counts) of whole rows",
    "features": "features of a vector are phi(z) of its own coordinates alone, so axis=-1, "
    "keepdims=True for what is taken over them",
}
"""What to give instead, by the kind of the kernel."""


def require_weights_of_pairs(kernel: Kernel, d: int, tokens: int) -> None:
    """Raise ValueError where a kernel of somebody's keeps a state or is random, or where its weight
    of a query and a key depends on others. Of a kernel of rows it may depend on other keys.

    Errors of its own, and weights that are no numbers, are left to what asks it next.
    """
    if is_built_in(kernel):
        return
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((QUERIES_ASKED + KEYS_ASKED, d))
    vectors *= np.sqrt(d) / np.linalg.norm(vectors, axis=1, keepdims=True)
    queries = vectors[:QUERIES_ASKED]
    keys = vectors[QUERIES_ASKED:]
    # A query that is a key has the largest score that there is.
    queries[0] = keys[0]
    try:
        fault = _fault(kernel, queries, keys, tokens)
    except (ValueError, ArithmeticError):
        return
    if fault:
        raise ValueError(f"kernel={kernel.name!r}: {fault}")


def _fault(kernel: Kernel, queries: np.ndarray, keys: np.ndarray, tokens: int) -> str:
    """What is wrong, in words; "" if nothing is."""
    weights = row_weights(kernel, queries, keys, tokens)
    again = row_weights(kernel, queries, keys, tokens)
    if not _are_alike(again, weights, is_scaled=False):
        return (
            "called again with the same numbers, it gives other weights: it keeps a state or is "
            "random; allowed: functions, and modules in eval()"
        )
    if not _are_alike(row_weights(kernel, queries[1:2], keys, tokens), weights[1:2]):
        return f"weights depend on which queries are asked together; allowed: {_remedy(kernel)}"
    if kernel.kind == "row":
        return ""
    for part in PARTS_OF_KEYS:
        of_part = row_weights(kernel, queries, keys[part], tokens)
        if not _are_alike(of_part, weights[:, part]):
            return f"weights depend on which keys are asked together; allowed: {_remedy(kernel)}"
    return ""


def _remedy(kernel: Kernel) -> str:
    return REMEDIES.get(kernel.kind, "functions of one row at a time")


def _are_alike(weights: np.ndarray, wanted: np.ndarray, is_scaled: bool = True) -> bool:
    """Whether rows (R, T) are the same, if `is_scaled` up to a positive factor each."""
    largest = np.abs(wanted).max(axis=1, keepdims=True)
    factor = np.ones_like(largest)
    if is_scaled:
        sizes = np.abs(weights).max(axis=1, keepdims=True)
        factor = np.where(sizes > 0, largest / np.where(sizes > 0, sizes, 1.0), 1.0)
    gaps = np.abs(factor * weights - wanted)
    return bool((gaps <= SAME_AGAIN_LIMIT * np.abs(wanted) + SMALL_OUTPUT * largest).all())
