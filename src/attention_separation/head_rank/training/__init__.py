"""Trained transformers: cells, batches, checkpoints; torch is imported here alone."""
