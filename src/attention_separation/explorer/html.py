"""Answers and views as HTML."""

import base64
from html import escape

from attention_separation.pages.house_style import BLUE, DARK_GRAY, PALE_VERMILION, VERMILION

from .answers import Answer
from .views import View

NOTE = f"margin:0.3rem 0;color:{DARK_GRAY};font-size:0.9rem"
LEAD = f"margin:0 0 0.4rem;padding:0 clamp(0px,(700px - 100vw)*99,3rem);color:{DARK_GRAY}"
"""Between the buttons of the frame, which lie above the page where it is narrow."""
FAULT = (
    f"margin:0.3rem 0;padding:0.5rem 0.8rem;background:{PALE_VERMILION};color:#222;"
    f"border-left:4px solid {VERMILION};overflow-wrap:anywhere"
)


def of_answer(answer: Answer) -> str:
    """The number, large, and its sentence; a fault in a box."""
    notes = "".join(f'<p style="{NOTE}">{escape(note)}</p>' for note in answer.notes)
    lead = f'<p style="{LEAD}">Which attention separates D1, with one special token, from D0?</p>'
    if answer.is_fault:
        return f'<div id="answer">{lead}{fault(answer.sentence)}{notes}</div>'
    return (
        f'<div id="answer">{lead}<output id="number" style="font-size:3.2rem;line-height:1.1;'
        f'font-weight:700;color:{BLUE}">{escape(answer.number)}</output>'
        f'<p style="margin:0.2rem 0">{escape(answer.sentence)}</p>{notes}</div>'
    )


def of_view(name: str, view: View) -> str:
    """The picture with its sentence; a fault in a box."""
    notes = "".join(fault(note) for note in view.notes)
    if not view.svg:
        return f'<figure id="view">{fault(view.sentence)}{notes}</figure>'
    data = base64.b64encode(view.svg.encode()).decode()
    return (
        f'<figure id="view" style="margin:0"><img alt="{escape(name)}: {escape(view.sentence)}" '
        f'src="data:image/svg+xml;base64,{data}" '
        f'style="width:100%;max-width:760px;background:white">'
        f'<figcaption style="max-width:760px">{escape(view.sentence)}</figcaption>'
        f"{notes}</figure>"
    )


def fault(sentence: str) -> str:
    """Why there is no answer."""
    return f'<p role="alert" style="{FAULT}">{escape(sentence)}</p>'
