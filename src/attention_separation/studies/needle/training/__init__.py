"""Networks with one query, and the first paper's, trained on noisy tokens: ensembles of runs."""
