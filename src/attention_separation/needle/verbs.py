"""This study's verbs: the module of each, below this folder, and what it does."""

VERBS = {
    "lines": ("exact.line_table", "compute the best accuracy of each kernel"),
    "train": ("training.train_cell", "train the networks of one cell"),
    "cells": ("training.cells_table", "put the runs of all cells into one table"),
    "claims": ("claims.claims_table", "judge the claims on the needle"),
    "figure": ("figures.needle_figure", "draw accuracies, or critical n"),
    "overview": ("pages.overview", "write this study's page of the report, and captions"),
    "gallery": ("pages.gallery", "write this study's figures and findings to docs/"),
}
