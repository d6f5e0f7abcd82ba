"""Theorem 2 of the second paper as a number: no layer of low-rank heads has a smaller error."""
