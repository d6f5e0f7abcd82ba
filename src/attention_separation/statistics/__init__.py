"""Random streams, intervals, comparisons and verdicts: no paper, no files."""
