"""Training as one would write it with PyTorch's own modules, one run at a time."""

from collections.abc import Callable

import torch
from torch import Tensor

from attention_separation.head_rank.settings.cells import CellJob
from attention_separation.head_rank.training.train_cell import Batches, rate


class PlainLayer(torch.nn.Module):
    """A post-norm layer: the average of attention modules, then the MLP; x is (B, n, d)."""

    def __init__(self, job: CellJob):
        super().__init__()
        self.modules_averaged = torch.nn.ModuleList(
            torch.nn.MultiheadAttention(job.d, job.heads, batch_first=True)
            for _ in range(job.width)
        )
        self.hidden = torch.nn.Linear(job.d, job.feed_forward)
        self.outer = torch.nn.Linear(job.feed_forward, job.d)
        self.attend_scale = torch.nn.Parameter(torch.ones(1))
        self.outer_scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        attended = [one(x, x, x, need_weights=False)[0] for one in self.modules_averaged]
        merged = sum(attended) / len(attended)
        x = torch.nn.functional.normalize(x + merged, dim=2) * self.attend_scale
        outer = self.outer(torch.relu(self.hidden(x)))
        return torch.nn.functional.normalize(x + outer, dim=2) * self.outer_scale


def plain_step(job: CellJob) -> Callable[[], None]:
    """What makes the next step of the one run of a job, on its own batches."""
    model = torch.nn.Sequential(*(PlainLayer(job) for _ in range(job.layers)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=job.lr, betas=(0.9, 0.95), weight_decay=0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(job, step) / job.lr)
    batches, steps = Batches(job), iter(range(job.steps))

    def step() -> None:
        x = torch.from_numpy(batches(next(steps))[0]).permute(2, 1, 0)
        farthest = (x @ x.mT).argmin(2, keepdim=True).expand_as(x)
        loss = (model(x) - x.gather(1, farthest)).square().sum(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()

    return step
