"""The optimizer against torch's own."""

import pytest
import torch

from attention_separation.training.ensemble import Adam


@pytest.mark.parametrize("betas", [(0.9, 0.95), (0.9, 0.99)])
def test_the_optimizer_is_adamw_without_decay(betas):
    generator = torch.Generator().manual_seed(2)
    theirs = torch.nn.Parameter(torch.randn(50, generator=generator, dtype=torch.float64))
    ours = theirs.detach().clone()
    reference = torch.optim.AdamW([theirs], lr=0.01, betas=betas, eps=1e-8, weight_decay=0)
    optimizer = Adam(ours, betas)
    for step in range(1, 30):
        theirs.grad = torch.randn(50, generator=generator, dtype=torch.float64)
        reference.step()
        optimizer.step(theirs.grad, 0.01, step)
    torch.testing.assert_close(ours, theirs.detach(), rtol=0, atol=1e-13)
