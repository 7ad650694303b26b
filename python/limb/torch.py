"""limb in PyTorch: dynamics as functions of autograd, with the analytic derivatives of limb, first and second.

    import limb, limb.torch
    dynamics = limb.torch.Dynamics(limb.load("panda"))
    tau = dynamics.inverse_dynamics(q, v, a)       # tensors (..., nq), (..., nv); gradients by all three

Tensors are on the CPU, in float64 or float32. Leading shapes broadcast, and torch.vmap makes one call for the batch.
Robots with ball or free joints are refused, because the derivatives are along the tangent of the configuration
manifold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from . import _smooth
from .model import Model


class _Call:
    """Quantities of a robot as tensors: the value (order 0), its derivatives (1), and what theirs are made of (2)."""

    def __init__(self, model: Model, smooth: _smooth.Smooth, threads: int) -> None:
        self.model, self.smooth, self.threads = model, smooth, threads

    def compute(self, order: int, x: Sequence[Any]) -> tuple[Any, ...]:
        s = self.smooth
        plan = self.model.plan(((s.value,), s.first, s.second)[order], inputs=s.inputs)
        values = plan.compute(*(tensor.detach().numpy() for tensor in x), threads=self.threads)
        tensors = tuple(torch.from_numpy(array) for array in (values if isinstance(values, tuple) else (values,)))
        return tuple(s.slopes(*tensors)[0]) if order == 1 else tensors

    def rows(self, order: int, x: Sequence[Any]) -> _smooth.Rows:
        """Derivatives of each output of an order by each input, to be differentiated."""
        following: Any = _FUNCTIONS[order + 1]
        return [following.apply(self, *x)] if order == 0 else self.smooth.curves(*following.apply(self, *x))


def _function(order: int) -> Any:
    """The outputs of an order as a function of autograd. Its derivatives are computed when they are asked for."""

    class Quantity(torch.autograd.Function):
        @staticmethod
        def forward(call: _Call, *x: Any) -> Any:
            return call.compute(order, x)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.call, *x = inputs
            ctx.save_for_backward(*x)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            if order == 2:
                raise NotImplementedError("limb has first and second derivatives only")
            x = ctx.saved_tensors
            return None, *_pull(ctx.call.rows(order, x), gradients, x[0].ndim - 1)

        @staticmethod
        def vmap(info: Any, dims: Any, call: _Call, *x: Any) -> Any:
            """The mapped dimension becomes the first leading one."""
            moved = [
                tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
                for tensor, dim in zip(x, dims[1:], strict=True)
            ]
            values = Quantity.apply(call, *moved)
            return values, (0,) * len(values)

    return Quantity


_FUNCTIONS = [_function(order) for order in range(3)]


def _pull(rows: _smooth.Rows, gradients: Sequence[Any], lead: int) -> tuple[Any, ...]:
    """Products of gradients with derivatives, summed over the numbers of all outputs: for each input."""
    totals: list[Any] = [0] * len(rows[0])
    for row, gradient in zip(rows, gradients, strict=True):
        for k, D in enumerate(row):
            if D is not None:
                totals[k] = totals[k] + (gradient.unsqueeze(-1) * D).flatten(lead, -2).sum(-2)
    return tuple(totals)


class Dynamics:
    """Differentiable dynamics of one robot. Threads work on batches; 0: as many as processors."""

    model: Model
    threads: int

    def __init__(self, model: Model, *, threads: int = 1) -> None:
        self.model, self.threads = _smooth.check(model), threads

    def _run(self, smooth: _smooth.Smooth, *given: Any) -> Any:
        kind = given[0].dtype
        for x in given[1:]:
            kind = torch.promote_types(kind, x.dtype)
        for name, x in zip(smooth.inputs, given, strict=True):
            if x.device.type != "cpu":
                raise TypeError(f"{name} is on {x.device}, expected the CPU")
            if x.ndim == 0 or x.shape[-1] != self.model.nv:
                raise ValueError(f"{name} has shape {tuple(x.shape)}, expected (..., {self.model.nv})")
        if kind not in (torch.float32, torch.float64):
            raise TypeError(f"numbers are of type {kind}, expected float32 or float64")
        lead = torch.broadcast_shapes(*(x.shape[:-1] for x in given))
        call = _Call(self.model, smooth, self.threads)
        return _FUNCTIONS[0].apply(call, *(x.to(kind).expand(*lead, self.model.nv) for x in given))[0]

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        """Forces for a motion."""
        return self._run(_smooth.INVERSE, q, v, a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        """Accelerations caused by forces."""
        return self._run(_smooth.FORWARD, q, v, tau)

    def frame_position(self, frame: str, q: Any) -> Any:
        """Position of a frame in the world."""
        return self._run(_smooth.position(frame), q)
