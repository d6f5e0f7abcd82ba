"""Attention heads without training: the paper's constructions and random features."""
