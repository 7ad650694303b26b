"""Functions of states with two orders of derivatives, for the packages that differentiate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from .model import Model

Rows: TypeAlias = Sequence[Sequence[Any]]  # derivatives of each output by each input, along a new last axis; None: zero


class Smooth(NamedTuple):
    """A quantity, and the quantities that its derivatives are made of."""

    inputs: tuple[str, ...]
    value: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    slopes: Callable[..., Rows]  #: of the value, from the first quantities
    curves: Callable[..., Rows]  #: of the slopes, from the second quantities


def _turned(D: Any) -> Any:
    return D.swapaxes(-1, -2)


def _dynamics(value: str, first: str, second: str, last: str) -> Smooth:
    """A quantity of (q, v, last), linear in the last input."""

    def curves(dqdq: Any, dqdv: Any, dvdv: Any, dqdx: Any) -> Rows:
        return (dqdq, dqdv, dqdx), (_turned(dqdv), dvdv, None), (_turned(dqdx), None, None)

    pairs = tuple(f"{second}.{pair}" for pair in ("dqdq", "dqdv", "dvdv", f"dqd{last}"))
    return Smooth(("q", "v", last), value, tuple(first.split()), pairs, lambda *D: [D], curves)


INVERSE = _dynamics("tau", "dtau_dq dtau_dv M", "d2tau", "a")
FORWARD = _dynamics("acc", "dacc_dq dacc_dv dacc_dtau", "d2acc", "tau")


def position(frame: str) -> Smooth:
    """The position of a frame in the world: the linear part of its Jacobian is the derivative."""
    return Smooth(
        ("q",), f"position.{frame}", (f"J@aligned.{frame}",), (f"dJ_dq@aligned.{frame}",),
        lambda J: [[J[..., 3:, :]]], lambda dJ: [[dJ[..., 3:, :, :]]],
    )  # fmt: skip


def check(model: Model) -> Model:
    """Refuses robots whose q has more numbers than v."""
    if model.nq != model.nv:
        raise ValueError(f"'{model.name}' has ball or free joints: nq {model.nq}, nv {model.nv}")
    return model
