# One rule per panel: the trials of its points, counted. A panel that takes long is cut into slices,
# each a job, and its rule merges them.

for panel in SETTINGS.panels:

    rule:
        name:
            f"simulate_{panel}"
        input:
            slices_of_panel(panel),
        output:
            table_of_panel(panel),
        log:
            log_file(f"simulate_{panel}"),
        benchmark:
            benchmark_file(f"simulate_{panel}")
        priority: 9 if takes_long(panel) else 8
        localrule: panel_runs_here(panel)
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=doubled(SETTINGS.panel_memory_mb(panel)),
            runtime=doubled(minutes_of_panel(panel)),
        params:
            package=PACKAGE,
            settings=lambda wildcards, text=panel_settings(panel): text,
            code=panel_code(panel),
            merge="--merge" if slices_of_panel(panel) else "",
        message:
            f"Panel {panel}: trials"
        shell:
            "{params.package} simulate --settings - <<<{params.settings:q}"
            " --output {output:q} {params.merge} {input:q} 2>&1 | tee {log:q}"

    if slices_of_panel(panel):

        rule:
            name:
                f"slice_{panel}"
            output:
                temp(
                    f"{RESULTS}/slices/{panel}/{{slice}}-of-{SETTINGS.panel_slices(panel)}.parquet"
                ),
            log:
                log_file(f"slice_{panel}_{{slice}}"),
            benchmark:
                benchmark_file(f"slice_{panel}_{{slice}}")
            wildcard_constraints:
                slice="[0-9]+",
            conda:
                ENVIRONMENT
            threads: 1
            resources:
                mem_mb=doubled(SETTINGS.panel_memory_mb(panel)),
                runtime=doubled(minutes_of_panel(panel)),
            params:
                package=PACKAGE,
                settings=lambda wildcards, text=panel_settings(panel): text,
                code=panel_code(panel),
                of=SETTINGS.panel_slices(panel),
            message:
                f"Panel {panel}: slice {{wildcards.slice}} of its trials"
            shell:
                "{params.package} simulate --settings - <<<{params.settings:q}"
                " --output {output:q} --slice {wildcards.slice}/{params.of} 2>&1 | tee {log:q}"
