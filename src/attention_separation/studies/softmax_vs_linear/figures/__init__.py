"""Figures and tables of panels: success rates, verdicts, open choices, thresholds, maps."""
