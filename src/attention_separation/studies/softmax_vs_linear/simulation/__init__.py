"""Trials of panels, counted: draws from named streams, slices, engines."""
