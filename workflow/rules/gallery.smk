# The targets that write tracked files: pictures and findings, as config.yaml makes them, and the
# page of settings. Each study has its own: training takes a quarter of an hour and its numbers hold
# for one kind of processor. The first paper's comes after that of kernels: both write README.md.


if not config and not MODULE:

    for study in STUDIES.values():

        rule:
            name:
                study.rule("gallery")
            input:
                files_of_run(study),
                f"{study.folder}/manifest.json",
                f"{RESULTS}/kernels_gallery.done" if study is FIRST else [],
            output:
                touch(f"{study.folder}/{study.rule('gallery')}.done"),
            log:
                log_file(study, study.rule("gallery")),
            localrule: True
            conda:
                ENVIRONMENT
            threads: 1
            resources:
                mem_mb=500,
                runtime=5,
            params:
                package=PACKAGE,
                job=f"{study.name}.pages.gallery",
                results=lambda wildcards, output: str(Path(output[0]).parent),
                settings=lambda wildcards, study=study: file_of(
                    study.rule("gallery"), study.overview_job(study.shown_outputs()).canonical()
                ),
                code=lambda wildcards, study=study: digest_of(
                    f"{study.name}.pages.gallery", "settings_page"
                ),
            message:
                f"Gallery of {study.folder}: docs/ and README's block"
            shell:
                "{{ {params.package} job {params.job} --settings {params.settings:q}"
                " --results {params.results:q} --docs docs --readme README.md"
                "; {params.package} settings --docs docs; }} 2>&1 | tee {log:q}"
