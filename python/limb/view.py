"""The robot in a browser: pages, and poses of a running program.

>>> import limb
>>> limb.load("panda").view().save("panda.html")  # doctest: +SKIP
>>> with limb.Live(limb.load("panda")) as live:        # limb view panda --serve shows what follows
...     live.send(0.0, [0.0] * 7)

"""

from __future__ import annotations

import contextlib
import html
import os
import pathlib
import socket
import struct
import tempfile
import warnings
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._numbers import ArrayLike
    from .model import Model

LIVE_PORT = 8417  #: where `limb view --serve` listens unless told otherwise


def find_page() -> str | None:
    """The path of limb-view.html, from which pages are made; None: this installation lacks it."""
    package = pathlib.Path(__file__).parent
    given = os.environ.get("LIMB_VIEW_PAGE")
    build = package.parent.parent  # of sources: the package lies in build/release/python/limb
    places = [pathlib.Path(given)] if given else [package / "bin" / "limb-view.html", build / "limb-view.html"]
    return next((str(place) for place in places if place.is_file()), None)


@dataclass(frozen=True, repr=False)
class Page:
    """A page of `Model.view`. In a notebook it shows itself."""

    text: str  #: HTML, whole
    height: int = 560  #: in a notebook [px]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def show(self) -> None:
        """Opens it in the browser."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.text)
        webbrowser.open(pathlib.Path(file.name).as_uri())

    def __repr__(self) -> str:
        return f"<limb.view.Page: {len(self.text) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        # A frame of its own: its script sees nothing of the notebook, and may only hand out downloads.
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" style="border:0;width:100%;height:{self.height}px" '
            f'srcdoc="{html.escape(self.text)}"></iframe>'
        )


def page_of(
    model: Model,
    reading: tuple[object, ...] | None,
    times: ArrayLike | None,
    states: Iterable[tuple[str, ArrayLike | None]],
    events: list[tuple[float, str]],
    title: str | None,
    size_limit: float,
) -> Page:
    """The page of a model: `Model.view`."""
    found = find_page()
    if found is None:
        raise FileNotFoundError(
            "there is no limb-view.html, from which pages are made; run `make web` in the sources of limb to build it, "
            "then install limb again"
        )
    arrays: list[bytes | None] = []
    rows = 0
    for name, given in states:
        if given is None:
            arrays.append(None)
            continue
        width = model.nq if name == "q" else model.nv
        values = numpy.ascontiguousarray(numpy.atleast_2d(numpy.asarray(given, dtype=numpy.float64)))
        rows = rows or len(values)
        if values.shape != (rows, width):
            raise ValueError(f"view(): {name} has shape {values.shape}, expected ({rows}, {width})")
        arrays.append(values.tobytes())
    at = numpy.arange(rows) * 0.1 if times is None else numpy.asarray(times, dtype=numpy.float64)
    if at.shape != (rows,):
        raise ValueError(f"view(): times has shape {at.shape}, expected ({rows},)")
    text, notes = model._view(found, title, reading, size_limit * 1e6, rows, at.tobytes(), *arrays, events)
    for note in notes:
        warnings.warn(note, stacklevel=4)
    return Page(text)


class Live:
    """Sends poses to `limb view MODEL --serve` on this machine. Nobody waits: without a viewer they are lost."""

    def __init__(self, model: Model | int, *, port: int = LIVE_PORT, every: float = 1 / 60) -> None:
        """`model`, or its number of coordinates; `every`: least time between two poses that are sent [s]."""
        self.nq: int = model if isinstance(model, int) else model.nq
        if self.nq < 1 or not 0 < port < 65536 or not every >= 0:
            raise ValueError("Live(): a robot without coordinates, no port, or a negative time")
        self.every = every
        self._next = self._last = -float("inf")
        self._message = struct.Struct(f"<8sd{self.nq}d")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.connect(("127.0.0.1", port))

    def send(self, time: float, q: ArrayLike) -> None:
        """Sends a pose if one is due: most calls only compare times."""
        if self._last <= time < self._next:
            self._last = time
            return
        self._last, self._next = time, time + (1 - 1e-6) * self.every  # times are rounded
        numbers = q if isinstance(q, (list, tuple)) else numpy.asarray(q, dtype=numpy.float64).ravel().tolist()
        if len(numbers) != self.nq:
            raise ValueError(f"send(): {len(numbers)} numbers, expected {self.nq}")
        with contextlib.suppress(OSError):  # nobody listens, or the queue is full
            self._socket.send(self._message.pack(b"limbpose", time, *numbers))

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
