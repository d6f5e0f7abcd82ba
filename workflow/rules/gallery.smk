# The targets that write tracked files: pictures and findings, as config.yaml makes them, and the
# page of settings; of the second paper apart, for its training takes a quarter of an hour and its
# numbers hold for one kind of processor.

if not config and not MODULE:

    rule gallery:
        input:
            audits_of_all(),
            figures_of_all(),
            f"{RESULTS}/manifest.json",
        output:
            touch(f"{RESULTS}/gallery.done"),
        log:
            log_file("gallery"),
        localrule: runs_here("gallery")
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=5,
        params:
            package=PACKAGE,
            code=code_of_verb("gallery", module_of("settings")),
        message:
            "Gallery: docs/ and README's block"
        shell:
            "{{ {params.package} gallery --results results --docs docs --readme README.md"
            "; {params.package} settings --docs docs; }} 2>&1 | tee {log:q}"

    rule rank_gallery:
        input:
            rank_made_by_all(),
            f"{RANK_RESULTS}/manifest.json",
        output:
            touch(f"{RANK_RESULTS}/gallery.done"),
        log:
            log_file("rank_gallery", RANK_RESULTS),
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=5,
        params:
            package=PACKAGE,
            code=code_of_verb("rank-gallery"),
            results=lambda wildcards, output: str(Path(output[0]).parent),
            scale=RANK.scale,
            level=RANK.level,
        message:
            "Gallery of the second paper: docs/ and README's block"
        shell:
            "{params.package} rank-gallery --results {params.results:q} --scale {params.scale:q}"
            " --level {params.level} --docs docs --readme README.md 2>&1 | tee {log:q}"
