# The needle: what one query can tell in noise, computed, and by trained networks. All is declared in
# needle/study.py, and the rules follow from that, one for each cell of networks. `needle_lines` is
# what is made without training.


rule needle:
    input:
        files_of_run(NEEDLE),
        f"{NEEDLE.folder}/manifest.json",


for target, results in NEEDLE.targets().items():

    rule:
        name:
            target
        input:
            files_of(NEEDLE, results),


use rule manifest as needle_manifest with:
    input:
        manifest_files([NEEDLE]),
    output:
        f"{NEEDLE.folder}/manifest.json",
    log:
        log_file(NEEDLE, "needle_manifest"),
    localrule: True
    message:
        f"Manifest of {NEEDLE.folder}: sha256 of pictures, csv and html"


for name in jobs_of(NEEDLE):

    rule:
        name:
            name
        input:
            **reads(name),
        output:
            **writes(name),
        log:
            log_file(NEEDLE, name),
        benchmark:
            benchmark_file(NEEDLE, name)
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
