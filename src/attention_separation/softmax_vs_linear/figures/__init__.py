"""Figures of panels, and drawings of the networks."""
