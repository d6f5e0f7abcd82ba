"""Kernels without distinct rows: random features, and weights that depend on the tokens' order."""
