"""The engines and exact values: reduced against dense and against a loop, and trials per second."""

import time
import tracemalloc
from dataclasses import replace

import numpy as np
from making import SECTION, STUDY, config_points, point, run_trials
from regression_ways import switches, times_of_literal, way
from timing import at_least, at_most, seconds

from attention_separation.statistics.seeding import BLOCK_TRIALS, BlockStreams
from attention_separation.studies.open_choices.success_tables import phase_table
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact
from attention_separation.studies.softmax_vs_linear.exact.regression_probabilities import moments
from attention_separation.studies.softmax_vs_linear.simulation.signs import draw_lanes
from attention_separation.studies.softmax_vs_linear.simulation.simulate import simulate

PAPER = {"m": 15, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8}
ATTENTION_PANELS = [name for name in SECTION.panels if not name.startswith("fig3")]


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
            f"{slow / fast:.0f}x {at_least(slow / fast, wanted)}; same events: {same}"
        )
    small, large = (point("self_attention", n=n, d=22, **PAPER) for n in (200, 10**6))
    ratio = reduced_seconds(large) / reduced_seconds(small)
    print(f"  time at n=10^6 over time at n=200, d=22: {ratio:.2f} {at_most(ratio, 1.5)}")
    peaks = []
    for p in (small, large):
        tracemalloc.start()
        run_trials("reduced", p, BlockStreams(1, "bench", p.name, 0), BLOCK_TRIALS)
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
    print(f"  peak memory of a batch: {peaks[0]:.2f} MiB at n=200, {peaks[1]:.2f} MiB at n=10^6")
    job = STUDY.panels.simulated["fig4d"]
    per_trial = seconds(lambda: simulate(job)) / (81 * 100)
    print(f"  100 trials a point, seeding and all of panel 4d included: {per_trial * 1e6:.2f} us")


def reduced_seconds(p, trials: int = BLOCK_TRIALS) -> float:
    """Seconds per trial of the reduced engine, the drawing of signs included."""
    streams = BlockStreams(1, "bench", p.name, 0)
    return seconds(lambda: run_trials("reduced", p, streams, trials)) / trials


def figure3() -> None:
    """Figure 3 whole against the loop, and how its time grows with n."""
    print("Figure 3 whole (291 points x 1000 trials), one core")
    loop = sum(loop_panel(name) for name in ("fig3a", "fig3b"))
    fast = sum(
        seconds(lambda n=n: simulate(STUDY.panels.simulated[n]), 3) for n in ("fig3a", "fig3b")
    )
    print(
        f"  loop {loop:.1f} s, reduced {fast:.2f} s: {loop / fast:.1f}x {at_least(loop / fast, 5)}"
    )
    floor = 0.0
    for name in ("fig3a", "fig3b"):
        for p in config_points(name):
            rng = BlockStreams(1, name, p.name, 0).generator("signs")
            start = time.perf_counter()
            draw_lanes(rng, 1000, p.m, p.n)
            floor += time.perf_counter() - start
    print(f"  sign bits alone {floor:.2f} s: {fast / floor:.1f}x the floor")
    for n in (10**3, 10**4, 10**5, 10**6, 10**9):
        print(
            f"  n={n}, m=7: {1e6 * reduced_seconds(point('regression', n=n, m=7)):.2f} us a trial"
        )


def figure3_literal() -> None:
    """Softmax regression against the literal draw of the tests, with n on either side of every
    switch of its engine."""
    print("softmax regression: times of the literal draw, on either side of every switch")
    compared = []
    for law in ("uniform", "two-point"):
        for tau in (0.012, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25):
            for m in range(1, 8):
                p = point("regression", n=12, m=m, tau=tau, law=law)
                ends = switches(p, 12, 10**5)
                for n in {12, *ends, *(end + 1 for end in ends), 4096, 4097, 10**5}:
                    at_n = replace(p, n=n)
                    text = f"n={n} m={m} tau={tau} {law}, {way(at_n)}"
                    compared.append((times_of_literal(at_n, signs=2_000_000), text))
    compared.sort(reverse=True)
    print(f"  the most of {len(compared)} points {at_most(compared[0][0], 2)}:")
    for times, text in compared[:5]:
        print(f"  {times:.2f}: {text}")


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


def exact() -> None:
    """Exact values of the paper's points, Figure 3's reference values, and the phase maps."""
    print("exact values, one core")
    attention = [(name, STUDY.panels.exact[name]) for name in ATTENTION_PANELS]
    count = sum(len(config_points(name)) for name, _ in attention)
    every = seconds(lambda: [compute_exact(panel) for _, panel in attention], 3)
    print(f"  {count} points of Figures 4, 5 and 7: {every:.2f} s {at_most(every, 0.5)}")

    def figure_3() -> None:
        moments.cache_clear()
        for name in ("fig3a", "fig3b"):
            compute_exact(STUDY.panels.exact[name])

    reference = seconds(figure_3, 3)
    print(f"  reference values of Figure 3: {reference:.2f} s {at_most(reference, 10)}")
    job = STUDY.results["phase"].settings
    count = len(phase_table(job))
    maps = seconds(lambda: phase_table(job), 3)
    print(f"  {count} points of phase maps: {maps:.2f} s, {1e4 * maps / count:.2f} s per 10,000")


def throughput() -> None:
    """Trials per second of each model over its panels: sizes as in the paper, long runs."""
    print("trials per second on one core, over the paper's points, seeding included")
    for model, trials in (
        ("regression", 1000), ("self_attention", 20_000), ("cross_attention", 20_000)
    ):  # fmt: skip
        names = [name for name, panel in SECTION.panels.items() if panel.model == model]
        jobs = [STUDY.panels.simulated[name].with_more(trials=trials) for name in names]
        count = trials * sum(len(config_points(name)) for name in names)
        # Of the processor, not of the clock: other processes do not count.
        start = time.process_time()
        for job in jobs:
            simulate(job)
        took = time.process_time() - start
        print(f"  {model}: {count / took:,.0f} ({count:,} trials in {took:.1f} s)")
