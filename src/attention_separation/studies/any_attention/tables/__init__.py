"""Tables of what kernels can do."""
