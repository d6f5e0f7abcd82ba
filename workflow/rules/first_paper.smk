# The first paper: a rule for the trials of each of its panels, for the exact values of each figure, for
# each figure, and for what both say. Files of a panel or figure of one's own have the wildcard rules.
# That no rule says how long its job takes, with how much memory, is declared in
# softmax_vs_linear/study.py: it follows from the configuration.

# Figures of one's own, and every panel drawn alone. Where a rule stands by name, Snakemake prefers it.
OWN_FIGURES = [name for name in (*FIGURES, *PANELS) if name not in PAPERS_FIGURES]
OWN_PANELS = [panel for panel in PANELS if PAPER.panels.figure_of[panel] not in PAPERS_FIGURES]


# Trials of a panel, and of one slice of a panel that takes long.


rule simulate:
    """Trials of a panel that has no rule by name"""
    input:
        merge=lambda wildcards: slices_of(wildcards.panel),
    output:
        table=f"{RESULTS}/panels/{{panel}}.parquet",
    log:
        f"{RESULTS}/logs/simulate_{{panel}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_{{panel}}.tsv"
    wildcard_constraints:
        panel=any_of(PANELS),
    priority: priority_of("simulate_{panel}")
    localrule: False
    conda:
        ENVIRONMENT
    resources:
        **asked_of("simulate_{panel}"),
    params:
        run=run_of("simulate_{panel}"),
        settings=settings_of("simulate_{panel}"),
        code=code_of("studies.softmax_vs_linear.simulation.simulate"),
    message:
        "{rule}: trials"
    shell:
        "{params.run} studies.softmax_vs_linear.simulation.simulate --settings {params.settings:q}"
        " --merge {input.merge:q} --output {output.table:q} 3>&2 >> {log:q} 2>&1"


rule slice:
    """A slice of the trials of a panel that takes long"""
    output:
        table=temp(f"{RESULTS}/slices/{{panel}}/{{slice}}-of-{{of}}.parquet"),
    log:
        f"{RESULTS}/logs/slice_{{panel}}_{{slice}}-of-{{of}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/slice_{{panel}}_{{slice}}-of-{{of}}.tsv"
    wildcard_constraints:
        panel=any_of(PANELS),
        slice="[0-9]+",
        of="[0-9]+",
    priority: priority_of("simulate_{panel}")
    conda:
        ENVIRONMENT
    resources:
        **asked_of("simulate_{panel}"),
    params:
        run=run_of("simulate_{panel}"),
        settings=settings_of("simulate_{panel}"),
        code=code_of("studies.softmax_vs_linear.simulation.simulate"),
    message:
        "Trials of {wildcards.panel}, slice {wildcards.slice} of {wildcards.of}"
    shell:
        "{params.run} studies.softmax_vs_linear.simulation.simulate --settings {params.settings:q}"
        " --slice {wildcards.slice}/{wildcards.of} --output {output.table:q} 3>&2 >> {log:q} 2>&1"


# Figure 3. Softmax regression


use rule simulate as simulate_fig3a with:
    """Panel 3a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig3a"),
    output:
        table=f"{RESULTS}/panels/fig3a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig3a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig3a.tsv"
    priority: priority_of("simulate_fig3a")
    localrule: JOBS.is_local("simulate_fig3a")
    resources:
        **asked_of("simulate_fig3a"),
    params:
        run=run_of("simulate_fig3a"),
        settings=settings_of("simulate_fig3a"),


use rule simulate as simulate_fig3b with:
    """Panel 3b: success rate against the width m"""
    input:
        merge=slices_of("fig3b"),
    output:
        table=f"{RESULTS}/panels/fig3b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig3b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig3b.tsv"
    priority: priority_of("simulate_fig3b")
    localrule: JOBS.is_local("simulate_fig3b")
    resources:
        **asked_of("simulate_fig3b"),
    params:
        run=run_of("simulate_fig3b"),
        settings=settings_of("simulate_fig3b"),


# Figure 4. Self-attention, X = I


use rule simulate as simulate_fig4a with:
    """Panel 4a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig4a"),
    output:
        table=f"{RESULTS}/panels/fig4a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4a.tsv"
    priority: priority_of("simulate_fig4a")
    localrule: JOBS.is_local("simulate_fig4a")
    resources:
        **asked_of("simulate_fig4a"),
    params:
        run=run_of("simulate_fig4a"),
        settings=settings_of("simulate_fig4a"),


