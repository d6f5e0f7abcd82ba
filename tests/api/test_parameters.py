"""Truth values, free names and axes of the public functions are asked for, as numbers are."""

import numpy as np
import pytest

import attention_separation as asep

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
    from matplotlib import pyplot

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


def test_a_name_is_no_formula_of_tex():
    from matplotlib import pyplot

    kernel = asep.scores(np.exp, name="costs $\\foo$ of it")
    axes = asep.plot([kernel, "x"], [200, 2000])
    axes.figure.canvas.draw()
    asep.separate(kernel).plot().figure.canvas.draw()
    pyplot.close("all")
