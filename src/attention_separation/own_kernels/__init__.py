"""A user's own kernels: formulas and Python functions of config.yaml, as values."""
