# One rule per figure, and one per panel alone: from tables to pictures.

for figure, panels in panels_of_figures().items():

    rule:
        name:
            figure
        input:
            tables=[table_of_panel(panel) for panel in panels],
            exact=[exact_of_panel(panel) for panel in panels],
        output:
            **shown_figure(figure, panels),
        log:
            log_file(figure),
        benchmark:
            benchmark_file(figure)
        localrule: runs_here(figure)
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=10,
        params:
            package=PACKAGE,
            settings=lambda wildcards, text=canonical(SETTINGS.figure_job(figure, panels)): text,
            code=code_of_figure(SETTINGS.figure_job(figure, panels)),
        message:
            f"Figure {figure}"
        shell:
            "{params.package} figure --settings - <<<{params.settings:q}"
            " --tables {input.tables:q} --exact {input.exact:q}"
            " --output {output.svg:q} 2>&1 | tee {log:q}"
