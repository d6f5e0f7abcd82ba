"""Training at the paper's size, against what the machine can multiply. It needs PyTorch."""

from collections.abc import Callable

from ensembles import own_step
from making import CONFIG
from timing import best_in_turn, has_torch

from attention_separation.head_rank.settings.cells import CellJob
from attention_separation.head_rank.study import HeadRank

CELLS = [
    f"d64_n16_L{layers}_w{width}_r{rank}"
    for layers, width, rank in (
        (1, 1, 1), (1, 1, 8), (1, 1, 64), (1, 8, 1), (1, 8, 8), (1, 8, 64), (3, 1, 8), (3, 8, 8),
    )
]  # fmt: skip
"""Of the scale `reference`."""


def limit() -> None:
    """Operations per second of a step, and of its linear maps' matrix products alone."""
    if not has_torch("limit"):
        return
    import torch

    def products(job: CellJob) -> tuple[Callable[[], object], int]:
        """The products of forward and backward, one after another as in a step; operations."""
        d, inner, columns = job.d, job.width * job.d, job.n * job.batch
        pairs = []
        for rows, of in ((3 * inner, d), (d, inner), (job.feed_forward, d), (d, job.feed_forward)):
            weight = torch.randn(1, rows, of)
            x, gradient = torch.randn(1, of, columns), torch.randn(1, rows, columns)
            thin, wide = (gradient, x) if rows <= of else (x, gradient)
            pairs += [(weight, x), (weight.mT, gradient), (thin, wide.mT)]

        def every() -> None:
            for _ in range(job.layers):
                for a, b in pairs:
                    torch.bmm(a, b)

        return every, job.layers * sum(2 * a[0].numel() * b.shape[2] for a, b in pairs)

    section = CONFIG.head_rank.model_copy(update={"scale": "reference"})
    cells = HeadRank(section, CONFIG.seed, CONFIG.jobs).every_cell
    kept = torch.get_num_threads()
    torch.set_num_threads(1)
    print("training at d = 64, N = 16, one thread: GFLOP/s of a step and of its products alone")
    for name in CELLS:
        job = cells[name]
        multiply, operations = products(job)
        took, alone = best_in_turn([own_step(job)], [multiply])
        ours, most = 3 * job.flops() * job.batch / took / 1e9, operations / alone / 1e9
        print(
            f"  {name}: {1e3 * took:.1f} ms a step, {ours:.1f} of {most:.1f} GFLOP/s: "
            f"{ours / most:.2f}",
            flush=True,
        )
    torch.set_num_threads(kept)
