# Simulation against exact values, and the check that nothing differs.


rule verdicts:
    input:
        tables=[table_of_panel(panel) for panel in SETTINGS.panels],
        exact=[exact_of_panel(panel) for panel in SETTINGS.panels],
    output:
        **shown_table("verdicts"),
        points=f"{RESULTS}/tables/verdicts_points.parquet",
        points_csv=f"{RESULTS}/tables/verdicts_points.csv",
    log:
        log_file("verdicts"),
    benchmark:
        benchmark_file("verdicts")
    priority: 7
    localrule: runs_here("verdicts")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(SETTINGS.verdicts_job()),
        code=code_of_audit("verdicts"),
    message:
        "Verdicts: simulation against exact or reference values"
    shell:
        "{params.package} verdicts --settings - <<<{params.settings:q}"
        " --tables {input.tables:q} --exact {input.exact:q}"
        " --output {output.parquet:q} 2>&1 | tee {log:q}"


rule check:
    input:
        table_files("verdicts")["parquet"],
    output:
        f"{RESULTS}/tables/check.txt",
    log:
        log_file("check"),
    localrule: runs_here("check")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        package=PACKAGE,
        settings=lambda wildcards: digest(canonical(SETTINGS.verdicts_job())),
        code=code_of_audit("check"),
    message:
        "Check: no panel differs from its exact values"
    shell:
        "{params.package} check --verdicts {input:q}"
        " --settings {params.settings:q} --output {output:q} 2>&1 | tee {log:q}"
