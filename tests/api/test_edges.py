"""Where there is no answer, or a wrong one would be easy: what is refused, undecided or warned
of."""

import contextlib
import math
import re
import warnings

import numpy as np
import pytest
from matplotlib import pyplot

import attention_separation as asep
from attention_separation.__main__ import main
from attention_separation.any_attention.kernel_check import check_kernel
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.neighbour_check import NotOfOneVectorError
from attention_separation.attention import dense
from attention_separation.attention.kernel import ClassesApartError
from attention_separation.datasets.dataset import FixedData

SELF, ONES, CROSS = ((layer.model, layer.attention_x) for layer in LAYERS)


def commanded(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr()


# Softmax itself does not separate.


def test_nothing_is_measured_against_a_softmax_that_fails():
    with pytest.warns(UserWarning, match="softmax itself does not separate beyond n = "):
        assert asep.largest_n("uniform", a1=0.9) == 20
    with pytest.warns(UserWarning, match="softmax itself does not separate"):
        last = asep.largest_n("exp", a1=0.9)
    below, above = (asep.separate("exp", n=n, a1=0.9).probability for n in (last, last + 20))
    assert below > 1 / 2 >= above
    with pytest.warns(UserWarning, match="does not separate at any n"):
        assert asep.largest_n("uniform", m=1) is None
    with pytest.warns(UserWarning, match="does not separate here"):
        assert asep.critical_temperature(last + 20, a1=0.9) is None


def test_a_probability_can_be_asked_for():
    last = asep.largest_n("x**4", level=0.9)
    assert asep.separate("x**4", n=last).probability >= 0.9
    assert asep.separate("x**4", n=last + 20).probability < 0.9
    assert last < asep.largest_n("x**4")
    assert asep.largest_n("uniform", a1=0.5, level=0.1) == math.inf
    t = asep.critical_temperature(2000, level=0.9)
    kernels = (asep.at_temperature("exp", t * by) for by in (1 - 1e-6, 1 + 1e-6))
    assert [asep.separate(k, n=2000).probability >= 0.9 for k in kernels] == [True, False]
    for level in (0, 1.1, "much", math.nan):
        with pytest.raises(ValueError, match=re.escape("allowed: numbers above 0, to 1")):
            asep.largest_n("exp", level=level)


def test_the_command_says_where_softmax_fails(capsys):
    given = ("compare", "--kernel", "uniform", "linear", "exp", "--n", "1e6", "1e12", "--a1", "0.9")
    said = commanded(capsys, *given)
    assert "still" not in said.out
    (line,) = said.err.splitlines()
    assert line.startswith("compare: warning: softmax itself does not separate beyond n = ")
    said = commanded(capsys, *given, "--level", "0.1")
    assert said.out.count("10^12 still") == 3
    assert said.err == ""


# float64 cannot tell.


def test_what_float64_does_not_tell_is_an_error():
    with pytest.raises(ArithmeticError, match="at n = 200 float64 does not tell at which g power"):
        asep.least_weight("power_200", 200, CROSS[0], d=5, m=5, a0=0.3, a1=2)


def test_the_command_says_what_is_undecided(capsys):
    given = ("compare", "--kernel", "sigmoid", "--n", "200", "1e12", "--model", CROSS[0])
    said = commanded(capsys, *given, "--level", "0.1")
    assert "undecided" in said.out
    assert "sigmoid: from n = 2,935,380 on float64 does not tell" in said.out
    assert "nan" not in said.out


# What a kernel of one's own may be.


def first_eighth(z):
    part = z.shape[-1] // 8
    return np.concatenate([3 * z[..., :part], z[..., part:]], -1) ** 2


def test_classes_are_exchanged_at_the_dimension_that_is_asked():
    phi = asep.features(first_eighth)
    with pytest.raises(ArithmeticError, match="n = 200: tokens that are alike"):
        asep.separate(phi, *CROSS, n=200)


def layer_norm(z):
    assert z.shape[-1] == 22
    centred = z - z.mean(axis=-1, keepdims=True)
    return np.exp(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5))


USABLE = {
    "overflows at large n": lambda: "exp(x**2)",
    "underflows at large n": lambda: "exp(-60*x)",
    "knows the dimension": lambda: asep.features(layer_norm),
    "is negative in places": lambda: asep.features(
        lambda z: np.concatenate([np.ones_like(z[..., :1]), np.cos(z), np.sin(z)], -1)
    ),
}


def test_a_question_needs_no_other_n(subtests):
    for name in USABLE:
        with subtests.test(name):
            assert 0 <= asep.separate(USABLE[name](), n=200).probability <= 1
            assert 0 <= asep.separate("where(x>5,x,0)", *ONES, n=200).probability <= 1


def test_negative_weights_are_warned_of_at_the_data_that_is_asked():
    asep.separate("2.3*log_n - x", n=200)
    with pytest.warns(UserWarning, match="some weights are negative"):
        asep.separate("2.3*log_n - x", n=200, a1=1.4)


