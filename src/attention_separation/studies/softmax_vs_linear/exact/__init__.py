"""Exact probabilities and reference values, point by point and over the threshold."""
