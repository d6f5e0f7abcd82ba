"""Trained transformers: cells, batches, checkpoints."""
