"""The tables of the study: a cell for each layer, and all of them joined."""
