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
            f"{JOBS[name][0].folder}/logs/{name}.log",
        benchmark:
            f"{JOBS[name][0].folder}/benchmarks/{name}.tsv"
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


# Of each folder: the sha256 of every result that carries no metadata of its own.
for name, studies in MANIFESTS.items():

    rule:
        name:
            name
        input:
            job_files.manifest_files(studies),
        output:
            f"{studies[0].folder}/manifest.json",
        log:
            f"{studies[0].folder}/logs/{name}.log",
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=250,
            runtime=5,
        params:
            package=PACKAGE,
            code=lambda wildcards: digest_of("results.manifest"),
        message:
            f"Manifest of {studies[0].folder}: sha256 of pictures, csv and html"
        shell:
            "{params.package} job results.manifest --files {input:q} --output {output:q}"
            " 2>&1 | tee {log:q}"
