"""Scores that a model of transformers gives softmax, for some of its queries: needs transformers.

The model goes on as it was loaded. Beside that, its own eager attention runs on the wanted queries
alone, some at a time, and what softmax gets there is kept. So whatever the model does to scores is
in them: rotary embedding, scale, biases, windows, a cap, sinks.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from .arrays import WHOLE, as_array, key_indices

BLOCK = 2**24
"""Scores that are computed at once: 64 MiB in single precision."""

SOFTMAX = (torch.nn.functional.softmax, torch.softmax, torch.Tensor.softmax)

EAGER = "caught_beside_eager"
"""Name of the attention of transformers that goes on as eager, in blocks of queries."""

SDPA = "caught_beside_sdpa"
"""Name of the one that goes on as sdpa."""

NAMES = {"eager": EAGER, "sdpa": SDPA}
"""Of how a model was loaded."""


@dataclass(frozen=True)
class CaughtScores:
    """What softmax gets in each layer of a model that has attention.

    Attributes
    ----------
    layers : an array for each layer, (sequences, heads, queries, keys) in single precision, without
        the first axis if the tokens were of one sequence; -inf where the model masks
    sinks : the score of each row's sink that is no token, (sequences, heads, queries) for each
        layer, -inf where a layer has none; None if the model has none
    """

    layers: list[np.ndarray]
    sinks: list[np.ndarray] | None


def catch_scores(
    model: Any, tokens: Any, queries: Sequence[int] | None = None, *, attention_mask: Any = None
) -> CaughtScores:
    """Returns the scores of some queries of a model on its tokens.

    Parameters
    ----------
    model : of transformers, loaded with attention "eager" or "sdpa", in model.eval()
    tokens : whole numbers, (n,) of one sequence or (sequences, n)
    queries : positions of the queries that are wanted, from 0 to n - 1; all if not given
    attention_mask : (sequences, n) of 1 and 0, as tokenizers give it, for a padded batch

    Raises
    ------
    ValueError
        If the model is in training, its attention is another one or cannot be caught, or a query is
        out of range.
    """
    array = as_array("tokens", tokens, WHOLE)
    if array.ndim not in (1, 2) or array.size == 0:
        raise ValueError(f"tokens have shape {array.shape}; allowed: (n,) or (sequences, n)")
    n = array.shape[-1]
    wanted = np.arange(n) if queries is None else key_indices("queries", queries, n, least=0)
    if wanted.ndim != 1 or len(wanted) == 0:
        raise ValueError(f"queries have shape {wanted.shape}; allowed: at least one position")
    _check(model)
    catcher = _Catcher(torch.as_tensor(wanted, device=model.device))
    inputs = {"input_ids": torch.as_tensor(np.atleast_2d(array), device=model.device).long()}
    if attention_mask is not None:
        inputs["attention_mask"] = torch.as_tensor(attention_mask, device=model.device)
    with torch.no_grad(), _catching(model, catcher):
        model.base_model(**inputs, use_cache=False)  # without the logits of all words
    if not catcher.layers:
        raise ValueError(
            f"{type(model).__name__} asked for no attention that transformers lets be replaced; "
            "allowed: models of its AttentionInterface"
        )
    return _caught(catcher, is_one_sequence=array.ndim == 1)


def _check(model: Any) -> None:
    """ValueError where a model cannot be asked for its scores."""
    if model.training:
        raise ValueError("the model is in training, with dropout; allowed: model.eval()")
    implementation = model.config._attn_implementation
    if implementation not in NAMES:
        raise ValueError(
            f"the model has attention {implementation!r}; allowed: a model loaded with "
            'attn_implementation="eager" or "sdpa"'
        )


@dataclass
class _Catcher:
    """Attention that keeps the scores of the wanted queries, (Q,), layer by layer: softmax's
    inputs, (batch, heads, Q, keys), with a column more where the layer has a sink."""

    queries: torch.Tensor
    layers: list[np.ndarray] = field(default_factory=list)
    sinks: list[np.ndarray | None] = field(default_factory=list)

    def catch(self, attention: "_Attention") -> None:
        """Keeps the scores of one layer."""
        parts = [attention.scores(queries) for queries in attention.blocks(self.queries)]
        scores = np.concatenate(parts, axis=2)
        keys = attention.key.shape[2]
        self.layers.append(scores[..., :keys])
        has_sink = scores.shape[-1] > keys
        self.sinks.append(scores[..., keys] if has_sink else None)


@dataclass(frozen=True)
class _Attention:
    """One call of a layer's attention: what a model of transformers gives it.

    Attributes
    ----------
    query, key, value : (batch, heads, n, d), of keys and values maybe fewer heads
    mask : (batch, 1, n, keys), True where a key is seen, or numbers that are added; None where
        later keys are masked, or none are
    more : scale, cap and others, as names
    """

    module: Any
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: torch.Tensor | None
    more: dict[str, Any]

    def blocks(self, queries: torch.Tensor) -> Sequence[torch.Tensor]:
        """Positions of queries, some at a time."""
        batch, heads = self.query.shape[:2]
        scores_of_query = batch * heads * self.key.shape[2]
        blocks: Sequence[torch.Tensor] = queries.split(max(1, BLOCK // scores_of_query))
        return blocks

    def eager(self, queries: torch.Tensor) -> torch.Tensor:
        """What the model's own eager attention gives some queries, (batch, queries, heads, d)."""
        forward = _eager_forward(self.module)
        rows = self.query[:, :, queries]
        mask = self._added_mask(queries)
        results = forward(self.module, rows, self.key, self.value, mask, **self.more)
        output: torch.Tensor = results[0]
        return output

    def scores(self, queries: torch.Tensor) -> np.ndarray:
        """What softmax gets of some queries, (batch, heads, queries, keys), -inf where masked."""
        with _SoftmaxInputs() as inputs:
            self.eager(queries)
        if len(inputs.scores) != 1:
            raise ValueError(
                f"{type(self.module).__name__} calls softmax {len(inputs.scores)} times; allowed: "
                "models whose attention calls it once"
            )
        scores = inputs.scores[0]
        is_masked = scores < torch.finfo(scores.dtype).min / 2
        caught: np.ndarray = scores.masked_fill(is_masked, -torch.inf).float().cpu().numpy()
        return caught

    def _added_mask(self, queries: torch.Tensor) -> torch.Tensor | None:
        """What is added to the scores of some queries, (batch, 1, queries, keys)."""
        if self.mask is None:
            if not self._is_causal():
                return None
            # The last query is the last key.
            offset = self.key.shape[2] - self.query.shape[2]
            positions = torch.arange(self.key.shape[2], device=queries.device)
            is_seen = (positions <= queries[:, None] + offset)[None, None]
        elif self.mask.dtype == torch.bool:
            is_seen = self.mask[:, :, queries]
        else:
            return self.mask[:, :, queries]
        least = torch.finfo(self.query.dtype).min
        zeros = torch.zeros(is_seen.shape, dtype=self.query.dtype, device=is_seen.device)
        return zeros.masked_fill(~is_seen, least)

    def _is_causal(self) -> bool:
        """Whether a layer without a mask masks later keys, as sdpa reads it."""
        is_causal = self.more.get("is_causal")
        if is_causal is None:
            is_causal = getattr(self.module, "is_causal", True)
        return bool(is_causal)


