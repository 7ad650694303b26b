"""A Panda picks up a box it knows nothing of: an exciting motion, what the gripper holds, the model with it."""

import limb
import numpy

arm = limb.load("panda")
box = limb.Payload("flange", 1.7, com=(0.02, -0.03, 0.09), inertia=(0.011, 0, 0, 0.013, 0, 0.008))
real = arm.with_(payload=box)

# Ten seconds that show the parameters, from rest to rest, within 3 rad/s^2 and above the table.
motion = limb.excite(
    arm, rate=250.0, max_acceleration=3.0, keep={"flange": ((-1, -1, 0), (1, 1, None))}, starts=1, steps=8
)
print(f"condition {motion.facts['condition']:.1f}, of random motions {motion.facts['random']:.1f}")

# The log, with noise in the torques; in a control loop `add` takes one sample at a time.
random = numpy.random.default_rng(1)
tau = real.inverse_dynamics(motion.q, motion.v, motion.a) + random.normal(0, 0.3, motion.q.shape)
estimator = limb.LoadEstimator(arm, "flange")
estimator.add(1 / 250, motion.q, motion.v, tau)
load = estimator.estimate()
print(f"{load.mass:.3f} +- {load.std['mass']:.3f} kg at {numpy.round(load.com, 3)} m (1.7 kg at {box.com})")
print("the motion does not show", ", ".join(load.hidden) or "nothing")

held = arm.with_(payload=limb.Payload("flange", load.mass, load.com, load.inertia))
before, after = (abs(m.inverse_dynamics(motion.q, motion.v, motion.a) - tau).mean() for m in (arm, held))
print(f"mean error of the torques: {before:.2f} N m without the load, {after:.2f} N m with it")
assert abs(load.mass - box.mass) < 4 * load.std["mass"] + 0.01
assert after < 0.5 * before
