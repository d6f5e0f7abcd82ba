"""One layer of low-rank heads as a number: what it cannot do, and what is known to be possible."""
