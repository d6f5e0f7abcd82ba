# One rule per result of every study, as its declaration in the package says: the trials of a panel,
# exact values, figures, audits, trained cells. A panel that takes long is cut into slices, each a
# job, and its rule merges them.

for study, result in every_result():

    rule:
        name:
            result.name
        input:
            **inputs_of(study, result),
        output:
            **outputs_of(study, result),
        log:
            log_file(study, result.name),
        benchmark:
            benchmark_file(study, result.name)
        priority: result.priority
        localrule: result.is_local
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=doubled(result.memory_mb),
            runtime=doubled(result.minutes),
        params:
            package=PACKAGE,
            verb=result.verb,
            settings=lambda wildcards, text=settings_of(result): text,
            code=result.code,
            options=lambda wildcards, input, output, result=result: command_options(
                result, input, output
            ),
        message:
            result.words
        shell:
            "{params.package} {params.verb} --settings - <<<{params.settings:q} {params.options}"
            " 2>&1 | tee {log:q}"

    if result.slices > 1:

        rule:
            name:
                f"slice_{result.made()[0].name}"
            output:
                temp(f"{study.folder}/{result.slice_path('{slice}')}"),
            log:
                log_file(study, f"slice_{result.made()[0].name}_{{slice}}"),
            benchmark:
                benchmark_file(study, f"slice_{result.made()[0].name}_{{slice}}")
            wildcard_constraints:
                slice="[0-9]+",
            conda:
                ENVIRONMENT
            threads: 1
            resources:
                mem_mb=doubled(result.memory_mb),
                runtime=doubled(result.minutes),
            params:
                package=PACKAGE,
                verb=result.verb,
                settings=lambda wildcards, text=settings_of(result): text,
                code=result.code,
                of=result.slices,
            message:
                f"{result.words}, slice {{wildcards.slice}}"
            shell:
                "{params.package} {params.verb} --settings - <<<{params.settings:q}"
                " --output {output:q} --slice {wildcards.slice}/{params.of} 2>&1 | tee {log:q}"