use rule simulate as simulate_fig4b with:
    """Panel 4b: success rate against the dimension d"""
    input:
        merge=slices_of("fig4b"),
    output:
        table=f"{RESULTS}/panels/fig4b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4b.tsv"
    priority: priority_of("simulate_fig4b")
    localrule: JOBS.is_local("simulate_fig4b")
    resources:
        **asked_of("simulate_fig4b"),
    params:
        run=run_of("simulate_fig4b"),
        settings=settings_of("simulate_fig4b"),


use rule simulate as simulate_fig4c with:
    """Panel 4c: success rate against the width m"""
    input:
        merge=slices_of("fig4c"),
    output:
        table=f"{RESULTS}/panels/fig4c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4c.tsv"
    priority: priority_of("simulate_fig4c")
    localrule: JOBS.is_local("simulate_fig4c")
    resources:
        **asked_of("simulate_fig4c"),
    params:
        run=run_of("simulate_fig4c"),
        settings=settings_of("simulate_fig4c"),


use rule simulate as simulate_fig4d with:
    """Panel 4d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig4d"),
    output:
        table=f"{RESULTS}/panels/fig4d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4d.tsv"
    priority: priority_of("simulate_fig4d")
    localrule: JOBS.is_local("simulate_fig4d")
    resources:
        **asked_of("simulate_fig4d"),
    params:
        run=run_of("simulate_fig4d"),
        settings=settings_of("simulate_fig4d"),


use rule simulate as simulate_fig4e with:
    """Panel 4e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig4e"),
    output:
        table=f"{RESULTS}/panels/fig4e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4e.tsv"
    priority: priority_of("simulate_fig4e")
    localrule: JOBS.is_local("simulate_fig4e")
    resources:
        **asked_of("simulate_fig4e"),
    params:
        run=run_of("simulate_fig4e"),
        settings=settings_of("simulate_fig4e"),


use rule simulate as simulate_fig4f with:
    """Panel 4f: success rate against the last entry c"""
    input:
        merge=slices_of("fig4f"),
    output:
        table=f"{RESULTS}/panels/fig4f.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4f.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4f.tsv"
    priority: priority_of("simulate_fig4f")
    localrule: JOBS.is_local("simulate_fig4f")
    resources:
        **asked_of("simulate_fig4f"),
    params:
        run=run_of("simulate_fig4f"),
        settings=settings_of("simulate_fig4f"),


# Figure 5. Self-attention, X all ones


use rule simulate as simulate_fig5a with:
    """Panel 5a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig5a"),
    output:
        table=f"{RESULTS}/panels/fig5a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5a.tsv"
    priority: priority_of("simulate_fig5a")
    localrule: JOBS.is_local("simulate_fig5a")
    resources:
        **asked_of("simulate_fig5a"),
    params:
        run=run_of("simulate_fig5a"),
        settings=settings_of("simulate_fig5a"),


use rule simulate as simulate_fig5b with:
    """Panel 5b: success rate against the dimension d"""
    input:
        merge=slices_of("fig5b"),
    output:
        table=f"{RESULTS}/panels/fig5b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5b.tsv"
    priority: priority_of("simulate_fig5b")
    localrule: JOBS.is_local("simulate_fig5b")
    resources:
        **asked_of("simulate_fig5b"),
    params:
        run=run_of("simulate_fig5b"),
        settings=settings_of("simulate_fig5b"),


use rule simulate as simulate_fig5c with:
    """Panel 5c: success rate against the width m"""
    input:
        merge=slices_of("fig5c"),
    output:
        table=f"{RESULTS}/panels/fig5c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5c.tsv"
    priority: priority_of("simulate_fig5c")
    localrule: JOBS.is_local("simulate_fig5c")
    resources:
        **asked_of("simulate_fig5c"),
    params:
        run=run_of("simulate_fig5c"),
        settings=settings_of("simulate_fig5c"),


use rule simulate as simulate_fig5d with:
    """Panel 5d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig5d"),
    output:
        table=f"{RESULTS}/panels/fig5d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5d.tsv"
    priority: priority_of("simulate_fig5d")
    localrule: JOBS.is_local("simulate_fig5d")
    resources:
        **asked_of("simulate_fig5d"),
    params:
        run=run_of("simulate_fig5d"),
        settings=settings_of("simulate_fig5d"),


