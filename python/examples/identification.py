"""From a log to a model: a Panda that carries 1.5 kg more than its model, with friction and noise, is identified."""

import limb
import numpy

random = numpy.random.default_rng(1)
model = limb.load("panda")
friction = {name: {"viscous": 0.5, "coulomb": 0.8} for name, joint in model.joints.items() if joint.type == "revolute"}
real = model.with_(payload=limb.Payload("flange", 1.5), joints=friction)

# The log: sines in all joints at once, 30 s at 200 Hz, noise in positions and torques.
t = numpy.arange(6000) / 200
w = numpy.array([0.7, 1.3, 1.9])
size, phase = random.uniform(0.2, 0.7, (3, model.nv)), random.uniform(0, 6, (3, model.nv))
q, v, a = (
    (size * w[:, None] ** k * numpy.sin(t[:, None, None] * w[:, None] + phase + k * numpy.pi / 2)).sum(axis=1)
    for k in range(3)
)
q += [(joint.q_min + joint.q_max) / 2 for joint in model.joints.values() if joint.type == "revolute"]
tau = real.inverse_dynamics(q, v, a) + random.normal(0, 0.3, q.shape)
log = limb.Log(t, q + random.normal(0, 1e-5, q.shape), tau)

found = limb.identify(model, log, physical=True)
fit, physical = found.error(), found.error("physical validation")
print(f"error of the validation: {100 * fit:.2f} %, physical {100 * physical:.2f} %")
for p in found.parameters:
    if p.verdict == "known" and p.essential:
        print(f"  {p.name:24s} {p.value:10.4f} +- {p.std:.4f}   (model {p.model:.4f})")
for note in found.notes:
    print("note:", note)

before = abs(model.inverse_dynamics(q, v, a) - tau).mean()
assert found.model is not None
after = abs(found.model.inverse_dynamics(q, v, a) - tau).mean()
print(f"mean error of the torques: {before:.2f} N m by the model as it was, {after:.2f} N m by the one identified")
assert after < 0.2 * before
