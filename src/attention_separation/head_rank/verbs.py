"""This study's verbs: the module of each, below this folder, and what it does."""

VERBS = {
    "temperature": ("constructions.temperature", "simulate one full-rank head"),
    "temperature-figure": ("figures.temperature_figure", "draw its error"),
    "vote": ("constructions.vote", "simulate the majority vote of rank-1 heads"),
    "vote-figure": ("figures.vote_figure", "draw its error"),
    "features": ("constructions.features", "compute the error of random rank-1 heads"),
    "features-figure": ("figures.features_figure", "draw it"),
    "bound": ("theory.bound_table", "compute what no heads of low rank can do"),
    "found": ("theory.found_table", "compute what some heads of low rank do"),
    "plurality": ("theory.plurality_table", "simulate a vote among more than two points"),
    "theory": ("figures.theory_figures", "draw all three"),
    "train": ("training.train_cell", "train the transformers of one cell"),
    "figure": ("figures.training_figures", "draw a figure of trained transformers"),
    "claims": ("claims.claims_table", "judge the claims on the rank of heads"),
    "overview": ("pages.overview", "write this paper's page of the report, and captions"),
    "reference": ("paper_size.page", "keep runs at the paper's size in docs/, and draw them"),
    "gallery": ("pages.gallery", "write this paper's figures and findings to docs/"),
}
