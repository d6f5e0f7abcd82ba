# The studies beside the first paper: a rule for all cells of training of a study, one for each other job
# that it declares; and of each study a rule by its prefix, for a whole run, and those of its targets,
# such as parts of a grid of networks.

OTHERS = [KERNELS, RANK, NEEDLE, RECALL]


# Networks that are trained together. Where one cell of a study is long enough for a cluster, all are
# sent there.


rule rank_train:
    """Trains a cell of the second paper's networks: the runs of one figure with the same settings"""
    output:
        cell=f"{RANK.folder}/cells/{{cell}}.parquet",
    log:
        f"{RANK.folder}/logs/rank_train_{{cell}}.log",
    benchmark:
        f"{RANK.folder}/benchmarks/rank_train_{{cell}}.tsv"
    wildcard_constraints:
        cell=r"\w+",
    priority: priority_of("rank_train_{cell}")
    localrule: JOBS.are_local(cells_of(RANK))
    conda:
        ENVIRONMENT
    resources:
        **asked_of("rank_train_{cell}"),
    params:
        run=run_of("rank_train_{cell}"),
        settings=settings_of("rank_train_{cell}"),
        code=code_of("studies.head_rank.training.train_cell"),
    message:
        "Training {wildcards.cell}"
    shell:
        "{params.run} studies.head_rank.training.train_cell --settings {params.settings:q}"
        " --output {output.cell:q} 3>&2 >> {log:q} 2>&1"


rule needle_cell:
    """Trains a cell of the needle's networks: the runs with the same settings"""
    output:
        cell=f"{NEEDLE.folder}/cells/{{cell}}.parquet",
    log:
        f"{NEEDLE.folder}/logs/needle_cell_{{cell}}.log",
    benchmark:
        f"{NEEDLE.folder}/benchmarks/needle_cell_{{cell}}.tsv"
    wildcard_constraints:
        cell=r"\w+",
    priority: priority_of("needle_cell_{cell}")
    localrule: JOBS.are_local(cells_of(NEEDLE))
    conda:
        ENVIRONMENT
    resources:
        **asked_of("needle_cell_{cell}"),
    params:
        run=run_of("needle_cell_{cell}"),
        settings=settings_of("needle_cell_{cell}"),
        code=code_of("studies.needle.training.train_cell"),
    message:
        "Training {wildcards.cell}"
    shell:
        "{params.run} studies.needle.training.train_cell --settings {params.settings:q}"
        " --output {output.cell:q} 3>&2 >> {log:q} 2>&1"


rule recall_cell:
    """Computes and simulates the recall of a layer, at all dimensions"""
    output:
        cell=f"{RECALL.folder}/cells/{{cell}}.parquet",
    log:
        f"{RECALL.folder}/logs/recall_cell_{{cell}}.log",
    benchmark:
        f"{RECALL.folder}/benchmarks/recall_cell_{{cell}}.tsv"
    wildcard_constraints:
        cell=r"\w+",
    priority: priority_of("recall_cell_{cell}")
    localrule: JOBS.are_local(cells_of(RECALL))
    conda:
        ENVIRONMENT
    resources:
        **asked_of("recall_cell_{cell}"),
    params:
        run=run_of("recall_cell_{cell}"),
        settings=settings_of("recall_cell_{cell}"),
        code=code_of("studies.recall.tables.cell_table"),
    message:
        "Recall of {wildcards.cell}"
    shell:
        "{params.run} studies.recall.tables.cell_table --settings {params.settings:q}"
        " --output {output.cell:q} 3>&2 >> {log:q} 2>&1"


for study in OTHERS:
    for name in [name for name in study.results if name not in cells_of(study)]:

        rule:
            name:
                name
            input:
                **JOBS[name].inputs(),
            output:
                **outputs_in_report(JOBS[name]),
            log:
                f"{study.folder}/logs/{name}.log",
            benchmark:
                f"{study.folder}/benchmarks/{name}.tsv"
            priority: priority_of(name)
            localrule: JOBS.is_local(name)
            conda:
                ENVIRONMENT
            resources:
                **asked_of(name),
            params:
                run=run_of(name),
                module=JOBS[name].result.module,
                settings=settings_of(name),
                code=code_of(JOBS[name].result.module),
                options=options_of(JOBS[name].result),
            message:
                JOBS[name].result.description
            shell:
                "{params.run} {params.module} --settings {params.settings:q} {params.options}"
                " 3>&2 >> {log:q} 2>&1"

        document(name, JOBS[name].sentence)

    rule:
        name:
            study.prefix
        input:
            files_of_run(study),
            # The manifest of the paper's folder wants all that lies there.
            [] if study.folder == RESULTS else f"{study.folder}/manifest.json",

    document(study.prefix, f"{study.title}: all of a run")
    for target, names in study.targets().items():

        rule:
            name:
                target
            input:
                [path for name in names for path in JOBS[name].paths()],

        document(target, f"{study.title}: {target}, a part of a run")
