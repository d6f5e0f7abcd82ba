# One rule per figure, and per panel that is in none: exact values of all its panels' points.

for name, panels in panels_of_exact().items():

    rule:
        name:
            f"exact_{name}"
        output:
            [exact_of_panel(panel) for panel in panels],
        log:
            log_file(f"exact_{name}"),
        benchmark:
            benchmark_file(f"exact_{name}")
        priority: 8
        localrule: runs_here(f"exact_{name}")
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=10,
        params:
            package=PACKAGE,
            settings=lambda wildcards, text=canonical(SETTINGS.exact_job(panels)): text,
            code=exact_code(panels),
        message:
            f"Exact values: {name}"
        shell:
            "{params.package} exact --settings - <<<{params.settings:q}"
            " --outputs {output:q} 2>&1 | tee {log:q}"
