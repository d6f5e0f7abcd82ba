"""Exact probabilities of one network alone, for any kernel and any n up to 10^12."""
