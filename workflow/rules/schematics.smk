# Figures 1, 2 and 6: drawings of the networks, from the code's own shapes.

for figure in SCHEMATICS:

    rule:
        name:
            figure
        output:
            **shown_pictures(figure),
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
            runtime=5,
        params:
            package=PACKAGE,
            figure=figure,
            code=code_of("schematic", SCHEMATICS[figure]),
        message:
            f"Schematic {figure}"
        shell:
            "{params.package} schematic --figure {params.figure}"
            " --output {output.svg:q} 2>&1 | tee {log:q}"
