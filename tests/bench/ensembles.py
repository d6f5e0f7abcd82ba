"""Training: ensembles of runs against one run after another. It needs PyTorch."""

from collections.abc import Callable

import numpy as np
from making import CONFIG
from timing import best_in_turn, has_torch

from attention_separation.head_rank.settings.cells import CellJob
from attention_separation.needle.settings.cells import NeedleCell

RUNS = 5
TRAINED = {
    "feed_forward": 64, "batch": 64, "steps": 2000, "lr": 0.01, "held_out": 4096, "seed": 1
}  # fmt: skip
TRAINED_CELLS = [
    (8, 4, 1, 1, 1), (8, 4, 1, 1, 8), (8, 4, 1, 3, 2), (8, 4, 3, 1, 2), (8, 4, 3, 3, 1),
    (8, 4, 3, 3, 8), (16, 3, 2, 1, 4), (16, 4, 2, 1, 4), (16, 8, 2, 1, 4), (16, 16, 2, 1, 2),
]  # fmt: skip
"""d, N, L, w and heads of cells at desk scale."""
NEEDLE_CELLS = [
    "query_given_mu5_n8_exp", "query_given_mu5_n128_exp", "query_given_mu5_n512_linear",
    "query_given_mu5_n512_elu_8", "query_given_mu5_n2048_exp", "query_learned_mu5_n512_exp",
    "self_attention_mu5_n512_linear", "self_attention_mu5_n128_exp",
]  # fmt: skip


def own_step(job: CellJob) -> Callable[[], object]:
    """A call that trains an ensemble for a step more, its batch drawn within."""
    from attention_separation.head_rank.training.train_cell import Transformers

    ensemble = Transformers(job)
    return lambda: ensemble.advance(ensemble.batch(ensemble.step))


def training() -> None:
    """Ensembles of runs against one run after another, in this process."""
    if not has_torch("training"):
        return
    import torch
    from plain_training import plain_step

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


def told(took: np.ndarray) -> str:
    """The seconds of the three ways to train."""
    ensemble, single, plain = 1e3 * took
    return (
        f"ensemble {ensemble:.2f}; one run after another {single:.2f} ({single / ensemble:.2f}x), "
        f"in plain PyTorch {plain:.2f} ({plain / ensemble:.2f}x)"
    )


def needle() -> None:
    """Ensembles of the needle's networks against one run after another, in this process."""
    if not has_torch("needle"):
        return
    import torch

    from attention_separation.needle.training.train_cell import NeedleNetworks
    from attention_separation.own_kernels.values import kernel_of

    def needle_step(job: NeedleCell) -> Callable[[], object]:
        kernel = kernel_of(job.map.kernel, None) if job.map.kernel else None
        ensemble = NeedleNetworks(job, kernel)
        return lambda: ensemble.advance(ensemble.batch(ensemble.step))

    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    print(f"the needle, {RUNS} runs: ms a step of all, batches drawn within, one thread")
    cells = CONFIG.studies()["needle"].cells
    for name in NEEDLE_CELLS:
        job = cells[name].model_copy(update={"seeds": list(range(RUNS))})
        ones = [job.model_copy(update={"seeds": [run]}) for run in job.seeds]
        took = best_in_turn([needle_step(job)], [needle_step(one) for one in ones])
        ensemble, single = 1e3 * took
        print(
            f"  {name}: ensemble {ensemble:.2f}; one run after another {single:.2f} "
            f"({single / ensemble:.2f}x); {job.steps * took[0]:.1f} s in all",
            flush=True,
        )
    torch.set_num_threads(kept)
