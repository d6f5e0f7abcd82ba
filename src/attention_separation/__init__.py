"""Reproduction of papers that separate kinds of attention, with proof of every number."""

__version__ = "0.1.0"
