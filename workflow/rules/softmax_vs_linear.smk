# The first paper: a rule for each panel's trials, for the exact values and the plot of each figure,
# and for each audit. Panels of one's own and slices have the wildcard rules; what a job runs, with
# which settings, and what it asks a cluster for, is declared in softmax_vs_linear/study.py.


# Trials of a panel, and of one slice of a panel that takes long.


rule simulate:
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
    output:
        **writes("exact_fig3"),
    log:
        f"{RESULTS}/logs/exact_fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig3.tsv"
    localrule: True


use rule exact as exact_fig4 with:
    output:
        **writes("exact_fig4"),
    log:
        f"{RESULTS}/logs/exact_fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig4.tsv"
    localrule: True


use rule exact as exact_fig5 with:
    output:
        **writes("exact_fig5"),
    log:
        f"{RESULTS}/logs/exact_fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig5.tsv"
    localrule: True


use rule exact as exact_fig7 with:
    output:
        **writes("exact_fig7"),
    log:
        f"{RESULTS}/logs/exact_fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/exact_fig7.tsv"
    localrule: True


# The figures: trials and exact values of their panels merged into a table and drawn.


use rule exact as fig3 with:
    input:
        **reads("fig3"),
    output:
        **writes("fig3"),
    log:
        f"{RESULTS}/logs/fig3.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig3.tsv"
    localrule: True


use rule fig3 as fig4 with:
    input:
        **reads("fig4"),
    output:
        **writes("fig4"),
    log:
        f"{RESULTS}/logs/fig4.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig4.tsv"
    localrule: True


use rule fig3 as fig5 with:
    input:
        **reads("fig5"),
    output:
        **writes("fig5"),
    log:
        f"{RESULTS}/logs/fig5.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig5.tsv"
    localrule: True


use rule fig3 as fig7 with:
    input:
        **reads("fig7"),
    output:
        **writes("fig7"),
    log:
        f"{RESULTS}/logs/fig7.log",
    benchmark:
        f"{RESULTS}/benchmarks/fig7.tsv"
    localrule: True


# A panel drawn alone, and a figure of one's own; each can be asked for by its name.


use rule fig3 as figure with:
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
    output:
        **writes("claims"),
    log:
        f"{RESULTS}/logs/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/claims.tsv"
    localrule: True


use rule fig3 as whp with:
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
    output:
        **writes("threshold"),
    log:
        f"{RESULTS}/logs/threshold.log",
    benchmark:
        f"{RESULTS}/benchmarks/threshold.tsv"
    localrule: True


use rule exact as theta with:
    output:
        **writes("theta"),
    log:
        f"{RESULTS}/logs/theta.log",
    benchmark:
        f"{RESULTS}/benchmarks/theta.tsv"
    localrule: True


use rule exact as choices with:
    output:
        **writes("choices"),
    log:
        f"{RESULTS}/logs/choices.log",
    benchmark:
        f"{RESULTS}/benchmarks/choices.tsv"
    localrule: True


use rule exact as phase with:
    output:
        **writes("phase"),
    log:
        f"{RESULTS}/logs/phase.log",
    benchmark:
        f"{RESULTS}/benchmarks/phase.tsv"
    localrule: True


use rule fig3 as published with:
    input:
        **reads("published"),
    output:
        **writes("published"),
    log:
        f"{RESULTS}/logs/published.log",
    benchmark:
        f"{RESULTS}/benchmarks/published.tsv"
    localrule: True
