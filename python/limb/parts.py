"""What a robot is made of, and what was found in its description: plain records."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeAlias

import numpy

from ._numbers import Array

Vector: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]


def content(x: Any) -> Any:
    """What stands for a value in comparisons: the same for the same content, and hashable."""
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return x.shape, x.dtype.str, x.tobytes()
    if isinstance(x, slice):
        return x.start, x.stop, x.step
    if isinstance(x, dict):
        return tuple((key, content(value)) for key, value in x.items())
    return tuple(map(content, x)) if isinstance(x, (tuple, list)) else x


class ByContent:
    """Records with arrays or slices, which compare and hash by what is in them."""

    __slots__ = ()

    def _key(self) -> tuple[Any, ...]:
        return tuple(content(getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByContent) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class Pose(NamedTuple):
    """Pose of a frame in the world, of one state or of many: x_world = rotation x_frame + position."""

    position: Array  #: (..., 3) [m]
    quaternion: Array  #: (..., 4): x y z w
    rotation: Array  #: (..., 3, 3)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a frame is in another one."""

    position: Vector = (0.0, 0.0, 0.0)  #: [m]
    rotation: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Finding:
    """What the reader or the doctor reports about a description."""

    rule: str  #: stable name, such as "inertia-triangle"
    severity: str  #: "note", "warning" or "error"
    file: str
    line: int  #: 1-based; 0: none
    column: int
    where: str  #: what it is about, such as "link 'forearm'"
    text: str  #: what is wrong, with the numbers
    hint: str  #: the likely cause, or what to do

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.severity, self.where, self.text) if part)


@dataclass(frozen=True, slots=True)
class Body:
    """A body, with its inertia about its centre of mass."""

    name: str
    parent: str  #: "" for the world
    joint: str  #: that connects it to its parent
    mass: float  #: [kg]
    com: Vector  #: [m]
    inertia: tuple[float, float, float, float, float, float]  #: xx xy xz yy yz zz [kg m^2]


@dataclass(frozen=True, slots=True, eq=False)
class Joint(ByContent):
    """A joint as described. Its coordinates are q[joint.q], its velocities v[joint.v]."""

    name: str
    type: str
    parent: str
    child: str
    q: slice
    v: slice
    passive: bool  #: without a motor
    placement: Placement  #: of the joint frame in the parent
    axis: Vector
    axis2: Vector
    pitch: float
    q_min: float
    q_max: float
    v_max: float
    effort_max: float
    rotor_inertia: float
    gear_ratio: float
    coulomb: float
    viscous: float
    stiffness: float
    rest: float
    mimic: str  #: the joint that it follows, or ""
    multiplier: float
    offset: float
    start: float
    armature: tuple[float, ...]  #: per velocity of a joint with several
    damping: tuple[float, ...]
    a_max: float  #: acceleration while the joint becomes faster
    deceleration_max: float  #: and while it becomes slower
    jerk_max: float


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame fixed in a body; every body is one, too."""

    name: str
    body: str
    placement: Placement


@dataclass(frozen=True, slots=True, eq=False)
class Loop(ByContent):
    """A closure of a loop, and its constraints among those of the robot."""

    name: str
    type: str
    body_a: str
    body_b: str
    constraints: slice


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A component of q or v: its name and the units of position, velocity, acceleration and force."""

    name: str
    joint: str
    unit: str
    acceleration_unit: str = ""
    force_unit: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An entry of theta."""

    of: str  #: body or joint
    symbol: str  #: "mx", "viscous", ...
    unit: str

    @property
    def name(self) -> str:
        """Its name: "forearm.mx"."""
        return f"{self.of}.{self.symbol}"


@dataclass(frozen=True, slots=True)
class BaseParameter:
    """A base parameter: a combination of entries of theta that acts on tau as one."""

    name: str
    formula: str
    row: tuple[float, ...]  #: of K in theta_base = K theta


@dataclass(frozen=True, slots=True)
class Quantity:
    """A row of the registry: what can be computed by name."""

    name: str
    group: str
    equation: str
    meaning: str
    shape: tuple[str, ...]
    fields: tuple[str, ...]
    unit: str
    needs: tuple[str, ...]
    robots: str
    functions: str
    note: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A robot that comes with the library."""

    name: str
    title: str
    origin: str
    text: str  #: its file; "" for a robot that a program generates


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the reader or the doctor."""

    name: str
    severity: str
    why: str
    fix: str
