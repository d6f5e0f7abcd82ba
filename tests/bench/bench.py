"""Speed and memory, as ratios from one run: `make bench`, or `python bench.py PART ...`.

Every part runs on one core but the workflow and training, which say how many they had. The parts
`training` and `needle` need what `make setup-rank` adds, the part `cluster`, only when named, what
`make test-cluster` needs.
"""

import ast
import os

# Before NumPy loads: one core means one.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from making import CONFIG, ROOT, SECTION, STUDY, config_points, point, run_trials

import attention_separation as asep
from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.figures.grids import multiples
from attention_separation.attention.kernels import KERNELS
from attention_separation.head_rank.settings.cells import CellJob
from attention_separation.needle.settings.cells import NeedleCell
from attention_separation.softmax_vs_linear.audits.phase import phase_table
from attention_separation.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.softmax_vs_linear.exact.regression_moments import moments
from attention_separation.softmax_vs_linear.simulation import regression_trials
from attention_separation.softmax_vs_linear.simulation.signs import draw_lanes
from attention_separation.softmax_vs_linear.simulation.simulate import simulate
from attention_separation.statistics.seeding import BLOCK_TRIALS, BlockStreams

PAPER = {"m": 15, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
DATA = CONFIG.any_attention.data
ATTENTION_PANELS = [name for name in SECTION.panels if not name.startswith("fig3")]
RUNS = 5
STEPS_IN_TURN, TURNS = 10, 4
TRAINED = {
    "feed_forward": 64, "batch": 64, "steps": 2000, "lr": 0.01, "held_out": 4096, "seed": 1
}  # fmt: skip
TRAINED_CELLS = [
    (8, 4, 1, 1, 1), (8, 4, 1, 1, 8), (8, 4, 1, 3, 2), (8, 4, 3, 1, 2), (8, 4, 3, 3, 1),
    (8, 4, 3, 3, 8), (16, 3, 2, 1, 4), (16, 4, 2, 1, 4), (16, 8, 2, 1, 4), (16, 16, 2, 1, 2),
]  # fmt: skip
"""d, N, L, w and heads of cells at desk scale."""
NEEDLE_CELLS = [
    "asked_mu5_n8_exp", "asked_mu5_n128_exp", "asked_mu5_n512_linear", "asked_mu5_n512_elu_8",
    "asked_mu5_n2048_exp", "fixed_mu5_n512_exp", "paper_mu5_n512_linear", "paper_mu5_n128_exp",
]  # fmt: skip


def seconds(call: Callable[[], object], repeats: int = 5) -> float:
    """The median time of a call, after one that does not count."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def reduced_seconds(p, trials: int = BLOCK_TRIALS) -> float:
    """Seconds per trial of the reduced engine, the drawing of signs included."""
    streams = BlockStreams(1, "bench", p.name, 0)
    return seconds(lambda: run_trials("reduced", p, streams, trials)) / trials


def attention() -> None:
    """Reduced against dense; growth with n; memory; small runs."""
    print(f"attention models, {BLOCK_TRIALS} trials a batch, signs drawn within")
    for n, d, dense_trials, wanted in ((1000, 12, 100, 10_000), (200, 22, 400, 300)):
        p = point("self_attention", n=n, d=d, **PAPER)
        streams = BlockStreams(1, "bench", p.name, 0)
        start = time.perf_counter()
        dense = run_trials("dense", p, streams, dense_trials)
        slow = (time.perf_counter() - start) / dense_trials
        fast = reduced_seconds(p)
        same = (run_trials("reduced", p, streams, BLOCK_TRIALS)[:dense_trials] == dense).all()
        print(
            f"  n={n} d={d}: dense {slow * 1e6:.0f} us, reduced {fast * 1e6:.3f} us a trial: "
            f"{slow / fast:.0f}x (wanted {wanted}x); same events: {same}"
        )
    small, large = (point("self_attention", n=n, d=22, **PAPER) for n in (200, 10**6))
    ratio = reduced_seconds(large) / reduced_seconds(small)
    print(f"  time at n=10^6 over time at n=200, d=22: {ratio:.2f} (wanted at most 1.5)")
    peaks = []
    for p in (small, large):
        tracemalloc.start()
        run_trials("reduced", p, BlockStreams(1, "bench", p.name, 0), BLOCK_TRIALS)
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
    print(f"  peak memory of a batch: {peaks[0]:.2f} MiB at n=200, {peaks[1]:.2f} MiB at n=10^6")
    job = STUDY.panel_job("fig4d")
    per_trial = seconds(lambda: simulate(job)) / (81 * 100)
    print(f"  100 trials a point, seeding and all of panel 4d included: {per_trial * 1e6:.2f} us")


def loop_panel(name: str) -> float:
    """Seconds of a panel of Figure 3 in the obvious NumPy: one trial after another."""
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for p in config_points(name):
        log_n = np.log(p.n)
        for _ in range(SECTION.panels[name].trials):
            z0, z1 = (log_n * rng.uniform(1.0, 1.4, p.n) for _ in range(2))
            z1[rng.integers(p.n)] = 4 * log_n
            y = rng.choice([-1.0, 1.0], size=(p.n, p.m))
            e0, e1 = np.exp(z0), np.exp(z1)
            for f in (e1 / e1.sum(), z1 / z1.sum(), e0 / e0.sum(), z0 / z0.sum()):
                (f @ y > p.tau).any()
    return time.perf_counter() - start


def figure3() -> None:
    """Figure 3 whole against the loop, and where its time goes."""
    print("Figure 3 whole (291 points x 1000 trials), one core")
    loop = sum(loop_panel(name) for name in ("fig3a", "fig3b"))
    fast = sum(seconds(lambda n=n: simulate(STUDY.panel_job(n)), 3) for n in ("fig3a", "fig3b"))
    print(f"  loop {loop:.1f} s, reduced {fast:.2f} s: {loop / fast:.1f}x (wanted 5x)")
    floor = data = 0.0
    for name in ("fig3a", "fig3b"):
        for p in config_points(name):
            streams = BlockStreams(1, name, p.name, 0)
            rng = streams.generator("signs")
            start = time.perf_counter()
            draw_lanes(rng, 1000, p.m, p.n)
            floor += time.perf_counter() - start
            start = time.perf_counter()
            for _ in regression_trials.draws(p, streams, 1000):
                pass
            data += time.perf_counter() - start
    print(
        f"  sign bits alone {floor:.2f} s: {fast / floor:.1f}x the floor; all draws {data:.2f} s, "
        f"so the entries of Ax {data - floor:.2f} s, and evaluating {fast - data:.2f} s"
    )


def exact() -> None:
    """Exact values of the paper's points, Figure 3's reference values, and the phase maps."""
    print("exact values, one core")
    attention = [(name, STUDY.exact_panel(name)) for name in ATTENTION_PANELS]
    count = sum(len(config_points(name)) for name, _ in attention)
    every = seconds(lambda: [compute_exact(panel) for _, panel in attention], 3)
    print(f"  {count} points of Figures 4, 5 and 7: {every:.2f} s (wanted 0.5)")

    def figure_3() -> None:
        moments.cache_clear()
        for name in ("fig3a", "fig3b"):
            compute_exact(STUDY.exact_panel(name))

    print(f"  reference values of Figure 3: {seconds(figure_3, 3):.2f} s (wanted 10)")
    job = STUDY.phase_job()
    count = len(phase_table(job))
    maps = seconds(lambda: phase_table(job), 3)
    print(f"  {count} points of phase maps: {maps:.2f} s, {1e4 * maps / count:.2f} s per 10,000")


def kernels() -> None:
    """Every kernel at about 60 n up to 10^9 in three layers, one at one point, and memory."""
    data = DATA
    sizes = multiples(data.classes, 60, least=data.classes, most=1e9)
    every = [(kernel, layer) for kernel in KERNELS.values() for layer in LAYERS]
    took = seconds(lambda: [best_probabilities(*each, data, sizes) for each in every], 3)
    print("any attention, one core, at the own best threshold")
    print(f"  {len(every)} kernels in layers x {len(sizes)} n: {took:.2f} s (wanted 3)")
    slowest = max(
        seconds(lambda each=each: best_probabilities(*each, data, [2000])) for each in every
    )
    print(f"  one kernel at one point, the slowest of all: {1e3 * slowest:.1f} ms (wanted 3)")
    for n in (2000, 10**12):
        tracemalloc.start()
        best_probabilities(KERNELS["hedgehog"], LAYERS[0], data, [n])
        print(f"  memory at n = {n:,}: {tracemalloc.get_traced_memory()[1] / 1e6:.2f} MB")
        tracemalloc.stop()


def api() -> None:
    """The API's questions: one kernel at one point, several at several n, and the first import."""
    print("API, one core")
    names = list(KERNELS)
    slowest = max(seconds(lambda name=name: asep.separate(name, n=2000)) for name in names)
    own = asep.features(lambda z: np.maximum(z, 0.0) ** 2)
    print(f"  separate, the slowest of {len(names)} kernels: {1e3 * slowest:.1f} ms (wanted 3)")
    took = seconds(lambda: asep.separate(own, n=2000))
    print(f"  separate, a feature map of one's own: {1e3 * took:.1f} ms (wanted 3)")
    margins = seconds(lambda: asep.separate("linear", n=2000).margin)
    print(f"  separate with its margin: {1e3 * margins:.1f} ms")
    sizes = multiples(DATA.classes, 50)
    took = seconds(lambda: asep.compare(names[:25], sizes), 3)
    print(f"  compare, 25 kernels at {len(sizes)} n: {took:.2f} s (wanted 2)")
    for code in ("import attention_separation", "import attention_separation as a; a.separate"):
        command = [sys.executable, "-c", code]
        took = seconds(lambda: subprocess.run(command, cwd=ROOT / "src", check=True))  # noqa: B023
        print(f"  python -c '{code}': {took:.2f} s (wanted 0.4)")


def throughput() -> None:
    """Trials per second of each model over its panels: sizes as in the paper, long runs."""
    print("trials per second on one core, over the paper's points, seeding included")
    for model, trials in (
        ("regression", 1000), ("self_attention", 20_000), ("cross_attention", 20_000)
    ):  # fmt: skip
        names = [name for name, panel in SECTION.panels.items() if panel.model == model]
        jobs = [STUDY.panel_job(name) for name in names]
        jobs = [
            job.model_copy(update={"panel": job.panel.model_copy(update={"trials": trials})})
            for job in jobs
        ]
        count = trials * sum(len(config_points(name)) for name in names)
        # Of the processor, not of the clock: other processes do not count.
        start = time.process_time()
        for job in jobs:
            simulate(job)
        took = time.process_time() - start
        print(f"  {model}: {count / took:,.0f} ({count:,} trials in {took:.1f} s)")


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
            f"{two:.1f} s: {one / two:.2f}x"
        )
        asked = {path.stem: peak_and_request(path) for path in benchmarks_in(folder)}
    print("peak memory of jobs and what they ask for, MB (the ten nearest to it)")
    nearest = sorted(asked.items(), key=lambda item: item[1][1] / item[1][0])
    for job, (peak, request) in nearest[:10]:
        print(f"  {job}: {peak:.0f} of {request}")


