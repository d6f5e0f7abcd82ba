"""Softmax against linear attention (arXiv 2310.11685)."""
