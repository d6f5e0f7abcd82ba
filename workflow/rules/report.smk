# `snakemake report --report-after-run --report results/report.html`: one page that holds what has
# been made of both papers, brought up to date; where nothing has been made, it makes all of the
# first paper.


# A workflow that uses this one as a module has its own opening words, or none.
if not MODULE:

    report: "../report/workflow.rst"


# As a module's output they lie below its prefix, which paths outside of rules do not get.
MADE_IN = Path(rules.manifest.output[0]).parent
REPORTED = made_so_far(MADE_IN)
RANK_MADE_IN = Path(rules.rank_manifest.output[0]).parent
RANK_REPORTED = rank_made_so_far(RANK_MADE_IN)


# Both pages run here and now: which files there are is seen from where Snakemake was started.
rule overview:
    input:
        numbers=[reported_figures()[name] for name in REPORTED["figures"]],
        tables=[table_files(name)["parquet"] for name in REPORTED["tables"]],
    output:
        html=report(
            f"{RESULTS}/report/overview.html",
            caption="../report/overview.rst",
            category="1 Overview",
            labels={"page": "the answer in numbers"},
        ),
        opening=f"{RESULTS}/report/overview.rst",
        captions=[
            f"{RESULTS}/report/captions/{kind}/{name}.rst"
            for kind, names in REPORTED.items()
            for name in names
        ],
    log:
        log_file("overview"),
    benchmark:
        benchmark_file("overview")
    localrule: True
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(overview_job()),
        code=code_of_verb("overview"),
        results=lambda wildcards: str(MADE_IN),
    message:
        "Overview of what has been made"
    shell:
        "{params.package} overview --settings - <<<{params.settings:q}"
        " --results {params.results:q} --output {output.html:q} 2>&1 | tee {log:q}"


# Of the second paper, what has been made; without it, the report is of the first alone.
if any(RANK_REPORTED.values()):

    rule rank_overview:
        input:
            [figure_files(name, RANK_RESULTS).values() for name in RANK_REPORTED["figures"]],
            [table_files(name, RANK_RESULTS).values() for name in RANK_REPORTED["tables"]],
        output:
            html=report(
                f"{RANK_RESULTS}/report/rank.html",
                caption="../report/rank_overview.rst",
                category="1 Overview",
                labels={"page": "the second paper: rank of attention heads"},
            ),
            opening=f"{RANK_RESULTS}/report/rank.rst",
            captions=[
                f"{RANK_RESULTS}/report/captions/{kind}/{name}.rst"
                for kind, names in RANK_REPORTED.items()
                for name in names
            ],
        log:
            log_file("rank_overview", RANK_RESULTS),
        benchmark:
            benchmark_file("rank_overview", RANK_RESULTS)
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=5,
        params:
            package=PACKAGE,
            settings=lambda wildcards: canonical(
                RANK.overview_job(RANK_REPORTED["figures"], RANK_REPORTED["tables"], SETTINGS.seed)
            ),
            code=code_of_verb("rank-overview"),
            results=lambda wildcards: str(RANK_MADE_IN),
        message:
            "Overview of what has been made of the second paper"
        shell:
            "{params.package} rank-overview --settings - <<<{params.settings:q}"
            " --results {params.results:q} --output {output.html:q} 2>&1 | tee {log:q}"


rule provenance:
    output:
        report(
            f"{RESULTS}/report/provenance.html",
            caption="../report/provenance.rst",
            category="5 Provenance",
            labels={"page": "versions, code, configuration"},
        ),
    log:
        log_file("provenance"),
    benchmark:
        benchmark_file("provenance")
    localrule: True
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        package=PACKAGE,
        settings=lambda wildcards: provenance_settings(),
        code=code_of_verb("provenance"),
    message:
        "Provenance"
    shell:
        "{params.package} provenance --settings - <<<{params.settings:q}"
        " --output {output:q} 2>&1 | tee {log:q}"


rule report:
    input:
        rules.overview.output,
        rules.provenance.output,
        rules.rank_overview.output if any(RANK_REPORTED.values()) else [],
        list(reported_figures().values()),
        [table_files(name).values() for name in REPORTED["tables"]],
