"""Optimal control of the Panda through scipy.optimize: the path of least torque, with analytic derivatives.

The unknowns are the poses at the inner times; v and a are differences of them, so that the cost sum |tau|^2 dt has the
gradient 2 sum tau' (dtau/dq dq + dtau/dv dv + dtau/da da).
"""

import limb
import numpy
from scipy.optimize import check_grad, minimize

STEPS, DURATION = 24, 1.5


def differences(n: int, dt: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Matrices that take n poses, at rest before and after, to velocities and accelerations."""
    step = numpy.eye(n + 2)
    first = (step[2:] - step[:-2]) / (2 * dt)
    second = (step[2:] - 2 * step[1:-1] + step[:-2]) / dt**2
    repeat = numpy.zeros((n + 2, n))
    repeat[1:-1], repeat[0, 0], repeat[-1, -1] = numpy.eye(n), 1, 1
    return first @ repeat, second @ repeat


def main() -> float:
    """Prints the cost of a straight path and of the best one; returns their ratio."""
    panda = limb.load("panda")
    start, end = panda.q(joint2=-0.8, joint4=-1.5), panda.q(joint1=1.2, joint2=0.8, joint4=-1.5)
    n, nv, dt = STEPS + 1, panda.nv, DURATION / STEPS
    D1, D2 = differences(n, dt)
    low, high = panda.limits

    def poses(x: numpy.ndarray) -> numpy.ndarray:
        return numpy.concatenate([[start], x.reshape(n - 2, nv), [end]])

    def cost(x: numpy.ndarray) -> float:
        q = poses(x)
        tau = panda.inverse_dynamics(q, D1 @ q, D2 @ q)
        return float((tau**2).sum() * dt)

    def gradient(x: numpy.ndarray) -> numpy.ndarray:
        q = poses(x)
        v, a = D1 @ q, D2 @ q
        tau, d = panda.inverse_dynamics(q, v, a), panda.inverse_dynamics_derivatives(q, v, a)
        by_q, by_v, by_a = (numpy.einsum("ti,tij->tj", tau, D) for D in d)
        total: numpy.ndarray = 2 * dt * (by_q + D1.T @ by_v + D2.T @ by_a)
        return total[1:-1].ravel()

    straight = numpy.linspace(start, end, n)[1:-1].ravel()
    error = check_grad(cost, gradient, straight) / numpy.linalg.norm(gradient(straight))
    bounds = list(zip(low, high, strict=True)) * (n - 2)
    best = minimize(cost, straight, jac=gradient, bounds=bounds, method="L-BFGS-B", options={"maxiter": 150})
    ratio = float(best.fun) / cost(straight)
    print("gradient and differences differ by", f"{error:.1e}")
    print(
        f"cost {cost(straight):.0f} of the straight path, {best.fun:.0f} after {best.nit} iterations: ratio {ratio:.3f}"
    )
    return ratio


if __name__ == "__main__":
    main()
