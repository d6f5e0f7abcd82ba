"""A layer that someone gives, as a function of arrays."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...messages.words import short_repr
from ...own_kernels.given import numpy_of
from .literal_layers import BlackBox


def given_layer(layer: Callable[..., Any]) -> BlackBox:
    """A function (q, k, v) -> o of NumPy's or PyTorch's arrays as one of NumPy's. ValueError, here
    or at its first call, if it does not take three arrays."""
    if isinstance(layer, np.ufunc) or not _takes_three(layer):
        raise ValueError(_words(layer))
    if isinstance(layer, type) or _names_sizes(layer):
        raise ValueError(_words(layer))
    function = numpy_of(layer)
    has_signature = _has_signature(layer)

    def called(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        try:
            # Copies, for a layer may change what it is given.
            return function(q.copy(), k.copy(), v.copy())
        except TypeError as error:
            if not has_signature:
                raise ValueError(f"{_words(layer)}: {error}") from error
            error.add_note(CALLED_WITH)
            raise
        except Exception as error:
            error.add_note(CALLED_WITH)
            raise

    return called


CALLED_WITH = (
    "the layer was called with q (m, d), k (n, d) and v (n, e): m queries that read after all n "
    "pairs are written, without axes of batches or heads"
)


def _words(layer: object) -> str:
    return (
        f"layer={short_repr(layer)}; allowed: a layer that is called as layer(q, k, v), with three "
        "arrays"
    )


def _names_sizes(layer: Callable[..., Any]) -> bool:
    """Whether a function has arguments n or d, as kernels of the score have, and layers have
    not."""
    signature = _signature(layer)
    return signature is not None and not {"n", "d"}.isdisjoint(signature.parameters)


def _signature(layer: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, or of the method that a PyTorch module calls; None where it has
    none, as in C."""
    try:
        return inspect.signature(getattr(layer, "forward", layer))
    except (TypeError, ValueError):
        return None


def _has_signature(layer: Callable[..., Any]) -> bool:
    return _signature(layer) is not None


def _takes_three(layer: Callable[..., Any]) -> bool:
    """Whether a function can be called with three arguments by position; True where nothing is
    known."""
    signature = _signature(layer)
    if signature is None:
        return True
    try:
        signature.bind("q", "k", "v")
    except TypeError:
        return False
    return True
