"""A closed five-bar: its two motors follow circles of their cranks, and the passive joints follow the loop."""

import limb
import numpy


def main() -> None:
    """Prints the gap of the loop and the torques along circles."""
    bars = limb.load("five_bar")
    start, n = bars.start(), 200
    motors = [joint for joint in bars.joints.values() if not joint.passive]
    phase = numpy.linspace(0, 2 * numpy.pi, n)
    q, v, a = numpy.tile(start, (n, 1)), numpy.zeros((n, bars.nv)), numpy.zeros((n, bars.nv))
    for k, joint in enumerate(motors):
        swing = 0.1 * numpy.sin(phase + k)
        q[:, joint.q] += (swing - 0.1 * numpy.sin(k))[:, None]
        v[:, joint.v] = (0.1 * numpy.cos(phase + k))[:, None]
        a[:, joint.v] = -swing[:, None]
    q, v, a = bars.close(q, v, a)
    tau = bars.inverse_dynamics(q, v, a)
    print(bars, "with motors", [joint.name for joint in motors])
    print("largest gap of the loop:", float(abs(bars.loop_residual(q)).max()))
    print("largest torques:", abs(tau).max(axis=0).round(3))


if __name__ == "__main__":
    main()
