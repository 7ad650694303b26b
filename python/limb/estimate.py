"""Before and after an identification: motions that show the parameters, loads of grippers, kinematic calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy

from . import _limb
from ._arrays import as_double
from ._numbers import Array, ArrayLike
from ._words import flags, named, place

if TYPE_CHECKING:
    from .model import Model

CRITERIA = ("condition", "logdet")
UNKNOWN = ("device", "target")
KINDS = ("position", "rotation", "distance", "largest")
QUANTITIES = ("mass", "com.x", "com.y", "com.z", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def _frame(model: Model, name: str) -> int:
    return named(name, model.frames, model.name, "frame")


# ---- excitation ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that shows the parameters of a robot: samples of it, and what it is worth."""

    facts: dict[str, Any]  #: parameters, condition, random (of random motions), use of limits, ...
    hidden: tuple[str, ...]  #: sentences about what no motion within the limits shows
    time: Array = field(repr=False)  #: (n,)
    q: Array = field(repr=False)  #: (n, nq)
    v: Array = field(repr=False)  #: (n, nv)
    a: Array = field(repr=False)  #: (n, nv)


def excite(
    model: Model,
    *,
    rate: float = 100.0,
    criterion: str = "condition",
    offsets: bool = True,
    rotors: bool = True,
    springs: bool = False,
    start: ArrayLike | None = None,
    keep: Mapping[str, Sequence[Sequence[float | None]]] | None = None,
    seed: int = 1,
    threads: int = 0,
    env: _limb.Environment | None = None,
    **options: float,
) -> Excitation:
    """A motion that shows the parameters of a robot best, within its limits (docs/identification.md).

    `keep` holds frames in boxes: {"flange": ((-0.8, -0.8, 0.1), (0.8, 0.8, None))}, None: no limit. `offsets`: constant
    torques are sought, too. `options`: duration [s], harmonics, share (of the limits), max_acceleration, starts,
    steps. The same seed gives the same motion for any number of threads; 0: all processors. Samples are at `rate` [Hz].

    >>> import limb
    >>> motion = limb.excite(limb.load("planar_2r"), starts=1, steps=10, duration=5.0, rate=20.0)
    >>> motion.q.shape, motion.facts["condition"] < motion.facts["random"]
    ((101, 2), True)
    """
    boxes = []
    for name, (low, high) in (keep or {}).items():
        ends = [-inf if x is None else float(x) for x in low] + [inf if x is None else float(x) for x in high]
        if len(ends) != 6:
            raise ValueError(f"excite(): the box of {name!r} needs two corners of three numbers")
        boxes.append((_frame(model, name), *ends))
    facts, hidden, (time, q, v, a) = model._excite(
        dict(options),
        place(criterion, CRITERIA, "excite(): criterion"),
        1 if offsets else 0,
        (0 if rotors else 1) | (0 if springs else 2),
        None if start is None else as_double(start, "excite", "start"),
        boxes,
        seed,
        threads,
        float(rate),
        env,
    )
    return Excitation(facts, tuple(hidden), time, q, v, a)


# ---- loads -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load:
    """A load in the axes of its frame; inertia about the centre of mass: xx xy xz yy yz zz."""

    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]
    std: dict[str, float]  #: standard deviations of mass, com.x, ..., Izz
    phi: tuple[float, ...]  #: m mx my mz Ixx ... about the origin of the frame
    covariance: Array = field(repr=False)  #: of phi
    samples: int
    residual: float  #: rms of the filtered torques that the load leaves [N m] or [N]
    before: float  #: the same without a load
    hidden: tuple[str, ...]  #: those of phi that the motion does not show: zero, or of a body those of a ball
    physical: bool  #: a rigid body can have it
    distance: float  #: of the nearest load of a rigid body, in standard deviations


