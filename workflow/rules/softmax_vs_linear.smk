# The first paper: a rule for each panel's trials, for the exact values and the plot of each figure,
# and for each audit. Panels of one's own and slices have the wildcard rules; what a job runs, with
# which settings, and what it asks a cluster for, is declared in softmax_vs_linear/study.py.


# Trials of a panel, and of one slice of a panel that takes long.


rule simulate:
    """Trials of a panel of one's own"""
    input:
        merge=lambda wildcards: slices_of(wildcards.panel),
    output:
        output=f"{RESULTS}/panels/{{panel}}.parquet",
    log:
        f"{RESULTS}/logs/simulate_{{panel}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_{{panel}}.tsv"
    wildcard_constraints:
        panel=panels_of("simulate"),
    priority: priority_of
    localrule: False
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=asked("memory_mb"),
        runtime=asked("minutes"),
    params:
        package=PACKAGE,
        job=job_of,
        code=code_of,
        options=options_of,
        description=description_of,
    message:
        "{params.description}"
    shell:
        JOB


use rule simulate as slice with:
    """A slice of the trials of a panel that takes long"""
    input:
        [],
    output:
        output=temp(f"{RESULTS}/slices/{{panel}}/{{slice}}-of-{{of}}.parquet"),
    log:
        f"{RESULTS}/logs/slice_{{panel}}_{{slice}}-of-{{of}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/slice_{{panel}}_{{slice}}-of-{{of}}.tsv"
    wildcard_constraints:
        slice="[0-9]+",
        of="[0-9]+",
    message:
        "{params.description}, slice {wildcards.slice} of {wildcards.of}"


# Figure 3. Softmax regression


use rule simulate as simulate_fig3a with:
    """Panel 3a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig3a"),
    output:
        output=f"{RESULTS}/panels/fig3a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig3a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig3a.tsv"
    localrule: is_local("simulate_fig3a")


use rule simulate as simulate_fig3b with:
    """Panel 3b: success rate against the width m"""
    input:
        merge=slices_of("fig3b"),
    output:
        output=f"{RESULTS}/panels/fig3b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig3b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig3b.tsv"
    localrule: is_local("simulate_fig3b")


# Figure 4. Self-attention, X = I


use rule simulate as simulate_fig4a with:
    """Panel 4a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig4a"),
    output:
        output=f"{RESULTS}/panels/fig4a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4a.tsv"
    localrule: is_local("simulate_fig4a")


use rule simulate as simulate_fig4b with:
    """Panel 4b: success rate against the dimension d"""
    input:
        merge=slices_of("fig4b"),
    output:
        output=f"{RESULTS}/panels/fig4b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4b.tsv"
    localrule: is_local("simulate_fig4b")


use rule simulate as simulate_fig4c with:
    """Panel 4c: success rate against the width m"""
    input:
        merge=slices_of("fig4c"),
    output:
        output=f"{RESULTS}/panels/fig4c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4c.tsv"
    localrule: is_local("simulate_fig4c")


use rule simulate as simulate_fig4d with:
    """Panel 4d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig4d"),
    output:
        output=f"{RESULTS}/panels/fig4d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4d.tsv"
    localrule: is_local("simulate_fig4d")


use rule simulate as simulate_fig4e with:
    """Panel 4e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig4e"),
    output:
        output=f"{RESULTS}/panels/fig4e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4e.tsv"
    localrule: is_local("simulate_fig4e")


use rule simulate as simulate_fig4f with:
    """Panel 4f: success rate against the last entry c"""
    input:
        merge=slices_of("fig4f"),
    output:
        output=f"{RESULTS}/panels/fig4f.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig4f.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig4f.tsv"
    localrule: is_local("simulate_fig4f")


# Figure 5. Self-attention, X all ones


