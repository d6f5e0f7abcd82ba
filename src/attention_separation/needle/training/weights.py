"""A kernel's weights on tensors, with derivatives: the kernels of `attention.kernels` as they are.

Scores may have either sign: a kernel of scores that are not negative has its `signed` weights.
"""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import elu

from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.attention.kernels import FEATURE_MAPS
from attention_separation.training.arrays import as_array, as_tensor

from ..settings.cells import Divided

FLOOR = 1e-3
"""Least size of a mean of weights that is divided by: signed ones may sum to 0."""

FUSED = {"elu_plus_one": lambda z: elu(z) + 1}
"""Feature maps that torch has in one operation; `FEATURE_MAPS` says the same of them."""

ONE = np.ones(1)


def weights_of_scores(kernel: Kernel, divided_by: Divided, scores: Tensor, d: int) -> Tensor:
    """What each token is multiplied by, (..., n), for scores (..., n) of tokens in R^d."""
    seen = Seen(as_array(scores), None, None, ONE, scores.shape[-1], d)
    weigh, logarithmic = kernel.weigh, kernel.logarithmic
    if kernel.signed:
        weigh, logarithmic = kernel.signed, False
    values = as_tensor(weigh(seen), scores).expand(scores.shape)
    return divided(kernel, divided_by, values, logarithmic)


def weights_of_features(
    kernel: Kernel, divided_by: Divided, queries: Tensor, keys: Tensor
) -> Tensor:
    """The same for projected queries (..., r) and keys (..., r, n), tokens last."""
    features, n = keys.shape[-2:]
    phi, log_phi = FUSED.get(kernel.name), FEATURE_MAPS.get(kernel.name)
    if phi is not None:
        of_queries, of_keys = phi(queries), phi(keys)
    elif log_phi is not None:
        of_queries = as_tensor(log_phi(as_array(queries)), queries).exp()
        of_keys = as_tensor(log_phi(as_array(keys.mT)), keys).exp().mT
    else:
        vectors = as_array(queries.unsqueeze(-2)), as_array(keys.mT)
        seen = Seen(None, *vectors, np.ones((1, n)), n, features)
        values = as_tensor(kernel.weigh(seen), keys).squeeze(-2)
        return divided(kernel, divided_by, values, kernel.logarithmic)
    values = (of_queries.unsqueeze(-2) @ of_keys).squeeze(-2)
    return divided(kernel, divided_by, values, logarithmic=False)


def divided(kernel: Kernel, divided_by: Divided, values: Tensor, logarithmic: bool) -> Tensor:
    """Weights, or their logarithms, (..., n) divided by their sum or by n, or as they are."""
    if divided_by != "sum":
        weights = values.exp() if logarithmic else values
        return weights / values.shape[-1] if divided_by == "n" else weights
    beside = 1.0 if kernel.normaliser == "1 + row sum" else 0.0
    if logarithmic:
        total = values.logsumexp(-1, keepdim=True)
        if beside:
            total = torch.logaddexp(total, torch.zeros_like(total))
        return (values - total).exp()
    total = values.sum(-1, keepdim=True) + beside
    least = FLOOR * values.shape[-1]
    floor = torch.full_like(total, least).copysign(total.detach())
    return values / torch.where(total.abs() < least, floor, total)
