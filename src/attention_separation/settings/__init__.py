"""Closed, typed settings: grids, YAML, faults in words."""