use rule simulate as simulate_fig5a with:
    """Panel 5a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig5a"),
    output:
        output=f"{RESULTS}/panels/fig5a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5a.tsv"
    localrule: is_local("simulate_fig5a")


use rule simulate as simulate_fig5b with:
    """Panel 5b: success rate against the dimension d"""
    input:
        merge=slices_of("fig5b"),
    output:
        output=f"{RESULTS}/panels/fig5b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5b.tsv"
    localrule: is_local("simulate_fig5b")


use rule simulate as simulate_fig5c with:
    """Panel 5c: success rate against the width m"""
    input:
        merge=slices_of("fig5c"),
    output:
        output=f"{RESULTS}/panels/fig5c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5c.tsv"
    localrule: is_local("simulate_fig5c")


use rule simulate as simulate_fig5d with:
    """Panel 5d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig5d"),
    output:
        output=f"{RESULTS}/panels/fig5d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5d.tsv"
    localrule: is_local("simulate_fig5d")


use rule simulate as simulate_fig5e with:
    """Panel 5e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig5e"),
    output:
        output=f"{RESULTS}/panels/fig5e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5e.tsv"
    localrule: is_local("simulate_fig5e")


use rule simulate as simulate_fig5f with:
    """Panel 5f: success rate against the last entry c"""
    input:
        merge=slices_of("fig5f"),
    output:
        output=f"{RESULTS}/panels/fig5f.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig5f.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig5f.tsv"
    localrule: is_local("simulate_fig5f")


# Figure 7. Cross-attention, X = I


use rule simulate as simulate_fig7a with:
    """Panel 7a: success rate against the number of tokens n"""
    input:
        merge=slices_of("fig7a"),
    output:
        output=f"{RESULTS}/panels/fig7a.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7a.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7a.tsv"
    localrule: is_local("simulate_fig7a")


use rule simulate as simulate_fig7b with:
    """Panel 7b: success rate against the dimension d"""
    input:
        merge=slices_of("fig7b"),
    output:
        output=f"{RESULTS}/panels/fig7b.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7b.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7b.tsv"
    localrule: is_local("simulate_fig7b")


use rule simulate as simulate_fig7c with:
    """Panel 7c: success rate against the width m"""
    input:
        merge=slices_of("fig7c"),
    output:
        output=f"{RESULTS}/panels/fig7c.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7c.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7c.tsv"
    localrule: is_local("simulate_fig7c")


use rule simulate as simulate_fig7d with:
    """Panel 7d: success rate against the special entry a1 of D1"""
    input:
        merge=slices_of("fig7d"),
    output:
        output=f"{RESULTS}/panels/fig7d.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7d.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7d.tsv"
    localrule: is_local("simulate_fig7d")


use rule simulate as simulate_fig7e with:
    """Panel 7e: success rate against the special entry a0 of D0"""
    input:
        merge=slices_of("fig7e"),
    output:
        output=f"{RESULTS}/panels/fig7e.parquet",
    log:
        f"{RESULTS}/logs/simulate_fig7e.log",
    benchmark:
        f"{RESULTS}/benchmarks/simulate_fig7e.tsv"
    localrule: is_local("simulate_fig7e")


# Exact values of the panels of a figure; of regression, reference values. What is computed where one
# types says so each time: `use rule` does not hand it on. It does hand on that nothing is read.


use rule simulate as exact with:
    """Exact values of a panel that no figure of the paper shows"""
    input:
        [],
    output:
        outputs=f"{RESULTS}/exact/{{panel}}.parquet",
    log:
        f"{RESULTS}/logs/exact_{{panel}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_{{panel}}.tsv"
    wildcard_constraints:
        panel=panels_of("exact"),
    localrule: True


use rule exact as exact_fig3 with:
    """Reference values of Figure 3"""
    output:
        **writes("exact_fig3"),
    log:
        f"{RESULTS}/logs/exact_fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig3.tsv"
    localrule: True


use rule exact as exact_fig4 with:
    """Exact values of Figure 4"""
    output:
        **writes("exact_fig4"),
    log:
        f"{RESULTS}/logs/exact_fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig4.tsv"
    localrule: True


use rule exact as exact_fig5 with:
    """Exact values of Figure 5"""
    output:
        **writes("exact_fig5"),
    log:
        f"{RESULTS}/logs/exact_fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig5.tsv"
    localrule: True


use rule exact as exact_fig7 with:
    """Exact values of Figure 7"""
    output:
        **writes("exact_fig7"),
    log:
        f"{RESULTS}/logs/exact_fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig7.tsv"
    localrule: True


# The figures: trials and exact values of their panels merged into a table and drawn.


use rule exact as fig3 with:
    """Figure 3, softmax regression: trials and exact values of panels 3a to 3b"""
    input:
        tables=drawn(
            "fig3",
            "tables",
            f"{RESULTS}/panels/fig3a.parquet",
            f"{RESULTS}/panels/fig3b.parquet",
        ),
        exact=drawn(
            "fig3",
            "exact",
            f"{RESULTS}/exact/fig3a.parquet",
            f"{RESULTS}/exact/fig3b.parquet",
        ),
    output:
        **writes("fig3"),
    log:
        f"{RESULTS}/logs/fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig3.tsv"
    localrule: True


use rule fig3 as fig4 with:
    """Figure 4, self-attention, X the identity: trials and exact values of panels 4a to 4f"""
    input:
        tables=drawn(
            "fig4",
            "tables",
            f"{RESULTS}/panels/fig4a.parquet",
            f"{RESULTS}/panels/fig4b.parquet",
            f"{RESULTS}/panels/fig4c.parquet",
            f"{RESULTS}/panels/fig4d.parquet",
            f"{RESULTS}/panels/fig4e.parquet",
            f"{RESULTS}/panels/fig4f.parquet",
        ),
        exact=drawn(
            "fig4",
            "exact",
            f"{RESULTS}/exact/fig4a.parquet",
            f"{RESULTS}/exact/fig4b.parquet",
            f"{RESULTS}/exact/fig4c.parquet",
            f"{RESULTS}/exact/fig4d.parquet",
            f"{RESULTS}/exact/fig4e.parquet",
            f"{RESULTS}/exact/fig4f.parquet",
        ),
    output:
        **writes("fig4"),
    log:
        f"{RESULTS}/logs/fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig4.tsv"
    localrule: True


use rule fig3 as fig5 with:
    """Figure 5, self-attention, X all ones: trials and exact values of panels 5a to 5f"""
    input:
        tables=drawn(
            "fig5",
            "tables",
            f"{RESULTS}/panels/fig5a.parquet",
            f"{RESULTS}/panels/fig5b.parquet",
            f"{RESULTS}/panels/fig5c.parquet",
            f"{RESULTS}/panels/fig5d.parquet",
            f"{RESULTS}/panels/fig5e.parquet",
            f"{RESULTS}/panels/fig5f.parquet",
        ),
        exact=drawn(
            "fig5",
            "exact",
            f"{RESULTS}/exact/fig5a.parquet",
            f"{RESULTS}/exact/fig5b.parquet",
            f"{RESULTS}/exact/fig5c.parquet",
            f"{RESULTS}/exact/fig5d.parquet",
            f"{RESULTS}/exact/fig5e.parquet",
            f"{RESULTS}/exact/fig5f.parquet",
        ),
    output:
        **writes("fig5"),
    log:
        f"{RESULTS}/logs/fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig5.tsv"
    localrule: True


use rule fig3 as fig7 with:
    """Figure 7, cross-attention, X the identity: trials and exact values of panels 7a to 7e"""
    input:
        tables=drawn(
            "fig7",
            "tables",
            f"{RESULTS}/panels/fig7a.parquet",
            f"{RESULTS}/panels/fig7b.parquet",
            f"{RESULTS}/panels/fig7c.parquet",
            f"{RESULTS}/panels/fig7d.parquet",
            f"{RESULTS}/panels/fig7e.parquet",
        ),
        exact=drawn(
            "fig7",
            "exact",
            f"{RESULTS}/exact/fig7a.parquet",
            f"{RESULTS}/exact/fig7b.parquet",
            f"{RESULTS}/exact/fig7c.parquet",
            f"{RESULTS}/exact/fig7d.parquet",
            f"{RESULTS}/exact/fig7e.parquet",
        ),
    output:
        **writes("fig7"),
    log:
        f"{RESULTS}/logs/fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig7.tsv"
    localrule: True


# A panel drawn alone, and a figure of one's own; each can be asked for by its name, as `fig4c`. What
# these rules make is what `figure` says.


use rule fig3 as figure with:
    """A panel drawn alone, or a figure of one's own"""
    input:
        tables=lambda wildcards: reads(wildcards.figure)["tables"],
        exact=lambda wildcards: reads(wildcards.figure)["exact"],
    output:
        **in_report(FIRST, ANY_FIGURE),
    log:
        f"{RESULTS}/logs/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{figure}}.tsv"
    wildcard_constraints:
        figure="|".join(OWN_FIGURES) or "(?!)",
    localrule: True