def peak_and_request(benchmark: Path) -> tuple[float, int]:
    """Megabytes that a job held at most, and those that its rule asks for."""
    head, values = (line.split("\t") for line in benchmark.read_text().splitlines()[:2])
    found = dict(zip(head, values, strict=True))
    return float(found["max_rss"]), ast.literal_eval(found["resources"])["mem_mb"]


def workflow() -> None:
    """The whole workflow against the dense engine over all panels, and their counts."""
    print("the dense engine over the 17 attention panels, serially: minutes", flush=True)
    start = time.perf_counter()
    dense = {name: simulate(job_of(name, "dense")) for name in ATTENTION_PANELS}
    dense_seconds = time.perf_counter() - start
    loop = sum(loop_panel(name) for name in ("fig3a", "fig3b"))
    start = time.perf_counter()
    reduced = {name: simulate(STUDY.panel_job(name)) for name in SECTION.panels}
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
    print(
        f"  {whole:.1f} s (wanted at most 45 on 2 cores). Of it Snakemake's start-up, as a dry "
        f"run, {start_up:.1f} s. Its {len(jobs)} jobs take {in_jobs:.1f} core-seconds: trials "
        f"{trials:.1f}, and the start of Python, imports and drawing {in_jobs - trials:.1f}"
    )
    print(
        f"  dense {dense_seconds:.0f} s + Figure 3's loop {loop:.0f} s over {whole:.1f} s: "
        f"{(dense_seconds + loop) / whole:.0f}x (wanted 20x)"
    )


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


