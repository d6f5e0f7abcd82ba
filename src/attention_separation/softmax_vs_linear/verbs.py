"""This study's verbs: the module of each, below this folder, and what it does."""

VERBS = {
    "simulate": ("simulation.simulate", "simulate one panel of softmax against linear"),
    "exact": ("exact.compute", "compute the probabilities of panels' points exactly"),
    "figure": ("figures.panel_figure", "draw a figure from its panels' tables"),
    "schematic": ("figures.schematic", "draw Figure 1, 2 or 6"),
    "verdicts": ("audits.verdicts", "hold the simulation against the exact values"),
    "check": ("audits.check", "fail if the verdict on any panel is that it differs"),
    "claims": ("claims.claims_table", "evaluate every claim of the paper"),
    "whp": ("audits.whp", "say which events are not with high probability"),
    "choices": ("audits.choices", "measure what each open choice moves"),
    "threshold": ("audits.threshold", "find the best threshold of each network"),
    "theta": ("audits.theta", "map exact probabilities over the threshold"),
    "phase": ("audits.phase", "map exact probabilities over two parameters"),
    "overview": ("pages.overview", "write the report's first page and its captions"),
    "gallery": ("pages.gallery", "write docs/ and README's block of figures and findings"),
}
