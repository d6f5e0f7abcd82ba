"""AdamW without weight decay, on one flat vector.

torch.optim has it too, but loads torch's compiler first, which takes longer than a short cell.
"""

import torch
from torch import Tensor

BETAS = (0.9, 0.95)
EPS = 1e-8


class AdamW:
    """Moments of a vector of parameters; a step changes the vector in place."""

    def __init__(self, vector: Tensor):
        self.vector = vector
        self.first, self.second = torch.zeros_like(vector), torch.zeros_like(vector)

    def step(self, gradient: Tensor, lr: float, number: int) -> None:
        """Step `number`, counted from 1, with rate `lr`."""
        mean, square = BETAS
        self.first.lerp_(gradient, 1 - mean)
        self.second.mul_(square).addcmul_(gradient, gradient, value=1 - square)
        size = self.second.sqrt().div_((1 - square**number) ** 0.5).add_(EPS)
        self.vector.addcdiv_(self.first, size, value=-lr / (1 - mean**number))
