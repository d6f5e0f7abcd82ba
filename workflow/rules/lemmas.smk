# The first paper's lemmas and theorems.


rule claims:
    """The first paper's claims, evaluated at growing n"""
    output:
        table=f"{RESULTS}/tables/claims.parquet",
        csv=f"{RESULTS}/tables/claims.csv",
        page=in_report(LEMMAS, "claims", f"{RESULTS}/tables/claims.html"),
        readings=f"{RESULTS}/tables/claims_readings.parquet",
        readings_csv=f"{RESULTS}/tables/claims_readings.csv",
        readings_page=in_report(LEMMAS, "claims", f"{RESULTS}/tables/claims_readings.html"),
    log:
        f"{RESULTS}/logs/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/claims.tsv"
    priority: priority_of("claims")
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        **asked_of("claims"),
    params:
        run=run_of("claims"),
        settings=settings_of("claims"),
        code=code_of("studies.lemmas.claims_table"),
    message:
        "Claims of the paper, evaluated"
    shell:
        "{params.run} studies.lemmas.claims_table --settings {params.settings:q}"
        " --output {output.table:q} --otherwise {output.readings:q} 3>&2 >> {log:q} 2>&1"


rule lemmas:
    """Lemmas of the first paper: all of a run"""
    input:
        rules.claims.output,
