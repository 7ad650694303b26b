"""Robots built in code.

>>> import limb
>>> b = limb.Builder("pendulum")
>>> _ = b.body("rod", mass=2.0, com=(0, 0, -0.25), inertia=(0.04, 0, 0, 0.04, 0, 1e-4))
>>> _ = b.joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0))
>>> b.build().gravity([0.3]).round(6)
array([1.449527])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _limb
from ._words import flags, place
from .parts import Placement

if TYPE_CHECKING:
    from .model import Model

WORLD = "world"
DRIVES = ("auto", "active", "passive")
DIRECTIONS = ("turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z")


def _pose(value: Any) -> tuple[Any, Any]:
    """A placement, or a position, as the pair that the extension takes."""
    if isinstance(value, Placement):
        return value.position, value.rotation
    if len(value) == 3:
        return tuple(value), Placement().rotation
    return tuple(value)


def definition(given: Mapping[str, Any], joint: Callable[[str], int]) -> dict[str, Any]:
    """Members of a definition as the extension takes them; `joint` is the index of one."""
    known = dict(given)
    for name in ("placement", "pose", "pose_a", "pose_b"):
        if name in known:
            known[name] = _pose(known[name])
    if "mimic" in known:
        known["mimic"] = joint(known["mimic"]) if known["mimic"] else -1
    if isinstance(known.get("drive"), str):
        known["drive"] = place(known["drive"], DRIVES, "drive")
    if not isinstance(known.get("locked", 0), int):
        known["locked"] = flags(known["locked"], DIRECTIONS, "a locked direction")
    return known


@dataclass(frozen=True, slots=True)
class Payload:
    """A body that is fixed to a frame."""

    frame: str
    mass: float  #: [kg]
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)  #: in the frame [m]
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  #: about com [kg m^2]
    name: str = "payload"


class Builder:
    """Describes a robot: bodies, joints, frames, shafts, tendons, motors, loops, by name. `build` makes the model.

    Members that are not given have the defaults of limb/builder.h. Lengths are in m, masses in kg, angles in rad.
    """

    def __init__(
        self,
        name: str = "robot",
        gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
        loop_tolerance: float = 1e-7,  # how far redundant loops may stay open [m, rad]
    ) -> None:
        self._builder = _limb.Builder(name)
        self._bodies = {WORLD: 0}
        self._joints: dict[str, int] = {}
        self._builder.gravity(*gravity)
        self._builder.loop_tolerance(loop_tolerance)

    def _body(self, name: str) -> int:
        if name not in self._bodies:
            raise KeyError(f"there is no body '{name}'; add it first")
        return self._bodies[name]

    def _joint(self, name: str) -> int:
        if name not in self._joints:
            raise KeyError(f"there is no joint '{name}'; add it first")
        return self._joints[name]

    def _members(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return definition(given, self._joint)

    def body(self, name: str, **members: Any) -> str:
        """Adds a body: mass, com, inertia (xx xy xz yy yz zz about com). Returns its name."""
        self._bodies[name] = self._builder.body(name, self._members(members))
        return name

    def joint(self, name: str, type: str, parent: str, child: str, **members: Any) -> str:
        """Adds a joint: placement, axis, q_min, q_max, v_max, effort_max, a_max, viscous, ... Returns its name."""
        given = self._members(members) | {"parent": self._body(parent), "child": self._body(child)}
        self._joints[name] = self._builder.joint(name, type, given)
        return name

    def frame(self, name: str, body: str, pose: Any = (0.0, 0.0, 0.0)) -> str:
        """Adds a frame fixed in a body: a position, or a Placement. Returns its name."""
        self._builder.frame(name, {"body": self._body(body), "pose": _pose(pose)})
        return name

    def shaft(self, joint: str, motor: str, **members: Any) -> None:
        """Adds an elastic shaft between two joints: ratio, stiffness, damping, rest."""
        self._builder.shaft(self._members(members) | {"joint": self._joint(joint), "motor": self._joint(motor)})

    def tendon(
        self,
        name: str,
        joints: Mapping[str, float] | None = None,
        *,
        points: Sequence[tuple[str, tuple[float, float, float]] | tuple[str, tuple[float, float, float], float]] = (),
        **members: float,
    ) -> str:
        """Adds a tendon over joints, each with its coefficient, or through points: stiffness, damping, rest.

        A point is a body and a position in its frame. With a number behind, a branch starts there whose lengths are
        divided by it, as of a rope over a pulley. Returns the name of the tendon.
        """
        ends = tuple((self._joint(joint), float(coefficient)) for joint, coefficient in (joints or {}).items())
        course = tuple((self._body(p[0]), p[1], float(p[2]) if len(p) > 2 else 0.0) for p in points)
        self._builder.tendon(name, ends, course, self._members(members))
        return name

    def motor(self, joint: str, **members: Any) -> str:
        """Adds a series-elastic motor to a joint: rotor_inertia, ratio, stiffness, ... Returns the motor's joint."""
        index = self._builder.motor(self._members(members) | {"joint": self._joint(joint)})
        self._bodies[f"{joint}_rotor"] = len(self._bodies)
        self._joints[f"{joint}_motor"] = index
        return f"{joint}_motor"

    def loop(self, name: str, type: str, body_a: str = WORLD, body_b: str = WORLD, **members: Any) -> str:
        """Closes a loop: pose_a, pose_b, locked, length, radius, joint, other, coefficient. Returns its name."""
        given = self._members(members)
        for word in ("joint", "other"):
            if isinstance(given.get(word), str):
                given[word] = self._joint(given[word])
        if type not in ("gear", "polynomial"):
            given |= {"body_a": self._body(body_a), "body_b": self._body(body_b)}
        self._builder.loop(name, type, given)
        return name

    def build(self) -> Model:
        """Compiles the robot."""
        from .model import Model

        return Model(self._builder.build())
