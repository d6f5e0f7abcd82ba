"""The panels of the first paper and their numbers of points, as section 7 and F.6 state them."""

PAPERS_PANELS = {
    "fig3a": 191, "fig3b": 100,
    "fig4a": 81, "fig4b": 6, "fig4c": 80, "fig4d": 81, "fig4e": 80, "fig4f": 81,
    "fig5a": 81, "fig5b": 6, "fig5c": 80, "fig5d": 81, "fig5e": 80, "fig5f": 81,
    "fig7a": 81, "fig7b": 6, "fig7c": 80, "fig7d": 81, "fig7e": 80,
}  # fmt: skip
