"""The ensemble's transformer against torch's own modules, one run at a time."""

import pytest
import torch
from training_jobs import small

from attention_separation.studies.head_rank.settings.cells import Architecture
from attention_separation.studies.head_rank.training import transformer as module
from attention_separation.studies.head_rank.training.train_cell import Transformers
from attention_separation.studies.head_rank.training.transformer import (
    Layer,
    RowAttention,
    _pieces,
    layers_of,
    transformer,
    unit_columns,
)

ENCODINGS = [("none", None), ("additive", None), ("concatenated", 4)]
VARIANTS = [{}, {"biases": False}, {"layer_norm": True}]


def attended(model: Architecture, layer: Layer, run: int, rows):
    """What `width` separate MultiheadAttention modules make of the rows of points, with one run's
    parameters of a layer."""
    dimension, has_biases = model.model_dimension, model.biases is None
    into = layer.attend_in[run].view(3, model.width, dimension, dimension)
    into_bias = layer.attend_in_bias[run].view(3, model.width, dimension)
    out = layer.attend_out[run].view(dimension, model.width, dimension)
    for j in range(model.width):
        one = torch.nn.MultiheadAttention(
            dimension, model.heads, bias=has_biases, batch_first=True, dtype=out.dtype
        )
        weights = {
            "in_proj_weight": into[:, j].reshape(-1, dimension), "out_proj.weight": out[:, j],
        }  # fmt: skip
        biases = {
            "in_proj_bias": into_bias[:, j].reshape(-1),
            "out_proj.bias": layer.attend_out_bias[run, :, 0],
        }
        parameters = weights | biases if has_biases else weights
        yield torch.func.functional_call(one, parameters, (rows, rows, rows))[0]


def normalised(model: Architecture, rows):
    """Rows of norm 1; torch's LayerNorm divides by the standard deviation, norm / sqrt(D)."""
    if model.layer_norm is None:
        return torch.nn.functional.normalize(rows, dim=2)
    dimension = model.model_dimension
    return torch.nn.functional.layer_norm(rows, [dimension], eps=0) / dimension**0.5


def by_modules(model: Architecture, tensors, run: int, x):
    """Output (d, n, B) of one run by torch's modules; x (d, n, B)."""
    rows = x.permute(2, 1, 0)
    if model.encoding == "additive":
        rows = rows + tensors[0][run, :, :, 0].T
    elif model.encoding == "concatenated":
        table = tensors[0][run, :, :, 0].T
        rows = torch.cat([rows, table.expand(len(rows), -1, -1)], 2)
    for layer in layers_of(tensors):
        mean = sum(attended(model, layer, run, rows)) / model.width
        rows = normalised(model, rows + mean) * layer.attend_scale[run]
        biases = layer.hidden_bias[run, :, 0], layer.outer_bias[run, :, 0]
        before, after = biases if model.biases is None else (0, 0)
        hidden = torch.relu(rows @ layer.hidden[run].T + before)
        rows = normalised(model, rows + hidden @ layer.outer[run].T + after)
        rows = rows * layer.outer_scale[run]
    return rows[:, :, : model.d].permute(2, 1, 0)


def disturbed(job, dtype):
    """Parameters where no bias is 0, no scale 1 and no two layers are equal; and points."""
    tensors = Transformers(job, dtype=dtype).tensors
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for tensor in tensors:
            tensor.add_(0.3 * torch.randn(tensor.shape, generator=generator, dtype=dtype))
    x = torch.randn(len(job.seeds), job.d, job.n, job.batch, generator=generator, dtype=dtype)
    return tensors, unit_columns(x)[0]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("encoding", "d_e"), ENCODINGS)
@pytest.mark.parametrize("by_rows", [True, False])
def test_merged_heads_are_the_average_of_separate_attention_modules(
    variant, encoding, d_e, by_rows, monkeypatch
):
    """Outputs, and what torch derives from its own modules."""
    monkeypatch.setattr(module, "is_by_rows", lambda n, rank: by_rows)
    job = small(encoding=encoding, d_e=d_e, **variant)
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float64, 1e-13)):
        tensors, x = disturbed(job, dtype)
        found = transformer(job, tensors, x)
        wanted = torch.stack([by_modules(job, tensors, run, own) for run, own in enumerate(x)])
        torch.testing.assert_close(found, wanted, rtol=0, atol=tolerance)
        along = torch.randn(found.shape, generator=torch.Generator().manual_seed(6), dtype=dtype)
        ours, theirs = (
            torch.autograd.grad((each * along).sum(), tensors, materialize_grads=True)
            for each in (found, wanted)
        )
        for one, other in zip(ours, theirs, strict=True):
            # Of a sum over sets and points, of one term each.
            torch.testing.assert_close(one, other, rtol=0, atol=1000 * tolerance)


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("seeds", [[0], [0, 1]])
def test_derivatives_are_those_of_differences(by_rows, heads, seeds, monkeypatch):
    monkeypatch.setattr(module, "is_by_rows", lambda n, rank: by_rows)
    job = small(layers=1, heads=heads, feed_forward=6, batch=2, seeds=seeds)
    tensors, x = disturbed(job, torch.float64)

    def outputs(x, *tensors):
        return transformer(job, tensors, x)

    # The points' own derivatives are those of layers behind the first.
    assert torch.autograd.gradcheck(outputs, (x, *tensors))
    assert torch.autograd.gradcheck(outputs, (x.requires_grad_(), *tensors))


