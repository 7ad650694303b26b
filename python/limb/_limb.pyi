"""Types of the extension, made by tools/make_stubs.py. Do not edit."""

from collections.abc import Callable, Sequence
from typing import Any, final

from numpy.typing import ArrayLike

from ._numbers import Array

Row = tuple[Any, ...]

@final
class Environment:
    def __new__(
        cls,
        robot: Robot,
        gravity: Sequence[float],
        base_velocity: Sequence[float],
        base_acceleration: Sequence[float],
        wrenches: list[tuple[int, int, tuple[float, ...]]],
        friction: bool,
        coulomb_width: float,
        /,
    ) -> Environment: ...

@final
class Builder:
    def __new__(cls, name: str, /) -> Builder: ...
    def body(self, name: str, members: dict[str, Any], /) -> int: ...
    def joint(self, name: str, type: str, members: dict[str, Any], /) -> int: ...
    def loop(self, name: str, type: str, members: dict[str, Any], /) -> int: ...
    def frame(self, name: str, members: dict[str, Any], /) -> int: ...
    def shaft(self, members: dict[str, Any], /) -> int: ...
    def motor(self, members: dict[str, Any], /) -> int: ...
    def gravity(self, x: float, y: float, z: float, /) -> int: ...
    def build(self) -> object: ...

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
    ) -> Array: ...
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
    ) -> Array: ...
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def mass_matrix_inverse(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def coriolis_matrix(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def bias_forces(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def gravity(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def friction(
        self,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def springs(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def energies(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Energies: ...
    def total_energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Any: ...
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
    ) -> InverseDynamicsDerivatives: ...
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
    ) -> ForwardDynamicsDerivatives: ...
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
    ) -> InverseDynamicsSecondDerivatives: ...
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
    ) -> ForwardDynamicsSecondDerivatives: ...
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
    ) -> Linearise: ...
    def center_of_mass(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def center_of_mass_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
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
    ) -> Array: ...
    def momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
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
    ) -> Array: ...
    def mass_matrix_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def mass_matrix_derivative(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def christoffel(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def curvature(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
    def parameters(
        self, *, out: Any = None, threads: int = 1, env: Environment | None = None, on_error: str = "raise"
    ) -> Array: ...
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
    ) -> Array: ...
    def base_parameters(
        self, *, out: Any = None, threads: int = 1, env: Environment | None = None, on_error: str = "raise"
    ) -> Array: ...
    def static_deflection(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def independent_velocities(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def loop_jacobian(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def loop_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def loop_residual(
        self,
        q: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
    def loop_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        out: Any = None,
        threads: int = 1,
        env: Environment | None = None,
        on_error: str = "raise",
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> FrameAccelerationDerivatives: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
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
    ) -> Array: ...
    def integrate(
        self, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0, *, out: Any = None, on_error: str = "raise"
    ) -> Array: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Any = None, on_error: str = "raise") -> Array: ...
    def normalize(self, q: ArrayLike, *, out: Any = None, on_error: str = "raise") -> Array: ...
    def _ik(self, *args: Any, threads: int = 1) -> tuple[Array, Array]: ...
    def _animate(
        self, times: Sequence[float], rows: Sequence[Sequence[float]], kind: int, width: int, height: int, /
    ) -> str: ...
    def _close(self, *args: Any, out: Any = None, on_error: str = "raise") -> Any: ...
    def _configurations(self, what: int, seed: int, n: int, /) -> Array: ...
    def _describe(self) -> dict[str, Any]: ...
    def _write(self, format: int, /) -> tuple[str, list[Row]]: ...
    def _codegen(self, *options: Any) -> tuple[str, str, str, str, list[Row]]: ...
    def _equations(self, what: str | None, notation: int, numbers: bool, max_terms: int, /) -> str: ...
    def _base_formulas(self) -> list[tuple[str, str, tuple[float, ...]]]: ...

def load(
    source: str | None,
    text: bytes | None,
    name: str,
    format: int,
    base: int,
    no_mimic: bool,
    built_in: bool,
    check: bool,
    /,
) -> tuple[object | None, list[Row], Row | None, str, str]: ...
def quantities() -> list[Row]: ...
def robots() -> list[tuple[str, str, str, str | None]]: ...
def rules() -> list[tuple[str, str, str, str]]: ...
def facts() -> tuple[str, str, str | None]: ...
