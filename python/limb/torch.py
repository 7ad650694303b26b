"""limb in PyTorch: dynamics as differentiable functions, with the analytic derivatives of limb.

    import limb, limb.torch
    dynamics = limb.torch.Dynamics(limb.load("panda"))
    tau = dynamics.inverse_dynamics(q, v, a)       # tensors (..., nq), (..., nv); gradients by all three

Tensors are on the CPU, in float64 or float32. Gradients by q are along the tangent of the configuration manifold, which
for joints with one degree of freedom are those by q; robots with ball or free joints are refused.
"""

from __future__ import annotations

from typing import Any

import torch

from ._smooth import check
from .model import Model


def _save(context: Any, *arrays: Any) -> None:
    context.derivatives = [torch.from_numpy(array) for array in arrays]


def _pull(context: Any, gradient: Any) -> tuple[Any, ...]:
    """Products of the gradient with the saved matrices, summed over what was broadcast."""
    row = gradient.unsqueeze(-2)
    products = ((row @ matrix.to(gradient.dtype)).squeeze(-2) for matrix in context.derivatives)
    return tuple(x.sum_to_size(size) for x, size in zip(products, context.sizes, strict=True))


class _Inverse(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, model: Model, q: Any, v: Any, a: Any) -> Any:
        numbers = [x.detach().numpy() for x in (q, v, a)]
        context.sizes = [x.shape for x in (q, v, a)]
        _save(context, *model.inverse_dynamics_derivatives(*numbers))
        return torch.from_numpy(model.inverse_dynamics(*numbers))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, gradient: Any) -> tuple[Any, ...]:
        return None, *_pull(context, gradient)


class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, model: Model, q: Any, v: Any, tau: Any) -> Any:
        numbers = [x.detach().numpy() for x in (q, v, tau)]
        context.sizes = [x.shape for x in (q, v, tau)]
        _save(context, *model.forward_dynamics_derivatives(*numbers))
        return torch.from_numpy(model.forward_dynamics(*numbers))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(context: Any, gradient: Any) -> tuple[Any, ...]:
        return None, *_pull(context, gradient)


class Dynamics:
    """Differentiable dynamics of one robot."""

    model: Model

    def __init__(self, model: Model) -> None:
        self.model = check(model)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        """Forces for a motion."""
        return _Inverse.apply(self.model, q, v, a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        """Accelerations caused by forces."""
        return _Forward.apply(self.model, q, v, tau)
