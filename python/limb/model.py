"""Robots: loading, states by name, quantities by name, structured results, changed copies."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy

from . import _limb
from ._errors import ModelWarning, make
from ._numbers import Array, ArrayLike
from ._words import DIRECTIONS, REFERENCES, flags, named, place
from .build import Payload, definition
from .code import codegen, equations
from .goals import ik
from .motion import simulate
from .parts import (
    BaseParameter,
    Body,
    BuiltIn,
    Coordinate,
    Finding,
    Frame,
    Joint,
    Loop,
    Parameter,
    Placement,
    Pose,
    Quantity,
    Rule,
    Vector,
    content,
)
from .view import Page, find_page, page_of

BASES = ("file", "fixed", "floating", "planar")
INPUTS = {"q": 1, "v": 2, "a": 4, "tau": 8, "v_r": 8192, "a_r": 16384, "time": 16}
NEEDS = {
    1: "q",
    2: "v",
    4: "a",
    8: "tau",
    16: "time",
    32: "a or tau",
    64: "a or tau by joint",
    256: "frame",
    2048: "dt",
    8192: "v_r",
    16384: "a_r",
}
Reference: TypeAlias = Literal["body", "world", "aligned"]


def quantities() -> dict[str, Quantity]:
    """The registry: everything that `Model.eval` knows, by name.

    >>> quantities()["M"].functions
    'limb_mass_matrix'
    """
    table = {}
    for name, group, equation, meaning, shape, fields, unit, needs, *rest in _limb.quantities():
        words = tuple(word for bit, word in NEEDS.items() if needs & bit)
        table[name] = Quantity(name, group, equation, meaning, tuple(shape), tuple(fields), unit, words, *rest)
    return table


def robots() -> dict[str, BuiltIn]:
    """The built-in robots, by name."""
    return {name: BuiltIn(name, title, origin, text or "") for name, title, origin, text in _limb.robots()}


def rules() -> dict[str, Rule]:
    """The rules of the reader and the doctor, by name."""
    return {rule[0]: Rule(*rule) for rule in _limb.rules()}


class Reading(TypedDict, total=False):
    """Options of `load` and `loads`."""

    format: str  #: "urdf", "yaml", "par", "mjcf", "sdf"; by default "auto": recognised
    base: str  #: attaches the root body: "fixed", "floating", "planar"; by default "file": as stated there
    mimic: bool  #: False: joints that mimic others become independent
    check: bool  #: False: without the doctor
    args: Mapping[str, Any]  #: arguments of a xacro file
    package_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  #: folders of ROS packages, searched first
    model_name: str  #: the robot, in a file with several (SDF)
    any_file: bool  #: True: the description may refer to files outside its folder and its packages
    loop_tolerance: float  #: how far redundant loops may stay open [m, rad]; by default from the digits of the file


def load(source: str | os.PathLike[str], **options: Unpack[Reading]) -> Model:
    """Loads a robot.

    `source` is a path, the name of a built-in robot, or the text of a description (anything with a line break).
    `options` are those of `limb.Reading`: format, base, mimic, check, args, package_path, model_name, any_file,
    loop_tolerance. Findings of the reader and the doctor are in `Model.findings`; warnings among them are issued as
    ModelWarning. A description that is not a robot raises a subclass of limb.Error, with file and line.

    >>> load("panda").nv
    7
    """
    path = os.fspath(source)
    return _load(None, path.encode(), "text", **options) if "\n" in path else _load(path, None, path, **options)


def loads(text: str | bytes, *, name: str = "text", **options: Unpack[Reading]) -> Model:
    """Loads a robot from the text of its description; `name` appears in messages. Options are those of `load`."""
    return _load(None, text.encode() if isinstance(text, str) else text, name, **options)


def _load(
    source: str | None,
    text: bytes | None,
    name: str,
    *,
    format: str = "auto",
    base: str = "file",
    mimic: bool = True,
    check: bool = True,
    args: Mapping[str, Any] = MappingProxyType({}),
    package_path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    model_name: str | None = None,
    any_file: bool = False,
    loop_tolerance: float = 0.0,
) -> Model:
    folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
    reading = (
        source, text, name, format, place(base, BASES, "base"), not mimic, check,
        [f"{word}:={value}" for word, value in args.items()], ":".join(os.fspath(folder) for folder in folders) or None,
        model_name, any_file, loop_tolerance,
    )  # fmt: skip
    capsule, found, error, origin, language = _limb.load(*reading)
    file = origin if source is not None else name
    findings = tuple(Finding(rule, severity, other or file, *rest) for rule, severity, other, *rest in found)
    if error is not None:
        status, sentence, where, line, column = error
        failure = make(status, sentence, where, file, line, column)
        for finding in findings:
            failure.add_note(str(finding))
        raise failure
    for finding in findings:
        if finding.severity != "note":
            warnings.warn(str(finding), ModelWarning, stacklevel=3)
    model = Model(capsule)
    model.findings, model.source, model.format, model._reading = findings, file, language, reading
    return model


@dataclass(frozen=True, slots=True)
class Attachment:
    """A robot to be put on a frame of another one; the prefix goes before its names."""

    frame: str
    robot: Model
    prefix: str = ""


class _Made:
    """What a robot makes: it compares, hashes and pickles by the robot and what was asked for."""

    _origin: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Made) and type(self) is type(other) and content(self._origin) == content(other._origin)
        )

    def __hash__(self) -> int:
        return hash(content(self._origin))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


class Plan(_Made, _limb.Plan):
    """Quantities of one robot, ready to be computed again and again: `plan(q, v)`. `Model.plan` makes it."""

    names: tuple[str, ...]

    def __call__(self, *args: ArrayLike | None, **options: Any) -> Any:
        """Computes from the inputs in the order of `inputs`: an array, or a dict if the plan has several names."""
        values = self.compute(*args, **options)
        if len(self.items) == 1 and len(self.names) == 1 and self.names[0] != "all":
            return values
        return dict(zip((item[0] for item in self.items), values if len(self.items) > 1 else (values,), strict=True))

    def labels(self, name: str | None = None) -> list[list[str]]:
        """Labels along the axes of one of the quantities."""
        for item in self.items:
            if name in (None, item[0]):
                return item[3]
        raise KeyError(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._planned, self._origin


class Environment(_Made, _limb.Environment):
    """Surroundings of one robot, for calls with env=. `Model.environment` makes them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Model._surrounded, self._origin


