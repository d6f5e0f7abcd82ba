# The needle: what one query can tell in noise, computed, and by trained networks. All is declared in
# needle/study.py; declared_jobs.smk has a rule for each, and for each cell. `needle_lines` is
# what is made without training.


rule needle:
    input:
        files_of_run(NEEDLE),
        f"{NEEDLE.folder}/manifest.json",


for target, results in NEEDLE.targets().items():

    rule:
        name:
            target
        input:
            files_of(NEEDLE, results),


use rule manifest as needle_manifest with:
    input:
        manifest_files([NEEDLE]),
    output:
        f"{NEEDLE.folder}/manifest.json",
    log:
        log_file(NEEDLE, "needle_manifest"),
    localrule: True
    message:
        f"Manifest of {NEEDLE.folder}: sha256 of pictures, csv and html"
