# The second paper: tables computed without training, trained transformers, their figures and claims.
# All are declared in head_rank/study.py, and their rules follow from that, one for each cell of a
# grid of networks. The parts of a grid can be asked for by name.


rule rank:
    input:
        files_of_run(RANK),
        f"{RANK.folder}/manifest.json",


for target, results in RANK.targets().items():

    rule:
        name:
            target
        input:
            files_of(RANK, results),


use rule manifest as rank_manifest with:
    input:
        manifest_files([RANK]),
    output:
        f"{RANK.folder}/manifest.json",
    log:
        log_file(RANK, "rank_manifest"),
    localrule: True
    message:
        f"Manifest of {RANK.folder}: sha256 of pictures, csv and html"


for name in jobs_of(RANK):

    rule:
        name:
            name
        input:
            **reads(name),
        output:
            **writes(name),
        log:
            log_file(RANK, name),
        benchmark:
            benchmark_file(RANK, name)
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
