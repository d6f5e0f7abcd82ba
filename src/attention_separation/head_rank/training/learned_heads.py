"""What full-rank heads have learned: how near their score matrices are to multiples of I."""

import numpy as np
import torch

from ..settings.cells import Architecture
from .transformer import Parameters

COLUMNS = ("head_layer", "angle", "norm", "angle_code", "norm_code", "scale")


def learned_heads(model: Architecture, parameters: Parameters) -> list[dict[str, list]]:
    """Per run, COLUMNS with one value per head, layer by layer; empty where rank < D.

    The logits of a head are x_i' M x_j / sqrt(r) + what biases add, M = W_q' W_k with W_q, W_k
    (r, D). `angle` to +I in degrees, arccos(tr M / (|M| sqrt(D))); `norm` |M| / sqrt(D), so that
    c I has norm |c|; both again for W_q W_k', which the published figure shows; `scale`
    tr M / (D sqrt(r)), the c of the multiple of I nearest to what multiplies x_i' x_j.
    """
    runs = parameters.layers[0].attend_in.shape[0]
    found: list[dict[str, list]] = [{name: [] for name in COLUMNS} for _ in range(runs)]
    if model.rank < model.model_dimension:
        return found
    dimension = model.model_dimension
    for number, layer in enumerate(parameters.layers, start=1):
        split = (runs, 3, model.total_heads, dimension, dimension)
        q, k = layer.attend_in.double().view(split)[:, :2].unbind(1)
        score, code = q.mT @ k, q @ k.mT
        values = (
            torch.full(q.shape[:2], number),
            _angle(score),
            _norm(score),
            _angle(code),
            _norm(code),
            _trace(score) / dimension**1.5,
        )
        for run in range(runs):
            for name, value in zip(COLUMNS, values, strict=True):
                found[run][name] += value[run].tolist()
    return found


def _trace(matrices: torch.Tensor) -> torch.Tensor:
    return matrices.diagonal(dim1=-2, dim2=-1).sum(-1)


def _norm(matrices: torch.Tensor) -> torch.Tensor:
    return torch.linalg.matrix_norm(matrices) / matrices.shape[-1] ** 0.5


def _angle(matrices: torch.Tensor) -> torch.Tensor:
    cosine = _trace(matrices) / (_norm(matrices) * matrices.shape[-1])
    # Rounding may lead just beyond 1.
    return torch.arccos(cosine.clamp(-1, 1)) * (180 / np.pi)
