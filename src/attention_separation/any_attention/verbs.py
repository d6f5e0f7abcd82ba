"""This study's verbs: the module of each, below this folder, and what it does."""

VERBS = {
    "check": ("exact.own_kernel_faults", "say what is wrong with kernels of config.yaml"),
    "values": ("exact.value_table", "find what each kernel can do, and up to which n"),
    "splits": ("exact.splits", "say how feature maps depend on the split of X"),
    "laws": ("laws.law_table", "hold what the laws predict against exact values"),
    "simulated": ("simulation.simulated_table", "simulate kernels without distinct rows"),
    "figure": ("figures.kernels_figure", "draw what kernels can do, or what they need"),
    "overview": ("pages.overview", "write this study's page of the report, and captions"),
    "gallery": ("pages.gallery", "write this study's figures and findings to docs/"),
}
