"""An LQR holds the acrobot upright: the linear model from limb, the Riccati equation by iteration, then simulation."""

import limb
import numpy
from limb import Model
from limb.motion import Trajectory

DT = 0.01


def gain(robot: Model, q: numpy.ndarray, motor: int) -> numpy.ndarray:
    """Feedback of the sampled linear model about a pose at rest, for one motor."""
    rest = numpy.zeros(robot.nv)
    hold = robot.inverse_dynamics(q, rest, rest)
    model = robot.eval(["Ad", "Bd"], q, rest, tau=hold, dt=DT)
    A, B = model["Ad"], model["Bd"][:, [motor]]
    Q, R, P = numpy.diag([10.0, 10.0, 1.0, 1.0]), numpy.eye(1), numpy.eye(4)
    K = numpy.zeros((1, 4))
    for _ in range(5000):
        K = numpy.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return K


def main() -> Trajectory:
    """Stabilises the acrobot, and returns its motion."""
    robot = limb.load("acrobot")
    up, motor = numpy.array([numpy.pi / 2, 0.0]), 1
    K = gain(robot, up, motor)

    def control(t: float, q: numpy.ndarray, v: numpy.ndarray) -> numpy.ndarray:
        x = numpy.concatenate([robot.difference(up, q), v])
        tau = numpy.zeros(2)
        tau[motor] = -float((K @ x)[0])
        return tau

    motion = robot.simulate(up + numpy.array([0.02, 0.0]), times=numpy.linspace(0, 8, 81), tau=control, period=DT)
    print("gains:", K.round(1)[0])
    print("distance from upright at first and after 8 s:", *(float(abs(motion.q[k] - up).max()) for k in (0, -1)))
    return motion


if __name__ == "__main__":
    main()
