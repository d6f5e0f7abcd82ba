# Rules that follow from declarations alone: a panel drawn alone, as `snakemake fig4c` asks for it,
# figures of one's own, and all jobs of the later studies, trained cells among them.

for name in generated():

    rule:
        name:
            name
        input:
            **reads(name),
        output:
            **writes(name),
        log:
            log_file(JOBS[name][0], name),
        benchmark:
            benchmark_file(JOBS[name][0], name)
        priority: priority_of
        localrule: is_local(name)
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=asked("memory_mb"),
            runtime=asked("minutes"),
        params:
            package=PACKAGE,
            job=module_of,
            settings=settings_of,
            code=code_of,
            options=options_of,
        message:
            JOBS[name][1].words
        shell:
            JOB
