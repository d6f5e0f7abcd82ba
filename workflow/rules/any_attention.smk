# Any attention: which kernels separate, on the first paper's data and in its folder of results.
# Tables and figures are declared in any_attention/study.py, and their rules follow from that.


rule kernels:
    input:
        files_of_run(KERNELS),
        f"{RESULTS}/manifest.json",


for name in jobs_of(KERNELS):

    rule:
        name:
            name
        input:
            **reads(name),
        output:
            **writes(name),
        log:
            log_file(KERNELS, name),
        benchmark:
            benchmark_file(KERNELS, name)
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
