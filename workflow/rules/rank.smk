# The second paper: numbers without training, one rule per trained cell, figures and claims.


rule rank:
    input:
        rank_made_by_all(),
        f"{RANK_RESULTS}/manifest.json",


for name, (_, _, figure) in RANK_NUMBERS.items():

    rule:
        name:
            f"{figure}_numbers"
        output:
            rank_numbers(name),
        log:
            log_file(f"{figure}_numbers", RANK_RESULTS),
        benchmark:
            benchmark_file(f"{figure}_numbers", RANK_RESULTS)
        priority: 9
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=RANK_NUMBERS_MB[name],
            runtime=60,
        params:
            package=PACKAGE,
            verb=f"rank-{name}",
            settings=lambda wildcards, text=canonical(RANK.numbers_job(name, SETTINGS.seed)): text,
            code=code_of_verb(f"rank-{name}"),
        message:
            f"Rank of heads: numbers of {figure}"
        shell:
            "{params.package} {params.verb} --settings - <<<{params.settings:q}"
            " --output {output:q} 2>&1 | tee {log:q}"

    rule:
        name:
            figure
        input:
            rank_numbers(name),
        output:
            **rank_shown("svg", figure, figure_files(figure, RANK_RESULTS)),
        log:
            log_file(figure, RANK_RESULTS),
        benchmark:
            benchmark_file(figure, RANK_RESULTS)
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=10,
        params:
            package=PACKAGE,
            verb=f"rank-{name}-figure",
            settings=lambda wildcards, text=canonical(
                RANK.numbers_figure_job(name, SETTINGS.seed)
            ): text,
            code=code_of_verb(f"rank-{name}-figure"),
        message:
            f"Figure {figure}"
        shell:
            "{params.package} {params.verb} --settings - <<<{params.settings:q}"
            " --table {input:q} --output {output.svg:q} 2>&1 | tee {log:q}"


for cell, job in RANK_CELLS.items():

    rule:
        name:
            f"rank_train_{cell}"
        output:
            rank_cell(cell),
        log:
            log_file(f"rank_train_{cell}", RANK_RESULTS),
        benchmark:
            benchmark_file(f"rank_train_{cell}", RANK_RESULTS)
        # The longest first: so no core waits at the end.
        priority: 1 + min(job.training_flops() // 10**11, 7)
        localrule: rank_runs_here(cell)
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=doubled(memory_mb(job)),
            runtime=doubled(rank_minutes(cell)),
        params:
            package=PACKAGE,
            settings=lambda wildcards, text=job.canonical(): text,
            code=RANK_TRAINING,
            checkpoint=lambda wildcards, output: checkpoint_of(output[0]),
        message:
            f"Training {cell}: {len(job.seeds)} runs"
        shell:
            "{params.package} rank-train --settings - <<<{params.settings:q}"
            " --output {output:q} --checkpoint {params.checkpoint:q} 2>&1 | tee {log:q}"


for figure, cells in RANK_FIGURES.items():

    rule:
        name:
            figure
        input:
            [rank_cell(cell) for cell in cells],
        output:
            **rank_shown("svg", figure, figure_files(figure, RANK_RESULTS)),
        log:
            log_file(figure, RANK_RESULTS),
        benchmark:
            benchmark_file(figure, RANK_RESULTS)
        localrule: True
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            mem_mb=500,
            runtime=10,
        params:
            package=PACKAGE,
            settings=lambda wildcards, text=canonical(RANK.figure_job(figure, SETTINGS.seed)): text,
            code=code_of_verb("rank-figure"),
        message:
            f"Figure {figure}"
        shell:
            "{params.package} rank-figure --settings - <<<{params.settings:q}"
            " --tables {input:q} --output {output.svg:q} 2>&1 | tee {log:q}"


rule rank_claims:
    input:
        cells=[rank_cell(cell) for cell in RANK_CELLS],
        vote=rank_numbers("vote"),
        features=rank_numbers("features"),
    output:
        **rank_shown("html", "rank_claims", table_files("rank_claims", RANK_RESULTS)),
        **prefixed(
            "errors", rank_shown("html", "rank_errors", table_files("rank_errors", RANK_RESULTS))
        ),
    log:
        log_file("rank_claims", RANK_RESULTS),
    benchmark:
        benchmark_file("rank_claims", RANK_RESULTS)
    localrule: True
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        package=PACKAGE,
        settings=lambda wildcards: canonical(RANK.claims_job(SETTINGS.seed)),
        code=code_of_verb("rank-claims"),
    message:
        "Rank of heads: claims and errors"
    shell:
        "{params.package} rank-claims --settings - <<<{params.settings:q}"
        " --tables {input.cells:q} --vote {input.vote:q} --features {input.features:q}"
        " --output {output.parquet:q} 2>&1 | tee {log:q}"


rule rank_manifest:
    input:
        [path for path in rank_made_by_all() if not path.endswith(".parquet")],
    output:
        f"{RANK_RESULTS}/manifest.json",
    log:
        log_file("rank_manifest", RANK_RESULTS),
    localrule: True
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
        "Rank of heads: sha256 of pictures, csv and html"
    shell:
        "{params.package} manifest --files {input:q} --output {output:q} 2>&1 | tee {log:q}"
