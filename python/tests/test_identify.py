"""Identification: parameters of robots that are known, physical fits, gains of drives, files in and out."""

from __future__ import annotations

import limb
import numpy
import pytest


def motion(robot, seconds=20.0, rate=100, seed=3):
    """Sines in every joint: time, q, v, a."""
    random = numpy.random.default_rng(seed)
    t = numpy.arange(int(seconds * rate)) / rate
    w = 0.7 + 0.6 * numpy.arange(4)
    size, phase = random.uniform(-0.8, 0.8, (2, 4, robot.nv)) * [[[1.0]], [[4.0]]]
    angle = t[:, None, None] * w[:, None] + phase
    q, v, a = ((size * w[:, None] ** k * numpy.sin(angle + k * numpy.pi / 2)).sum(axis=1) for k in range(3))
    return t, q, v, a


@pytest.fixture(scope="module")
def arm():
    return limb.load("panda")


@pytest.fixture(scope="module")
def smooth(arm):
    return arm.environment(friction=False)


def test_parameters_come_back(arm, smooth):
    t, q, v, a = motion(arm)
    tau = arm.inverse_dynamics(q, v, a, env=smooth)
    found = limb.identify(arm, limb.Log(t, q, tau, v=v), env=smooth)
    assert found.error() < 1e-4
    assert found.facts["samples"] == len(t)
    for p in found.parameters:
        assert abs(p.value - p.model) < 0.03 * (1 + abs(p.model)), p
    assert found.covariance.shape == (len(found.parameters),) * 2
    assert found.model is None
    assert abs(found.tau - found.predicted).max() < 1e-2
    assert 0.65 < found.fitted.mean() < 0.75
    assert {r.part for r in found.residuals} == {"fitted", "validation"}


def test_physical_robot(arm, smooth):
    real = arm.with_(payload=limb.Payload("flange", 2.0))
    t, q, v, a = motion(arm)
    logs = [{"time": t, "q": q, "tau": real.inverse_dynamics(q, v, a, env=real.environment(friction=False))}]
    found = limb.identify(arm, logs, physical=True, env=smooth)
    assert found.error("physical validation") < 5e-3
    assert found.model.nv == arm.nv
    assert (
        abs(
            found.model.inverse_dynamics(q[::100], v[::100], a[::100], env=found.model.environment(friction=False))
            - logs[0]["tau"][::100]
        ).max()
        < 0.5
    )
    bounded = limb.identify(arm, logs, bounds={"link3": {"mass": (2.0, 2.1)}}, env=smooth)
    assert 2.0 < bounded.model.bodies["link3"].mass < 2.1


def test_gains_of_drives(arm, smooth):
    t, q, v, a = motion(arm)
    load = limb.Payload("flange", 3.0, com=(0.0, 0.02, 0.1))
    gain = numpy.array([12.0, 11, 8, 5, 4, 3, 2])
    loaded = arm.with_(payload=load)
    heavy = loaded.inverse_dynamics(q, v, a, env=loaded.environment(friction=False))
    logs = [
        limb.Log(t, q, arm.inverse_dynamics(q, v, a, env=smooth) / gain, v=v),
        limb.Log(t, q, heavy / gain, v=v, load=load),
    ]
    found = limb.identify(arm, logs, current="all", env=smooth)
    values = [p.value for p in found.parameters if p.name.endswith(".gain")]
    assert numpy.allclose(values, gain, rtol=1e-2)


def test_mistakes_are_named(arm):
    t, q, v, _ = motion(arm, seconds=5)
    with pytest.raises(ValueError, match="friction has no term 'rust'"):
        limb.identify(arm, limb.Log(t, q, v), friction=["rust"])
    with pytest.raises(ValueError, match="method"):
        limb.identify(arm, limb.Log(t, q, v), method="best")
    with pytest.raises(ValueError, match="tau needs the shape"):
        limb.identify(arm, limb.Log(t, q, v[:, :5]))
    with pytest.raises(limb.ArgumentError, match="runs backwards"):
        limb.identify(arm, limb.Log(t[::-1], q, v))
    with pytest.raises(limb.NonFiniteError):
        limb.identify(arm, limb.Log(t, q * numpy.nan, v))
    with pytest.raises(KeyError, match="no velocity 'knee'"):
        limb.identify(arm, limb.Log(t, q, v), current=["knee"])
    with pytest.raises(limb.ArgumentError, match="too few"):
        limb.identify(arm, limb.Log(t[:3], q[:3], v[:3]))
