# The one target that writes tracked files: the pictures that README shows, as config.yaml makes them.

if not config:

    rule gallery:
        input:
            [figure_files(figure)["svg"] for figure in SETTINGS.figures],
        output:
            touch(f"{RESULTS}/gallery.done"),
        log:
            log_file("gallery"),
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=100,
            runtime=1,
        message:
            "Gallery: pictures for README"
        shell:
            "cp {input:q} docs/gallery 2>&1 | tee {log:q}"
