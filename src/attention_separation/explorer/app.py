"""The app in the browser: how controls, the number and views look; what they are is in `views`.

A cell does not run again for a control that it makes, so controls are shown where they are made.
"""

import marimo

app = marimo.App(width="full", app_title="attention-separation: the explorer")

with app.setup:
    from base64 import b64encode
    from html import escape

    import marimo as mo

    from attention_separation.explorer import views
    from attention_separation.pages.house_style import BLUE

    # Between the buttons of the frame, which lie above the page where it is narrow.
    TITLE = "margin:0;padding:0 clamp(0px,(700px - 100vw)*99,3rem)"
    NUMBER = f"font-size:3.2rem;line-height:1.1;font-weight:700;color:{BLUE}"


@app.function
def widgets(controls, sent, **look):
    """Controls as marimo has them, starting where an address says."""
    made = {}
    for name, each in controls.items():
        start = each.at(sent.get(name, views.in_address(each.value)))
        make = getattr(mo.ui, each.kind)
        made[name] = make(value=start, label=each.label, **each.more, **look)
    return mo.ui.dictionary(made)


@app.function
def page(shown, title):
    """A part of the page: the number or the picture, words, and faults in boxes."""
    parts = []
    if shown.number:
        parts = [mo.Html(f'<output id="number" style="{NUMBER}">{escape(shown.number)}</output>')]
    if shown.svg:
        data = f"data:image/svg+xml;base64,{b64encode(shown.svg.encode()).decode()}"
        parts = [mo.image(data, title, width="100%", style={"background": "white"})]
    boxes = [mo.callout(each, kind="danger") for each in shown.faults]
    return mo.vstack([*parts, *shown.words, *boxes]).style(max_width="760px")


@app.cell
def _():
    # A name that the address has twice has a list.
    sent = {name: x for name, x in mo.query_params().to_dict().items() if isinstance(x, str)}
    controls = widgets(views.CONTROLS, sent, full_width=True)
    mo.sidebar(mo.vstack([*controls.elements.values()], gap=0.5), width="340px")
    return controls, sent


@app.cell
def _(controls):
    kernels, at = views.question(controls.value)
    title = "Which attention separates D1, with one special token, from D0?"
    mo.vstack([mo.Html(f'<p style="{TITLE}">{title}</p>'), page(views.answer(kernels[0], at), "")])
    return at, kernels


@app.cell
def _(sent):
    own = widgets(views.OWN, sent)
    _own = {name: [own[f"{name}.{x}"] for x in v.controls] for name, v in views.VIEWS.items()}
    _look = {"justify": "start", "wrap": True, "gap": 1.5}
    rows = {name: mo.hstack(row, **_look) for name, row in _own.items()}
    tabs = mo.ui.tabs(rows, value=sent.get("view"))
    tabs
    return own, tabs


@app.cell
def _(at, kernels, own, tabs):
    shown = views.show(tabs.value, kernels, at, own.value)
    python = mo.md(f"```python\n{shown.python}\n```") if shown.python else ""
    mo.vstack([page(shown, tabs.value), python])
    return


@app.cell
def _(controls, own, tabs):
    _address = mo.query_params()
    for _name, _value in {**controls.value, **own.value, "view": tabs.value}.items():
        _text = None if _value == views.STARTS[_name] else views.in_address(_value)
        if _address.get(_name) != _text:
            _address[_name] = _text  # None takes it away
    return
