# Any attention: which kernels separate, on the first paper's data and in its folder of results.
# Tables and figures are declared in any_attention/study.py; declared_jobs.smk has their rules.


rule kernels:
    input:
        files_of_run(KERNELS),
        f"{RESULTS}/manifest.json",