for name in OWN_FIGURES:

    rule:
        name:
            name
        input:
            files_of(FIRST, [name]),


# What the trials and the exact values say: verdicts, the check, claims and audits.


use rule fig3 as verdicts with:
    """Verdicts: does each panel agree with its exact values?"""
    input:
        **reads("verdicts"),
    output:
        **writes("verdicts"),
    log:
        f"{RESULTS}/logs/verdicts.log",
    benchmark:
        f"{RESULTS}/benchmarks/verdicts.tsv"
    localrule: True


use rule fig3 as check with:
    """Fails where a panel differs from its exact values"""
    input:
        **reads("check"),
    output:
        **writes("check"),
    log:
        f"{RESULTS}/logs/check.log",
    benchmark:
        f"{RESULTS}/benchmarks/check.tsv"
    localrule: True


use rule exact as claims with:
    """The first paper's claims, evaluated at growing n"""
    output:
        **writes("claims"),
    log:
        f"{RESULTS}/logs/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/claims.tsv"
    localrule: True


use rule fig3 as whp with:
    """Which events are with high probability"""
    input:
        **reads("whp"),
    output:
        **writes("whp"),
    log:
        f"{RESULTS}/logs/whp.log",
    benchmark:
        f"{RESULTS}/benchmarks/whp.tsv"
    localrule: True


