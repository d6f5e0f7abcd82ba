# The sha256 of every result that carries no metadata of its own.


rule manifest:
    input:
        listed_files(),
    output:
        f"{RESULTS}/manifest.json",
    log:
        log_file("manifest"),
    localrule: runs_here("manifest")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=250,
        runtime=5,
    params:
        package=PACKAGE,
        code=code_of_verb("manifest"),
    message:
        "Manifest: sha256 of pictures, csv and html"
    shell:
        "{params.package} manifest --files {input:q} --output {output:q}" " 2>&1 | tee {log:q}"
