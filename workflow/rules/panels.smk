# One rule per panel: the trials of its points, counted.

for panel in SETTINGS.panels:

    rule:
        name:
            f"simulate_{panel}"
        output:
            table_of_panel(panel),
        log:
            log_file(f"simulate_{panel}"),
        benchmark:
            benchmark_file(f"simulate_{panel}")
        priority: 5 if SETTINGS.panels[panel].model == "regression" else 0
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=120,
        params:
            settings=lambda wildcards, text=panel_settings(panel): text,
            code=panel_code(panel),
        message:
            f"Panel {panel}: trials"
        shell:
            "python3 -m attention_separation simulate --settings {params.settings:q}"
            " --output {output:q} 2>&1 | tee {log:q}"