use rule simulate as simulate_fig5e with:
    """Panel 5e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig5e"),
    output:
        table=f"{RESULTS}/panels/fig5e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5e.tsv"
    priority: priority_of("simulate_fig5e")
    localrule: JOBS.is_local("simulate_fig5e")
    resources:
        **asked_of("simulate_fig5e"),
    params:
        run=run_of("simulate_fig5e"),
        settings=settings_of("simulate_fig5e"),


use rule simulate as simulate_fig5f with:
    """Panel 5f: success rate against the last entry c"""
    input:
        merge=slices_of("fig5f"),
    output:
        table=f"{RESULTS}/panels/fig5f.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5f.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5f.tsv"
    priority: priority_of("simulate_fig5f")
    localrule: JOBS.is_local("simulate_fig5f")
    resources:
        **asked_of("simulate_fig5f"),
    params:
        run=run_of("simulate_fig5f"),
        settings=settings_of("simulate_fig5f"),


# Figure 7. Cross-attention, X = I


use rule simulate as simulate_fig7a with:
    """Panel 7a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig7a"),
    output:
        table=f"{RESULTS}/panels/fig7a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7a.tsv"
    priority: priority_of("simulate_fig7a")
    localrule: JOBS.is_local("simulate_fig7a")
    resources:
        **asked_of("simulate_fig7a"),
    params:
        run=run_of("simulate_fig7a"),
        settings=settings_of("simulate_fig7a"),


use rule simulate as simulate_fig7b with:
    """Panel 7b: success rate against the dimension d"""
    input:
        merge=slices_of("fig7b"),
    output:
        table=f"{RESULTS}/panels/fig7b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7b.tsv"
    priority: priority_of("simulate_fig7b")
    localrule: JOBS.is_local("simulate_fig7b")
    resources:
        **asked_of("simulate_fig7b"),
    params:
        run=run_of("simulate_fig7b"),
        settings=settings_of("simulate_fig7b"),


use rule simulate as simulate_fig7c with:
    """Panel 7c: success rate against the width m"""
    input:
        merge=slices_of("fig7c"),
    output:
        table=f"{RESULTS}/panels/fig7c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7c.tsv"
    priority: priority_of("simulate_fig7c")
    localrule: JOBS.is_local("simulate_fig7c")
    resources:
        **asked_of("simulate_fig7c"),
    params:
        run=run_of("simulate_fig7c"),
        settings=settings_of("simulate_fig7c"),


use rule simulate as simulate_fig7d with:
    """Panel 7d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig7d"),
    output:
        table=f"{RESULTS}/panels/fig7d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7d.tsv"
    priority: priority_of("simulate_fig7d")
    localrule: JOBS.is_local("simulate_fig7d")
    resources:
        **asked_of("simulate_fig7d"),
    params:
        run=run_of("simulate_fig7d"),
        settings=settings_of("simulate_fig7d"),


use rule simulate as simulate_fig7e with:
    """Panel 7e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig7e"),
    output:
        table=f"{RESULTS}/panels/fig7e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7e.tsv"
    priority: priority_of("simulate_fig7e")
    localrule: JOBS.is_local("simulate_fig7e")
    resources:
        **asked_of("simulate_fig7e"),
    params:
        run=run_of("simulate_fig7e"),
        settings=settings_of("simulate_fig7e"),


# Exact values of the panels that a figure is the first to show; of regression, reference values. What is
# computed where one types says so each time: `use rule` does not hand it on.


rule exact:
    """Exact values of a panel that no figure of the paper shows"""
    output:
        tables=f"{RESULTS}/exact/{{panel}}.parquet",
    log:
        f"{RESULTS}/logs/exact_{{panel}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_{{panel}}.tsv"
    wildcard_constraints:
        panel=any_of(OWN_PANELS),
    priority: priority_of("exact_{panel}")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("exact_{panel}"),
    params:
        run=run_of("exact_{panel}"),
        settings=settings_of("exact_{panel}"),
        code=code_of("studies.softmax_vs_linear.exact.compute"),
    message:
        "{rule}: exact values"
    shell:
        "{params.run} studies.softmax_vs_linear.exact.compute --settings {params.settings:q}"
        " --outputs {output.tables:q} 3>&2 >> {log:q} 2>&1"


use rule exact as exact_fig3 with:
    """Reference values of Figure 3"""
    output:
        tables=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_first_shown_in("fig3")),
    log:
        f"{RESULTS}/logs/exact_fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig3.tsv"
    priority: priority_of("exact_fig3")
    localrule: True
    resources:
        **asked_of("exact_fig3"),
    params:
        run=run_of("exact_fig3"),
        settings=settings_of("exact_fig3"),


use rule exact as exact_fig4 with:
    """Exact values of Figure 4"""
    output:
        tables=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_first_shown_in("fig4")),
    log:
        f"{RESULTS}/logs/exact_fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig4.tsv"
    priority: priority_of("exact_fig4")
    localrule: True
    resources:
        **asked_of("exact_fig4"),
    params:
        run=run_of("exact_fig4"),
        settings=settings_of("exact_fig4"),


