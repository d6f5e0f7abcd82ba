"""Figures of the needle."""
