"""A block of a text that a command writes, between two lines that mark it."""


def with_block(text: str, begin: str, block: str, end: str) -> str:
    """A text with the block, marks included, in place of the one that stands there.

    Raises
    ------
    ValueError
        Unless the text holds the two marks, once each and in order.
    """
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed or begin in rest or end in after:
        raise ValueError(f"README.md needs the two lines {begin.strip()} and {end.strip()}")
    return before + block + after
