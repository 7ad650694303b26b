"""Inverse kinematics: goals, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy

from ._numbers import Array, ArrayLike
from ._words import DIRECTIONS, REFERENCES, flags, named, place
from .parts import ByContent

if TYPE_CHECKING:
    from .model import Model

REASONS = ("solved", "out of reach", "limits", "singular", "iterations", "loops")


@dataclass(frozen=True, eq=False)
class Solution(ByContent):
    """Configurations that were found, of one target or of many."""

    q: Array  #: (..., nq): the solution, or the nearest configuration
    solved: Any  #: (...) bool
    reason: Any  #: (...) int, an index of REASONS
    angle: Any  #: (...): largest error of a rotation [rad]
    position: Any  #: (...): largest error of a position [m]
    iterations: Any  #: (...) int


@dataclass(frozen=True, slots=True)
class Goal:
    """A frame, the axes in which its errors count, the directions that count, and weights."""

    frame: str
    ref: str = "body"
    directions: Sequence[str] = DIRECTIONS
    angular: float = 1.0
    linear: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "directions", tuple(self.directions))


def _rotation(quaternion: Array) -> Array:
    """Rotation matrices of unit quaternions x y z w."""
    x, y, z, w = numpy.moveaxis(quaternion / numpy.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return numpy.moveaxis(numpy.array(rows), (0, 1), (-2, -1))


def _numbers(target: Any) -> Array:
    """(..., 12): rotation, then position, of a Pose, a position (..., 3), position and quaternion (..., 7), or a matrix
    (..., 4, 4)."""
    if hasattr(target, "rotation"):
        R, p = numpy.asarray(target.rotation), numpy.asarray(target.position)
    else:
        x = numpy.asarray(target, dtype=numpy.float64)
        if x.shape[-2:] == (4, 4):
            R, p = x[..., :3, :3], x[..., :3, 3]
        elif x.shape[-1:] == (7,):
            R, p = _rotation(x[..., 3:]), x[..., :3]
        elif x.shape[-1:] == (3,):
            R, p = numpy.broadcast_to(numpy.eye(3), (*x.shape, 3)), x
        else:
            raise ValueError(f"ik(): a target has shape {x.shape}, expected (..., 3), (..., 7) or (..., 4, 4)")
    return numpy.concatenate([R.reshape(*R.shape[:-2], 9), p], axis=-1)


def _plain(frame: str, target: Any) -> Goal:
    """The goal for a frame by name: its pose, or its position if that is what the target has."""
    only_position = not hasattr(target, "rotation") and numpy.shape(target)[-1:] == (3,)
    return Goal(frame, "aligned", DIRECTIONS[3:]) if only_position else Goal(frame)


def ik(
    model: Model,
    goals: Mapping[str | Goal, Any],
    start: ArrayLike | None = None,
    *,
    held: Iterable[str] = (),
    reference: ArrayLike | None = None,
    seed: int = 0,
    threads: int = 1,
    **options: float,
) -> Solution:
    """Configurations at which frames have given poses, within the limits.

    `goals` maps frames (or Goal) to targets: a Pose, positions (..., 3), positions and quaternions (..., 7), matrices
    (..., 4, 4). A position alone counts in its three directions. `held` names joints that do not move. `options` are
    those of limb_ik_options: tolerance, max_iterations, restarts, ignore_limits, time.

    >>> import limb
    >>> panda = limb.load("panda")
    >>> found = panda.ik({"flange": panda.frame_pose("flange", panda.q(joint2=0.4, joint4=-1.5))})
    >>> bool(found.solved), bool(found.position < 1e-9)
    (True, True)
    """
    listed, targets = [], []
    for key, target in goals.items():
        goal = key if isinstance(key, Goal) else _plain(key, target)
        frame, ref = named(goal.frame, model.frames, model.name, "frame"), place(goal.ref, REFERENCES, "ik(): ref")
        listed.append((frame, ref, flags(goal.directions, DIRECTIONS, "ik(): a direction"), goal.angular, goal.linear))
        targets.append(_numbers(target))
    if not targets:
        raise ValueError("ik(): there is no goal")
    lead = numpy.broadcast_shapes(*(target.shape[:-1] for target in targets))
    numbers = numpy.concatenate([numpy.broadcast_to(target, (*lead, 12)) for target in targets], axis=-1)
    marks = bytearray(model.nv)
    for name in held:
        named(name, model.joints, model.name, "joint")
        part = model.joints[name].v
        marks[part] = b"\1" * (part.stop - part.start)
    near = None if reference is None else [float(x) for x in numpy.ravel(numpy.asarray(reference))]
    q, report = model._ik(listed, options, seed, bytes(marks), near, numbers, start, threads=threads)
    reason = report[..., 0].astype(int)
    return Solution(q, reason == 0, reason, report[..., 3], report[..., 4], report[..., 1].astype(int))
