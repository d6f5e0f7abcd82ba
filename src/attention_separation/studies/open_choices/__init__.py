"""What the first paper leaves open, and how far each choice moves its figures: thresholds, pairs of
parameters, what is read as with high probability."""
