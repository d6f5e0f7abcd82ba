# Of each folder: the sha256 of every result that carries no metadata of its own. Of each study, what
# all of it is asked for by: `all` is the first study's name; the others have their own. Of some, a
# part by a name of its own.

for study in HOSTS.values():

    rule:
        name:
            study.rule("manifest")
        input:
            manifest_files(sharing_folder(study, STUDIES)),
        output:
            f"{study.folder}/manifest.json",
        log:
            log_file(study, study.rule("manifest")),
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=250,
            runtime=5,
        params:
            package=PACKAGE,
            code=lambda wildcards: digest_of("results.manifest"),
        message:
            f"Manifest of {study.folder}: sha256 of pictures, csv and html"
        shell:
            "{params.package} job results.manifest --files {input:q} --output {output:q} 2>&1 | tee {log:q}"


for study in STUDIES.values():

    if study.prefix:

        rule:
            name:
                study.prefix
            input:
                whole_run(study) if study in HOSTS.values() else files_of_run(study),

    for target, results in study.targets().items():

        rule:
            name:
                target
            input:
                [
                    f"{study.folder}/{path}"
                    for result in results
                    for output in study.results[result].made()
                    for path in output.paths()
                ],