use rule exact as exact_fig5 with:
    """Exact values of Figure 5"""
    output:
        tables=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_first_shown_in("fig5")),
    log:
        f"{RESULTS}/logs/exact_fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig5.tsv"
    priority: priority_of("exact_fig5")
    localrule: True
    resources:
        **asked_of("exact_fig5"),
    params:
        run=run_of("exact_fig5"),
        settings=settings_of("exact_fig5"),


use rule exact as exact_fig7 with:
    """Exact values of Figure 7"""
    output:
        tables=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_first_shown_in("fig7")),
    log:
        f"{RESULTS}/logs/exact_fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig7.tsv"
    priority: priority_of("exact_fig7")
    localrule: True
    resources:
        **asked_of("exact_fig7"),
    params:
        run=run_of("exact_fig7"),
        settings=settings_of("exact_fig7"),


# The figures: trials and exact values of their panels merged into a table and drawn.


rule fig3:
    """Figure 3, softmax regression: trials and exact values of its panels"""
    input:
        tables=expand(f"{RESULTS}/panels/{{panel}}.parquet", panel=panels_of_figure("fig3")),
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_of_figure("fig3")),
    output:
        picture=f"{RESULTS}/figures/fig3.svg",
        shown=in_report(PAPER, "fig3", f"{RESULTS}/figures/fig3.png"),
        beside=multiext(f"{RESULTS}/figures/fig3", ".pdf", ".parquet", ".csv"),
        lines=multiext(f"{RESULTS}/figures/fig3_lines", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig3.tsv"
    priority: priority_of("fig3")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("fig3"),
    params:
        run=run_of("fig3"),
        settings=settings_of("fig3"),
        code=code_of("studies.softmax_vs_linear.figures.panel_figure"),
    message:
        "Figure 3"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.panel_figure --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule fig4:
    """Figure 4, self-attention, X the identity: trials and exact values of its panels"""
    input:
        tables=expand(f"{RESULTS}/panels/{{panel}}.parquet", panel=panels_of_figure("fig4")),
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_of_figure("fig4")),
    output:
        picture=f"{RESULTS}/figures/fig4.svg",
        shown=in_report(PAPER, "fig4", f"{RESULTS}/figures/fig4.png"),
        beside=multiext(f"{RESULTS}/figures/fig4", ".pdf", ".parquet", ".csv"),
        lines=multiext(f"{RESULTS}/figures/fig4_lines", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig4.tsv"
    priority: priority_of("fig4")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("fig4"),
    params:
        run=run_of("fig4"),
        settings=settings_of("fig4"),
        code=code_of("studies.softmax_vs_linear.figures.panel_figure"),
    message:
        "Figure 4"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.panel_figure --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule fig5:
    """Figure 5, self-attention, X all ones: trials and exact values of its panels"""
    input:
        tables=expand(f"{RESULTS}/panels/{{panel}}.parquet", panel=panels_of_figure("fig5")),
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_of_figure("fig5")),
    output:
        picture=f"{RESULTS}/figures/fig5.svg",
        shown=in_report(PAPER, "fig5", f"{RESULTS}/figures/fig5.png"),
        beside=multiext(f"{RESULTS}/figures/fig5", ".pdf", ".parquet", ".csv"),
        lines=multiext(f"{RESULTS}/figures/fig5_lines", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig5.tsv"
    priority: priority_of("fig5")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("fig5"),
    params:
        run=run_of("fig5"),
        settings=settings_of("fig5"),
        code=code_of("studies.softmax_vs_linear.figures.panel_figure"),
    message:
        "Figure 5"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.panel_figure --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule fig7:
    """Figure 7, cross-attention, X the identity: trials and exact values of its panels"""
    input:
        tables=expand(f"{RESULTS}/panels/{{panel}}.parquet", panel=panels_of_figure("fig7")),
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=panels_of_figure("fig7")),
    output:
        picture=f"{RESULTS}/figures/fig7.svg",
        shown=in_report(PAPER, "fig7", f"{RESULTS}/figures/fig7.png"),
        beside=multiext(f"{RESULTS}/figures/fig7", ".pdf", ".parquet", ".csv"),
        lines=multiext(f"{RESULTS}/figures/fig7_lines", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig7.tsv"
    priority: priority_of("fig7")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("fig7"),
    params:
        run=run_of("fig7"),
        settings=settings_of("fig7"),
        code=code_of("studies.softmax_vs_linear.figures.panel_figure"),
    message:
        "Figure 7"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.panel_figure --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule figure:
    """A panel drawn alone, or a figure of one's own; each can be asked for by its name, as fig4c"""
    input:
        tables=lambda wildcards: JOBS[wildcards.figure].inputs()["tables"],
        exact=lambda wildcards: JOBS[wildcards.figure].inputs()["exact"],
    output:
        picture=f"{RESULTS}/figures/{{figure}}.svg",
        shown=in_report(PAPER, "{figure}", f"{RESULTS}/figures/{{figure}}.png"),
        beside=multiext(f"{RESULTS}/figures/{{figure}}", ".pdf", ".parquet", ".csv"),
        lines=multiext(f"{RESULTS}/figures/{{figure}}_lines", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{figure}}.tsv"
    wildcard_constraints:
        figure=any_of(OWN_FIGURES),
    priority: priority_of("{figure}")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("{figure}"),
    params:
        run=run_of("{figure}"),
        settings=settings_of("{figure}"),
        code=code_of("studies.softmax_vs_linear.figures.panel_figure"),
    message:
        "Figure {wildcards.figure}"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.panel_figure --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


for name in OWN_FIGURES:

    rule:
        name:
            name
        input:
            JOBS[name].paths(),


# What the trials and the exact values say, and the page from which all else is reached.


rule verdicts:
    """Verdicts: does each panel agree with its exact values?"""
    input:
        tables=expand(f"{RESULTS}/panels/{{panel}}.parquet", panel=PANELS),
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=PANELS),
    output:
        table=f"{RESULTS}/tables/verdicts.parquet",
        csv=f"{RESULTS}/tables/verdicts.csv",
        page=in_report(PAPER, "verdicts", f"{RESULTS}/tables/verdicts.html"),
        points=multiext(f"{RESULTS}/tables/verdicts_points", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/verdicts.log",
    benchmark:
        f"{RESULTS}/benchmarks/verdicts.tsv"
    priority: priority_of("verdicts")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("verdicts"),
    params:
        run=run_of("verdicts"),
        settings=settings_of("verdicts"),
        code=code_of("studies.softmax_vs_linear.figures.verdicts"),
    message:
        "Verdicts: simulation against exact or reference values"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.verdicts --settings {params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q} --output {output.table:q} 3>&2 >> {log:q} 2>&1"


rule check:
    """Fails where a panel differs from its exact values"""
    input:
        verdicts=f"{RESULTS}/tables/verdicts.parquet",
    output:
        sentence=f"{RESULTS}/checks/check.txt",
    log:
        f"{RESULTS}/logs/check.log",
    benchmark:
        f"{RESULTS}/benchmarks/check.tsv"
    priority: priority_of("check")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("check"),
    params:
        run=run_of("check"),
        settings=settings_of("check"),
        code=code_of("studies.softmax_vs_linear.figures.check"),
    message:
        "Check: no panel differs from its exact values"
    shell:
        "{params.run} studies.softmax_vs_linear.figures.check --settings {params.settings:q}"
        " --verdicts {input.verdicts:q} --output {output.sentence:q} 3>&2 >> {log:q} 2>&1"


rule index:
    """The page from which all results are reached"""
    input:
        figures=expand(f"{RESULTS}/figures/{{figure}}.svg", figure=PAPER.panels.figures_of_run),
        pictures=[
            *if_declared("theta", f"{RESULTS}/figures/theta.svg"),
            *if_declared("phase", f"{RESULTS}/figures/phase.svg"),
        ],
        tables=[
            f"{RESULTS}/tables/verdicts.parquet",
            f"{RESULTS}/tables/claims.parquet",
            f"{RESULTS}/tables/claims_readings.parquet",
            f"{RESULTS}/tables/whp.parquet",
            *if_declared("threshold", f"{RESULTS}/tables/threshold.parquet"),
            f"{RESULTS}/tables/choices.parquet",
        ],
    output:
        page=f"{RESULTS}/index.html",
    log:
        f"{RESULTS}/logs/index.log",
    benchmark:
        f"{RESULTS}/benchmarks/index.tsv"
    priority: priority_of("index")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("index"),
    params:
        run=run_of("index"),
        settings=settings_of("index"),
        code=code_of("studies.index_page"),
    message:
        "The page from which all results are reached"
    shell:
        "{params.run} studies.index_page --settings {params.settings:q}"
        " --figures {input.figures:q} --pictures {input.pictures:q} --tables {input.tables:q} --output {output.page:q} 3>&2 >> {log:q} 2>&1"
