"""An app in the browser that shows what attention can do: `attention-separation explore`.

Its pictures are functions too; they need matplotlib alone:

    >>> from attention_separation.explorer import draw_curve
    >>> figure = draw_curve(["exp", "linear"], "a1", n=2000)
"""

from .pictures import draw_curve, draw_head, draw_needle, draw_rank_bound, draw_row, draw_scores

__all__ = ["draw_curve", "draw_head", "draw_needle", "draw_rank_bound", "draw_row", "draw_scores"]
