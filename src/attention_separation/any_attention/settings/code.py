"""Code that this study imports and does not depend on."""

from attention_separation.softmax_vs_linear.models import regression

OTHER_MODELS = frozenset({regression.__name__})
"""Modules of models that have no kernels."""
