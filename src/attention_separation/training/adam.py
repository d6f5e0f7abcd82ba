"""Adam, which is AdamW without weight decay, on one tensor of parameters.

torch.optim has it too, but loads torch's compiler first, which takes longer than a short cell.
"""

import torch
from torch import Tensor

EPS = 1e-8


class Adam:
    """Moments of a tensor of parameters; a step changes the tensor in place.

    `betas` : decay of the mean and of the mean square of gradients
    """

    def __init__(self, vector: Tensor, betas: tuple[float, float]):
        self.vector, self.betas = vector, betas
        self.first, self.second = torch.zeros_like(vector), torch.zeros_like(vector)

    def step(self, gradient: Tensor, lr: float, number: int) -> None:
        """Step `number`, counted from 1, with rate `lr`."""
        mean, square = self.betas
        self.first.lerp_(gradient, 1 - mean)
        self.second.mul_(square).addcmul_(gradient, gradient, value=1 - square)
        size = self.second.sqrt().div_((1 - square**number) ** 0.5).add_(EPS)
        self.vector.addcdiv_(self.first, size, value=-lr / (1 - mean**number))
