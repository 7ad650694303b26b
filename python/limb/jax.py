"""limb in JAX: dynamics with custom derivatives, under jit, vmap, grad, jacfwd, jacrev and hessian.

    import jax, limb, limb.jax
    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(limb.load("panda"))
    tau = jax.jit(dynamics.inverse_dynamics)(q, v, a)
    slope = jax.jacobian(dynamics.inverse_dynamics)(q, v, a)

Programs of XLA call the library directly, without the interpreter; vmap makes one call for the whole batch. First and
second derivatives, forward and reverse, are the analytic ones of limb. Robots with ball or free joints are refused,
because the derivatives are along the tangent of the configuration manifold. States that fail have results of NaN, as in
JAX itself, or raise with on_error="raise". Calls run on the CPU.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from . import _limb, _smooth
from .model import Model

TARGET = "limb_call"
Function: TypeAlias = Callable[..., tuple[Any, ...]]  # arrays of one leading shape to arrays of the same

jax.ffi.register_ffi_target(TARGET, _limb.xla_handler(), platform="cpu")


def _change(row: Sequence[Any], tangents: Sequence[Any], like: Any) -> Any:
    """Sum of the products of derivatives with tangents."""
    total = jnp.zeros_like(like)
    for D, t in zip(row, tangents, strict=True):
        if D is not None:
            total += (D @ t.reshape(*t.shape[:-1], *(1,) * (D.ndim - t.ndim - 1), t.shape[-1], 1))[..., 0]
    return total


def _differentiable(value: Function, slopes: Callable[..., _smooth.Rows]) -> Function:
    function = jax.custom_jvp(value)

    def jvp(primals: Any, tangents: Any) -> Any:
        y = function(*primals)
        return y, tuple(_change(row, tangents, like) for row, like in zip(slopes(*primals), y, strict=True))

    function.defjvp(jvp)
    result: Function = function
    return result


class Dynamics:
    """Differentiable dynamics of one robot. Threads work on batches; 0: as many as processors."""

    model: Model
    threads: int
    on_error: str

    def __init__(self, model: Model, *, threads: int = 1, on_error: str = "nan") -> None:
        if on_error not in ("nan", "raise"):
            raise ValueError(f"on_error is '{on_error}', expected 'nan' or 'raise'")
        self.model, self.threads, self.on_error = _smooth.check(model), threads, on_error
        self._functions: dict[str, Function] = {}

    def _call(self, names: Sequence[str], inputs: Sequence[str]) -> Function:
        """Quantities of the registry as one call of XLA. The plan is made when it is first needed."""
        shapes: list[tuple[int, ...]] = []
        about = f"{names} {inputs} {self.threads} {self.on_error} {self.model._content}"
        key = hashlib.sha256(about.encode()).hexdigest()

        def call(*x: Any) -> tuple[Any, ...]:
            if not shapes:
                plan = self.model.plan(names, inputs=inputs)
                _limb.xla_keep(key, plan, self.threads, self.on_error == "nan")
                shapes.extend(tuple(map(len, plan.labels(name))) for name in names)
            results = [jax.ShapeDtypeStruct((*x[0].shape[:-1], *shape), x[0].dtype) for shape in shapes]
            return tuple(jax.ffi.ffi_call(TARGET, results, vmap_method="broadcast_all")(*x, plan=key))

        return call

    def _function(self, s: _smooth.Smooth) -> Function:
        """A quantity with two orders of derivatives; each order is computed when it is asked for."""
        if s.value not in self._functions:
            value, first, second = (self._call(names, s.inputs) for names in ((s.value,), s.first, s.second))
            slope = _differentiable(
                lambda *x: tuple(D for row in s.slopes(*first(*x)) for D in row), lambda *x: s.curves(*second(*x))
            )
            self._functions[s.value] = _differentiable(value, lambda *x: [slope(*x)])
        return self._functions[s.value]

    def _run(self, s: _smooth.Smooth, *given: Any) -> Any:
        x = [jnp.asarray(value) for value in given]
        kind = jnp.result_type(*x, float)
        if kind not in (jnp.float32, jnp.float64):
            raise TypeError(f"numbers are of type {kind}, expected float32 or float64")
        for name, value in zip(s.inputs, x, strict=True):
            if value.ndim == 0 or value.shape[-1] != self.model.nv:
                raise ValueError(f"{name} has shape {value.shape}, expected (..., {self.model.nv})")
        lead = jnp.broadcast_shapes(*(value.shape[:-1] for value in x))
        (y,) = self._function(s)(*(jnp.broadcast_to(value, (*lead, self.model.nv)).astype(kind) for value in x))
        return y

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        """Forces for a motion."""
        return self._run(_smooth.INVERSE, q, v, a)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        """Accelerations caused by forces."""
        return self._run(_smooth.FORWARD, q, v, tau)

    def frame_position(self, frame: str, q: Any) -> Any:
        """Position of a frame in the world."""
        return self._run(_smooth.position(frame), q)