MAPS = {
    "softmax": lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True),
    "lengths": lambda z: z / np.sqrt((z**2).sum(axis=-1, keepdims=True) + 1),
    "the special coordinate": lambda z: np.exp(z * np.where(np.arange(z.shape[-1]) == 0, 2, 1)),
    "two classes": lambda z: np.exp(z * np.where(np.arange(z.shape[-1]) == 2, 2, 1)),
    "the last class": lambda z: np.exp(z * np.where(np.arange(z.shape[-1]) == 6, 2, 1)),
    "a middle class": lambda z: np.exp(z * np.where(np.arange(z.shape[-1]) == 4, 2, 1)),
    "neighbours": lambda z: np.exp(z + np.roll(z, 1, axis=-1)),
    "a mean over tokens": lambda z: np.exp(z * z.mean()),
}


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_what_is_refused_has_no_few_rows(subtests, layer):
    """By all n x n weights, the special tokens in every class: those of types, or not."""
    for name in MAPS:
        with subtests.test(name):
            kernel, data, n = asep.features(MAPS[name]), FixedData(classes=6), 24
            tokens = layer.tokens(data, n)
            seen = set()
            for place in range(6):
                places = np.full(layer.dataset.special_tokens, place)
                a1, a2, _, q, k = layer.dataset.literal(tokens, 1, places)
                weights = dense.attention_weights(a1, a2, q, k, kernel)
                seen.add(np.sort(np.unique(weights.round(12))).tobytes())
            # A mean over tokens knows no class, and is another one over the types of tokens.
            if len(seen) > 1 or name == "a mean over tokens":
                with pytest.raises((ClassesApartError, NotOfOneVectorError)):
                    check_kernel(kernel, layer, data, [n])
            else:
                check_kernel(kernel, layer, data, [n])
            told = {"two classes", "the last class", "a middle class", "neighbours"}
            assert (len(seen) > 1) == (name in told and layer.attention_x == "identity")


def test_sums_that_overflow_are_an_error():
    for kernel, sizes in (
        (np.exp, {"n": 10**12, "b": 2.5, "c": 2.5, "a1": 0.05, "attention_x": "ones"}),
        (lambda x: 1e300 * x**4, {"n": 10**9}),
    ):
        with pytest.raises(ArithmeticError, match=r"a row's sum is inf.*allowed: finite sums"):
            asep.separate(kernel, **sizes)
    with pytest.raises(ArithmeticError, match="for float64's digits"):
        asep.separate(lambda x: np.exp(x - 740), n=200)
    assert asep.separate(lambda x: np.exp(x - 600), n=200).share == pytest.approx(
        asep.separate("exp", n=200).share, rel=1e-12
    )


