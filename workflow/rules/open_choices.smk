# What the first paper leaves open, and how far that moves its figures.


rule whp:
    """Which events are with high probability"""
    input:
        exact=expand(f"{RESULTS}/exact/{{panel}}.parquet", panel=PANELS),
    output:
        table=f"{RESULTS}/tables/whp.parquet",
        csv=f"{RESULTS}/tables/whp.csv",
        page=in_report(CHOICES, "whp", f"{RESULTS}/tables/whp.html"),
    log:
        f"{RESULTS}/logs/whp.log",
    benchmark:
        f"{RESULTS}/benchmarks/whp.tsv"
    priority: priority_of("whp")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("whp"),
    params:
        run=run_of("whp"),
        settings=settings_of("whp"),
        code=code_of("studies.open_choices.whp"),
    message:
        "With high probability: which events are"
    shell:
        "{params.run} studies.open_choices.whp --settings {params.settings:q}"
        " --exact {input.exact:q} --output {output.table:q} 3>&2 >> {log:q} 2>&1"


rule threshold:
    """The best thresholds of each network alone"""
    output:
        picture=f"{RESULTS}/figures/threshold.svg",
        shown=in_report(CHOICES, "threshold", f"{RESULTS}/figures/threshold.png"),
        pdf=f"{RESULTS}/figures/threshold.pdf",
        table=f"{RESULTS}/tables/threshold.parquet",
        beside=multiext(f"{RESULTS}/tables/threshold", ".csv", ".html"),
    log:
        f"{RESULTS}/logs/threshold.log",
    benchmark:
        f"{RESULTS}/benchmarks/threshold.tsv"
    priority: priority_of("threshold")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("threshold"),
    params:
        run=run_of("threshold"),
        settings=settings_of("threshold"),
        code=code_of("studies.open_choices.threshold"),
    message:
        "Thresholds: what each network alone can do"
    shell:
        "{params.run} studies.open_choices.threshold --settings {params.settings:q}"
        " --table {output.table:q} --figure {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule theta:
    """Success against the threshold, every network with the same"""
    output:
        picture=f"{RESULTS}/figures/theta.svg",
        shown=in_report(CHOICES, "theta", f"{RESULTS}/figures/theta.png"),
        beside=multiext(f"{RESULTS}/figures/theta", ".pdf", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/theta.log",
    benchmark:
        f"{RESULTS}/benchmarks/theta.tsv"
    priority: priority_of("theta")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("theta"),
    params:
        run=run_of("theta"),
        settings=settings_of("theta"),
        code=code_of("studies.open_choices.theta"),
    message:
        "Success against the threshold, all networks with the same"
    shell:
        "{params.run} studies.open_choices.theta --settings {params.settings:q}"
        " --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule choices:
    """How far each open choice moves the figures"""
    output:
        picture=f"{RESULTS}/figures/choices.svg",
        shown=in_report(CHOICES, "choices", f"{RESULTS}/figures/choices.png"),
        pdf=f"{RESULTS}/figures/choices.pdf",
        table=f"{RESULTS}/tables/choices.parquet",
        beside=multiext(f"{RESULTS}/tables/choices", ".csv", ".html"),
    log:
        f"{RESULTS}/logs/choices.log",
    benchmark:
        f"{RESULTS}/benchmarks/choices.tsv"
    priority: priority_of("choices")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("choices"),
    params:
        run=run_of("choices"),
        settings=settings_of("choices"),
        code=code_of("studies.open_choices.choices"),
    message:
        "Open choices: how far each moves the figures"
    shell:
        "{params.run} studies.open_choices.choices --settings {params.settings:q}"
        " --table {output.table:q} --figure {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule phase:
    """Phase maps: exact values of pairs of parameters"""
    output:
        picture=f"{RESULTS}/figures/phase.svg",
        shown=in_report(CHOICES, "phase", f"{RESULTS}/figures/phase.png"),
        beside=multiext(f"{RESULTS}/figures/phase", ".pdf", ".parquet", ".csv"),
    log:
        f"{RESULTS}/logs/phase.log",
    benchmark:
        f"{RESULTS}/benchmarks/phase.tsv"
    priority: priority_of("phase")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("phase"),
    params:
        run=run_of("phase"),
        settings=settings_of("phase"),
        code=code_of("studies.open_choices.phase"),
    message:
        "Phase maps: exact values beyond the grids"
    shell:
        "{params.run} studies.open_choices.phase --settings {params.settings:q}"
        " --output {output.picture:q} 3>&2 >> {log:q} 2>&1"


rule open_choices:
    """Open choices of the first paper: all of a run"""
    input:
        files_of_run(CHOICES),