def _vector(x: Array) -> Vector:
    return float(x[0]), float(x[1]), float(x[2])


def _marks(mask: Iterable[bool] | None) -> bytes | None:
    return None if mask is None else bytes(int(mark) for mark in mask)


class Model(_limb.Robot):
    """A robot. Immutable: threads may share it. `load`, `loads` and `Builder.build` make it.

    Methods take arrays q (..., nq), v, a, tau (..., nv) of any leading shape, which broadcast; float64, or float32
    if all of them are. Each takes out= (an array, or a tuple of them), threads= (0: all processors), env= (what
    `environment` returns) and on_error= ("raise", or "nan": states that fail have NaN).
    """

    findings: tuple[Finding, ...] = ()
    source: str = ""
    format: str = ""
    _reading: tuple[Any, ...] | None = None  # how it was read: for its shapes, which only the view has

    # ---- parts ---------------------------------------------------------------------------------------------------

    @cached_property
    def _about(self) -> dict[str, Any]:
        return self._describe()

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        return {}

    @property
    def name(self) -> str:
        """Name of the robot."""
        return str(self._about["name"])

    @property
    def nq(self) -> int:
        """Number of coordinates: the length of q."""
        return int(self._about["nq"])

    @property
    def nv(self) -> int:
        """Number of velocities: the length of v, a and tau."""
        return int(self._about["nv"])

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return float(self._about["mass"])

    @property
    def gravity_acceleration(self) -> tuple[float, float, float]:
        """Acceleration of gravity of the default environment [m/s^2]."""
        x, y, z = self._about["gravity"]
        return (x, y, z)

    @cached_property
    def bodies(self) -> dict[str, Body]:
        """Bodies by name, the world first."""
        names = [members["name"] for members, _, _ in self._about["bodies"]]
        joints = [members["name"] for members, *_ in self._about["joints"]]
        return {
            members["name"]: Body(
                parent=names[parent] if parent >= 0 else "", joint=joints[joint] if joint >= 0 else "", **members
            )
            for members, parent, joint in self._about["bodies"]
        }

    @cached_property
    def joints(self) -> dict[str, Joint]:
        """Joints by name, in the order of q and v."""
        bodies = list(self.bodies)
        names = [members["name"] for members, *_ in self._about["joints"]]
        table = {}
        for members, q, v, passive in self._about["joints"]:
            about = dict(members)
            about.pop("drive")
            about |= {"parent": bodies[about["parent"]], "child": bodies[about["child"]]}
            about["mimic"] = names[about["mimic"]] if about["mimic"] >= 0 else ""
            about["placement"] = Placement(*about["placement"])
            table[about["name"]] = Joint(q=slice(*q), v=slice(*v), passive=passive, **about)
        return table

    @cached_property
    def frames(self) -> dict[str, Frame]:
        """Frames by name: the bodies, then added frames."""
        bodies = list(self.bodies)
        return {
            frame["name"]: Frame(frame["name"], bodies[frame["body"]], Placement(*frame["pose"]))
            for frame in self._about["frames"]
        }

    @cached_property
    def loops(self) -> dict[str, Loop]:
        """Closures of loops by name."""
        bodies = [*self.bodies, ""]
        return {
            about["name"]: Loop(
                about["name"], about["type"], bodies[about["body_a"]], bodies[about["body_b"]], slice(first, first + n)
            )
            for about, first, n in self._about["loops"]
        }

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The components of q."""
        joints = list(self.joints)
        return tuple(Coordinate(name, joints[joint], unit) for name, unit, joint in self._about["coordinates"])

    @cached_property
    def velocities(self) -> tuple[Coordinate, ...]:
        """The components of v, a and tau."""
        joints = list(self.joints)
        return tuple(
            Coordinate(name, joints[joint], unit, acceleration, force)
            for name, unit, acceleration, force, joint in self._about["velocities"]
        )

    @cached_property
    def theta_names(self) -> tuple[Parameter, ...]:
        """The entries of theta, which `parameters` returns."""
        return tuple(Parameter(*entry) for entry in self._about["parameters"])

    @cached_property
    def base_formulas(self) -> tuple[BaseParameter, ...]:
        """The base parameters with their formulas."""
        return tuple(BaseParameter(*entry) for entry in self._base_formulas())

    @property
    def notes(self) -> list[tuple[str, str, str]]:
        """What the compiler changed or suspects: kind, subject, sentence."""
        return [(kind, subject, text) for kind, subject, text in self._about["notes"]]

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper limits of q; infinite where there are none."""
        low, high = numpy.full(self.nq, -numpy.inf), numpy.full(self.nq, numpy.inf)
        for joint in self.joints.values():
            if joint.q.stop - joint.q.start == 1:
                low[joint.q], high[joint.q] = joint.q_min, joint.q_max
        return low, high

    # ---- states ---------------------------------------------------------------------------------------------------

    def neutral(self) -> Array:
        """The neutral configuration: zero angles, unit quaternions."""
        q: Array = self._configurations(0, 0, 1)[0]
        return q

    def start(self) -> Array:
        """The start configuration, from which loops are closed."""
        q: Array = self._configurations(1, 0, 1)[0]
        return q

    def random(self, n: int | None = None, *, seed: int = 0) -> Array:
        """Random configurations within the limits: (nq,), or (n, nq). The same seed gives the same on every machine."""
        rows = self._configurations(2, seed & 0xFFFFFFFFFFFFFFFF, 1 if n is None else n)
        return rows[0] if n is None else rows

    def q(self, values: Mapping[str, float] | None = None, /, **named: float) -> Array:
        """The start configuration with some coordinates changed, by name.

        >>> load("panda").q(joint2=0.5)[1]
        np.float64(0.5)
        """
        return self._named(self.start(), self.coordinates, {**(values or {}), **named})

    def v(self, values: Mapping[str, float] | None = None, /, **named: float) -> Array:
        """Velocities, accelerations or forces by name; the others are zero."""
        return self._named(numpy.zeros(self.nv), self.velocities, {**(values or {}), **named})

    def close(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        time: ArrayLike | None = None,
        *,
        given: Iterable[str] | None = None,
        **options: Any,
    ) -> Any:
        """Completes states of a robot with loops: q, or (q, v, ...) if v or a are given.

        `given` names the joints whose numbers are kept, by default those with a motor; the others follow from the
        loops. Given numbers that do not close them raise ConvergenceError.

        >>> bars = load("four_bar")
        >>> bars.close(bars.q(theta1=0.8)).round(4)
        array([ 0.8   , -0.2783,  1.5363])
        """
        joints = self.joints
        kept = [name for name, joint in joints.items() if not joint.passive] if given is None else list(given)
        marks_q, marks_v = bytearray(self.nq), bytearray(self.nv)
        for name in kept:
            if name not in joints:
                raise KeyError(f"'{self.name}' has no joint '{name}'")
            for marks, part in ((marks_q, joints[name].q), (marks_v, joints[name].v)):
                marks[part] = b"\1" * (part.stop - part.start)
        both = bytes(marks_v)
        return self._close(bytes(marks_q), both, both, q, v, a, time, **options)

    def _named(self, x: Array, components: Sequence[Coordinate], values: Mapping[str, float]) -> Array:
        places = {component.name: place for place, component in enumerate(components)}
        for name, value in values.items():
            if name not in places:
                raise KeyError(f"'{self.name}' has no '{name}'; it has {', '.join(places)}")
            x[places[name]] = value
        return x

    # ---- quantities by name ----------------------------------------------------------------------------------------

    def plan(
        self,
        names: str | Sequence[str],
        *,
        inputs: Iterable[str] = INPUTS,
        tree: bool = False,
        directions: Sequence[str] = DIRECTIONS,
        damping: float = 0.0,
        dt: float = 0.0,
        given: Sequence[bool] | None = None,
        base: Sequence[bool] | None = None,
    ) -> Plan:
        """Prepares quantities, by names as `limb eval` takes them, for calls `plan(q, v)`.

        `inputs` are those that states will have; `tree` cuts loops open; `directions` and `damping` are of task
        quantities; `dt` of sampled models; `given` marks accelerations that are given (True) in hybrid dynamics, by
        default of all active joints; `base` marks the velocities of the moving base (True).
        """
        known = sum(tuple(INPUTS.values())[place(word, tuple(INPUTS), "plan(): an input")] for word in set(inputs))
        chosen = flags(directions, DIRECTIONS, "plan(): a direction")
        force_given = None if base is None else [not mark for mark in base]
        marks = (_marks(given), _marks(force_given))
        return self._planned(
            names if isinstance(names, str) else tuple(names), known, tree, chosen, damping, dt, *marks
        )

    def _planned(self, names: str | tuple[str, ...], *options: Any) -> Plan:
        key = (names, *options)
        if key not in self._plans:
            plan = Plan(self, names if isinstance(names, str) else "\n".join(names), *options)
            plan.names = (names,) if isinstance(names, str) else (*names, "")
            plan._origin = (self, *key)
            self._plans[key] = plan
        return self._plans[key]

    def eval(
        self,
        names: str | Sequence[str],
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        time: ArrayLike | None = None,
        *,
        v_r: ArrayLike | None = None,
        a_r: ArrayLike | None = None,
        out: Any = None,
        threads: int = 1,
        env: _limb.Environment | None = None,
        on_error: str = "raise",
        **options: Any,
    ) -> Any:
        """Computes quantities by name: an array for a name, a dict for a list of names. Options are those of `plan`.

        >>> panda = load("panda")
        >>> panda.eval("position.flange.z", panda.q(joint4=-1.5))  # doctest: +ELLIPSIS
        0.66...
        """
        given = {word: x for word, x in zip(INPUTS, (q, v, a, tau, v_r, a_r, time), strict=True) if x is not None}
        plan = self.plan(names, inputs=tuple(given), **options)
        used = {word: given[word] for word in plan.inputs if word in given}
        return plan(**used, out=out, threads=threads, env=env, on_error=on_error)

    def frame_pose(self, frame: str, q: ArrayLike, **options: Any) -> Pose:
        """Pose of a frame in the world, structured."""
        x = self.frame_pose_numbers(frame, q, **options)
        return Pose(x[..., :3], x[..., 3:7], x[..., 7:].reshape(*x.shape[:-1], 3, 3))

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike,
        given: Sequence[bool] | None = None,
        **options: Any,
    ) -> tuple[Array, Array]:
        """Accelerations and forces of all joints, from whichever of the two is given (True: the acceleration)."""
        plan = self.plan(("hybrid.a", "hybrid.tau"), given=given)
        accelerations, forces = plan.compute(q, v, a, tau, **options)
        return accelerations, forces

    def joint_reactions(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, ref: Reference = "body", **options: Any
    ) -> Array:
        """Wrenches that joints transmit to their children, (..., joints, 6): mx my mz fx fy fz."""
        x: Array = self.plan(f"reactions@{ref}", inputs=("q", "v", "a")).compute(q, v, a, **options)
        return x

    def environment(
        self,
        *,
        gravity: Sequence[float] | None = None,
        wrenches: Iterable[tuple[str, str, ArrayLike]] = (),
        base_velocity: Sequence[float] = (0, 0, 0, 0, 0, 0),
        base_acceleration: Sequence[float] = (0, 0, 0, 0, 0, 0),
        friction: bool = True,
        coulomb_width: float = 0.0,
    ) -> Environment:
        """Surroundings for calls with env=.

        Wrenches act on the robot: (frame, reference, numbers), six numbers mx my mz fx fy fz that are the same for all
        states, or an array (..., 6) of as many as the calls have states.

        >>> arm = load("planar_2r")
        >>> push = arm.environment(wrenches=[("tip", "world", [[0, 0, 0, 0, f, 0] for f in (0.0, 5.0)])])
        >>> (arm.inverse_dynamics([0, 0], [0, 0], [0, 0], env=push) - arm.gravity([0, 0])).round(12)
        array([[  0.,   0.],
               [-10.,  -5.]])
        """
        arrays = [(frame, ref, numpy.array(numbers, dtype=numpy.float64)) for frame, ref, numbers in wrenches]
        shape = numpy.broadcast_shapes(*(x.shape for _, _, x in arrays if x.ndim > 1))
        listed = [
            (
                named(frame, self.frames, self.name, "frame"),
                place(ref, REFERENCES, "environment(): the reference of a wrench"),
                tuple(x.tolist()) if x.ndim == 1 else numpy.broadcast_to(x, shape),
            )
            for frame, ref, x in arrays
        ]
        down = self.gravity_acceleration if gravity is None else tuple(gravity)
        motion = tuple(base_velocity), tuple(base_acceleration)
        return self._surrounded(down, *motion, listed, friction, coulomb_width)

    def _surrounded(self, *numbers: Any) -> Environment:
        env = Environment(self, *numbers)
        env._origin = (self, *numbers)
        return env

    # ---- motion, goals, code: in modules of their own ---------------------

    simulate = simulate
    ik = ik
    codegen = codegen
    equations = equations

    # ---- changed copies ---------------------------------------------------------------------------------------------

    def with_(
        self,
        *,
        name: str | None = None,
        gravity: tuple[float, float, float] | None = None,
        bodies: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
        joints: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
        base: str | None = None,
        attach: Iterable[Attachment] = (),
        root: str | None = None,
        locked: Iterable[str] = (),
        q: ArrayLike | None = None,
        payload: Payload | Iterable[Payload] = (),
        removed: Iterable[str] = (),
        renamed: Mapping[str, str] = MappingProxyType({}),
    ) -> Model:
        """A copy with changes, made in this order (docs/changing.md).

        `bodies` and `joints` have new values of their members, by name. `base` is "fixed", "planar" or "free". Robots
        are put on frames: `attach=[Attachment("flange", hand, "left_")]`. `root` is another body to hold the robot by.
        `locked` joints are fixed at `q` (by default where they start), and what follows them as well. A `payload` is a
        body fixed to a frame. `removed` bodies go with all that they carry. `renamed` bodies and joints.

        >>> panda = load("panda")
        >>> heavy = panda.with_(payload=Payload("flange", 2.0), locked=["joint7"], joints={"joint1": {"viscous": 0.5}})
        >>> heavy.nv, heavy.mass - panda.mass
        (6, 2.0)
        """
        b = _limb.Builder(self)
        for word, given in bodies.items():
            b.set_body(word, dict(given))
        for word, given in joints.items():
            b.set_joint(word, definition(given, lambda other: named(other, self.joints, self.name, "joint")))
        if base is not None:
            b.base(base)
        for part in attach:
            b.attach(part.frame, part.robot, part.prefix)
        if root is not None:
            b.root(root)
        at = None if q is None else numpy.asarray(q, dtype=numpy.float64)
        for word in locked:
            place = self.joints[word].q if at is not None and word in self.joints else None
            b.lock(word, None if at is None or place is None else tuple(at[place].tolist()))
        for load in [payload] if isinstance(payload, Payload) else payload:
            b.payload(load.name, load.frame, {"mass": load.mass, "com": load.com, "inertia": load.inertia})
        for word in removed:
            b.remove(word)
        for word, other in renamed.items():
            b.rename(word, other)
        b.gravity(*(self.gravity_acceleration if gravity is None else gravity))
        b.name(name or self.name)
        made = Model(b.build())
        made._reading = self._reading
        return made

    # ---- pictures ---------------------------------------------------------------------------------------------------

    def animate(self, q: ArrayLike, times: ArrayLike | None = None, *, width: int = 640, height: int = 400) -> str:
        """A stick figure of one configuration, or of several over time, as SVG. `view` has the robot in space."""
        rows = numpy.atleast_2d(numpy.asarray(q, dtype=numpy.float64))
        at = numpy.arange(len(rows)) * 0.1 if times is None else numpy.asarray(times, dtype=numpy.float64)
        if rows.shape != (len(at), self.nq):
            raise ValueError(f"animate(): q has shape {rows.shape}, expected ({len(at)}, {self.nq})")
        return self._animate(at.tolist(), rows.tolist(), width, height)

    def view(
        self,
        q: ArrayLike | None = None,
        times: ArrayLike | None = None,
        *,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        title: str | None = None,
        size_limit: float = 10.0,
    ) -> Page:
        """The robot in space with its meshes and, if q (n, nq) is given, its motion: a page for browsers, notebooks.

        Meshes are simplified until the page has at most `size_limit` MB; what is not shown as it is is a warning.

        >>> page = load("panda").view()  # doctest: +SKIP
        >>> page.save("panda.html")      # doctest: +SKIP
        """
        states = (("q", q), ("v", v), ("a", a), ("tau", tau))
        return page_of(self, self._reading, times, states, [], title, size_limit)

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{escape(j.name)}</td><td>{j.type}</td><td>{escape(j.parent)}</td><td>{escape(j.child)}</td>"
            f"<td>{j.q_min:.4g} ... {j.q_max:.4g}</td><td>{j.v_max:.4g}</td><td>{j.effort_max:.4g}</td></tr>"
            for j in self.joints.values()
        ]
        words = ("joint", "type", "parent", "child", "limits", "speed", "effort")
        table = f"<table><tr>{''.join(f'<th>{word}</th>' for word in words)}</tr>{''.join(rows)}</table>"
        facts = (
            f"<p><b>{escape(self.name)}</b>: {len(self.bodies) - 1} bodies, nq {self.nq}, nv {self.nv}, "
            f"{self.mass:.4g} kg</p>"
        )
        if find_page() is None:  # an installation without the view
            picture = self.animate(self.start(), width=360, height=300)
            return f"{facts}<div style='display:flex'>{table}<div>{picture}</div></div>"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `view` issues them
            page = self.view(size_limit=5.0)
        return f"{facts}{page._repr_html_()}<details><summary>joints</summary>{table}</details>"

    # ---- text -------------------------------------------------------------------------------------------------------

    def to_text(self, format: str = "yaml") -> str:
        """The robot as text: limb YAML, which reads back to the same bits, "urdf", "mjcf" or "sdf"."""
        text, _ = self._write(format)
        return str(text)

    # ---- copies, comparison -----------------------------------------------------------------------------------------

    @cached_property
    def _content(self) -> str:
        return self.to_text()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Model) and self._content == other._content)

    def __hash__(self) -> int:
        return hash(self._content)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"findings": self.findings, "source": self.source, "format": self.format, "_reading": self._reading}
        return _again, (self._content,), state

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loops" if self.loops else ""
        return f"<limb.Model '{self.name}': {len(self.bodies) - 1} bodies, nq {self.nq}, nv {self.nv}{loops}>"


def _again(text: str) -> Model:
    return loads(text, format="yaml", check=False)
