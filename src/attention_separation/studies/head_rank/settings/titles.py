"""What each figure and table of this paper is of."""

COMPUTED_TITLES = {
    "rank_temperature": "Facts 1 and 3. One head of full rank against its inverse temperature",
    "rank_vote": "Theorem 7. The majority vote of rank-1 heads",
    "rank_random_features": "Random heads of rank 1 with the best weights",
    "rank_weight": "The weight u(q, k) of rank-1 heads, as published and as it is",
}
"""Figures of numbers computed without training."""

TRAINED_TITLES = {
    "rank_fig1": "Figure 1 of the paper. Rank of heads, layers and number of heads",
    "rank_fig2": "Figure 2 of the paper. What heads of full rank have learned",
    "rank_fig3": "Figure 3 of the paper. Positional encodings",
    "rank_fig4": "Figure 4 of the paper. Number of points",
    "rank_fresh": "Training loss, and error on new data",
    "rank_collapse": "What of the outputs depends on the points, along training",
    "rank_memory": "Batches that come back, and new ones",
    "rank_by_heart": "Three layers, in training and on new sets",
    "rank_crossing": "Batches and warm-ups at which networks learn",
    "rank_dimension": "Errors at ranks that are a part of d, as d grows",
}
"""Figures of trained transformers."""

THEORY_TITLES = {
    "rank_theory": "Theorem 2 as a number. Error against rank in one layer",
    "rank_heads": "Theorem 2 as a number. Heads that an error takes",
    "rank_points": "Conjecture 8. A vote of rank-1 heads against the number of points",
}
"""Figures of one layer of low-rank heads, and of a vote, computed without training."""

FIGURE_TITLES = THEORY_TITLES | TRAINED_TITLES | COMPUTED_TITLES
UNJUDGED = ("collapse", "memory", "crossing", "dimension")
"""Grids whose cells no claim is on."""

JUDGED_TITLES = {
    "rank_claims": "Claims, each with its verdict",
    "rank_errors": "Errors of all cells",
}
NUMBERED = {
    "rank_bound": "What no layer of low-rank heads can do",
    "rank_heads_needed": "Heads that an error takes at least",
    "rank_bound_points": "What no layer of low-rank heads can do on N points",
    "rank_found": "What layers of low-rank heads do",
    "rank_plurality": "A vote of rank-1 heads among N points",
    "rank_layers": "What layers of low-rank heads learn",
}

UNLISTED_TABLES = ("rank_bound", "rank_bound_points", "rank_found", "rank_plurality", "rank_layers")
"""Tables of numbers that a report does without."""

ERROR = "mean squared error"
POINTS_IN_WORDS = {"uniform": "independent", "orthogonal": "orthogonal"}
"""What figures call an error, and points by how they are drawn."""

PAPERS = "the paper's"
PUBLISHED = "the paper's, judged on its published values alone"
OURS = "this reproduction's"
CHECK = "a check"
"""Whose claim: the paper's, as its text or figures say it, judged on runs or constructions made
here; such a one that nothing made here can judge; one that is made here; or what only a mistake of
the code can fail, which is counted with none of them."""