def training() -> None:
    """Ensembles of runs against one run after another, in this process."""
    try:
        import torch
        from plain_training import plain_step
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print("training: this needs PyTorch, which `make setup-rank` installs")
        return
    from attention_separation.head_rank.training import ensemble as ours
    from attention_separation.head_rank.training.batches import Batches

    def own_step(job: CellJob) -> Callable[[], object]:
        state, batches = ours.start(job), Batches(job)
        return lambda: ours.advance(job, state, torch.from_numpy(batches(state.step)))

    kept = torch.get_num_threads()
    print(f"training, {RUNS} runs: ms a step of all, and times what the ensemble takes")
    for threads in (1, 2):
        torch.set_num_threads(threads)
        totals = np.zeros(3)
        for d, n, layers, width, heads in TRAINED_CELLS:
            settings = {"d": d, "n": n, "layers": layers, "width": width, "heads": heads}
            job = CellJob(**TRAINED, **settings, name="cell", seeds=list(range(RUNS)))
            ones = [job.model_copy(update={"seeds": [run]}) for run in job.seeds]
            took = best_in_turn(
                [own_step(job)],
                [own_step(one) for one in ones],
                [plain_step(one) for one in ones],
            )
            totals += took
            print(
                f"  {threads} threads, d={d} N={n} L={layers} w={width} r={job.rank}: {told(took)}"
            )
        print(f"  {threads} threads, all: {told(totals)}", flush=True)
    torch.set_num_threads(kept)


