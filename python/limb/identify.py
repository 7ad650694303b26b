"""Identification: from logs of a motion to the parameters of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy

from . import _limb
from ._arrays import as_double
from ._numbers import Array, ArrayLike
from ._words import named, place
from .build import Payload

if TYPE_CHECKING:
    from .model import Model

METHODS = ("ordinary", "weighted", "robust", "likelihood", "total", "instrumental")
VERDICTS = ("known", "uncertain", "hidden")
SOURCES = ("torque", "current", "unmeasured")
PARTS = ("fitted", "validation", "physical fitted", "physical validation")
FRICTION = {"offset": 1, "asymmetry": 2, "stribeck": 4}
L_CURVE = -1.0


@dataclass(frozen=True, eq=False)
class Log:
    """Samples of a motion: rows in order of time. What was not measured is None."""

    time: ArrayLike  #: (n,) [s]
    q: ArrayLike  #: (n, nq)
    tau: ArrayLike  #: (n, nv): torques, or currents where `current` names the joint
    v: ArrayLike | None = None  #: (n, nv); derived from q without
    reference: ArrayLike | None = None  #: (n, nq): commanded positions, for instrumental variables
    load: Payload | None = None  #: what the robot carries, if it is known


@dataclass(frozen=True, slots=True)
class Estimate:
    """A parameter: estimate, standard deviation, what the model said."""

    name: str
    formula: str
    model: float
    value: float
    std: float
    verdict: str  #: "known", "uncertain", "hidden"
    essential: bool
    partner: int  #: index of the parameter that is hardest to tell from it; -1: none
    correlation: float  #: with that one
    why: str  #: why it is hidden


@dataclass(frozen=True, slots=True)
class Residual:
    """What a fit leaves of the torque of a joint; joint "": of all."""

    part: str  #: "fitted", "validation", "physical fitted", "physical validation"
    joint: str
    rows: int
    rms: float
    torque: float  #: rms of the torque
    r_squared: float
    correlation: float  #: from row to row
    white: bool

    @property
    def relative(self) -> float:
        """rms of the residual by that of the torque."""
        return self.rms / self.torque if self.torque > 0 else nan


@dataclass(frozen=True, eq=False)
class Identified:
    """The answer of `identify`."""

    facts: dict[str, Any]  #: samples, rows, cutoff [Hz], condition, ...
    parameters: tuple[Estimate, ...]
    covariance: Array  #: of the parameters
    residuals: tuple[Residual, ...]
    notes: tuple[str, ...]  #: what is suspicious in log and fit
    time: Array = field(repr=False)  #: (rows,)
    fitted: Array = field(repr=False)  #: (rows,) bool: False where rows validate
    tau: Array = field(repr=False)  #: (rows, nv): measured, filtered
    predicted: Array = field(repr=False)  #: (rows, nv): by the last fit
    theta: Array | None = field(repr=False)  #: all parameters of the physical fit
    model: Model | None  #: the robot of the physical fit

    def error(self, part: str = "validation") -> float:
        """Relative error of all torques of a part."""
        return next(r.relative for r in self.residuals if r.part == part and not r.joint)


def _rows(model: Model, log: Log | Mapping[str, Any]) -> tuple[Any, ...]:
    given = log if isinstance(log, Log) else Log(**log)
    arrays = [
        None if x is None else as_double(x, "identify", name)
        for name, x in (
            ("time", given.time),
            ("q", given.q),
            ("v", given.v),
            ("tau", given.tau),
            ("reference", given.reference),
        )
    ]
    load = given.load
    return (*arrays, None if load is None else (load.frame, float(load.mass), *load.com, *load.inertia))


def _sources(model: Model, current: Sequence[str] | str, unmeasured: Sequence[str]) -> bytes | None:
    marks = bytearray(model.nv)
    names = [coordinate.name for coordinate in model.velocities]
    chosen = names if current == "all" else current
    for words, mark in ((chosen, 1), (unmeasured, 2)):
        for word in words:
            marks[named(word, names, model.name, "velocity")] = mark
    return bytes(marks) if any(marks) else None


def identify(
    model: Model,
    logs: Log | Mapping[str, Any] | Sequence[Log | Mapping[str, Any]],
    *,
    method: str = "weighted",
    friction: Sequence[str] = ("offset",),
    rotors: bool = True,
    springs: bool = False,
    current: Sequence[str] | str = (),
    unmeasured: Sequence[str] = (),
    physical: bool = False,
    weight: float | str = 0.0,
    bounds: Mapping[str, Mapping[str, Any]] | None = None,
    env: _limb.Environment | None = None,
    **options: float,
) -> Identified:
    """The parameters of a robot from logs of its motion (docs/identification.md).

    A log is a `Log`, or a dict of its members. `friction` adds terms: "offset", "asymmetry", "stribeck". The torques
    of `current` joints ("all") are motor currents whose gains are estimated; those of `unmeasured` joints do not
    count. `physical` also fits all masses and inertias, near those of the model, such that rigid bodies can have them:
    `weight` 0 by cross-validation, "l-curve", or a number; `bounds` of bodies: {"link3": {"mass": (2, 4),
    "min_com": (-0.1, -0.1, 0), "max_com": (0.1, 0.1, 0.3)}}. `options`: cutoff [Hz], train, min_speed.

    >>> import limb, numpy
    >>> arm = limb.load("planar_2r")
    >>> t = numpy.arange(2000) / 100
    >>> w = numpy.array([2.1, 3.7])
    >>> q, v, a = (w**k * numpy.sin(numpy.outer(t, w) + k * numpy.pi / 2) for k in range(3))
    >>> found = limb.identify(arm, limb.Log(t, q, 1.1 * arm.inverse_dynamics(q, v, a), v=v), physical=True)
    >>> bool(found.error() < 1e-3), found.model is not None
    (True, True)
    """
    listed = [logs] if isinstance(logs, (Log, Mapping)) else list(logs)
    flags = 0
    for word in friction:
        if word not in FRICTION:
            raise ValueError(f"identify(): friction has no term {word!r}, only {', '.join(FRICTION)}")
        flags |= FRICTION[word]
    boxes = []
    for word, given in (bounds or {}).items():
        low, high = given.get("min_com", (-inf,) * 3), given.get("max_com", (inf,) * 3)
        body = named(word, model.bodies, model.name, "body")
        boxes.append((body, *map(float, (*given.get("mass", (0.0, inf)), *low, *high))))
    wished = L_CURVE if weight == "l-curve" else float(weight)
    facts, parameters, covariance, residuals, notes, curves, theta, made = model._identify(
        [_rows(model, log) for log in listed],
        dict(options),
        place(method, METHODS, "identify(): method"),
        flags,
        (0 if rotors else 1) | (0 if springs else 2),
        _sources(model, current, unmeasured),
        boxes,
        wished if physical or boxes or weight != 0.0 else nan,
        env,
    )
    names = [coordinate.name for coordinate in model.velocities]
    at, both = curves
    estimates = tuple(
        Estimate(name, formula, was, value, std, VERDICTS[verdict], bool(essential), partner, correlation, why)
        for name, formula, was, value, std, verdict, essential, partner, correlation, why in parameters
    )
    left = tuple(
        Residual(PARTS[part], "" if joint < 0 else names[joint], rows, rms, torque, squared, correlation, bool(white))
        for part, joint, rows, rms, torque, squared, correlation, white in residuals
    )
    return Identified(
        facts,
        estimates,
        covariance,
        left,
        tuple(notes),
        numpy.array(at[:, 0]),
        at[:, 1] > 0.5,
        both[0],
        both[1],
        theta,
        None if made is None else type(model)(made),
    )
