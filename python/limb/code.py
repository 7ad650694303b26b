"""Generated code, and equations of motion, as text."""

from __future__ import annotations

import ctypes
import pathlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from ._numbers import Array, ArrayLike
from ._words import place

if TYPE_CHECKING:
    from .model import Model

LANGUAGES = ("c", "python", "matlab", "julia", "rust", "latex")
SINES = ("libm", "given", "own")
SYMBOLS = ("none", "inertia", "all")
ORDERS = ("latency", "registers")
NOTATIONS = ("text", "latex", "c")
PROTOTYPE = re.compile(r"^void (\w+)\(([^)]*)\);", re.MULTILINE)
ARGUMENT = re.compile(r"(const )?double (\w+)\[(\d+)\]")


class Equations(str):
    """Equations of motion; notebooks render those in LaTeX."""

    notation: str = "text"

    def _repr_latex_(self) -> str | None:
        return f"$$\\begin{{gathered}}\n{self}\n\\end{{gathered}}$$" if self.notation == "latex" else None


class Facts(NamedTuple):
    """Operations of a generated function."""

    function: str
    quantity: str
    mul: int
    add: int
    div: int
    sines: int
    other: int
    statements: int
    stack: int  #: bytes
    difference: float  #: largest, from the library, relative


@dataclass(frozen=True)
class Generated:
    """Code of one robot: texts of the files <prefix>.c, .h and _test.c, or of the one file of another language."""

    prefix: str
    source: str
    header: str
    test: str
    facts: tuple[Facts, ...]

    def save(self, folder: str | pathlib.Path) -> None:
        """Writes C files under the names that they need."""
        for ending, text in ((".c", self.source), (".h", self.header), ("_test.c", self.test)):
            if text:
                (pathlib.Path(folder) / f"{self.prefix}{ending}").write_text(text, encoding="utf-8")

    def compile(self, compiler: str = "cc", flags: Sequence[str] = ("-O2",)) -> dict[str, Callable[..., Any]]:
        """Compiles C code, and returns its functions by name: arrays of one state in, one array or several out."""
        if not self.header:
            raise ValueError("only code in C is compiled")
        if not shutil.which(compiler):
            raise FileNotFoundError(f"there is no C compiler '{compiler}'")
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            library = pathlib.Path(folder) / "generated.so"
            command = [compiler, *flags, "-shared", "-fPIC", "-o", str(library), f"{folder}/{self.prefix}.c", "-lm"]
            subprocess.run(command, check=True, capture_output=True, text=True)
            loaded = ctypes.CDLL(str(library))
        return {name: _function(loaded, name, text) for name, text in PROTOTYPE.findall(self.header)}


def _function(library: ctypes.CDLL, name: str, arguments: str) -> Callable[..., Any]:
    """A function of a compiled library that takes and returns arrays."""
    about = [(bool(const), word, int(size)) for const, word, size in ARGUMENT.findall(arguments)]
    call = getattr(library, name)
    call.restype = None
    call.argtypes = [ctypes.c_void_p] * len(about)
    inputs = [(word, size) for const, word, size in about if const]

    def run(*given: ArrayLike) -> Any:
        if len(given) != len(inputs):
            raise TypeError(f"{name}() takes {', '.join(word for word, _ in inputs)}")
        arrays = [numpy.ascontiguousarray(x, dtype=numpy.float64) for x in given]
        for (word, size), x in zip(inputs, arrays, strict=True):
            if x.shape != (size,):
                raise ValueError(f"{name}(): {word} has shape {x.shape}, expected ({size},)")
        rest = iter(arrays)
        everything: list[Array] = [next(rest) if const else numpy.empty(size) for const, _, size in about]
        call(*(x.ctypes.data for x in everything))
        results = [x for x, (const, _, _) in zip(everything, about, strict=True) if not const]
        return results[0] if len(results) == 1 else tuple(results)

    run.__name__ = name
    run.__doc__ = f"{name}({', '.join(f'{word}[{size}]' for word, size in inputs)}), compiled."
    return run


def codegen(
    model: Model,
    what: str | Sequence[str] = "tau",
    *,
    language: str = "c",
    sines: str = "libm",
    symbols: str = "none",
    prefix: str | None = None,
    frame: str | None = None,
    single: bool = False,
    lanes: int = 1,
    gravity_argument: bool = False,
    friction: bool = True,
    order: str = "latency",
    effort: float = 1.0,
    coulomb_width: float = 0.0,
) -> Generated:
    """Code of one robot, generated and checked: the options of `limb codegen`.

    >>> import limb
    >>> code = limb.load("planar_2r").codegen("M", effort=0)
    >>> code.facts[0].quantity, "void planar_2r_M" in code.header
    ('M', True)
    """
    chosen = [
        place(language, LANGUAGES, "codegen(): language"),
        place(sines, SINES, "codegen(): sines"),
        place(symbols, SYMBOLS, "codegen(): symbols"),
    ]
    names = what if isinstance(what, str) else ",".join(what)
    name, source, header, test, facts = model._codegen(
        names, *chosen, prefix, frame, single, lanes, gravity_argument, friction,
        place(order, ORDERS, "codegen(): order"), effort, coulomb_width,
    )  # fmt: skip
    return Generated(name, source, header, test, tuple(Facts(*row) for row in facts))


def equations(
    model: Model, what: str | None = None, *, notation: str = "text", numbers: bool = False, max_terms: int = 2000
) -> Equations:
    """The equations of motion of a small robot: "text", "latex" (rendered by notebooks) or "c".

    >>> import limb
    >>> "g2 = m2*g*r2*cos(q1 + q2)" in limb.load("planar_2r").equations("g")
    True
    """
    chosen = place(notation, NOTATIONS, "equations(): notation")
    text = Equations(model._equations(what, chosen, numbers, max_terms).strip())
    text.notation = notation
    return text
