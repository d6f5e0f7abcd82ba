"""Heads of a trained model: how far they reach by the instrument of `head`, against what they do.

A *probe* is a text for the model, whose last tokens are queries of which the right key is known. In
front of it stands *filler*: text, or random tokens. A longer context has more filler in front, and
all else as it was.
"""
