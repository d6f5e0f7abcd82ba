"""Trained transformers: their data, their loss, and what each run has learned."""
