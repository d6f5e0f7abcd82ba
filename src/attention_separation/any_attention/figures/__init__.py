"""Figures of this study, from its tables and exact values."""
