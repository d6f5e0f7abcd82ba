"""What the figures and tables of this study are, in words."""

LINES = "How well each layer recalls, against the number of pairs and their age"
CAPACITY = "How many pairs each layer recalls"
JUDGED = "Claims on recall, each with its verdict"

FIGURES = {
    "recall_accuracy": "Recall: accuracy against the number of pairs",
    "recall_age": "Recall: accuracy against the age of a pair",
    "recall_state": "Recall: how many pairs, against the numbers kept",
}
