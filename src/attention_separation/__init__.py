"""Reproduction of papers that separate kinds of attention, each number with its uncertainty."""

__version__ = "0.1.0"
