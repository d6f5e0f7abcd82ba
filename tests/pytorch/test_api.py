"""PyTorch's own functions as kernels of one's own, unchanged."""

import math

import pytest
import torch
from torch.nn import functional

import attention_separation as asep

SAME = {
    # A built-in kernel, and PyTorch's functions that make it.
    "relu_features": lambda: asep.features(functional.relu),
    "softmax_features": lambda: asep.features(torch.nn.Softmax(dim=-1)),
    "elu_plus_one": lambda: asep.features(lambda z: functional.elu(z) + 1),
    "exp": lambda: torch.exp,
    "power_2": lambda: asep.scores(torch.square),
    "linear": lambda: asep.pair(lambda z: 2 * z, torch.nn.Identity()),
}


@pytest.mark.parametrize("name", SAME)
def test_a_function_of_torch_is_the_built_in_kernel(name):
    own, built_in = SAME[name](), name
    for model, attention_x in (
        ("self_attention", "identity"), ("self_attention", "ones"), ("cross_attention", "identity"),
    ):  # fmt: skip
        found, wanted = (asep.separate(k, model, attention_x, 2000) for k in (own, built_in))
        assert found.probability == pytest.approx(wanted.probability, abs=1e-9)
        assert found.share == pytest.approx(wanted.share, rel=1e-9)


def test_parameters_are_no_obstacle_and_classes_told_apart_are_found_out():
    """A learned map: no gradient is asked for, and what it does to classes is said."""
    layer = torch.nn.Linear(22, 22, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.eye(22, dtype=torch.float64))

    def phi(z):
        return functional.relu(z @ layer.weight[: z.shape[-1], : z.shape[-1]])

    found = asep.separate(asep.features(phi, name="identity"), n=400)
    assert found.probability == asep.separate("relu_features", n=400).probability
    with torch.no_grad():
        layer.weight.copy_(torch.diag(torch.arange(1.0, 23.0, dtype=torch.float64)))
    with pytest.raises(ArithmeticError, match="tokens that are alike but for their class"):
        asep.separate(asep.features(phi, name="diagonal"), n=400)


def test_a_function_of_rows():
    softmax = asep.rows(lambda x, counts: torch.softmax(x + torch.log(counts), -1) / counts)
    for n in (200, 10**9):
        found, wanted = (asep.separate(kernel, n=n) for kernel in (softmax, "exp"))
        assert found.probability == pytest.approx(wanted.probability, abs=1e-9)


def low_precision(z):
    return functional.softmax(torch.as_tensor(z).to(torch.bfloat16), dim=-1)


def by_tensors_alone(z):
    return z.to(torch.bfloat16).exp()


@pytest.mark.parametrize("phi", [low_precision, by_tensors_alone])
def test_bfloat16_is_named(phi):
    """NumPy has no such numbers; and arrays have no method `to`."""
    with pytest.warns(UserWarning, match=r"gave numbers of torch\.bfloat16; answers need"):
        asep.separate(asep.features(phi))


def test_counts_keep_their_digits():
    """Of whole numbers PyTorch's functions give its default type, float32."""

    def softmax(x, counts):
        counts = torch.as_tensor(counts)
        return torch.softmax(torch.as_tensor(x) + counts.log(), dim=-1) / counts

    found = asep.separate(asep.rows(softmax), n=10**6)
    assert found.share == pytest.approx(asep.separate("exp", n=10**6).share, rel=1e-12)
    assert torch.get_default_dtype() == torch.float32


def test_modules_of_float32_and_functions_of_one_number_are_told_what_to_be():
    with pytest.raises(ArithmeticError, match=r"it gets float64, so module.double\(\)"):
        asep.separate(asep.features(torch.nn.Linear(22, 22)))
    with pytest.raises(ArithmeticError, match=r"it gets arrays, so np\.exp for math\.exp"):
        asep.separate(lambda x: math.exp(x))
