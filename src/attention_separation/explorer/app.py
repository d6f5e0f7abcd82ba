"""The app: controls, one number, and views of what is behind it. All that it says and draws comes
from `answers` and `views`; here stands what can be moved, and where.

A cell does not run again for a control that it makes: controls are shown where they are made, so
that none is taken away while it is moved.
"""

import marimo

app = marimo.App(width="full", app_title="attention-separation: the explorer")


@app.cell
def _():
    import marimo as mo

    from attention_separation.any_attention.exact.layers import LAYERS
    from attention_separation.attention.kernels import KERNELS
    from attention_separation.explorer import html
    from attention_separation.explorer.answers import answer
    from attention_separation.explorer.needle import MUS, SIZES
    from attention_separation.explorer.setting import CLASSES, PARAMETERS
    from attention_separation.explorer.views import VIEWS, ask, view

    return (
        CLASSES,
        KERNELS,
        LAYERS,
        MUS,
        PARAMETERS,
        SIZES,
        VIEWS,
        answer,
        ask,
        html,
        mo,
        view,
    )


@app.cell
def _(CLASSES, KERNELS, LAYERS, PARAMETERS, mo):
    _names = {f"{name}: {kernel.symbol}": name for name, kernel in KERNELS.items()}
    _said = {name: words for words, name in _names.items()}

    def _slider(label, steps, value):
        return mo.ui.slider(steps=steps, value=value, label=label, show_value=True, full_width=True)

    def _of(name, label, value, *more):
        return _slider(label, [*more, *PARAMETERS[name].steps], value)

    controls = mo.ui.dictionary(
        {
            "layer": mo.ui.dropdown(
                [each.words for each in LAYERS], LAYERS[0].words, label="model", full_width=True
            ),
            "kernel": mo.ui.dropdown(
                _names, _said["exp"], label="kernel", searchable=True, full_width=True
            ),
            "formula": mo.ui.text(
                placeholder="such as x**4 or exp(x/2)", debounce=False, full_width=True,
                label="or a formula of your own, in x",
            ),
            "others": mo.ui.multiselect(
                _names, [_said[name] for name in ("linear", "power_4", "elu_plus_one")],
                label="beside it", max_selections=5, full_width=True,
            ),
            "n": _of("n", "n, tokens", 2_000),
            "classes": _slider("K, classes; d is 2 more, in cross-attention 1", CLASSES, 20),
            "m": _of("m", "m, sign columns; 0 for the paper's", 0, 0),
            "a1": _of("a1", "a₁, special entry", 1.2),
            "b": _of("b", "b, class entries, in self-attention", 0.2),
            "c": _of("c", "c, last entry, in self-attention", 0.8),
            "theta": _of("theta", "θ, threshold; 0 for the best", 0, 0),
            "temperature": _of("temperature", "T, temperature", 1.0),
        }
    )  # fmt: skip
    mo.sidebar(mo.vstack([*controls.elements.values()], gap=0.5), width="340px")
    return (controls,)


@app.cell
def _(answer, ask, controls, html, mo):
    wanted = controls.value["n"]
    asked = ask(controls.value)
    mo.Html(html.of_answer(answer(asked.kernel, asked.setting, wanted)))
    return (asked,)


@app.cell
def _(MUS, PARAMETERS, SIZES, VIEWS, mo):
    more = mo.ui.dictionary(
        {
            "against": mo.ui.dropdown(
                {each.words: each.name for each in PARAMETERS.values()}, "tokens n",
                label="against",
            ),
            "mu": mo.ui.slider(
                steps=MUS, value=5.0, label="μ, signal to noise", show_value=True
            ),
            "needle_n": mo.ui.slider(steps=SIZES, value=512, label="n, tokens", show_value=True),
            "d": mo.ui.slider(
                steps=[4, 8, 16, 32, 48, 64, 96], value=64, label="d, dimension", show_value=True
            ),
            "rank": mo.ui.slider(
                1, 96, 1, 32, label="r, rank, at most d", show_value=True
            ),
            "heads": mo.ui.slider(
                steps=[2**k for k in range(21)], value=2, label="H, heads", show_value=True
            ),
        }
    )  # fmt: skip
    _within = {
        "Curve": ("against",),
        "Needle": ("mu", "needle_n"),
        "Rank bound": ("d", "rank", "heads"),
    }
    tabs = mo.ui.tabs(
        {
            name: mo.hstack(
                [more.elements[key] for key in _within.get(name, ())],
                justify="start", wrap=True, gap=1.5,
            )
            for name in VIEWS
        }
    )  # fmt: skip
    tabs
    return more, tabs


@app.cell
def _(asked, html, mo, more, tabs, view):
    from dataclasses import replace

    shown = view(tabs.value, replace(asked, **more.value))
    mo.vstack(
        [
            mo.Html(html.of_view(tabs.value, shown)),
            mo.md(f"```python\n{shown.lines}\n```" if shown.lines else ""),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
