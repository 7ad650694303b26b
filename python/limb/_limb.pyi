"""Types of the extension, made by tools/make_stubs.py. Do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, final

from numpy.typing import ArrayLike

from ._numbers import Array

Row = tuple[Any, ...]

class Environment:
    def __new__(
        cls,
        robot: Robot,
        gravity: Sequence[float],
        base_velocity: Sequence[float],
        base_acceleration: Sequence[float],
        wrenches: list[Row],
        friction: bool,
        coulomb_width: float,
        /,
    ) -> Environment: ...

@final
class Builder:
    def __new__(cls, name: str | Robot, /) -> Builder: ...
    def body(self, name: str, members: dict[str, Any], /) -> int: ...
    def joint(self, name: str, type: str, members: dict[str, Any], /) -> int: ...
    def loop(self, name: str, type: str, members: dict[str, Any], /) -> int: ...
    def frame(self, name: str, members: dict[str, Any], /) -> int: ...
    def shaft(self, members: dict[str, Any], /) -> int: ...
    def tendon(self, name: str, joints: tuple[Any, ...], points: tuple[Any, ...], given: dict[str, Any], /) -> int: ...
    def motor(self, members: dict[str, Any], /) -> int: ...
    def gravity(self, x: float, y: float, z: float, /) -> int: ...
    def loop_tolerance(self, tolerance: float, /) -> int: ...
    def name(self, name: str, /) -> int: ...
    def set_body(self, name: str, members: dict[str, Any], /) -> int: ...
    def set_joint(self, name: str, members: dict[str, Any], /) -> int: ...
    def lock(self, joint: str, q: tuple[float, ...] | None, /) -> int: ...
    def remove(self, body: str, /) -> int: ...
    def rename(self, old: str, name: str, /) -> int: ...
    def base(self, type: str, /) -> int: ...
    def root(self, body: str, /) -> int: ...
    def attach(self, frame: str, robot: Robot, prefix: str, /) -> int: ...
    def payload(self, name: str, frame: str, members: dict[str, Any], /) -> int: ...
    def build(self) -> object: ...

@final
class Study:
    def __new__(cls, path: str, /) -> Study: ...
    def facts(self) -> tuple[int, str, list[tuple[str, str, bool]], int]: ...
    def word(self, column: int, value: float, /) -> str | None: ...
    def run(self, first: int, count: int, step: int, /) -> tuple[Array, list[tuple[int, int, str]]]: ...

@final
class Simulation:
    def __new__(
        cls, robot: Robot, method: str, options: dict[str, Any], env: Environment | None, /
    ) -> Simulation: ...
    def force(self, call: Callable[..., Any], period: float, delay: float, /) -> None: ...
    def wrench(self, call: Callable[..., Any], frame: int, ref: int, /) -> None: ...
    def condition(self, call: Callable[..., Any], direction: int, ends: bool, /) -> None: ...
    def start(self, time: float, q: ArrayLike, v: ArrayLike, /) -> None: ...
    def advance(self, time: float, /) -> tuple[str, float, int, int, int, int, float, float] | None: ...
    def now(self) -> tuple[float, Array, Array, Array, Array]: ...
    def over(self) -> bool: ...
    def summary(self) -> dict[str, Any]: ...

@final
class LoadEstimator:
    def __new__(
        cls, robot: Robot, frame: int, friction: int, options: dict[str, Any], env: Environment | None, /
    ) -> LoadEstimator: ...
    def add(self, dt: Array, q: Array, v: Array, tau: Array, /) -> None: ...
    def gap(self) -> None: ...
    def reset(self) -> None: ...
    def estimate(self, empty: LoadEstimator | None, /) -> Row: ...

class Plan:
    def __init__(
        self,
        robot: Robot,
        names: str,
        known: int = 31,
        tree: bool = False,
        directions: int = 63,
        damping: float = 0.0,
        dt: float = 0.0,
        given: bytes | None = None,
        base: bytes | None = None,
    ) -> None: ...
    def compute(
        self,
        *args: ArrayLike | None,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
        **named: ArrayLike | None,
    ) -> Any: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def items(self) -> tuple[tuple[str, str, str, list[list[str]]], ...]: ...

class Energies(tuple[Any, Any, Any, Any]):
    @property
    def kinetic(self) -> Any: ...
    @property
    def potential(self) -> Any: ...
    @property
    def gravity(self) -> Any: ...
    @property
    def springs(self) -> Any: ...

class InverseDynamicsDerivatives(tuple[Any, Any, Any]):
    @property
    def dq(self) -> Any: ...
    @property
    def dv(self) -> Any: ...
    @property
    def da(self) -> Any: ...

class ForwardDynamicsDerivatives(tuple[Any, Any, Any]):
    @property
    def dq(self) -> Any: ...
    @property
    def dv(self) -> Any: ...
    @property
    def dtau(self) -> Any: ...

class InverseDynamicsSecondDerivatives(tuple[Any, Any, Any, Any]):
    @property
    def dqdq(self) -> Any: ...
    @property
    def dqdv(self) -> Any: ...
    @property
    def dvdv(self) -> Any: ...
    @property
    def dqda(self) -> Any: ...

class ForwardDynamicsSecondDerivatives(tuple[Any, Any, Any, Any]):
    @property
    def dqdq(self) -> Any: ...
    @property
    def dqdv(self) -> Any: ...
    @property
    def dvdv(self) -> Any: ...
    @property
    def dqdtau(self) -> Any: ...

class Linearise(tuple[Any, Any]):
    @property
    def A(self) -> Any: ...
    @property
    def B(self) -> Any: ...

class FrameAccelerationDerivatives(tuple[Any, Any]):
    @property
    def dq(self) -> Any: ...
    @property
    def dv(self) -> Any: ...

class Robot:
    def __init__(self, capsule: object, /) -> None: ...
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """inverse dynamics: actuator forces for a motion; zero at passive joints of loops; of least norm if there
        are more motors than motions.

            tau = M a + h + friction + springs - sum J' w

        Shape (..., nv), unit N m, N. Note: in a simulation tau is the force that acts; it is not computed from the
        motion."""

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """forward dynamics: accelerations caused by forces.

            a = M^-1 (tau - h - friction - springs + sum J' w)

        Shape (..., nv), unit rad/s^2, m/s^2."""

    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """mass matrix, including reflected rotor inertias.

            kinetic energy = v' M v / 2

        Shape (..., nv, nv), unit kg m^2, kg m, kg. Note: with loops G' M_tree G; rows and columns of dependent
        velocities are zero."""

    def mass_matrix_inverse(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """inverse of the mass matrix, in the rows and columns of independent velocities.

            M^-1

        Shape (..., nv, nv), unit 1/(kg m^2), 1/(kg m), 1/kg."""

    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """Coriolis matrix.

            C v = h - g, dM/dt - 2 C skew-symmetric

        Shape (..., nv, nv), unit N m s, N s. Note: a matrix; some books use C for the vector C v."""

    def bias_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """bias forces: Coriolis, centrifugal and gravity forces.

            h = C v + g

        Shape (..., nv), unit N m, N. Note: no friction, springs or wrenches; not the angular momentum h of some
        books."""

    def gravity(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """gravity forces: actuator forces that balance gravity.

            g = dU/dq, U = -sum m_i gravity . c_i

        Shape (..., nv), unit N m, N. Note: not the acceleration of gravity."""

    def friction(
        self,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """friction forces: actuator forces that overcome friction at each joint.

            friction = Fs sign(v) + Fv v

        Shape (..., nv), unit N m, N."""

    def springs(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """spring forces: actuator forces that balance the springs parallel to each joint.

            springs = k (q - rest)

        Shape (..., nv), unit N m, N."""

    def energies(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Energies:
        """kinetic potential gravity springs: energies of the robot.

            kinetic = v' M v / 2, potential = gravity + springs

        Shape (...), unit J."""

    def total_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Any:
        """sum of kinetic and potential energy.

            kinetic + potential

        Shape (...), unit J."""

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> InverseDynamicsDerivatives:
        """dq: derivative of tau; with loops by the independent coordinates, with the loops closed.

            dtau/dq

        Shape (..., nv, nv), unit SI.

        dv: the same with respect to v; with respect to a it is M.

            dtau/dv

        Shape (..., nv, nv), unit SI.

        da: mass matrix, including reflected rotor inertias.

            kinetic energy = v' M v / 2

        Shape (..., nv, nv), unit kg m^2, kg m, kg. Note: with loops G' M_tree G; rows and columns of dependent
        velocities are zero."""

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> ForwardDynamicsDerivatives:
        """dq: derivative of acc; with loops by the coordinates of all joints, through the constraints.

            dacc/dq

        Shape (..., nv, nv), unit SI.

        dv: the same with respect to v.

            dacc/dv

        Shape (..., nv, nv), unit SI.

        dtau: the same with respect to tau; with loops by the forces at all joints.

            dacc/dtau = M^-1, with loops G (G' M G)^-1 G'

        Shape (..., nv, nv), unit SI."""

    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> InverseDynamicsSecondDerivatives:
        """dqdq dqdv dvdv dqda: second derivatives of tau.

            dqdv: (i, j, k) = d2tau_i / dq_j dv_k

        Shape (..., nv, nv, nv), unit SI."""

    def forward_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> ForwardDynamicsSecondDerivatives:
        """dqdq dqdv dvdv dqdtau: second derivatives of acc.

            dqdv: (i, j, k) = d2acc_i / dq_j dv_k

        Shape (..., nv, nv, nv), unit SI."""

    def linearise(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Linearise:
        """A: linear model along the motion: the state matrix.

            x' = A x + B u, x = (dq; dv), u = dtau

        Shape (..., 2nv, 2nv), unit SI. Note: not the A of articulated inertias or momentum matrices.

        B: linear model: the input matrix, zeros above M^-1.

            x' = A x + B u

        Shape (..., 2nv, nv), unit SI. Note: not the actuation matrix."""

    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """centre of mass.

            c = sum m_i c_i / sum m_i

        Shape (..., 3), unit m."""

    def center_of_mass_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """velocity of the centre of mass.

            dc/dt

        Shape (..., 3), unit m/s."""

    def center_of_mass_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """acceleration of the centre of mass.

            d2c/dt2

        Shape (..., 3), unit m/s^2."""

    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """momentum in world axes, the angular part about the centre of mass; without rotors.

            sum I_i V_i

        Shape (..., 6), unit N m s, N s."""

    def momentum_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """time derivative of momentum.

            d momentum / dt

        Shape (..., 6), unit N m, N."""

    def mass_matrix_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """rate of change of M along v.

            dM/dt = C + C'

        Shape (..., nv, nv), unit SI."""

    def mass_matrix_derivative(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """derivative of M.

            (i, j, k) = dM_ij / dq_k

        Shape (..., nv, nv, nv), unit SI."""

    def christoffel(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """Christoffel symbols of the first kind, symmetric in j and k.

            (C v)_i = sum_jk G_ijk v_j v_k

        Shape (..., nv, nv, nv), unit SI."""

    def curvature(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """Riemann's curvature tensor of the metric M, all indices lowered.

            R_ijkl = <nabla_k nabla_l E_j - nabla_l nabla_k E_j - nabla_[E_k, E_l] E_j, E_i>

        Shape (..., nv, nv, nv, nv), unit SI."""

    def regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """regressor of all parameters, without wrenches; with loops for the forces along independent velocities.

            tau = Y theta

        Shape (..., nv, np), unit SI."""

    def reference_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        v_r: ArrayLike,
        a_r: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """regressor of Slotine and Li, for adaptive control: velocity forces bilinear in v and v_r.

            Y_r theta = M a_r + C v_r + g + springs + friction(v_r)

        Shape (..., nv, np), unit SI. Note: with v_r = v and a_r = a it is Y."""

    def parameters(
        self, *, out: Any = None, threads: int = 1, env: Environment | None = None, on_error: str = "raise"
    ) -> Array:
        """parameters of the model, the same in all states.

            m, mx ... Izz; rotor, viscous, coulomb, stiffness, offset

        Shape (..., np), unit SI. Note: not joint angles."""

    def base_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """regressor of the base parameters.

            tau = Y_base theta_base

        Shape (..., nv, nb), unit SI. Note: includes rotors and friction, and springs if the robot has any: the set
        that limb base lists."""

    def base_parameters(
        self, *, out: Any = None, threads: int = 1, env: Environment | None = None, on_error: str = "raise"
    ) -> Array:
        """base parameters of the model; limb base prints their formulas.

            theta_base = K theta

        Shape (..., nb), unit SI. Note: the same set as that of Y_base."""

    def static_deflection(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """static deflection of elastic joints while all other joints are held.

            springs(q) + g(q) - sum J' w = 0 at elastic joints

        Shape (..., nv), unit rad, m."""

    def independent_velocities(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """1 for independent velocities, 0 for dependent ones.

            v = G v_i

        Shape (..., nv), unit -."""

    def loop_jacobian(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """constraint Jacobian: the Jacobian of the loop equations.

            Psi v = s'(t)

        Shape (..., nc, nv), unit SI."""

    def loop_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """the value of Psi a that keeps the loops closed.

            Psi a = gamma

        Shape (..., nc), unit rad/s^2, m/s^2."""

    def loop_residual(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """gap of the loops: the residual of each constraint.

            phi(q) - s(t)

        Shape (..., nc), unit rad, m."""

    def loop_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """rate at which the gap of the loops grows, for each constraint.

            Psi v - s'(t)

        Shape (..., nc), unit rad/s, m/s."""

    def loop_multipliers(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """multipliers: forces of the closures on frame b, one per constraint; of least norm if constraints are
        redundant; for a, or else for the acceleration caused by tau.

            M a + h + ... = tau + Psi' lambda

        Shape (..., nc), unit N m, N."""

    def frame_position(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """position of the origin of the frame in the world.

            position of the origin

        Shape (..., 3), unit m."""

    def frame_velocity(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """velocity of the frame, angular first.

            V = J v

        Shape (..., 6), unit rad/s, m/s."""

    def frame_acceleration(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """acceleration of the frame: classical with @aligned, spatial with @body and @world.

            J a + dJ/dt v

        Shape (..., 6), unit rad/s^2, m/s^2."""

    def frame_jacobian(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """Jacobian of the frame.

            V = J v

        Shape (..., 6, nv), unit -, m. Note: with loops J_tree G; columns of dependent velocities are zero."""

    def frame_jacobian_rate_times_v(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """part of the acceleration of the frame that does not depend on a.

            dJ/dt v

        Shape (..., 6), unit rad/s^2, m/s^2."""

    def frame_jacobian_derivative(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """derivative of the Jacobian: the kinematic Hessian.

            (i, j, k) = dJ_ij / dq_k

        Shape (..., 6, nv, nv), unit SI."""

    def frame_velocity_derivative(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """derivative of velocity with respect to q; with respect to v it is J.

            dV/dq

        Shape (..., 6, nv), unit SI."""

    def frame_acceleration_derivatives(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> FrameAccelerationDerivatives:
        """dq: derivative of acceleration with respect to q; with respect to a it is J.

            d(J a + dJ/dt v)/dq

        Shape (..., 6, nv), unit SI.

        dv: derivative of acceleration with respect to v.

            d(J a + dJ/dt v)/dv

        Shape (..., 6, nv), unit SI."""

    def frame_pose_numbers(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """pose of the frame in the world.

            x_world = rotation x_frame + position

        Shape (..., position 3, quaternion 4, rotation 3 x 3), unit m, -."""

    def task_inertia(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """inertia at the frame, in the selected directions.

            Lambda = (J M^-1 J')^-1, F = Lambda xddot + eta

        Shape (..., directions, directions), unit kg m^2, kg m, kg."""

    def task_bias(
        self,
        frame: str,
        /,
        q: ArrayLike,
        v: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """velocity and gravity forces at the frame.

            eta = mu + p

        Shape (..., directions), unit N m, N."""

    def task_inverse(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """dynamically consistent inverse of J.

            Jbar = M^-1 J' Lambda

        Shape (..., nv, directions), unit SI."""

    def task_projector(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """null-space projector of velocities; its transpose projects torques.

            N = 1 - Jbar J

        Shape (..., nv, nv), unit SI."""

    def inverse_dynamics_by_wrench(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """derivative of tau with respect to a wrench on the frame.

            dtau/dw = -J'

        Shape (..., nv, 6), unit -, m."""

    def forward_dynamics_by_wrench(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """derivative of acc with respect to a wrench on the frame.

            dacc/dw = dacc/dtau J'

        Shape (..., nv, 6), unit SI."""

    def generalized_jacobian(
        self,
        frame: str,
        /,
        q: ArrayLike,
        *,
        ref: str = "aligned",
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array:
        """Jacobian of the frame with respect to the other joints, for a base that floats without momentum.

            J* = J_m - J_b M_bb^-1 M_bm

        Shape (..., 6, arm), unit -, m."""

    def integrate(
        self, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0, *, out: Any = None, on_error: str = "raise"
    ) -> Array:
        """q (+) v dt: the configuration after a motion with constant v. Shape (..., nq)."""

    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Any = None, on_error: str = "raise") -> Array:
        """The smallest v with q1 = q0 (+) v. Shape (..., nv)."""

    def normalize(self, q: ArrayLike, *, out: Any = None, on_error: str = "raise") -> Array:
        """Scales quaternions to unit norm. Shape (..., nq)."""

    def _ik(self, *args: Any, threads: int = 1) -> tuple[Array, Array]: ...
    def _animate(
        self, times: Sequence[float], rows: Sequence[Sequence[float]], width: int, height: int, /
    ) -> str: ...
    def _view(self, *args: Any) -> tuple[str, list[str]]: ...
    def _close(self, *args: Any, out: Any = None, on_error: str = "raise") -> Any: ...
    def _configurations(self, what: int, seed: int, n: int, /) -> Array: ...
    def _describe(self) -> dict[str, Any]: ...
    def _write(self, format: str, /) -> tuple[str, list[Row]]: ...
    def _codegen(self, *options: Any) -> tuple[str, str, str, str, list[Row]]: ...
    def _equations(self, what: str | None, notation: int, numbers: bool, max_terms: int, /) -> str: ...
    def _identify(
        self,
        logs: list[Row],
        options: dict[str, Any],
        method: int,
        friction: int,
        exclude: int,
        source: bytes | None,
        bounds: list[Row],
        weight: float,
        env: Environment | None,
        /,
    ) -> Row: ...
    def _excite(
        self,
        options: dict[str, Any],
        criterion: int,
        friction: int,
        exclude: int,
        start: Array | None,
        keep: list[Row],
        seed: int,
        threads: int,
        rate: float,
        env: Environment | None,
        /,
    ) -> Row: ...
    def _calibrate(
        self,
        q: Array,
        position: Array | None,
        rotation: Array | None,
        distance: Array | None,
        frame: int,
        unknown: int,
        offsets_only: int,
        train: float,
        device: Sequence[float] | None,
        target: Sequence[float] | None,
        /,
    ) -> Row: ...
    def _base_formulas(self) -> list[tuple[str, str, tuple[float, ...]]]: ...

def load(
    source: str | None,
    text: bytes | None,
    name: str,
    format: str,
    base: int,
    no_mimic: bool,
    check: bool,
    arguments: list[str],
    package_path: str | None,
    model_name: str | None,
    any_file: bool,
    loop_tolerance: float,
    /,
) -> tuple[object | None, list[Row], Row | None, str, str]: ...
def quantities() -> list[Row]: ...
def robots() -> list[tuple[str, str, str, str | None]]: ...
def rules() -> list[tuple[str, str, str, str]]: ...
def facts() -> tuple[str, str, str | None]: ...
def xla_handler() -> object: ...
def xla_keep(name: str, plan: Plan, threads: int, keep_failed: bool, /) -> None: ...
