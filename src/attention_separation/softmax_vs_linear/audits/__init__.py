"""What exact values tell beyond the figures: verdicts, open choices, thresholds, maps."""
