"""What the tables of this study are, in words."""

TEXTS_TITLE = "Texts in front of the probes"
FORECASTS_TITLE = "Weights that heads of a trained model were foretold to give, and those they gave"
FAR_TITLE = "How far heads of a trained model are foretold to reach"
ERRORS_TITLE = "Errors of the forecasts, beside those of \u201cnothing changes\u201d"
TARGETS_TITLE = "Which heads of a trained model find which token"

ABOUT_PROBE = (
    "Random tokens come again after text, and are the queries: a head of induction gives its "
    "weight to the key after the earlier one. A longer context has more filler in front, text or "
    "random tokens, and all else as it was. Heads whose median share was too small are left out."
)
