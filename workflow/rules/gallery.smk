# The one target that writes tracked files: pictures and findings, as config.yaml makes them,
# and the page of settings.

if not config and not MODULE:

    rule gallery:
        input:
            audits_of_all(),
            figures_of_all(),
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
