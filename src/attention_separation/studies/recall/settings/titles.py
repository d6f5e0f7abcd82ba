"""What the figures and tables of this study are, in words."""

TITLE_OF_LINES = "How well each layer recalls, against the number of pairs and their age"
TITLE_OF_CAPACITY = "How many pairs each layer recalls"
RECALL_CLAIMS_TITLE = "Claims on recall, each with its verdict"

FIGURES_OF_RECALL = {
    "recall_accuracy": "Recall: accuracy against the number of pairs",
    "recall_age": "Recall: accuracy against the age of a pair",
    "recall_state": "Recall: how many pairs, against the numbers kept",
}
