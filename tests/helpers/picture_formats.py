"""Figures saved as pictures of few formats: all of them are tested where they are made."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from attention_separation.pages import drawing


@contextmanager
def pictures_as(*formats: str) -> Iterator[None]:
    """Within it figures are saved as these alone: pictures take most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing.save, "__defaults__", (formats,))
        yield
