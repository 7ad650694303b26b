"""First steps: a robot, a state, torques, a million states at once."""

import limb
import numpy


def main() -> None:
    """Prints torques, a position and derivatives."""
    panda = limb.load("panda")
    q = panda.q(joint2=-0.5, joint4=-2.0, joint6=1.5)
    v, a = numpy.zeros(panda.nv), numpy.zeros(panda.nv)
    print(panda)
    print("torques that hold it:", panda.inverse_dynamics(q, v, a).round(2))
    print("its hand is at:", panda.frame_position("flange", q).round(3))
    derivatives = panda.inverse_dynamics_derivatives(q, v, a)
    print("largest change of a torque:", round(float(abs(derivatives.dq).max()), 1), "N m/rad")
    many = panda.random(20000, seed=1)
    g = panda.gravity(many, threads=0)
    print("largest gravity torque of many poses:", abs(g).max(axis=0).round(1))


if __name__ == "__main__":
    main()
