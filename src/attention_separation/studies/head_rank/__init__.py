"""The rank of attention heads (arXiv 2407.16153)."""
