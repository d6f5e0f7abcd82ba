"""Recall as a study: cells of layers, their tables, figures and claims."""
