"""The app in the browser: how controls, the number and views look; what they are is in `views`.

A cell does not run again for a control that it makes, so controls are shown where they are made.
"""

import marimo

app = marimo.App(
    width="full", app_title="attention-separation: the explorer", html_head_file="head.html"
)

with app.setup:
    from base64 import b64encode
    from html import escape
    from typing import Any

    import marimo as mo

    from attention_separation.explorer import views
    from attention_separation.looks.colors import BLUE

    # Between the buttons of the frame, which lie above the page where it is narrow.
    TITLE = "margin:0;padding:0 clamp(0px,(700px - 100vw)*99,3rem);font-size:1rem;font-weight:400"
    NUMBER = f"font-size:3.2rem;line-height:1.1;font-weight:700;color:{BLUE}"


@app.function
def widget(name: str, control: views.Control, sent: dict[str, str], full_width: bool = True) -> Any:
    """A control as marimo has it, starting where an address says."""
    start = control.start
    if name in sent:
        start = control.value_of(sent[name])
    element = getattr(mo.ui, control.kind)
    return element(value=start, label=control.label, full_width=full_width, **control.more)


@app.function
def widgets(controls: dict[str, views.Control], sent: dict[str, str]) -> Any:
    """Controls by their names, as one."""
    elements = {}
    for name, control in controls.items():
        elements[name] = widget(name, control, sent)
    return mo.ui.dictionary(elements)


@app.function
def page(shown: views.Shown) -> mo.Html:
    """A part of the page as HTML: the number or the picture, words, and faults in boxes."""
    parts: list[object] = []
    if shown.number:
        parts = [mo.Html(f'<output id="number" style="{NUMBER}">{escape(shown.number)}</output>')]
    if shown.svg:
        data = f"data:image/svg+xml;base64,{b64encode(shown.svg.encode()).decode()}"
        alternative_text = " ".join(shown.words)
        parts = [mo.image(data, alternative_text, width="100%", style={"background": "white"})]
    boxes = [mo.callout(fault, kind="danger") for fault in shown.faults]
    return mo.vstack([*parts, *shown.words, *boxes]).style(max_width="760px")


@app.cell
def _():
    # A name that the address has twice has a list.
    _parameters = mo.query_params().to_dict()
    sent = {name: value for name, value in _parameters.items() if isinstance(value, str)}
    controls = widgets(views.CONTROLS, sent)
    own = widgets(views.VIEW_CONTROLS, sent)
    # What a view does not take is not beside it. A column is no control: what shows it does not run
    # again for a value.
    columns = {}
    for _name, _view in views.VIEWS.items():
        _elements = [own[f"{_name}.{key}"] for key in _view.controls]
        if views.is_of_kernels(_name):
            _elements += controls.elements.values()
        columns[_name] = mo.vstack(_elements, gap=0.5)
    return columns, controls, own, sent


@app.cell
def _(columns, view):
    # Always there: where it comes or goes, marimo makes the whole page anew, and the focus is lost.
    mo.sidebar(columns[view.value], width="340px")
    return


@app.cell
def _(controls):
    kernels, setting = views.question(controls.value)
    return kernels, setting


@app.cell
def _(kernels, setting, view):
    _parts = [mo.Html(f'<h1 style="{TITLE}">{views.title(view.value)}</h1>')]
    if views.is_of_kernels(view.value):
        _parts.append(page(views.answer(kernels[0], setting)))
    mo.vstack(_parts)
    return


@app.cell
def _(sent):
    view = widget("view", views.VIEW_CHOICE, sent, full_width=False)
    view
    return (view,)


@app.cell
def _(kernels, own, setting, view):
    shown = views.show(view.value, kernels, setting, own.value)
    python = mo.md(f"```python\n{shown.python}\n```") if shown.python else ""
    mo.vstack([page(shown), python])
    return


@app.cell
def _(controls, own, view):
    _address = mo.query_params()
    for _name, _value in {**controls.value, **own.value, "view": view.value}.items():
        _is_start = _value == views.STARTS[_name]
        _text = None if _is_start else views.in_address(_value)
        if _address.get(_name) != _text:
            _address[_name] = _text  # None takes it away
    return
