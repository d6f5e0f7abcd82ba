# Reproduction of the numerical results of papers that separate kinds of attention.
# `snakemake` makes the first paper, `snakemake rank` the second; `snakemake fig4` one figure,
# `snakemake fig4c` one panel.


include: "workflow/rules/common.smk"
include: "workflow/rules/rank_common.smk"


onstart:
    checked_folder()
    checked_torch()


rule all:
    input:
        figures_of_all(),
        audits_of_all(),
        f"{RESULTS}/manifest.json",


include: "workflow/rules/panels.smk"
include: "workflow/rules/exact.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/schematics.smk"
include: "workflow/rules/verdicts.smk"
include: "workflow/rules/audits.smk"
include: "workflow/rules/manifest.smk"
include: "workflow/rules/rank.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/gallery.smk"
