"""An app in the browser that shows what attention can do, and its pictures, which are functions."""

from .pictures import draw_curve, draw_needle, draw_rank_bound, draw_recall, draw_row, draw_scores

__all__ = [
    "draw_curve",
    "draw_needle",
    "draw_rank_bound",
    "draw_recall",
    "draw_row",
    "draw_scores",
]
