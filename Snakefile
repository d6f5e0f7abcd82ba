# Reproduction of the numerical results of papers that separate kinds of attention.
# `snakemake` makes the first paper, `snakemake rank` the second; `snakemake fig4` one figure,
# `snakemake fig4c` one panel.


include: "workflow/rules/common.smk"


onstart:
    checked_folder()
    checked_libraries()
    announced_files()
    announced_jobs()


rule all:
    """The first paper with its lemmas and open choices, and the study of any attention"""
    input:
        job_files.files_of_run(FIRST),
        job_files.files_of_run(LEMMAS),
        job_files.files_of_run(CHOICES),
        job_files.files_of_run(KERNELS),
        f"{RESULTS}/manifest.json",


include: "workflow/rules/softmax_vs_linear.smk"
include: "workflow/rules/declared_jobs.smk"
include: "workflow/rules/report.smk"
