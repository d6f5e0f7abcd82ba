"""What runs a model: PyTorch and transformers are imported here alone."""
