"""Simulation with callbacks in Python, and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from . import _limb
from ._numbers import Array, ArrayLike
from ._words import REFERENCES, named, place
from .parts import ByContent
from .view import Page, find_page, page_of

if TYPE_CHECKING:
    from .model import Model

Callback: TypeAlias = Callable[[float, Array, Array], ArrayLike | None]
Condition: TypeAlias = Callable[[float, Array, Array], float]
STOPS = ("none", "hold", "spring", "impact", "end")


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: a stop, an impact, friction that holds or gives way, a condition that is met."""

    kind: str
    time: float
    condition: int  #: which of the conditions; -1: none
    joint: str  #: "" for conditions
    side: int
    ends: bool
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Trajectory(ByContent):
    """States over time, row by row."""

    model: Model = field(repr=False)
    time: Array  #: (n,)
    q: Array  #: (n, nq)
    v: Array  #: (n, nv)
    a: Array  #: (n, nv)
    tau: Array  #: (n, nv): forces of the callbacks
    events: tuple[Event, ...]
    summary: dict[str, Any]  #: method, steps, energies, ...

    def __len__(self) -> int:
        return len(self.time)

    def animation(self, *, width: int = 640, height: int = 400) -> str:
        """The motion of a stick figure, as SVG."""
        return self.model.animate(self.q, self.time, width=width, height=height)

    def view(self, *, title: str | None = None, size_limit: float = 10.0) -> Page:
        """The motion in space, with curves and events: a page for browsers and notebooks."""
        events = [(event.time, " ".join(filter(None, (event.kind, event.joint)))) for event in self.events]
        states = (("q", self.q), ("v", self.v), ("a", self.a), ("tau", self.tau))
        return page_of(self.model, self.model._reading, self.time, states, events, title, size_limit)

    def _repr_html_(self) -> str:
        return self.animation() if find_page() is None else self.view(size_limit=5.0)._repr_html_()


def _listed(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _forces(value: Any) -> list[Callback]:
    """Callbacks: one, several, or constant forces."""
    if callable(value) or (isinstance(value, (list, tuple)) and all(callable(item) for item in value)):
        return _listed(value)
    if value is None:
        return []
    constant = numpy.asarray(value, dtype=numpy.float64)
    return [lambda t, q, v: constant]


def simulate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    times: ArrayLike = (0.0, 1.0),
    *,
    tau: Callback | Sequence[Callback] | ArrayLike | None = None,
    period: float = 0.0,
    delay: float = 0.0,
    wrenches: Sequence[tuple[str, str, Callback]] = (),
    conditions: Sequence[Condition | tuple[Condition, int, bool]] = (),
    method: str = "auto",
    stop: str = "none",
    env: _limb.Environment | None = None,
    **options: float,
) -> Trajectory:
    """Simulates from (q, v) and returns the states at `times`, the first of which is the start.

    `tau` are forces: a function (t, q, v) -> (nv,), several of them, or constants; with `period` they are sampled and
    held, as a controller does. `wrenches` are (frame, reference, function), `conditions` are functions that change
    sign at an event, or (function, direction, ends). `options` are those of limb_sim_options: step, relative,
    absolute, max_step, restitution, stop_stiffness, stop_damping, stiction, ...

    >>> import limb
    >>> arm = limb.load("planar_2r")
    >>> motion = arm.simulate([0.5, 0.0], times=[0, 1, 2], tau=lambda t, q, v: -2.0 * v)
    >>> motion.q.shape, motion.summary["energy"] < motion.summary["energy_start"]
    ((3, 2), True)
    """
    grid = numpy.asarray(times, dtype=numpy.float64)
    if grid.ndim != 1 or len(grid) == 0 or not (numpy.diff(grid) >= 0).all():
        raise ValueError("simulate(): times is not a list of times that grow")
    run = _limb.Simulation(model, method, {"stop": place(stop, STOPS, "simulate(): stop"), **options}, env)
    for force in _forces(tau):
        run.force(force, period, delay)
    for frame, ref, function in wrenches:
        axes = place(ref, REFERENCES, "simulate(): the reference of a wrench")
        run.wrench(function, named(frame, model.frames, model.name, "frame"), axes)
    for condition in conditions:
        function, direction, ends = condition if isinstance(condition, tuple) else (condition, 0, False)
        run.condition(function, direction, ends)
    run.start(float(grid[0]), q, numpy.zeros(model.nv) if v is None else v)
    return _run(model, run, grid)


def _run(model: Model, run: _limb.Simulation, grid: Array) -> Trajectory:
    joints = list(model.joints)
    rows, events = [run.now()], []
    for time in grid[1:]:
        while (happened := run.advance(float(time))) is not None:
            kind, at, condition, joint, side, ends, before, after = happened
            name = joints[joint] if joint >= 0 else ""
            events.append(Event(kind, at, condition, name, side, bool(ends), before, after))
            if run.over():
                break
        rows.append(run.now())
        if run.over():
            break
    t, q, v, a, tau = (numpy.array(column) for column in zip(*rows, strict=True))
    return Trajectory(model, t, q, v, a, tau, tuple(events), run.summary())
