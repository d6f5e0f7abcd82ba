"""Attention by any kernel: kernels, token types, distinct rows, and the definition that judges."""
