# The second paper: tables computed without training, trained transformers, their figures and claims.
# All are declared in head_rank/study.py; declared_jobs.smk has a rule for each, and for each cell of a
# grid of networks. The parts of a grid can be asked for by name.


rule rank:
    input:
        files_of_run(RANK),
        f"{RANK.folder}/manifest.json",


for target, results in RANK.targets().items():

    rule:
        name:
            target
        input:
            files_of(RANK, results),


use rule manifest as rank_manifest with:
    input:
        manifest_files([RANK]),
    output:
        f"{RANK.folder}/manifest.json",
    log:
        log_file(RANK, "rank_manifest"),
    localrule: True
    message:
        f"Manifest of {RANK.folder}: sha256 of pictures, csv and html"