class LoadEstimator:
    """What a gripper holds, from samples as they come: recursive least squares in C.

    `memory` [s] lets old samples fade. `friction`: the model's may be wrong. `gain` [1/s] is the bandwidth.

    >>> import limb, numpy
    >>> arm = limb.load("panda")
    >>> loaded = arm.with_(payload=limb.Payload("flange", 2.0))
    >>> t, w = numpy.arange(2000)[:, None] / 250, 1.1 + 0.37 * numpy.arange(7)
    >>> q, v, a = (0.9 * w**k * numpy.sin(w * t + numpy.arange(7) + k * numpy.pi / 2) for k in range(3))
    >>> estimator = limb.LoadEstimator(arm, "flange")
    >>> estimator.add(1 / 250, q, v, loaded.inverse_dynamics(q, v, a))
    >>> round(estimator.estimate().mass, 1)
    2.0
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        *,
        offset: bool = True,
        friction: bool = True,
        gain: float = 20.0,
        memory: float = 0.0,
        env: _limb.Environment | None = None,
    ) -> None:
        chosen = (1 if offset else 0) | (8 if friction else 0)
        options = {"gain": float(gain), "memory": float(memory)}
        self._of = _limb.LoadEstimator(model, _frame(model, frame), chosen, options, env)

    def add(self, dt: ArrayLike, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> None:
        """One sample, or rows of samples in order: state at the end of `dt`, torques of the motors during it."""
        rows = [numpy.atleast_2d(as_double(x, "add", name)) for x, name in ((q, "q"), (v, "v"), (tau, "tau"))]
        steps = numpy.ascontiguousarray(numpy.broadcast_to(as_double(dt, "add", "dt"), rows[0].shape[:1]))
        self._of.add(steps, *rows)

    def gap(self) -> None:
        """The next sample begins anew; what was seen remains."""
        self._of.gap()

    def reset(self) -> None:
        """Forgets everything: the load has changed."""
        self._of.reset()

    def estimate(self, *, empty: LoadEstimator | None = None, physical: bool = True) -> Load:
        """The load so far: the most likely one that a rigid body can have, or (`physical` False) least squares alone.

        `empty` is an estimator of the robot without the load: what the model gets wrong in both cancels.
        """
        samples, _, residual, before, hidden, fine, distance, alone, body = self._of.estimate(
            None if empty is None else empty._of
        )
        value, std, phi, covariance = body if physical else alone
        return Load(
            value[0],
            value[1:4],
            value[4:],
            dict(zip(QUANTITIES, std, strict=True)),
            phi,
            numpy.array(covariance).reshape(10, 10),
            samples,
            residual,
            before,
            tuple(name for k, name in enumerate(PARAMETERS) if hidden >> k & 1),
            bool(fine) or physical,
            distance,
        )


# ---- calibration -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter of a calibration: "elbow.offset", "elbow.x" ... "elbow.rz", "device.x", "target.x"."""

    name: str
    unit: str  #: "m" or "rad"
    found: bool  #: False: the measurements do not determine it, and it stays
    change: float
    std: float


@dataclass(frozen=True, eq=False)
class Calibrated:
    """The answer of `calibrate`."""

    model: Model
    parameters: tuple[Change, ...]
    measurements: int
    fitted: int  #: measurements; the others validate
    errors: dict[str, dict[str, float]]  #: rms: "fitted before", "validation before", "fitted", "validation"
    device: Array  #: (12,): rotation, then position, of the world in the device
    target: Array  #: the same of the target in the frame
    notes: tuple[str, ...]  #: what is suspicious in the measurements


def calibrate(
    model: Model,
    q: ArrayLike,
    *,
    frame: str | None = None,
    position: ArrayLike | None = None,
    rotation: ArrayLike | None = None,
    distance: ArrayLike | None = None,
    unknown: Sequence[str] = (),
    device: Sequence[float] | None = None,
    target: Sequence[float] | None = None,
    offsets_only: bool = False,
    train: float = 0.7,
) -> Calibrated:
    """Joint offsets and placements of joints from measured poses, positions or distances (docs/identification.md).

    `q` (n, nq) are joint values, and of the target on `frame` (the last one) were measured its `position` (n, 3),
    `rotation` (n, 3, 3), or `distance` (n,) from the device. `unknown`: "device", "target" are estimated, too; `device`
    and `target` (12 numbers: rotation, then position) are known, or first guesses.

    >>> import limb, numpy
    >>> arm = limb.load("panda")
    >>> q = numpy.random.default_rng(1).uniform(-1.5, 1.5, (60, 7))
    >>> real = arm.frame_pose("flange", q + 0.01)
    >>> found = limb.calibrate(arm, q, position=real.position, offsets_only=True, frame="flange")
    >>> bool(abs(found.model.frame_pose("flange", q).position - real.position).max() < 1e-9)
    True
    """
    rows = as_double(q, "calibrate", "q")
    turned = None if rotation is None else as_double(rotation, "calibrate", "rotation")
    answer = model._calibrate(
        rows,
        None if position is None else as_double(position, "calibrate", "position"),
        None if turned is None else turned.reshape(len(turned), -1),
        None if distance is None else as_double(distance, "calibrate", "distance"),
        len(model.frames) - 1 if frame is None else _frame(model, frame),
        flags(unknown, UNKNOWN, "calibrate(): unknown"),
        int(offsets_only),
        float(train),
        device,
        target,
    )
    count, fitted, _, _, *errors, at, on, parameters, notes, made = answer
    kinds = ("fitted before", "validation before", "fitted", "validation")
    return Calibrated(
        type(model)(made),
        tuple(
            Change(name, "rad" if angle else "m", bool(found), change, std)
            for name, angle, found, change, std in parameters
        ),
        count,
        fitted,
        {kind: dict(zip(KINDS, e, strict=True)) for kind, e in zip(kinds, errors, strict=True)},
        numpy.array(at),
        numpy.array(on),
        tuple(notes),
    )
