"""What a step of the second paper's networks takes on a GPU: launched kernel by kernel, and
captured; of one run and of several together."""

import time

from attention_separation.settings.strict_model import StrictModel

LAYERS = (1, 3, 5)
RUNS = (1, 2, 5)
RANK = 16
PAPERS = {"d": 64, "n": 16, "feed_forward": 2048, "batch": 256}
ON_A_CPU = {"d": 64, "n": 4, "feed_forward": 32, "batch": 4}
"""Sizes at which nothing can be learned but that this runs."""


def gpu() -> None:
    """Milliseconds a step, and of that a run, by layers and runs; and on new batches."""
    from attention_separation.training.job import device_kind

    device = device_kind()
    print(f"a step of rank {RANK} and w = 1 on {device}, ms: launched, captured; captured by run")
    for layers in LAYERS:
        for runs in RUNS:
            job = cell(device, layers=layers, seeds=list(range(runs)), batches=10)
            launched = milliseconds(job, device, is_captured=False, steps=20)
            captured = milliseconds(job, device, is_captured=device == "cuda", steps=200)
            print(
                f"  L={layers}, {runs} runs: {launched:.2f}, {captured:.2f}; "
                f"{captured / runs:.2f} ({launched / captured:.1f}x)",
                flush=True,
            )
        job = cell(device, layers=layers, regime="fresh")
        captured = milliseconds(job, device, is_captured=device == "cuda", steps=300)
        print(f"  L={layers}, 1 run on new batches, drawn meanwhile: {captured:.2f}", flush=True)


def cell(device: str, **changes: object) -> StrictModel:
    """A cell of the paper's sizes; on a CPU of smaller ones."""
    from attention_separation.studies.head_rank.settings.cells import CellJob

    sizes = PAPERS if device == "cuda" else ON_A_CPU
    settings = {
        "name": "bench", "heads": sizes["d"] // RANK, "steps": 100_000, "lr": 0.01, "seeds": [0],
        "held_out": 1024, "seed": 1, "regime": "repeated", "schedule": "per_epoch",
    }  # fmt: skip
    return CellJob.model_validate(sizes | settings | changes)


def milliseconds(job: StrictModel, device: str, is_captured: bool, steps: int) -> float:
    """Of a step, after twenty that do not count."""
    from attention_separation.studies.head_rank.training.train_cell import Transformers

    ensemble = Transformers(job, device)
    ensemble.is_captured = is_captured

    def advanced(count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count):
            ensemble.advance(ensemble.batch(ensemble.step))
        # To read a number is to wait for the GPU.
        ensemble.running["epoch_sum"].tolist()
        return time.perf_counter() - begin

    advanced(20)
    return 1000 * advanced(steps) / steps
