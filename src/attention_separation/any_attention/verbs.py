"""This study's verbs: the module of each, below this folder, and what it does."""

VERBS = {
    "values": ("exact.value_table", "find what each kernel can do, and up to which n"),
    "laws": ("laws.law_table", "hold what the laws predict against exact values"),
    "figures": ("figures.draw_figures", "draw what kernels can do, and what they need"),
}
