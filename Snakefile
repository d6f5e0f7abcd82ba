# Reproduction of the numerical results of papers that separate kinds of attention.
# `snakemake` makes the first paper, `snakemake rank` the second; `snakemake fig4` one figure,
# `snakemake fig4c` one panel.


include: "workflow/rules/common.smk"


onstart:
    checked_folder()
    checked_torch()


rule all:
    input:
        whole_run(FIRST),


include: "workflow/rules/softmax_vs_linear.smk"
include: "workflow/rules/generated.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/gallery.smk"