def needle() -> None:
    """Ensembles of the needle's networks against one run after another, in this process."""
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print("needle: this needs PyTorch, which `make setup-rank` installs")
        return
    from attention_separation.needle.training.batches import batch_at
    from attention_separation.needle.training.ensemble import advance, start
    from attention_separation.own_kernels.values import kernel_of

    def own_step(job: NeedleCell) -> Callable[[], object]:
        kernel = kernel_of(job.map.kernel, None) if job.map.kernel else None
        state = start(job, kernel)
        return lambda: advance(job, state, batch_at(job, state.step))

    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    print(f"the needle, {RUNS} runs: ms a step of all, batches drawn within, one thread")
    cells = CONFIG.studies()["needle"].cells
    for name in NEEDLE_CELLS:
        job = cells[name].model_copy(update={"seeds": list(range(RUNS))})
        ones = [job.model_copy(update={"seeds": [run]}) for run in job.seeds]
        took = best_in_turn([own_step(job)], [own_step(one) for one in ones])
        ensemble, single = 1e3 * took
        print(
            f"  {name}: ensemble {ensemble:.2f}; one run after another {single:.2f} "
            f"({single / ensemble:.2f}x); {job.steps * took[0]:.1f} s in all",
            flush=True,
        )
    torch.set_num_threads(kept)


def best_in_turn(*ways: list[Callable[[], object]]) -> np.ndarray:
    """Least seconds of calling all of each way, measured in turn so that all meet the same load."""
    times = []
    for _ in range(1 + TURNS):
        taken = []
        for calls in ways:
            start = time.perf_counter()
            for call in calls:
                for _ in range(STEPS_IN_TURN):
                    call()
            taken.append((time.perf_counter() - start) / STEPS_IN_TURN)
        times.append(taken)
    return np.min(times[1:], axis=0)


def told(took: np.ndarray) -> str:
    """The seconds of the three ways to train."""
    ensemble, single, plain = 1e3 * took
    return (
        f"ensemble {ensemble:.2f}; one run after another {single:.2f} ({single / ensemble:.2f}x), "
        f"in plain PyTorch {plain:.2f} ({plain / ensemble:.2f}x)"
    )


def copy_project(folder: str) -> None:
    """The project in another folder, nothing made."""
    for part in ("Snakefile", "config.yaml", "workflow", "profiles", "src"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, Path(folder) / part)


def seconds_in_jobs(folder: str) -> float:
    """Seconds of all jobs together, by their benchmark files."""
    texts = [path.read_text() for path in benchmarks_in(folder)]
    return sum(float(text.splitlines()[1].split("\t")[0]) for text in texts)


def benchmarks_in(folder: str) -> list[Path]:
    """The benchmark files of all jobs."""
    return sorted((Path(folder) / "results").rglob("benchmarks/*.tsv"))


def job_of(name: str, engine: str):
    """A panel's job with another engine."""
    return STUDY.panel_job(name).model_copy(update={"engine": engine})


def snakemake_seconds(folder: str, *options: str) -> float:
    """Seconds of a run of the workflow in a folder, on all cores."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS")}
    command = [sys.executable, "-m", "snakemake", *options]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


PARTS = {
    "attention": attention, "figure3": figure3, "exact": exact, "kernels": kernels, "api": api,
    "throughput": throughput,
    "workflow": workflow, "scaling": scaling, "training": training, "needle": needle,
}  # fmt: skip
ON_REQUEST = {"cluster": cluster}

if __name__ == "__main__":
    chosen = sys.argv[1:]
    every = PARTS | ON_REQUEST
    unknown = set(chosen) - every.keys()
    if unknown:
        sys.exit(f"unknown part {', '.join(sorted(unknown))}; allowed: {', '.join(every)}")
    if len(chosen) == 1:
        every[chosen[0]]()
    # A process for each part: none finds memory or caches as another left them.
    else:
        for part in chosen or PARTS:
            subprocess.run([sys.executable, __file__, part], check=True)
