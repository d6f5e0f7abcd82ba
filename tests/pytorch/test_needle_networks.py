"""The needle's networks, batched over runs, against loops over tokens in NumPy; and their data."""

import math

import numpy as np
import pytest
import torch
from making import CONFIG
from needle_cells import small
from scipy.stats import binomtest, kstest

from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.kernels import FEATURE_MAPS
from attention_separation.statistics.seeding import stream
from attention_separation.studies.needle.training import networks as module
from attention_separation.studies.needle.training import weights
from attention_separation.studies.needle.training.batches import (
    TokenBatch,
    batch_at,
    held_out,
    normals,
    plain_tokens,
)
from attention_separation.studies.needle.training.train_cell import NeedleNetworks

FALSE_ALARM = 1e-6

LITERAL = {
    # Weights of one token, written plainly once more, of a score x.
    "uniform": lambda x: 1.0,
    "linear": lambda x: x,
    "linear_unnormalised": lambda x: x,
    "power_2": lambda x: x * x,
    "power_3": lambda x: x * x * x,
    "power_4": lambda x: x**4,
    "exp": math.exp,
    "taylor_2": lambda x: 1 + x + x * x / 2,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
}
ELU = {
    "elu_plus_one": lambda z: z + 1 if z > 0 else math.exp(z),
    "relu_features": lambda z: z * (z > 0),
}

ONE_QUERY = [
    ("uniform", "sum", None), ("linear", "n", None), ("linear", "sum", None),
    ("power_2", "sum", None), ("power_3", "sum", None), ("power_4", "sum", None),
    ("exp", "sum", None), ("exp", "n", None), ("taylor_2", "sum", None),
    ("sigmoid", "sum", None), ("elu_plus_one", "sum", 3),
    ("relu_features", "n", 5),
]  # fmt: skip


def disturbed(job, kernel):
    """A state in float64 where no parameter is 0 or equal in two runs."""
    state = NeedleNetworks(job, kernel, torch.float64)
    noise = stream(1, "disturbed").standard_normal(tuple(state.optimizer.vector.shape))
    with torch.no_grad():
        state.optimizer.vector.add_(torch.from_numpy(0.5 * noise))
    return state


def as_double(batch):
    """In float64, directions of length 1 to its last bits."""
    batch = type(batch)(*(each.double() if each.is_floating_point() else each for each in batch))
    if hasattr(batch, "directions"):
        batch = batch._replace(directions=torch.nn.functional.normalize(batch.directions, dim=2))
    return batch


def sequences(job, batch, run):
    """Of each sequence of a run: its tokens (n, d), and the direction that is asked for."""
    for k in range(len(batch.labels)):
        if not hasattr(batch, "directions"):
            yield batch.tokens[run, k].numpy().T, None
            continue
        tokens, u = batch.noise[k].numpy().T.copy(), batch.directions[k, run].numpy()
        tokens[batch.places[k, run]] += job.mu * batch.labels[k].item() * u
        yield tokens, u


def literal_output(job, own, tokens, u):
    """Attention with one query, a loop over tokens; `own` are one run's parameters."""
    sums, total = np.zeros(job.dimension), 0.0
    for token in tokens:
        if job.map.features:
            query = own["query"] @ u if job.arm == "query_given" else own["query"]
            key, phi = own["key"] @ token, ELU[job.map.kernel]
            weight = sum(phi(a) * phi(b) for a, b in zip(query, key, strict=True))
        else:
            along = (
                own["key"].T @ (own["query"] @ u) if job.arm == "query_given" else own["query"][0]
            )
            weight = LITERAL[job.map.kernel](along @ token + own["shift"].item())
        sums, total = sums + weight * token, total + weight
    output = sums / {"sum": total, "n": len(tokens), "rms": 1.0}[job.map.divided_by]
    if job.map.divided_by == "rms":
        output = output / np.sqrt(np.mean(output**2) + weights.RMS_NORM_EPSILON)
    return output


