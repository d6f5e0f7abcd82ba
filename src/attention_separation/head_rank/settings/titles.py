"""What each figure and table of this paper is of."""

COMPUTED = {
    "rank_temperature": "Facts 1 and 3. One head of full rank against its temperature",
    "rank_vote": "Theorem 7. The majority vote of rank-1 heads",
    "rank_random_features": "Random heads of rank 1 with the best weights",
}
"""Figures of numbers computed without training."""

TRAINED = {
    "rank_fig1": "Figure 1 of the paper. Rank of heads, layers and number of heads",
    "rank_fig2": "Figure 2 of the paper. What heads of full rank have learned",
    "rank_fig3": "Figure 3 of the paper. Positional encodings",
    "rank_fig4": "Figure 4 of the paper. Number of points",
    "rank_fresh": "Training loss, and error on new data",
}
"""Figures of trained transformers."""

FIGURES = TRAINED | COMPUTED
TABLES = {"rank_claims": "Claims, each with its verdict", "rank_errors": "Errors of all cells"}
