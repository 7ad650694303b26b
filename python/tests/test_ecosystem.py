"""limb.jax and limb.torch, with the real packages where they are installed."""

from __future__ import annotations

import numpy
import pytest
from conftest import states


def test_jax(panda):
    jax = pytest.importorskip("jax")
    import limb.jax

    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(panda)
    q, v, a, tau = states(panda, 6)
    x = jax.jit(dynamics.inverse_dynamics)(q[0], v[0], a[0])
    assert numpy.array_equal(x, panda.inverse_dynamics(q[0], v[0], a[0]))
    many = jax.jit(jax.vmap(dynamics.inverse_dynamics, in_axes=(0, 0, None)))(q, v, a[0])
    assert numpy.array_equal(many, panda.inverse_dynamics(q, v, a[0]))
    expected = panda.forward_dynamics_derivatives(q[0], v[0], tau[0])
    for jacobian in (jax.jacfwd, jax.jacrev):
        found = jax.jit(jacobian(dynamics.forward_dynamics, argnums=(0, 1, 2)))(q[0], v[0], tau[0])
        for D, E in zip(found, expected, strict=True):
            assert abs(numpy.asarray(D) - E).max() < 1e-12 * (1 + abs(E).max())
    gradient = jax.grad(lambda q: (dynamics.inverse_dynamics(q, v, a) ** 2).sum())(q)
    by_hand = 2 * numpy.einsum(
        "ni,nij->nj", panda.inverse_dynamics(q, v, a), panda.inverse_dynamics_derivatives(q, v, a).dq
    )
    assert abs(numpy.asarray(gradient) - by_hand).max() < 1e-9 * abs(by_hand).max()
    with pytest.raises(ValueError, match="free joints"):
        limb.jax.Dynamics(limb.load("quadruped", check=False))


def test_torch(panda):
    torch = pytest.importorskip("torch")
    import limb.torch

    dynamics = limb.torch.Dynamics(panda)
    q, v, a, tau = (torch.from_numpy(x).requires_grad_() for x in states(panda, 3))
    assert torch.autograd.gradcheck(dynamics.inverse_dynamics, (q, v, a))
    assert torch.autograd.gradcheck(dynamics.inverse_dynamics, (q, v[0], a))
    assert torch.autograd.gradcheck(dynamics.forward_dynamics, (q, v, tau))
    loss = dynamics.inverse_dynamics(q.float(), v.float(), a.float())
    assert loss.dtype == torch.float32
