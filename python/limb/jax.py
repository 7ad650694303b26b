"""limb in JAX: dynamics with custom derivatives, under jit, vmap and grad.

    import jax, limb, limb.jax
    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(limb.load("panda"))
    tau = jax.jit(dynamics.inverse_dynamics)(q, v, a)
    slope = jax.jacobian(dynamics.inverse_dynamics)(q, v, a)

Calls leave XLA by jax.pure_callback; vmap makes one call for the whole batch. First derivatives, forward and reverse,
are the analytic ones of limb. Robots with ball or free joints are refused, because the derivatives are along the
tangent of the configuration manifold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy

from .model import Model


def _outside(function: Callable[..., Any], shapes: list[tuple[int, ...]], *inputs: Any) -> Any:
    """Calls a function of NumPy arrays; leading shapes are those of the inputs."""
    lead = jnp.broadcast_shapes(*(x.shape[:-1] for x in inputs))
    kind = jnp.result_type(*inputs)
    results = [jax.ShapeDtypeStruct((*lead, *shape), kind) for shape in shapes]

    def call(*arrays: Any) -> tuple[Any, ...]:
        numbers = [numpy.asarray(x, dtype=kind) for x in arrays]
        values = function(*numbers)
        return tuple(values) if isinstance(values, tuple) else (values,)

    return jax.pure_callback(call, results, *inputs, vmap_method="broadcast_all")


def _differentiable(value: Callable[..., Any], derivatives: Callable[..., Any], nv: int) -> Callable[..., Any]:
    """A function of three vectors whose derivatives are three matrices."""

    @jax.custom_jvp
    def function(x: Any, y: Any, z: Any) -> Any:
        return _outside(value, [(nv,)], x, y, z)[0]

    def jvp(primals: Any, tangents: Any) -> Any:
        matrices = _outside(derivatives, [(nv, nv)] * 3, *primals)
        change = sum((D @ t[..., None])[..., 0] for D, t in zip(matrices, tangents, strict=True))
        return function(*primals), change

    function.defjvp(jvp)
    return function


class Dynamics:
    """Differentiable dynamics of one robot."""

    def __init__(self, model: Model) -> None:
        if model.nq != model.nv:
            raise ValueError(f"'{model.name}' has ball or free joints: nq {model.nq}, nv {model.nv}")
        self.model = model
        self._inverse = _differentiable(model.inverse_dynamics, model.inverse_dynamics_derivatives, model.nv)
        self._forward = _differentiable(model.forward_dynamics, model.forward_dynamics_derivatives, model.nv)

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        """Forces for a motion."""
        return self._inverse(jnp.asarray(q), jnp.asarray(v), jnp.asarray(a))

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        """Accelerations caused by forces."""
        return self._forward(jnp.asarray(q), jnp.asarray(v), jnp.asarray(tau))
