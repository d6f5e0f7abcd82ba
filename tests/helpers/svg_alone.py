"""Figures saved as pictures of one format: what other formats are is tested where they are made."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attention_separation.pages import drawing


@contextmanager
def svg_alone() -> Iterator[None]:
    """Within it figures are saved as svg files alone; pngs and pdfs take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing.save, "__defaults__", (("svg",),))
        yield
