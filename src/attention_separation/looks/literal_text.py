"""Texts that others have written, as pictures show them."""


def literal_text(text: str) -> str:
    """A text that Matplotlib draws letter by letter: no dollar sign in it begins mathematics."""
    return text.replace("$", r"\$")
