# `snakemake` makes the first paper, `snakemake rank` the second; `snakemake fig4` one figure,
# `snakemake fig4c` one panel. The rules are in workflow/.


include: "workflow/Snakefile"


# Of what is included, no rule is the one that `snakemake` alone asks for.
rule plain:
    """What `snakemake` alone makes: all of the first paper, and the study of any attention"""
    default_target: True
    input:
        rules.all.input,
