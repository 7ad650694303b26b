"""Identities over all built-in robots, and agreement with the tool to the bit."""

from __future__ import annotations

import csv
import subprocess

import limb
import numpy
import pytest
from conftest import small_robots, states

TREES = [name for name in small_robots() if not limb.load(name, check=False).loops]


def close(x, y, tolerance=1e-9):
    assert numpy.shape(x) == numpy.shape(y)
    assert abs(x - y).max(initial=0) <= tolerance * (1 + abs(y).max(initial=0))


def times(A, x):
    return (A @ x[..., None])[..., 0]


@pytest.mark.parametrize("name", TREES)
def test_identities_of_trees(robot, name):
    model = robot(name)
    q, v, a, _ = states(model, 20)
    M, C, g, h = model.mass_matrix(q), model.coriolis_matrix(q, v), model.gravity(q), model.bias_forces(q, v)
    tau = model.inverse_dynamics(q, v, a)
    close(h, times(C, v) + g)
    close(tau, times(M, a) + h + model.friction(v) + model.springs(q))
    close(
        times(model.regressor(q, v, a), numpy.broadcast_to(model.parameters(), (20, len(model.theta_names)))), tau, 1e-8
    )
    Mdot = model.mass_matrix_rate(q, v)
    close(Mdot - 2 * C, -numpy.swapaxes(Mdot - 2 * C, -1, -2), 1e-8)
    close(model.energies(q, v).kinetic, 0.5 * (v * times(M, v)).sum(-1))
    close(model.difference(q, model.integrate(q, v, 0.25)), 0.25 * v)
    if not any(kind == "massless" for kind, *_ in model.notes):
        close(model.forward_dynamics(q, v, tau), a, 1e-6)
    frame = list(model.frames)[-1]
    close(times(model.frame_jacobian(frame, q), v), model.frame_velocity(frame, q, v))
    R = model.frame_pose(frame, q).rotation
    close(R @ numpy.swapaxes(R, -1, -2), numpy.broadcast_to(numpy.eye(3), R.shape))


def test_reference_regressor(panda):
    q, v, a, _ = states(panda, 5)
    close(panda.reference_regressor(q, v, v, a), panda.regressor(q, v, a))


def test_derivatives_by_differences(panda):
    q, v, a, _ = (x[0] for x in states(panda, 1))
    d, step = panda.inverse_dynamics_derivatives(q, v, a), 1e-6
    second = panda.inverse_dynamics_second_derivatives(q, v, a)
    for k in range(7):
        e = step * numpy.eye(7)[k]
        close(
            (panda.inverse_dynamics(q + e, v, a) - panda.inverse_dynamics(q - e, v, a)) / (2 * step), d.dq[:, k], 1e-7
        )
        more = panda.inverse_dynamics_derivatives(q, v + e, a), panda.inverse_dynamics_derivatives(q, v - e, a)
        close((more[0].dq - more[1].dq) / (2 * step), second.dqdv[:, :, k], 1e-7)


def test_derivatives_are_those_of_the_registry(panda):
    q, v, a, tau = states(panda, 12)
    q[3, 1] = numpy.nan
    cases = ((panda.inverse_dynamics_derivatives, a, ("dtau_dq", "dtau_dv", "M")),)
    cases += ((panda.forward_dynamics_derivatives, tau, ("dacc_dq", "dacc_dv", "dacc_dtau")),)
    for function, x, names in cases:
        many = function(q, v, x, on_error="nan")
        for k, name in enumerate(names):
            for i in (0, 3, 11):
                one = function(q[i], v[i], x[i], on_error="nan")[k]
                by_name = panda.eval(name, q[i], v[i], a[i], tau[i], on_error="nan")
                assert numpy.isnan(one).all() == (i == 3)
                assert numpy.allclose(one, by_name, rtol=1e-12, atol=1e-12, equal_nan=True)
                assert numpy.allclose(many[k][i], by_name, rtol=1e-12, atol=1e-12, equal_nan=True)
        with pytest.raises(limb.NonFiniteError, match="state 3 of 12"):
            function(q, v, x)


def test_environment(panda, robot):
    q, v, a, _ = states(panda, 3)
    env = panda.environment(gravity=(0, 0, 0), wrenches=[("flange", "aligned", (0, 0, 0, 1, 2, 3))])
    J = panda.frame_jacobian("flange", q)
    force = times(numpy.swapaxes(J, -1, -2), numpy.broadcast_to([0, 0, 0, 1, 2, 3.0], (3, 6)))
    close(panda.inverse_dynamics(q, v, a, env=env) + force + panda.gravity(q), panda.inverse_dynamics(q, v, a))
    with pytest.raises(ValueError, match="another robot"):
        robot("ur5").gravity(numpy.zeros(6), env=env)


def test_loops(robot):
    model = robot("four_bar")
    q = model.start()
    assert len(model.loops) == 1
    with pytest.raises(limb.ConvergenceError, match="state 1 of 2"):
        model.gravity(numpy.array([q, q + 0.3]))
    g = model.gravity(numpy.array([q, q + 0.3]), on_error="nan")
    assert numpy.array_equal(g[0], model.gravity(q))
    assert numpy.isnan(g[1]).all()
    angles = numpy.linspace(0.5, 0.9, 9)
    Q, V = numpy.tile(q, (9, 1)), numpy.zeros((9, 3))
    Q[:, 0], V[:, 0] = angles, 1
    Q, V, A = model.close(Q, V, numpy.zeros((9, 3)))
    assert abs(model.loop_residual(Q)).max() < 1e-12
    assert abs(model.loop_rate(Q, V)).max() < 1e-12
    tau = model.inverse_dynamics(Q, V, A)
    close(model.forward_dynamics(Q, V, tau), A)
    assert numpy.array_equal(Q[:, 0], angles)
    tree = model.eval("M", q, tree=True)
    assert numpy.linalg.eigvalsh(tree).min() > 0


@pytest.mark.parametrize("name", ["panda", "quadruped"])
def test_the_tool_says_the_same_to_the_bit(robot, name, tool, tmp_path):
    model = robot(name)
    q, v, a, _ = states(model, 8)
    table = tmp_path / "states.csv"
    with open(table, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(
            [f"q.{c.name}" for c in model.coordinates] + [f"{x}.{c.name}" for x in "va" for c in model.velocities]
        )
        rows.writerows([[repr(float(x)) for x in row] for row in numpy.hstack([q, v, a])])
    for what in ("M", "C", "tau", "dtau_dq", "com"):
        out = subprocess.run(
            [tool, "eval", name, "--states", str(table), "--what", what, "--format", "csv"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        lines = list(csv.reader(out.splitlines()))
        numbers = numpy.array([[float(x) for x in row if x] for row in lines[1:]])
        mine = numpy.array([model.eval(what, *state).ravel() for state in zip(q, v, a, strict=True)])
        assert numpy.array_equal(numbers[:, -mine.shape[1] :], mine), what


def test_everything_in_the_registry(panda):
    q, v, a, tau = (x[0] for x in states(panda, 1))
    several = 0
    for name, about in limb.quantities().items():
        if about.robots not in ("all", "trees") or {"time", "a or tau by joint"} & set(about.needs):
            continue
        asked = f"{name}.flange" if "frame" in about.needs else name
        x = panda.eval(asked, q, v, a, tau, v_r=v, a_r=a, dt=0.01)
        assert numpy.isfinite(x).all(), name
        several += 1
    assert several > 50
