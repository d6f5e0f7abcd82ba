# `snakemake report --report-after-run --report results/report.html`: one page that holds what has
# been made of every study, brought up to date; where nothing has been made, it makes all of the
# first.

# A workflow that uses this one as a module has its own opening words, or none.
if not MODULE:

    report: "../report/workflow.rst"


# The manifest of a folder: the sha256 of every result that carries no metadata of its own.
FOLDERS = {
    "manifest": [PAPER, LEMMAS, CHOICES, KERNELS],
    "rank_manifest": [RANK],
    "needle_manifest": [NEEDLE],
    "recall_manifest": [RECALL],
}
for name, studies in FOLDERS.items():

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
        resources:
            mem_mb=250,
            runtime=5,
        params:
            run=COMMAND_ALONE,
            code=code_of("results.manifest"),
        message:
            f"Manifest of {studies[0].folder}: sha256 of pictures, csv and html"
        shell:
            "{params.run} results.manifest --files {input:q} --output {output:q} 3>&2 >> {log:q} 2>&1"

    document(name, f"Manifest of {studies[0].folder}: sha256 of pictures, csv and html")


# As a module's output they lie below its prefix, which paths outside of rules do not get.
MADE_IN = {
    study.name: Path(getattr(rules, name).output[0]).parent
    for name, studies in FOLDERS.items()
    for study in studies
}
# What of each study has been made; the first paper's figures where nothing has been.
REPORTED = {study.name: study.shown_outputs(MADE_IN[study.name]) for study in STUDIES.values()}
if not any(REPORTED[study.name] for study in FOLDERS["manifest"]):
    REPORTED |= {study.name: study.shown_outputs() for study in (PAPER, LEMMAS, CHOICES)}

# Both papers' questions on softmax first, then the rank of heads.
IN_ORDER = [PAPER, LEMMAS, CHOICES, KERNELS, NEEDLE, RECALL, RANK]
CATEGORIES = {
    study.name: f"{k} {study.title}"
    for k, study in enumerate((study for study in IN_ORDER if REPORTED[study.name]), start=1)
}


# Of these tables the report's opening says how many verdicts there are of each kind.
JUDGED = {
    f"{study.folder}/{output.path('parquet')}": output
    for study in STUDIES.values()
    for output in REPORTED[study.name]
    if output.judged
}


rule provenance:
    """The report's opening, and its page of versions, code and configuration"""
    input:
        [*JUDGED],
    output:
        page=report(
            f"{PAPER.folder}/report/provenance.html",
            caption="../report/provenance.rst",
            category=f"{len(CATEGORIES) + 1} Provenance",
            labels={"page": "versions, code, configuration"},
        ),
        opening=f"{PAPER.folder}/report/opening.rst",
    log:
        f"{PAPER.folder}/logs/provenance.log",
    benchmark:
        f"{PAPER.folder}/benchmarks/provenance.tsv"
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
        runtime=5,
    params:
        run=COMMAND_ALONE,
        settings=lambda wildcards: written(job_files.file_of, "provenance", provenance_settings()),
        code=code_of("studies.provenance_page"),
    message:
        "Provenance"
    shell:
        "{params.run} studies.provenance_page --settings {params.settings:q}"
        " --verdicts {input:q} --output {output.page:q} 3>&2 >> {log:q} 2>&1"


rule report:
    """What a report shows: all that has been made"""
    input:
        rules.provenance.output,
        [
            f"{study.folder}/{path}"
            for study in STUDIES.values()
            for output in REPORTED[study.name]
            for path in output.paths()
        ],