def test_complex_numbers_are_a_sentence(capsys):
    assert main(["separate", "--kernel", "(-1)**0.5*x"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("it gives complex numbers; allowed: real numbers")


def test_a_kernel_as_a_value_is_tried_too():
    causal = asep.Kernel("exp", "", "score", lambda seen: np.tril(np.exp(seen.scores)))
    with pytest.raises(ArithmeticError, match="allowed: a function of the score alone"):
        asep.separate(causal)


SMALL = {
    "scores": lambda kind: asep.scores(lambda x: np.exp(x / 4).astype(kind)),
    "features": lambda kind: asep.features(lambda z: np.exp(z).astype(kind)),
    "pair": lambda kind: asep.pair(lambda q: q, lambda k: k.astype(kind)),
    "a temperature": lambda kind: asep.at_temperature(lambda x: (x + 1).astype(kind), 2),
}
WITH_A_KERNEL = {
    "separate": lambda kernel: asep.separate(kernel, n=200),
    "separate by a threshold": lambda kernel: asep.separate(kernel, n=200, theta=0.7),
    "compare": lambda kernel: asep.compare([kernel, "exp"], [200, 2000]),
    "success": lambda kernel: asep.success({"fires": "exp", "silent": [kernel]}),
    "simulate": lambda kernel: asep.simulate(kernel, n=40, trials=20),
    "simulate literally": lambda kernel: asep.simulate(
        kernel, n=40, trials=3, theta=0.7, method="dense"
    ),
    "largest_n": lambda kernel: asep.largest_n(kernel, level=0.01),
    "least_weight": lambda kernel: asep.least_weight(kernel, 200),
}


@pytest.mark.usefixtures("few_looks")
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_small_floats_are_warned_of_once_by_each_question(subtests, kind):
    """However a kernel is made; and whatever is asked of one."""
    cases = [("separate", small) for small in SMALL]
    if kind is np.float32:
        cases += [(question, "scores") for question in WITH_A_KERNEL]
    for question, small in cases:
        with subtests.test(f"{question}, {small}"):
            hold_warned_once(WITH_A_KERNEL[question], SMALL[small](kind), kind)


def hold_warned_once(ask, kernel, kind):
    for _ in range(2):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            # What else such digits lead to is said as well.
            with contextlib.suppress(ArithmeticError):
                ask(kernel)
        texts = [str(each.message) for each in said if "answers need float64" in str(each.message)]
        assert len(texts) == 1
        assert f"gave {kind.__name__} numbers" in texts[0]
        # It points at the line that asks.
        assert {each.filename for each in said} == {__file__}


SHARP = {
    "exp_over_0.02", "exp_over_0.005", "exp_over_0.001", "exp(x/0.005)", "exp(x/0.001)",
    "2**(x/0.001)", "power_500", "power_990", "x**990", "x**10000", "exp(x**4)",
}  # fmt: skip


def test_what_float64_has_lost_is_no_answer(subtests):
    """Where both special tokens have all of their rows but for what vanishes: D1's has more."""
    for kernel in sorted(SHARP):
        with subtests.test(kernel):
            at = {"n": 200, "d": 5, "m": 5, "a0": 0.3, "a1": 2}
            assert asep.separate("power_50", *CROSS, **at).probability == pytest.approx(1 - 0.75**5)
            with pytest.raises(
                ArithmeticError, match="float64 does not tell its scores on D0 from"
            ):
                asep.separate(kernel, *CROSS, **at)


# Parameters.


def test_cross_attention_has_no_b_and_c():
    for ask in (
        lambda: asep.separate("exp", *CROSS, b=0.3), lambda: asep.largest_n("exp", *CROSS, c=0.5),
        lambda: asep.compare("exp", [200], *CROSS, b=0.2),
        lambda: asep.simulate("exp", *CROSS, c=0.8), lambda: asep.success(model=CROSS[0], b=0.2),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"with cross_attention, whose tokens have no [bc]"):
            ask()


def test_a_warning_comes_before_the_answer(capsys):
    from attention_separation.api.commands import warnings_in_a_line

    with warnings_in_a_line("separate"):
        warnings.warn("soon", stacklevel=1)
        assert capsys.readouterr().err == "separate: warning: soon\n"


def test_a_size_of_0_is_refused():
    """Of tokens whose size it is, only a0 may be 0."""
    at = {"n": 40, "attention_x": "ones"}
    for name in ("a1", "b", "c"):
        with pytest.raises(ValueError, match=f"^{name}=0.* numbers above 0 to "):
            asep.separate("exp", **at, **{name: 0})
    assert asep.separate("exp", **at, a0=0).probability > 0


NO_TRUTH = ("no", "False", 1, 0, None, [True], np.ones(2))
WITH_TRUTH = {
    "scores normalised": lambda value: asep.scores(np.exp, normalised=value),
    "features normalised": lambda value: asep.features(np.exp, normalised=value),
    "features elementwise": lambda value: asep.features(np.exp, elementwise=value),
    "pair normalised": lambda value: asep.pair(np.exp, np.exp, normalised=value),
    "pair elementwise": lambda value: asep.pair(np.exp, np.exp, elementwise=value),
    "rows normalised": lambda value: asep.rows(lambda x, counts: x, normalised=value),
    "compare margin": lambda value: asep.compare("exp", 200, margin=value),
    "plot margin": lambda value: asep.plot("exp", [200], margin=value),
}


def test_what_is_no_truth_value_is_refused(subtests):
    for parameter in WITH_TRUTH:
        with subtests.test(parameter):
            call = WITH_TRUTH[parameter]
            _, name = parameter.split()
            for value in NO_TRUTH:
                if value is None and parameter == "rows normalised":
                    continue  # not said
                with pytest.raises(ValueError, match=f"{name}=.*; allowed: True or False"):
                    call(value)
            call(np.True_)


WITH_NAME = {
    "scores": lambda name: asep.scores(np.exp, name=name),
    "features": lambda name: asep.features(np.exp, name=name),
    "pair": lambda name: asep.pair(np.exp, np.exp, name=name),
    "rows": lambda name: asep.rows(lambda x, counts: x, name=name),
}


def test_what_is_no_name_is_refused(subtests):
    for maker in WITH_NAME:
        with subtests.test(maker):
            for name in (5, "", "  ", ["a"], np.arange(3), b"exp", True):
                with pytest.raises(ValueError, match=r"name=.*; allowed: a text"):
                    WITH_NAME[maker](name)
            assert WITH_NAME[maker]("mine").name == "mine"
            assert WITH_NAME[maker](None).name


def test_what_are_no_axes_is_refused():
    figure, _ = pyplot.subplots()
    found = asep.separate("exp")
    for draw in (
        lambda axes: asep.plot("exp", [200], axes),
        lambda axes: found.plot(axes),
    ):
        for wrong in (object(), figure, [figure], "axes", 0):
            with pytest.raises(ValueError, match=r"axes=.*; allowed: axes of matplotlib, or None"):
                draw(wrong)
        axes = pyplot.subplots()[1]
        assert draw(axes) is axes
    pyplot.close("all")
