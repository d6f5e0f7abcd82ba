# `snakemake` makes the first paper, `snakemake rank` the second; `snakemake fig4` one figure,
# `snakemake fig4c` one panel. The rules are in workflow/.


include: "workflow/Snakefile"


# Snakemake takes no default target of a file that is included.
if not workflow.default_target:
    workflow.default_target = rules.all.rule.name
