# What the studies beside the first declare: a rule for each job, cells of training among them; and of
# each a rule by its prefix, for a whole run, and those of its targets, such as parts of a grid of
# networks, and what is made without training.


for name in [name for name, (study, _) in JOBS.items() if study is not FIRST]:

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
            job=job_of,
            code=code_of,
            options=options_of,
        message:
            JOBS[name][1].description
        shell:
            JOB


for study in [study for study in STUDIES.values() if study is not FIRST]:

    rule:
        name:
            study.prefix
        input:
            job_files.files_of_run(study),
            f"{study.folder}/manifest.json",

    for target, results in study.targets().items():

        rule:
            name:
                target
            input:
                files_of(study, results),


use rule manifest as rank_manifest with:
    input:
        job_files.manifest_files([RANK]),
    output:
        f"{RANK.folder}/manifest.json",
    log:
        log_file(RANK, "rank_manifest"),
    localrule: True
    message:
        f"Manifest of {RANK.folder}: sha256 of pictures, csv and html"


use rule manifest as needle_manifest with:
    input:
        job_files.manifest_files([NEEDLE]),
    output:
        f"{NEEDLE.folder}/manifest.json",
    log:
        log_file(NEEDLE, "needle_manifest"),
    localrule: True
    message:
        f"Manifest of {NEEDLE.folder}: sha256 of pictures, csv and html"
