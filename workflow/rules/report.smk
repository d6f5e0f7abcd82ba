# `snakemake report --report-after-run --report results/report.html`: one page that holds what has
# been made of every study, brought up to date; where nothing has been made, it makes all of the
# first.


# A workflow that uses this one as a module has its own opening words, or none.
if not MODULE:

    report: "../report/workflow.rst"


# As a module's output they lie below its prefix, which paths outside of rules do not get.
MADE_IN = {
    study.name: Path(manifest.output[0]).parent
    for study, manifest in (
        (FIRST, rules.manifest),
        (KERNELS, rules.manifest),
        (RANK, rules.rank_manifest),
        (NEEDLE, rules.needle_manifest),
    )
}
REPORTED = {study.name: study.shown_outputs(MADE_IN[study.name]) for study in STUDIES.values()}
if not REPORTED[FIRST.name]:
    REPORTED[FIRST.name] = FIRST.shown_outputs()


# The pages run here and now: which files there are is seen from where Snakemake was started.
for study in STUDIES.values():

    if REPORTED[study.name]:

        rule:
            name:
                study.rule("overview")
            input:
                [
                    f"{study.folder}/{path}"
                    for output in REPORTED[study.name]
                    for path in output.paths()
                ],
            output:
                html=report(
                    f"{study.folder}/report/{study.page}.html",
                    caption=f"../report/{study.rule('overview')}.rst",
                    category="1 Overview",
                    labels={"page": study.title},
                ),
                opening=f"{study.folder}/report/{study.page}.rst",
                captions=[
                    f"{study.folder}/report/captions/{output.kind.folder}/{output.name}.rst"
                    for output in REPORTED[study.name]
                ],
            log:
                log_file(study, study.rule("overview")),
            benchmark:
                benchmark_file(study, study.rule("overview"))
            localrule: True
            conda:
                ENVIRONMENT
            threads: 1
            resources:
                mem_mb=500,
                runtime=5,
            params:
                package=PACKAGE,
                job=f"{study.name}.pages.overview",
                settings=lambda wildcards, study=study: file_of(
                    study.rule("overview"), study.overview_job(REPORTED[study.name]).canonical()
                ),
                code=lambda wildcards, study=study: digest_of(f"{study.name}.pages.overview"),
                results=lambda wildcards, study=study: str(MADE_IN[study.name]),
            message:
                f"Overview of what has been made in {study.folder}"
            shell:
                "{params.package} job {params.job} --settings {params.settings:q}"
                " --results {params.results:q} --output {output.html:q} 2>&1 | tee {log:q}"


rule provenance:
    output:
        report(
            f"{FIRST.folder}/report/provenance.html",
            caption="../report/provenance.rst",
            category="8 Provenance",
            labels={"page": "versions, code, configuration"},
        ),
    log:
        log_file(FIRST, "provenance"),
    benchmark:
        benchmark_file(FIRST, "provenance")
    localrule: True
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        package=PACKAGE,
        settings=lambda wildcards: file_of("provenance", provenance_settings()),
        code=lambda wildcards: digest_of("pages.provenance_page"),
    message:
        "Provenance"
    shell:
        "{params.package} job pages.provenance_page --settings {params.settings:q}"
        " --output {output:q} 2>&1 | tee {log:q}"


rule report:
    input:
        rules.provenance.output,
        *(
            getattr(rules, study.rule("overview")).output
            for study in STUDIES.values()
            if REPORTED[study.name]
        ),
        [
            f"{study.folder}/{path}"
            for study in STUDIES.values()
            for output in REPORTED[study.name]
            for path in output.paths()
        ],
