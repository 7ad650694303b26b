"""Exciting motions, loads of grippers, calibration: what the library finds, and mistakes."""

from __future__ import annotations

import limb
import numpy
import pytest


@pytest.fixture(scope="module")
def arm():
    return limb.load("panda")


def sines(n=2000, rate=250.0):
    t, w = numpy.arange(n)[:, None] / rate, 1.1 + 0.37 * numpy.arange(7)
    return [0.9 * w**k * numpy.sin(w * t + numpy.arange(7) + k * numpy.pi / 2) for k in range(3)]


def test_excitation_keeps_its_limits():
    model = limb.load("planar_2r")
    motion = limb.excite(model, starts=2, steps=20, duration=5.0, rate=100.0, max_acceleration=6.0, threads=2)
    assert motion.time[-1] == 5.0
    assert abs(motion.a).max() <= 0.9 * 6.0 + 1e-9
    assert motion.facts["condition"] < motion.facts["random"]
    assert numpy.allclose(motion.v, numpy.gradient(motion.q, motion.time, axis=0), atol=0.05)
    again = limb.excite(model, starts=2, steps=20, duration=5.0, rate=100.0, max_acceleration=6.0, threads=1)
    assert numpy.array_equal(motion.q, again.q)
    with pytest.raises(KeyError, match="no frame 'nose'"):
        limb.excite(model, keep={"nose": ((0, 0, 0), (1, 1, 1))})
    with pytest.raises(TypeError, match="no argument 'strats'"):
        limb.excite(model, strats=3)
    with pytest.raises(limb.UnsupportedError):
        limb.excite(limb.load("quadruped"))


def test_loads(arm):
    load = limb.Payload("flange", 1.7, com=(0.02, -0.03, 0.09), inertia=(0.01, 0, 0, 0.012, 0, 0.008))
    q, v, a = sines()
    tau = arm.with_(payload=load).inverse_dynamics(q, v, a)
    estimator = limb.LoadEstimator(arm, "flange")
    with pytest.raises(limb.OrderError):
        estimator.estimate()
    estimator.add(1 / 250, q, v, tau)
    found = estimator.estimate()
    assert found.physical
    assert found.samples == len(q)
    assert abs(found.mass - 1.7) < 0.02
    assert numpy.allclose(found.com, load.com, atol=3e-3)
    single = limb.LoadEstimator(arm, "flange")
    for row in zip(q, v, tau, strict=True):
        single.add(1 / 250, *row)
    assert single.estimate().phi == found.phi
    same = estimator.estimate(empty=single, physical=False)
    assert same.mass == 0
    assert not same.physical
    estimator.reset()
    with pytest.raises(limb.OrderError):
        estimator.estimate()
    with pytest.raises(ValueError, match="tau needs the shape"):
        estimator.add(0.01, q, v, tau[:, :5])
    with pytest.raises(limb.UnsupportedError):
        limb.LoadEstimator(limb.load("four_bar"), "rocker")


def test_loads_with_noise_are_physical(arm):
    random = numpy.random.default_rng(1)
    q, v, a = sines(400)
    tau = arm.with_(payload=limb.Payload("flange", 1.0)).inverse_dynamics(q, v, a)
    impossible = 0
    for _ in range(5):
        estimator = limb.LoadEstimator(arm, "flange")
        estimator.add(1 / 250, q, v, tau + random.normal(0, 2, tau.shape))
        impossible += not estimator.estimate(physical=False).physical
        found = estimator.estimate()
        moments = numpy.array(found.inertia)[[0, 3, 5]]
        assert found.mass > 0
        assert moments.min() > 0
        assert found.distance < 6
    assert impossible > 0


def test_calibration(arm):
    q = numpy.random.default_rng(1).uniform(-1.5, 1.5, (60, 7))
    offset = numpy.array([0.004, -0.01, 0.007, 0.002, -0.006, 0.003, -0.005])
    real = arm.frame_pose("flange", q + offset)
    found = limb.calibrate(arm, q, position=real.position, rotation=real.rotation, frame="flange")
    changes = {p.name: p.change for p in found.parameters}
    assert numpy.allclose([changes[f"{j}.offset"] for j in list(arm.joints)[:7]], offset, atol=1e-8)
    assert found.errors["validation"]["position"] < 1e-9 < found.errors["validation before"]["position"]
    assert abs(found.model.frame_pose("flange", q).position - real.position).max() < 1e-9
    assert (found.measurements, found.fitted) == (60, 42)
    far = limb.calibrate(
        arm, q, distance=numpy.linalg.norm(real.position, axis=1), unknown=["device", "target"], frame="flange"
    )
    assert far.errors["validation"]["distance"] < far.errors["validation before"]["distance"]
    with pytest.raises(limb.ArgumentError, match="too few"):
        limb.calibrate(arm, q[:3], position=real.position[:3])
    with pytest.raises(ValueError, match="position needs the shape"):
        limb.calibrate(arm, q, position=real.position[:, :2])
    with pytest.raises(ValueError, match="unknown"):
        limb.calibrate(arm, q, position=real.position, unknown=["tool"])
