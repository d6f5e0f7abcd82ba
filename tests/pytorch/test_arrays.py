"""NumPy's functions on tensors: the same numbers, and derivatives that are those of differences."""

import numpy as np
import pytest
import torch
from pydantic import TypeAdapter

from attention_separation.attention.kernel import KernelInputs
from attention_separation.attention.kernels import FEATURE_MAPS, KERNELS
from attention_separation.settings.kernel_section import OwnKernel
from attention_separation.settings.kernel_values import own_kernel
from attention_separation.studies.needle.training.weights import as_array, as_tensor

X = np.array([[-1.4, -0.3, 0.2, 0.9], [0.4, 1.3, 2.2, -0.8]])
ROOTS = ("exp_root", "power_log_n")
"""Kernels of scores that are not negative."""


def seen(x):
    return KernelInputs(x, None, None, np.ones(X.shape), 4, 8)


def of_scores(kernel):
    return kernel.signed or kernel.weigh


def on_tensors(function, x):
    return as_tensor(function(as_array(x)), x)


def check(function, x):
    tensor = torch.from_numpy(x).requires_grad_()
    found = on_tensors(function, tensor)
    np.testing.assert_allclose(found.detach().numpy(), function(x), rtol=1e-13, atol=1e-15)
    if found.requires_grad:
        assert torch.autograd.gradcheck(lambda x: on_tensors(function, x), (tensor,))


@pytest.mark.parametrize("name", [k.name for k in KERNELS.values() if k.kind == "score"])
def test_every_kernel_of_the_score_has_derivatives(name):
    kernel = KERNELS[name]
    x = np.abs(X) if name in (*ROOTS, "softplus") else X
    check(lambda x: of_scores(kernel)(seen(x)), x)


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_every_feature_map_has_derivatives(name):
    check(lambda z: np.exp(FEATURE_MAPS[name](z)), X)


@pytest.mark.parametrize("name", [k.name for k in KERNELS.values() if k.signed])
def test_signed_weights_are_the_kernels_where_scores_are_not_negative(name):
    kernel, x = KERNELS[name], np.abs(X)
    wanted = np.exp(kernel.weigh(seen(x)))
    np.testing.assert_allclose(kernel.signed(seen(x)), wanted, rtol=1e-13)


def test_functions_of_torch_stay_torchs():
    check(lambda x: torch.tanh(x) if isinstance(x, torch.Tensor) else np.tanh(x), X)


def test_numpys_numbers_and_arrays_beside_a_tensor():
    check(lambda x: np.float64(2) * x + np.arange(4.0) - np.minimum(x, 1) * np.maximum(0.5, x), X)
    check(lambda x: np.where(x > 0, np.log1p(np.abs(x)), -1.0), X)
    check(
        lambda x: np.logaddexp.reduce(x, axis=-1, keepdims=True) - np.concatenate([x, -x], axis=-1),
        X,
    )
    check(lambda x: np.ones_like(x), X)


def test_a_function_that_torch_lacks_is_an_error():
    with pytest.raises(TypeError, match="fabs"):
        np.fabs(as_array(torch.ones(2)))


OWN = {
    "formula": {"score": "where(x > 0, x + 1, exp(x)) + 0.1 * minimum(x, 1) ** 2 + log_n"},
    "constant": {"score": "2"},
    "NumPy": {"python": "numpy.cosh"},
    "PyTorch": {"python": "torch.cosh"},
    "features": {"feature_map": "where(x > 0, x + 1, exp(x))"},
}


@pytest.mark.parametrize("name", OWN)
def test_own_kernels_have_derivatives(name):
    """Formulas are evaluated by numexpr on arrays, and by NumPy's functions on tensors."""
    kernel = own_kernel("mine", TypeAdapter(OwnKernel).validate_python(OWN[name]))
    if kernel.kind == "features":
        check(lambda z: kernel.weigh(KernelInputs(None, z[:1], z, np.ones((1, 2)), 4, 8)), X)
    elif name != "PyTorch":
        check(lambda x: kernel.weigh(seen(x)), X)
    else:
        tensor = torch.from_numpy(X).requires_grad_()
        found = on_tensors(lambda x: kernel.weigh(seen(x)), tensor)
        np.testing.assert_allclose(found.detach().numpy(), np.cosh(X))
        assert torch.autograd.grad(found.sum(), tensor)[0].allclose(torch.sinh(tensor))


def test_a_function_that_takes_no_tensor_is_said():
    kernel = own_kernel("mine", TypeAdapter(OwnKernel).validate_python({"python": "math.exp"}))
    with pytest.raises(ArithmeticError, match=r"mine: math.exp raised"):
        kernel.weigh(seen(as_array(torch.from_numpy(X))))