def test_heads_taken_in_pieces_give_the_same_numbers(monkeypatch):
    generator = torch.Generator().manual_seed(3)
    qkv = torch.randn(3, 3, 4, 2, 3, 5, generator=generator).requires_grad_()
    found = []
    for piece in (1, 5 * 9 * 2 * 3, 10**6):
        monkeypatch.setattr(module, "PRODUCTS_TOGETHER", piece)
        output = RowAttention.apply(qkv)
        found.append((output, *torch.autograd.grad(output.square().sum(), qkv)))
    for one in found[:2]:
        assert all(torch.equal(a, b) for a, b in zip(one, found[2], strict=True))


def test_a_gpu_takes_all_heads_at_once(monkeypatch):
    monkeypatch.setattr(module, "PRODUCTS_TOGETHER", 1)
    qkv = torch.empty(3, 3, 4, 2, 3, 5)
    assert len([*_pieces(qkv)]) == 12
    ((runs, heads),) = _pieces(qkv.to("meta"))
    assert (runs, heads) == (slice(0, 3), slice(0, 4))


def test_other_initial_values_of_additive_encodings_change_them_alone():
    published, small_ones = (
        Transformers(small(encoding="additive", additive_mean=mean, additive_sd=sd)).tensors
        for mean, sd in ((-1.0, 1.0), (0.5, 0.02))
    )
    torch.testing.assert_close(small_ones[0], 0.5 + 0.02 * (published[0] + 1))
    assert all(torch.equal(a, b) for a, b in zip(published[1:], small_ones[1:], strict=True))


@pytest.mark.parametrize(("encoding", "d_e"), ENCODINGS)
def test_initial_values_are_as_published(encoding, d_e):
    job = small(d=16, heads=4, width=8, feed_forward=256, encoding=encoding, d_e=d_e)
    tensors = Transformers(job).tensors
    dimension = job.model_dimension
    first, second = layers_of(tensors)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    bounds = {
        "attend_in": (6 / (4 * dimension)) ** 0.5,
        "attend_out": dimension**-0.5,
        "hidden": dimension**-0.5,
        "hidden_bias": dimension**-0.5,
        "outer": 256**-0.5,
        "outer_bias": 256**-0.5,
    }
    for name, bound in bounds.items():
        most = getattr(first, name).abs().max().item()
        assert 0.85 * bound < most <= bound * (1 + 1e-6), name
    assert not first.attend_in_bias.any()
    assert not first.attend_out_bias.any()
    assert first.attend_scale.eq(1).all()
    assert first.outer_scale.eq(1).all()
    # Runs differ: each has its own stream.
    assert not torch.equal(first.attend_in[0], first.attend_in[1])
    if encoding == "none":
        assert tensors[0] is first.attend_in
    elif encoding == "concatenated":
        assert tensors[0].shape[1:] == (4, job.n, 1)
        assert 0.7 < tensors[0].abs().max() <= 1
    else:
        # 144 values of mean -1, sd 1: six standard errors.
        assert abs(tensors[0].mean() + 1) < 6 / 144**0.5


def test_a_variant_starts_as_the_papers_network_does_and_trains_no_bias():
    usual, without, centred = (Transformers(small(**variant)) for variant in VARIANTS)
    assert all(map(torch.equal, usual.tensors, centred.tensors))
    assert all(map(torch.equal, usual.tensors, without.tensors))
    without.advance(without.batch(0))
    untrained = [
        tensor[0].numel() for tensor, before in zip(without.tensors, usual.tensors, strict=True)
        if torch.equal(tensor, before)
    ]  # fmt: skip
    assert len(untrained) == 4 * without.job.layers
    assert sum(untrained) == usual.job.parameters() - without.job.parameters()


@pytest.mark.parametrize(("encoding", "d_e"), ENCODINGS)
def test_parameters_are_counted(encoding, d_e):
    job = small(encoding=encoding, d_e=d_e)
    tensors = Transformers(job).tensors
    assert sum(tensor[0].numel() for tensor in tensors) == job.parameters()
    of_attention = sum(t[0].numel() for layer in layers_of(tensors) for t in layer[:4])
    assert of_attention == job.attention_parameters()
