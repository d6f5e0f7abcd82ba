# What exact values tell beyond the figures: the paper's claims, its open choices, other thresholds,
# wider maps.


rule claims:
    output:
        **shown_table("claims"),
    log:
        log_file("claims"),
    benchmark:
        benchmark_file("claims")
    priority: 3
    localrule: runs_here("claims")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.claims_job()),
        code=code_of_verb("claims"),
    message:
        "Claims of the paper, evaluated"
    shell:
        "{params.package} claims --settings - <<<{params.settings:q}"
        " --output {output.parquet:q} 2>&1 | tee {log:q}"


rule whp:
    input:
        [exact_of_panel(panel) for panel in SETTINGS.panels],
    output:
        **shown_table("whp"),
    log:
        log_file("whp"),
    benchmark:
        benchmark_file("whp")
    localrule: runs_here("whp")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.whp_job()),
        code=code_of_audit("whp"),
    message:
        "With high probability: which events are"
    shell:
        "{params.package} whp --settings - <<<{params.settings:q}"
        " --exact {input:q} --output {output.parquet:q} 2>&1 | tee {log:q}"


rule choices:
    output:
        **prefixed("table", shown_table("choices")),
        **prefixed("figure", shown_figure("choices")),
    log:
        log_file("choices"),
    benchmark:
        benchmark_file("choices")
    priority: 2
    localrule: runs_here("choices")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.choices_job()),
        code=code_of_audit("choices"),
    message:
        "Open choices: how far each moves the figures"
    shell:
        "{params.package} choices --settings - <<<{params.settings:q}"
        " --table {output.table_parquet:q} --figure {output.figure_svg:q} 2>&1 | tee {log:q}"


rule threshold:
    output:
        **prefixed("table", shown_table("threshold")),
        **prefixed("figure", shown_figure("threshold")),
    log:
        log_file("threshold"),
    benchmark:
        benchmark_file("threshold")
    priority: 4
    localrule: runs_here("threshold")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.threshold_job()),
        code=code_of_audit("threshold"),
    message:
        "Thresholds: what each network alone can do"
    shell:
        "{params.package} threshold --settings - <<<{params.settings:q}"
        " --table {output.table_parquet:q} --figure {output.figure_svg:q} 2>&1 | tee {log:q}"


rule theta:
    output:
        **shown_figure("theta"),
    log:
        log_file("theta"),
    benchmark:
        benchmark_file("theta")
    priority: 4
    localrule: runs_here("theta")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.theta_job()),
        code=code_of_audit("theta"),
    message:
        "Success against the threshold, all networks with the same"
    shell:
        "{params.package} theta --settings - <<<{params.settings:q}"
        " --output {output.svg:q} 2>&1 | tee {log:q}"


rule phase:
    output:
        **shown_figure("phase"),
    log:
        log_file("phase"),
    benchmark:
        benchmark_file("phase")
    priority: 2
    localrule: runs_here("phase")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.phase_job()),
        code=code_of_audit("phase"),
    message:
        "Phase maps: exact values beyond the grids"
    shell:
        "{params.package} phase --settings - <<<{params.settings:q}"
        " --output {output.svg:q} 2>&1 | tee {log:q}"