def check_one_query(job):
    kernel = kernel_named(job.map.kernel)
    state, batch = disturbed(job, kernel), as_double(batch_at(job, 3))
    parameters = {name: each.detach() for name, each in state.parameters.items()}
    found = state.network.attended(parameters, batch)
    read = state.network.read(parameters, found)
    for run in range(len(job.seeds)):
        own = {name: each[run].numpy() for name, each in parameters.items()}
        for k, (tokens, u) in enumerate(sequences(job, batch, run)):
            output = literal_output(job, own, tokens, u)
            wanted = np.array([output @ u]) if job.arm == "query_given" else output
            np.testing.assert_allclose(found[run, :, k].numpy(), wanted, rtol=1e-9, atol=1e-11)
            hidden = np.maximum(own["neurons"] @ wanted + own["neuron_bias"][:, 0], 0)
            answer = own["output"][0] @ hidden + own["bias"].item()
            assert read[run, k].item() == pytest.approx(answer, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(("kernel", "divided_by", "features"), ONE_QUERY)
@pytest.mark.parametrize("arm", ["query_given", "query_learned"])
def test_a_loop_over_tokens_judges_the_batched_network(arm, kernel, divided_by, features):
    check_one_query(small(kernel, divided_by, features, arm=arm))


@pytest.mark.parametrize("arm", ["sink_learned", "sink_and_scale_learned"])
def test_a_sink_token_by_token(arm):
    """The output is the logit of 1 less the sink's weight."""
    job = small("softmax_one", arm=arm, standardise=False)
    state, batch = disturbed(job, kernel_named("softmax_one")), as_double(batch_at(job, 3))
    found = state.logits(batch, is_training=False).detach()
    for run in range(len(job.seeds)):
        own = {name: each[run].item() for name, each in state.parameters.items()}
        scale = own["scale"] if arm == "sink_and_scale_learned" else job.mu
        for k, (tokens, u) in enumerate(sequences(job, batch, run)):
            weights = [np.exp(scale * (token @ u)) for token in tokens]
            of_sink = np.exp(own["sink"]) / (np.exp(own["sink"]) + sum(weights))
            wanted = np.log((1 - of_sink) / of_sink)
            assert found[run, k].item() == pytest.approx(wanted, rel=1e-8)


def test_rms_norm():
    check_one_query(small("linear_unnormalised", "rms", arm="query_learned"))


@pytest.mark.parametrize(
    ("kernel", "divided_by"),
    [(None, "sum"), ("linear", "n"), ("linear", "sum"), ("linear_unnormalised", "rms"),
     ("exp", "sum"), ("power_2", "n")],
)  # fmt: skip
def test_the_papers_network_token_by_token(kernel, divided_by):
    job = small(kernel, divided_by, arm="self_attention")
    state = disturbed(job, kernel and kernel_named(kernel))
    batch = as_double(batch_at(job, 0))
    parameters = {name: each.detach() for name, each in state.parameters.items()}
    found = state.network.attended(parameters, batch)
    read = state.network.read(parameters, found)
    for run in range(len(job.seeds)):
        own = {name: each[run].numpy() for name, each in parameters.items()}
        for k, (tokens, _) in enumerate(sequences(job, batch, run)):
            pooled = np.full(module.NEURONS, -np.inf)
            for j, query in enumerate(tokens):
                output = query
                if kernel:
                    each = [LITERAL[kernel](query @ own["x"] @ token) for token in tokens]
                    scale = {"sum": sum(each), "n": len(tokens), "rms": 1.0}[divided_by]
                    output = np.array(each) @ tokens / scale
                if divided_by == "rms":
                    output = output / np.sqrt(np.mean(output**2) + weights.RMS_NORM_EPSILON)
                values = own["neurons"] @ output
                np.testing.assert_allclose(
                    found[run, :, k, j].numpy(), values, rtol=1e-8, atol=1e-10
                )
                pooled = np.maximum(pooled, np.maximum(values + own["neuron_bias"][:, 0], 0))
            answer = own["output"][0] @ pooled + own["bias"].item()
            assert read[run, k].item() == pytest.approx(answer, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_linear_time_is_the_kernel_itself(name, monkeypatch):
    """Products of features, and the kernel's own weights of all pairs."""
    generator = stream(1, "features")
    queries = torch.from_numpy(np.abs(generator.standard_normal((2, 4))))
    keys = torch.from_numpy(generator.standard_normal((2, 4, 6)))
    # A map of ReLUs may have none of a vector without positive entries.
    keys[:, 0].abs_()
    kernel = kernel_named(name)
    of_features = weights.Weights(kernel, "sum", 4).of_features
    found = of_features(queries, keys)
    monkeypatch.setattr(weights, "FUSED", {})
    slower = of_features(queries, keys)
    monkeypatch.setattr(weights, "FEATURE_MAPS", {})
    slowest = of_features(queries, keys)
    torch.testing.assert_close(found, slowest, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(slower, slowest, rtol=1e-12, atol=1e-12)


def test_sums_of_signed_weights_are_floored():
    kernel = kernel_named("linear")
    scores = torch.tensor([[1.0, -1.0, 1e-9], [1.0, -1.0, -1e-9], [1.0, 1.0, 2.0]])
    found = weights.Weights(kernel, "sum", 8).of_scores(scores)
    torch.testing.assert_close(found[0], scores[0] / (3 * weights.FLOOR))
    torch.testing.assert_close(found[1], -scores[1] / (3 * weights.FLOOR))
    torch.testing.assert_close(found[2], scores[2] / 4)


def test_softmax_one_has_a_weight_beside():
    scores = torch.tensor([[1.0, -2.0, 0.5]], dtype=torch.float64)
    found = weights.Weights(kernel_named("softmax_one"), "sum", 8).of_scores(scores)
    torch.testing.assert_close(found, scores.exp() / (1 + scores.exp().sum()))


def test_normals_are_normal():
    """Kolmogorov and Smirnov's test, and that of the squares for the tails: p-values of both."""
    found = normals(stream(1, "normals"), 401, 999)
    assert (found.dtype, found.shape) == (torch.float32, (401, 999))
    values = found.double().numpy().ravel()
    assert kstest(values, "norm").pvalue > FALSE_ALARM / 2
    odd = normals(stream(2, "normals"), 100_001).double().numpy()
    assert kstest(odd**2, "chi2", args=(1,)).pvalue > FALSE_ALARM / 2


def test_the_data_where_the_query_is_given():
    """Each run's tokens along its direction: standard normal, independent of the other runs', with
    the needle on every other sequence."""
    job = small(n=40, batch=2000, mu=5.0)
    batch = batch_at(job, 0)
    u = batch.directions.double()
    eye = torch.eye(3, dtype=torch.float64).expand(len(u), -1, -1)
    torch.testing.assert_close(u @ u.mT, eye, rtol=0, atol=1e-5)
    along = (batch.directions @ batch.noise).double().numpy()
    count = along[:, 0].size
    assert kstest(along[:, 1].ravel(), "norm").pvalue > FALSE_ALARM / 4
    # A mean of `count` products of variance 1; five standard errors and more.
    most = 5.5 / math.sqrt(count)
    assert abs((along[:, 0] * along[:, 1]).mean()) < most
    # A coordinate of a uniform direction in R^8 has variance 1/8.
    assert kstest(u[:, 2, 0].numpy() ** 2, "beta", args=(0.5, 3.5)).pvalue > FALSE_ALARM / 4
    assert batch.labels.tolist() == [0.0, 1.0] * 1000
    assert {*batch.places[:, 0].tolist()} == set(range(40))
    assert not torch.equal(batch.places[:, 0], batch.places[:, 1])


def test_the_data_of_the_first_paper():
    """Definition D.1 and noise of a1 / mu on every entry, times sqrt(log n); n is no multiple of
    K = 4."""
    job = small(arm="query_learned", n=6, batch=4000, mu=3.0)
    x = batch_at(job, 0).tokens.double().numpy() / math.sqrt(math.log(6))
    plain = plain_tokens(job)
    assert plain.T.tolist() == [
        pytest.approx([0, *(0.2 * (k == j % 4) for k in range(4)), 0.8]) for j in range(6)
    ]
    none, needle = x[:, ::2], x[:, 1::2]
    # 12,000 values of standard deviation 0.4: six standard errors.
    most = 6 * 0.4 / math.sqrt(6000)
    for found, special in ((none, 0.01), (needle, 1.2)):
        mean = found.mean((0, 1))
        wanted = plain.double().numpy()
        wanted[0] += special / 6
        assert np.abs(mean - wanted).max() < 1.5 * most
    residual = (none[:, :, 1:] - plain[1:].numpy()).ravel()
    assert kstest(residual / 0.4, "norm").pvalue > FALSE_ALARM
    assert not np.array_equal(x[0], x[1])


def test_all_maps_see_the_same_batches_and_each_step_another():
    one, other = batch_at(small("exp"), 5), batch_at(small("linear", "n", steps=90, lr=0.5), 5)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(one.noise, batch_at(small(), 6).noise)
    assert not torch.equal(one.noise, batch_at(small(mu=5.0), 5).noise)
    assert not torch.equal(one.noise[:6], next(held_out(small())).noise[:6])
    fixed, paper = (
        batch_at(small("exp", arm=arm), 5) for arm in ("query_learned", "self_attention")
    )
    assert torch.equal(fixed.tokens, paper.tokens)


# What linear attention sees.

BY_HAND = 0.6
"""What the notes on the study state."""


@pytest.mark.parametrize(
    ("kernel", "divided_by", "features", "is_linear"),
    [("uniform", "sum", None, True), ("linear", "n", None, True), ("linear", "sum", None, True),
     ("linear_unnormalised", "rms", None, True), ("exp", "sum", None, False),
     ("power_2", "sum", None, False), ("elu_plus_one", "sum", 12, False)],
)  # fmt: skip
def test_linear_attention_sees_turned_tokens_as_they_were(kernel, divided_by, features, is_linear):
    """Any other z of one sum and one sum of squares is z turned among the tokens, 1 fixed."""
    job = small(kernel, divided_by, features, arm="query_learned", n=30)
    state = NeedleNetworks(job, kernel_named(kernel), torch.float64)
    generator = stream(2, "turned")
    tokens = torch.from_numpy(generator.standard_normal((3, 5, job.dimension, job.n)))
    v = torch.from_numpy(generator.standard_normal(job.n))
    v = v - v.mean()
    turned = tokens - 2 * torch.einsum("...n,n,m->...m", tokens, v, v) / (v @ v)
    labels = torch.arange(5.0) % 2
    seen, found = (
        state.network.attended(state.parameters, TokenBatch(each, labels)).detach()
        for each in (tokens, turned)
    )
    assert torch.allclose(seen, found, rtol=1e-9, atol=1e-9) == is_linear


def test_linear_attention_divided_by_row_sums_tells_more_than_it_learned():
    """X = e_d (e_1 + e_d)': every token asks the same query; read along e_1 by one threshold,
    chosen on other sequences."""
    kernel = {"kernel": "linear", "divided_by": "sum"}
    job = small(**kernel, arm="self_attention", n=512, mu=5.0, data=CONFIG.needle.data.model_dump(),
                held_out=20_000, seeds=[0])  # fmt: skip
    state = NeedleNetworks(job, kernel_named("linear"))
    x = torch.zeros(1, job.dimension, job.dimension)
    x[0, -1, [0, -1]] = 1.0
    neurons = torch.zeros_like(state.parameters["neurons"])
    neurons[0, 0, 0] = 1.0
    numbers, labels = [], []
    for batch in held_out(job):
        of_tokens = state.network.attended({"x": x, "neurons": neurons}, batch)[0, 0]
        torch.testing.assert_close(of_tokens[:, 0], of_tokens[:, -1], rtol=1e-2, atol=1e-3)
        numbers.append(of_tokens.amax(1).numpy())
        labels.append(batch.labels.numpy() > 0)
    numbers, labels = np.concatenate(numbers), np.concatenate(labels)
    half = len(labels) // 2
    tried = np.quantile(numbers[:half], np.linspace(0, 1, 401))
    t = max(tried, key=lambda each: ((numbers[:half] > each) == labels[:half]).sum())
    right = int(((numbers[half:] > t) == labels[half:]).sum())
    assert binomtest(right, half, BY_HAND).pvalue > FALSE_ALARM
    assert right / half > 0.58
