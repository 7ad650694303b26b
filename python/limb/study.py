"""Studies: many cases of one run, on the threads of this process or on somebody's executor."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import threading
from collections.abc import Sequence
from typing import Any

import numpy

from . import _limb


class Study:
    """A study file (docs/scale.md): case k has the same numbers whoever computes it, and whenever.

    Studies pickle as their path and a hash of all that their numbers depend on; a worker that finds another study there
    raises ValueError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: str = str(pathlib.Path(path).resolve())
        self._own = threading.local()
        facts = self._study.facts()
        self._cases: int = facts[0]
        self.hash: str = facts[1]
        self._columns: list[tuple[str, str, bool]] = facts[2]
        self._varied: int = facts[3]

    @property
    def _study(self) -> _limb.Study:
        """The study of this thread."""
        if not hasattr(self._own, "study"):
            self._own.study = _limb.Study(self.path)
        study: _limb.Study = self._own.study
        return study

    def __len__(self) -> int:
        return self._cases

    def __repr__(self) -> str:
        return f"limb.Study({self.path!r}): {len(self)} cases"

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (self.path, self.hash)

    @property
    def columns(self) -> list[str]:
        """What varies, ``time`` where the case ended, then what is collected."""
        return [name for name, _, _ in self._columns]

    @property
    def units(self) -> dict[str, str]:
        """Units of columns; "" where there is none, or none is known."""
        return {name: unit for name, unit, _ in self._columns}

    @property
    def varied(self) -> list[str]:
        """The columns that vary."""
        return self.columns[: self._varied]

    def run(self, cases: range | Sequence[int] | None = None) -> numpy.ndarray[Any, Any]:
        """Runs cases (default: all) in this thread.

        The result is a structured array with the columns case, status, reason, and those of the study; a case that
        fails has a status that is not 0, a reason, and NaN.
        """
        wanted = range(len(self)) if cases is None else cases
        if isinstance(wanted, range) and wanted.step > 0 and len(wanted) > 0:
            numbers, failed = self._study.run(wanted.start, len(wanted), wanted.step)
            return self._table(numpy.fromiter(wanted, "i8", len(wanted)), numpy.asarray(numbers), failed)
        parts = [self.run(range(k, k + 1)) for k in wanted]
        return numpy.concatenate(parts) if parts else self._table(numpy.empty(0, "i8"), numpy.empty((0, 0)), [])

    def _table(
        self, cases: numpy.ndarray[Any, Any], numbers: numpy.ndarray[Any, Any], failed: list[tuple[int, int, str]]
    ) -> numpy.ndarray[Any, Any]:
        kinds = [(name, "U64" if words else "f8") for name, _, words in self._columns]
        table = numpy.zeros(len(cases), [("case", "i8"), ("status", "i4"), ("reason", "U240"), *kinds])
        table["case"] = cases
        for row, status, reason in failed:
            table["status"][row], table["reason"][row] = status, reason
        for k, (name, _, words) in enumerate(self._columns if len(cases) else []):
            if words:
                table[name] = [self._study.word(k, x) for x in numbers[:, k]]
            else:
                table[name] = numbers[:, k]
        return table


def _open(path: str, hash: str) -> Study:
    study = Study(path)
    if study.hash != hash:
        raise ValueError(f"{path} is not the study that was sent: study, run, model or limb differ here")
    return study


def _run(study: Study, cases: range) -> numpy.ndarray[Any, Any]:
    return study.run(cases)


def sweep(
    study: Study | str | os.PathLike[str], executor: Any = None, *, chunk: int | None = None
) -> numpy.ndarray[Any, Any]:
    """All cases of a study as one structured array, by case.

    executor: None for threads of this process; a concurrent.futures.Executor, a dask.distributed.Client or whatever has
    submit(); or a joblib.Parallel. chunk: cases of a task, default a share that keeps workers equally busy. The result
    is the same on any of them, and that of ``limb sweep``, which also goes on after it was stopped.
    """
    study = study if isinstance(study, Study) else Study(study)
    size = chunk or max(1, min(1000, len(study) // (16 * (os.cpu_count() or 1))))
    tasks = [range(k, min(k + size, len(study))) for k in range(0, len(study), size)]
    if executor is None:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as own:
            return _collect(study, own, tasks)
    if hasattr(executor, "submit"):
        return _collect(study, executor, tasks)
    if not callable(executor):
        raise TypeError(f"{executor!r} has no submit() and cannot be called")
    return numpy.concatenate([study.run(range(0))[:0], *executor([(_run, (study, task), {}) for task in tasks])])


def _collect(study: Study, executor: Any, tasks: list[range]) -> numpy.ndarray[Any, Any]:
    futures = [executor.submit(_run, study, task) for task in tasks]
    try:
        return numpy.concatenate([study.run(range(0)), *(future.result() for future in futures)])
    except BaseException:
        for future in futures:
            future.cancel()
        raise