class _SoftmaxInputs(TorchFunctionMode):
    """Keeps what softmax gets while it is on."""

    def __init__(self) -> None:
        super().__init__()
        self.scores: list[torch.Tensor] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func in SOFTMAX:
            self.scores.append(args[0])
        return func(*args, **(kwargs or {}))


def _eager_forward(module: Any) -> Callable[..., Any]:
    """The eager attention of the file that has the layer's class; ValueError if it has none."""
    source = sys.modules[type(module).__module__]
    forward: Callable[..., Any] | None = getattr(source, "eager_attention_forward", None)
    if forward is None:
        raise ValueError(
            f"{type(module).__name__} has no eager attention of its own; allowed: models of "
            "transformers that have one"
        )
    return forward


_CATCHER: ContextVar[_Catcher] = ContextVar("catcher")
"""Of the model that runs."""


def _beside_eager(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **more: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers calls it: eager, in blocks of queries."""
    attention = _Attention(module, query, key, value, attention_mask, more)
    _CATCHER.get().catch(attention)
    positions = torch.arange(query.shape[2], device=query.device)
    parts = [attention.eager(queries) for queries in attention.blocks(positions)]
    return torch.cat(parts, dim=1), None


def _beside_sdpa(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **more: Any,
) -> Any:
    """Attention as transformers calls it: sdpa."""
    attention = _Attention(module, query, key, value, attention_mask, more)
    _CATCHER.get().catch(attention)
    sdpa = ALL_ATTENTION_FUNCTIONS["sdpa"]
    return sdpa(module, query, key, value, attention_mask, **more)


AttentionInterface.register(EAGER, _beside_eager)
AttentionInterface.register(SDPA, _beside_sdpa)
for _name in NAMES.values():
    AttentionMaskInterface.register(_name, sdpa_mask)


@contextmanager
def _catching(model: Any, catcher: _Catcher) -> Iterator[None]:
    """Has a model give its attention to a catcher."""
    implementation = model.config._attn_implementation
    token = _CATCHER.set(catcher)
    model.set_attn_implementation(NAMES[implementation])
    try:
        yield
    finally:
        model.set_attn_implementation(implementation)
        _CATCHER.reset(token)


def _caught(catcher: _Catcher, *, is_one_sequence: bool) -> CaughtScores:
    """Returns what was caught, without the axis of sequences if there is one alone."""
    sequences = 0 if is_one_sequence else slice(None)
    layers = [scores[sequences] for scores in catcher.layers]
    sinks = []
    for scores, layer_sinks in zip(catcher.layers, catcher.sinks, strict=True):
        if layer_sinks is None:
            layer_sinks = np.full(scores.shape[:-1], -np.inf, np.float32)
        sinks.append(layer_sinks[sequences])
    has_sinks = any(layer_sinks is not None for layer_sinks in catcher.sinks)
    return CaughtScores(layers, sinks if has_sinks else None)
