"""What the figures and tables of this study are, in words."""

TABLES_OF_LINES = {
    "needle_lines": "The best accuracy of each kernel against n",
    "needle_critical": "The n at which each kernel's best accuracy is 0.75",
    "needle_bound_ends": "Where the bound of linear attention ends",
    "needle_sink": "Attention sinks that are right at another n",
}
"""Tables computed without training."""

TRAINED = "Trained networks, run by run"
NEEDLE_CLAIMS_TITLE = "Claims, each with its verdict"

FIGURES_OF_LINES = {
    "needle_accuracy": "The needle: the best accuracy of one query, against n",
    "needle_critical": "The needle: how far each kernel goes, against the signal",
    "needle_sink": "The needle: a sink that is right for one n, at others",
}
"""Figures of lines, with trained networks as dots where there are any."""

FIGURES_OF_NETWORKS = {
    "needle_features": "The needle: feature maps against the number of features",
    "needle_paper_network": "The first paper's network trained: every token a query",
}
"""Figures of trained networks beside lines."""

FIGURES_OF_NEEDLE = FIGURES_OF_LINES | FIGURES_OF_NETWORKS

LONG = ("needle_lines", "needle_sink")
"""Of these, what a report does without."""
