"""Figures, html and the pages of reports: for any study."""
