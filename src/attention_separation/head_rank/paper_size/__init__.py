"""Runs at the paper's size that docs/ keeps: their tables, and figures."""
