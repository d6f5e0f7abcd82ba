"""The whole workflow: against the dense engine, on one core and on two, and by SLURM."""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from engines import ATTENTION_PANELS, loop_panel
from making import ROOT, SECTION, STUDY
from timing import at_least, at_most

from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate


def workflow() -> None:
    """The whole workflow against the dense engine over all panels, and their counts."""
    print("the dense engine over the 17 attention panels, serially: minutes", flush=True)
    start = time.perf_counter()
    dense = {name: simulate(job_of(name, "dense")) for name in ATTENTION_PANELS}
    dense_seconds = time.perf_counter() - start
    loop = sum(loop_panel(name) for name in ("fig3a", "fig3b"))
    start = time.perf_counter()
    reduced = {name: simulate(STUDY.panels.simulated[name]) for name in SECTION.panels}
    trials = time.perf_counter() - start
    equal = sum(dense[name].equals(reduced[name]) for name in dense)
    print(f"  panels equal to the reduced engine's in every count: {equal} of {len(dense)}")

    print(f"the whole workflow, {os.cpu_count()} cores (median of 3 runs)")
    with tempfile.TemporaryDirectory() as folder:
        copy_project(folder)
        start_up = snakemake_seconds(folder, "--dry-run")
        whole = float(np.median([snakemake_seconds(folder, "--forceall") for _ in range(3)]))
        jobs = benchmarks_in(folder)
        in_jobs = seconds_in_jobs(folder)
        smoke = snakemake_seconds(folder, "--config", "scale=smoke")
    print(
        f"  {whole:.1f} s {at_most(whole, 20)}. Of it Snakemake's start-up, as a dry run, "
        f"{start_up:.1f} s. Its {len(jobs)} jobs take {in_jobs:.1f} core-seconds: trials "
        f"{trials:.1f}, and the start of Python, imports and drawing {in_jobs - trials:.1f}"
    )
    print(f"  at the scale smoke {smoke:.1f} s: {smoke / whole:.2f} {at_most(smoke / whole, 0.7)}")
    print(
        f"  dense {dense_seconds:.0f} s + Figure 3's loop {loop:.0f} s over {whole:.1f} s: "
        f"{(dense_seconds + loop) / whole:.0f}x {at_least((dense_seconds + loop) / whole, 20)}"
    )


FIGURES = ("fig3", "fig4", "fig5", "fig7")


def core_seconds() -> None:
    """What the whole run, the paper's four figures and the scale smoke take of a core."""
    with tempfile.TemporaryDirectory() as folder:
        copy_project(folder)
        # The first run compiles the package.
        snakemake_seconds(folder, *FIGURES, "--config", "scale=smoke")
        plan = core_seconds_of(folder, "--dry-run", "--forceall")
        whole = core_seconds_of(folder, "--cores", "1", "--forceall")
        figures = core_seconds_of(folder, *FIGURES, "--cores", "1", "--forceall")
        smoke = core_seconds_of(folder, "--cores", "1", "--forceall", "--config", "scale=smoke")
    print(f"core-seconds of runs on one core; a plan takes {plan:.1f}")
    print(f"  whole {whole:.1f}")
    print(f"  four figures {figures:.1f}: {figures / whole:.2f} {at_most(figures / whole, 0.3)}")
    print(f"  scale smoke {smoke:.1f}: {smoke / whole:.2f} {at_most(smoke / whole, 0.6)}")


def core_seconds_of(folder: str, *options: str) -> float:
    """Seconds that all processes of a run of the workflow take of a core."""
    before = os.times()
    snakemake_seconds(folder, *options)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def job_of(name: str, engine: str):
    """A panel's job with another engine."""
    return STUDY.panels.simulated[name].model_copy(update={"engine": engine})