use rule exact as threshold with:
    """The best thresholds of each network alone"""
    output:
        **writes("threshold"),
    log:
        f"{RESULTS}/logs/threshold.log",
    benchmark:
        f"{RESULTS}/benchmarks/threshold.tsv"
    localrule: True


use rule exact as theta with:
    """Success against the threshold, every network with the same"""
    output:
        **writes("theta"),
    log:
        f"{RESULTS}/logs/theta.log",
    benchmark:
        f"{RESULTS}/benchmarks/theta.tsv"
    localrule: True


use rule exact as choices with:
    """How far each open choice moves the figures"""
    output:
        **writes("choices"),
    log:
        f"{RESULTS}/logs/choices.log",
    benchmark:
        f"{RESULTS}/benchmarks/choices.tsv"
    localrule: True


use rule exact as phase with:
    """Phase maps: exact values of pairs of parameters"""
    output:
        **writes("phase"),
    log:
        f"{RESULTS}/logs/phase.log",
    benchmark:
        f"{RESULTS}/benchmarks/phase.tsv"
    localrule: True


# What a reader opens first.


use rule fig3 as index with:
    """The page from which all results are reached"""
    input:
        **reads("index"),
    output:
        **writes("index"),
    log:
        f"{RESULTS}/logs/index.log",
    benchmark:
        f"{RESULTS}/benchmarks/index.tsv"
    localrule: True
