#!/usr/bin/env python3
"""make_stubs.py [--check]: python/limb/_limb.pyi, the types of the extension, from the extension itself.

Methods of robots and their docstrings come from the registry of quantities; so do these types. The package must be
importable: PYTHONPATH=build/release/python. With --check nothing is written, and a difference is an error.
"""
import pathlib
import re
import sys
import textwrap

from limb import _limb

FILE = pathlib.Path(__file__).resolve().parent.parent / "python" / "limb" / "_limb.pyi"
WIDTH = 120
HEAD = '''"""Types of the extension, made by tools/make_stubs.py. Do not edit."""

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
'''
OTHERS = '''    def _ik(self, *args: Any, threads: int = 1) -> tuple[Array, Array]: ...
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
'''
TAIL = '''
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
'''
TYPES = {"frame": "str", "dt": "ArrayLike", "ref": "str", "out": "Any", "threads": "int", "env": "Environment | None",
         "on_error": "str"}


def is_result(value):
    return isinstance(value, type) and issubclass(value, tuple)


def result_class(cls):
    """The class of several results: a tuple with names."""
    fields = [name for name in cls.__match_args__]
    lines = [f"class {cls.__name__}(tuple[{', '.join(['Any'] * len(fields))}]):"]
    for name in fields:
        lines += ["    @property", f"    def {name}(self) -> Any: ..."]
    return "\n".join(lines)


def result_of(name, doc, classes):
    """What a method returns: one of the classes, an array, or for single numbers per state whatever it is."""
    cls = "".join(word.capitalize() for word in name.split("_"))
    if cls in classes:
        return cls
    return "Any" if "Shape (...), " in doc else "Array"


def parameter(text):
    name, _, default = text.partition("=")
    kind = TYPES.get(name, "ArrayLike")
    if name == "out":
        kind = "Any"
    return f"{name}: {kind} = {default}" if default else f"{name}: {kind}"


def docstring(doc):
    """A docstring of the extension, in lines that fit; editors show it from here."""
    around = {"width": WIDTH - 11, "break_long_words": False, "break_on_hyphens": False}
    lines = [part for line in f'"""{doc}'.split("\n") for part in textwrap.wrap(line, **around) or [""]]
    return "\n".join(f"        {line}" if line else "" for line in lines).removeprefix('        """')


def method(name, function, classes):
    """One method with its docstring: on one line, or with its parameters on the next."""
    words = re.sub(r"^\(\$self,? ?|\)$", "", function.__text_signature__).split(", ")
    inputs = ", ".join(["self"] + [word if word in "*/" else parameter(word) for word in words]).replace("'", '"')
    result = result_of(name, function.__doc__, classes)
    text = f'        """{docstring(function.__doc__)}"""'
    lines = f"    def {name}({inputs}) -> {result}:"
    if len(lines) > WIDTH:
        lines = f"    def {name}(\n        {inputs}\n    ) -> {result}:"
    if max(map(len, lines.split("\n"))) > WIDTH:
        each = "".join(f"        {word},\n" for word in inputs.split(", "))
        lines = f"    def {name}(\n{each}    ) -> {result}:"
    return f"{lines}\n{text}\n"


def text():
    classes = {name: value for name, value in vars(_limb).items() if is_result(value)}
    parts = [HEAD, *("\n".join([result_class(cls), ""]) for cls in classes.values())]
    robot = ["class Robot:", "    def __init__(self, capsule: object, /) -> None: ..."]
    for name, value in vars(_limb.Robot).items():
        if getattr(value, "__text_signature__", None) and not name.startswith("_"):
            robot.append(method(name, value, classes))
    return "\n".join(parts) + "\n" + "\n".join(robot) + "\n" + OTHERS + TAIL


def main():
    made = text()
    if "--check" in sys.argv[1:]:
        if FILE.read_text(encoding="utf-8") != made:
            sys.exit(f"{FILE.name} differs from the extension: run tools/make_stubs.py")
    else:
        FILE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
