"""A million states: how much of its torque the Panda needs, and where it is strong, over its whole workspace."""

import time

import limb
import numpy

N, CHUNK = 1_000_000, 50_000


def main() -> numpy.ndarray:
    """Prints shares of the torque limits and the reach; returns the shares, one for each joint."""
    panda = limb.load("panda")
    random = numpy.random.default_rng(1)
    effort = numpy.array([joint.effort_max for joint in panda.joints.values()])
    speed = numpy.array([joint.v_max for joint in panda.joints.values()])
    tau = numpy.empty((CHUNK, panda.nv))  # what every chunk writes over
    position = numpy.empty((CHUNK, 3))
    largest, reach, seconds, too_much = numpy.zeros(panda.nv), 0.0, 0.0, 0
    for chunk in range(N // CHUNK):
        q = panda.random(CHUNK, seed=chunk)
        v = random.uniform(-0.5, 0.5, q.shape) * speed
        a = random.uniform(-5, 5, q.shape)
        start = time.perf_counter()
        panda.inverse_dynamics(q, v, a, out=tau, threads=0)
        panda.frame_position("flange", q, out=position, threads=0)
        seconds += time.perf_counter() - start
        share = abs(tau) / effort
        largest = numpy.maximum(largest, share.max(axis=0))
        too_much += int((share > 1).any(axis=1).sum())
        reach = max(reach, float(numpy.linalg.norm(position, axis=1).max()))
    print(f"{N} states: torques and positions in {seconds:.2f} s")
    print("largest share of each torque limit:", largest.round(2))
    print(f"beyond a limit: {too_much / N:.2%} of the states; the flange reaches {reach:.3f} m")
    return largest


if __name__ == "__main__":
    main()
