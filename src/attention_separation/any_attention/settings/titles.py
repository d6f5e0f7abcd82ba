"""What the figures and tables of this study are, in words."""

FIGURES = {
    "kernels_accuracy": "Any attention: what each kernel can do, against n",
    "kernels_degrees": "Any attention: polynomials, the degree against n",
    "kernels_temperature": "Any attention: softmax, the temperature against n",
    "kernels_margins": "Any attention: the gap between the scores, against n",
    "kernels_budget": "Any attention: the weight in X that is needed, against n",
}
WITH_OWN_KERNELS = ("kernels_accuracy", "kernels_margins", "kernels_budget")
"""Figures that show a user's own kernels too."""

TABLES = {
    "kernels": "up to which n each kernel separates",
    "kernel_values": "what each kernel can do at some n",
    "kernels_splits": "feature maps and the split of X",
    "kernel_laws": "laws of which kernels separate",
    "kernels_simulated": "FAVOR+ and cosFormer, simulated",
    "laws_elsewhere": "the laws at other data",
}

LONG = ("kernel_values", "kernels_splits")
"""Tables of numbers that a report does without."""