def scaling() -> None:
    """The whole workflow on one core and on two, in turn, and what its jobs take and ask for."""
    times: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        copy_project(folder)
        for _ in range(3):
            for cores, taken in times.items():
                options = ("--forceall", "--benchmark-extended", "--cores", str(cores))
                taken.append(snakemake_seconds(folder, *options))
        one, two = (float(np.median(times[cores])) for cores in (1, 2))
        print(
            f"the whole workflow, nothing made before (medians of 3): one core {one:.1f} s, two "
            f"{two:.1f} s: {one / two:.2f}x {at_most(one / two, 1.8)}"
        )
        found = {path.stem: peak_and_request(path) for path in benchmarks_in(folder)}
        # Some jobs end before their memory is looked at.
        asked = {job: of for job, of in found.items() if of[0]}
    print("peak memory of jobs and what they ask for, MB (the ten nearest to it)")
    nearest = sorted(asked.items(), key=lambda item: item[1][1] / item[1][0])
    for job, (peak, request) in nearest[:10]:
        print(f"  {job}: {peak:.0f} of {request}")


def peak_and_request(benchmark: Path) -> tuple[float, int]:
    """Megabytes that a job held at most, and those that its rule asks for."""
    head, values = (line.split("\t") for line in benchmark.read_text().splitlines()[:2])
    found = dict(zip(head, values, strict=True))
    return float(found["max_rss"]), ast.literal_eval(found["resources"])["mem_mb"]


def cluster() -> None:
    """What a job of SLURM's costs beside its work, on a throw-away cluster of this machine."""
    from cluster.throwaway import ClusterError, down, up

    cores = os.cpu_count() or 1
    targets = [f"simulate_{name}" for name in SECTION.panels]
    options = [*targets, "--config", "scale=smoke", "jobs={local_below: 0}"]

    def measured(*how: str) -> np.ndarray:
        """Seconds and core-seconds of a run of the panels, without those of SLURM's jobs."""
        before = os.times()
        with tempfile.TemporaryDirectory() as folder:
            copy_project(folder)
            took = snakemake_seconds(folder, *how, *options)
        after = os.times()
        cores_took = sum(after[2:4]) - sum(before[2:4])
        return np.array([took, cores_took])

    start_up = measured("--dry-run")
    here = measured("--cores", str(cores)) - start_up
    with tempfile.TemporaryDirectory() as folder:
        # Run at the end of each part of a job: times of slurmstepd's ended children, in ticks.
        epilog, ticks = Path(folder) / "epilog", Path(folder) / "ticks"
        epilog.write_text(f"#!/bin/sh\ncut -d' ' -f16,17 /proc/$PPID/stat >> {ticks}\n")
        epilog.chmod(0o755)
        try:
            up(cores, f"TaskEpilog={epilog}")
            there = measured("--workflow-profile", "slurm") - start_up
        except ClusterError as error:
            sys.exit(str(error))
        finally:
            down()
        in_jobs = np.loadtxt(ticks).sum() / os.sysconf("SC_CLK_TCK")
    here, there = here / len(targets), np.array([there[0], in_jobs]) / len(targets)
    print(
        f"{len(targets)} panels at smoke scale, {cores} cores\n"
        f"  a job here: {here[0]:.2f} s and {here[1]:.2f} core-seconds\n"
        f"  with profiles/slurm: {there[0]:.2f} s, {there[0] / here[0]:.1f}x; "
        f"{there[1]:.2f} core-seconds, {there[1] / here[1]:.1f}x or {there[1] - here[1]:.1f} more"
    )


def copy_project(folder: str) -> None:
    """The project in another folder, nothing made."""
    for part in ("Snakefile", "config.yaml", "config", "workflow", "profiles", "src"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, Path(folder) / part)


def benchmarks_in(folder: str) -> list[Path]:
    """The benchmark files of all jobs."""
    return sorted((Path(folder) / "results").rglob("benchmarks/*.tsv"))


def seconds_in_jobs(folder: str) -> float:
    """Seconds of all jobs together, by their benchmark files."""
    texts = [path.read_text() for path in benchmarks_in(folder)]
    return sum(float(text.splitlines()[1].split("\t")[0]) for text in texts)


def snakemake_seconds(folder: str, *options: str) -> float:
    """Seconds of a run of the workflow in a folder, on all cores."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS")}
    command = [sys.executable, "-m", "snakemake", *options]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start
