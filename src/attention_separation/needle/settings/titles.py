"""What the figures and tables of this study are, in words."""

LINES = {
    "needle_lines": "The best accuracy of each kernel against n",
    "needle_critical": "The n at which each kernel's best accuracy is 0.75",
}
"""Tables computed without training."""

JUDGED = {"needle_claims": "Claims, each with its verdict"}

TABLES = LINES | JUDGED

FIGURES = {
    "needle_accuracy": "The needle: what one query can tell at best, against n",
    "needle_critical": "The needle: how far each kernel goes, against the signal",
}
