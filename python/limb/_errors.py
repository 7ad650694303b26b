"""Exceptions: what the library refuses, with its sentence."""

from __future__ import annotations


class Error(Exception):
    """A failure reported by the library. Its text has file, position, subject and sentence, as far as there are any."""

    status: int = 0  #: the number of limb_status
    text: str = ""  #: one sentence: what is wrong, and what to do
    where: str = ""  #: what it is about: a joint, a quantity, a state of a batch
    file: str = ""
    line: int = 0  #: 1-based; 0: none
    column: int = 0


class ArgumentError(Error, ValueError):
    """An argument is invalid."""


class OrderError(Error, RuntimeError):
    """An earlier call is missing."""


class ModelSyntaxError(Error, ValueError):
    """A file or text is malformed."""


class ModelError(Error, ValueError):
    """A description is well-formed, but not a robot."""


class UnsupportedError(Error, NotImplementedError):
    """The input is valid, but not supported."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class SingularError(Error, ArithmeticError):
    """A matrix is singular to working precision."""


class ConvergenceError(Error, ArithmeticError):
    """An iteration did not converge."""


class NonFiniteError(Error, ArithmeticError, ValueError):
    """An input or a result is NaN or infinite."""


class ModelWarning(UserWarning):
    """A finding of the reader or the doctor: legal, but probably not intended."""


CLASSES: dict[int, type[Error]] = {
    -1: ArgumentError,
    -3: OrderError,
    -10: ModelSyntaxError,
    -11: ModelError,
    -12: UnsupportedError,
    -13: FileError,
    -20: SingularError,
    -21: ConvergenceError,
    -22: NonFiniteError,
}


def make(status: int, text: str, where: str = "", file: str | None = None, line: int = 0, column: int = 0) -> Error:
    """The exception for a status of the library."""
    place = ":".join(str(part) for part in (file, line, column) if part)
    error = CLASSES.get(status, Error)(": ".join(part for part in (place, where, text) if part))
    error.status, error.text, error.where = status, text, where
    error.file, error.line, error.column = file or "", line, column
    return error
