# What the studies beside the first declare: a rule for all cells of training of a study, one for each
# other job; and of each study a rule by its prefix, for a whole run, and those of its targets, such
# as parts of a grid of networks, and what is made without training.


# Networks that are trained together. Where one cell of a study is long enough for a cluster, all
# are sent there.


rule rank_train:
    """Trains a cell of the second paper's networks: the runs of one figure with the same settings"""
    output:
        output=f"{RANK.folder}/cells/{{cell}}.parquet",
    log:
        f"{RANK.folder}/logs/rank_train_{{cell}}.log",
    benchmark:
        f"{RANK.folder}/benchmarks/rank_train_{{cell}}.tsv"
    wildcard_constraints:
        cell=r"\w+",
    priority: priority_of
    localrule: all(map(is_local, cells_of(RANK)))
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
        description=description_of,
    message:
        "{params.description}"
    shell:
        JOB


use rule rank_train as needle_cell with:
    """Trains a cell of the needle's networks: the runs with the same settings"""
    output:
        output=f"{NEEDLE.folder}/cells/{{cell}}.parquet",
    log:
        f"{NEEDLE.folder}/logs/needle_cell_{{cell}}.log",
    benchmark:
        f"{NEEDLE.folder}/benchmarks/needle_cell_{{cell}}.tsv"
    localrule: all(map(is_local, cells_of(NEEDLE)))


use rule rank_train as recall_cell with:
    """Computes and simulates the recall of a layer, at all dimensions"""
    output:
        output=f"{RECALL.folder}/cells/{{cell}}.parquet",
    log:
        f"{RECALL.folder}/logs/recall_cell_{{cell}}.log",
    benchmark:
        f"{RECALL.folder}/benchmarks/recall_cell_{{cell}}.tsv"
    localrule: all(map(is_local, cells_of(RECALL)))


BY_WILDCARD = {name for study in (RANK, NEEDLE, RECALL) for name in cells_of(study)}

for name in [
    name
    for name, (study, _) in JOBS.items()
    if study not in (FIRST, LEMMAS, CHOICES) and name not in BY_WILDCARD
]:

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

    document(name, sentence_on(JOBS[name][1]))


for study in [study for study in STUDIES.values() if study is not FIRST]:

    rule:
        name:
            study.prefix
        input:
            job_files.files_of_run(study),
            f"{study.folder}/manifest.json",

    document(study.prefix, f"{study.title}: all of a run")
    for target, results in study.targets().items():

        rule:
            name:
                target
            input:
                files_of(study, results),

        document(target, f"{study.title}: {target}, a part of a run")


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
            " > {log:q} 2>&1"

    document(name, f"Manifest of {studies[0].folder}: sha256 of pictures, csv and html")
