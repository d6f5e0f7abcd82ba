# `snakemake report --report-after-run --report results/report.html`: one page that holds what has
# been made of every study, brought up to date; where nothing has been made, it makes all of the
# first.

# A workflow that uses this one as a module has its own opening words, or none.
if not MODULE:

    report: "../report/workflow.rst"


# As a module's output they lie below its prefix, which paths outside of rules do not get.
MADE_IN = {
    study.name: Path(getattr(rules, name).output[0]).parent
    for name, studies in MANIFESTS.items()
    for study in studies
}
REPORTED = {study.name: study.shown_outputs(MADE_IN[study.name]) for study in STUDIES.values()}
if not REPORTED[FIRST.name]:
    REPORTED[FIRST.name] = FIRST.shown_outputs()


# Both papers' questions on softmax first, then the rank of heads.
IN_ORDER = [study.name for study in (FIRST, LEMMAS, CHOICES, KERNELS, NEEDLE, RECALL, RANK)]
# The studies of which something has been made, as the report numbers them.
CATEGORIES = {
    name: f"{k} {STUDIES[name].title}"
    for k, name in enumerate((name for name in IN_ORDER if REPORTED[name]), start=1)
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
            f"{FIRST.folder}/report/provenance.html",
            caption="../report/provenance.rst",
            category=f"{len(CATEGORIES) + 1} Provenance",
            labels={"page": "versions, code, configuration"},
        ),
        opening=f"{FIRST.folder}/report/opening.rst",
    log:
        f"{FIRST.folder}/logs/provenance.log",
    benchmark:
        f"{FIRST.folder}/benchmarks/provenance.tsv"
    localrule: True
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        package=PACKAGE,
        settings=lambda wildcards: job_files.file_of("provenance", provenance_settings()),
        code=lambda wildcards: digest_of("studies.provenance_page"),
        verdicts=lambda wildcards, input: f"--verdicts {shlex.join(input)}" if input else "",
    message:
        "Provenance"
    shell:
        "{params.package} job studies.provenance_page --settings {params.settings:q}"
        " --output {output.page:q} {params.verdicts} > {log:q} 2>&1"


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
