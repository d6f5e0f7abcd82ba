# A rule for each job that the studies beside the first declare, cells of training among them.


for study, name in [(study, name) for study in (KERNELS, RANK, NEEDLE) for name in jobs_of(study)]:

    rule:
        name:
            name
        input:
            **reads(name),
        output:
            **writes(name),
        log:
            log_file(study, name),
        benchmark:
            benchmark_file(study, name)
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
            JOBS[name][1].description
        shell:
            JOB
