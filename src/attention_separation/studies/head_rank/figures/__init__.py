"""Figures of constructions and of trained transformers."""
