"""limb in CasADi: dynamics as functions of CasADi, with the analytic derivatives of limb.

    import casadi, limb, limb.casadi
    dynamics = limb.casadi.Dynamics(limb.load("panda"))
    q, v, a = (casadi.MX.sym(name, 7) for name in "qva")
    tau = dynamics.inverse_dynamics(q, v, a)                # an expression; of numbers, numbers

CasADi calls limb with numbers, and takes first and second derivatives from it. Robots with ball or free joints are
refused, because the derivatives are along the tangent of the configuration manifold. An expression must not outlive its
Dynamics.
"""

from __future__ import annotations

from typing import Any

import casadi
import numpy

from . import _smooth
from .model import Model


class _Call(casadi.Callback):
    """A function (order 0), its Jacobian (1), or the Jacobian of that (2).

    A Jacobian has the inputs of its function, then the outputs, which limb does not need; and a block for each output
    and each input, whose rows are the numbers of the output, column after column.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        smooth: _smooth.Smooth,
        order: int = 0,
        words: tuple[list[str], list[str]] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        casadi.Callback.__init__(self)
        self._model, self._smooth, self._order = model, smooth, order
        self._plan = model.plan(((smooth.value,), smooth.first, smooth.second)[order], inputs=smooth.inputs)
        n, nv, m = len(smooth.inputs), model.nv, len(model.plan((smooth.value,), inputs=smooth.inputs).labels()[0])
        self._words = words or (list(smooth.inputs), [smooth.value])
        self._inputs = [(nv, 1)] * n + [(m, 1)] * (order > 0) + [(m, nv)] * n * (order > 1)
        self._outputs = [casadi.Sparsity.dense(m, nv)] * n if order else [casadi.Sparsity.dense(m, 1)]
        if order > 1:
            full = smooth.curves(*[numpy.zeros((1, 1, 1))] * len(smooth.second))  # which are not zero
            rows = [[casadi.Sparsity(m * nv, nv) if D is None else casadi.Sparsity.dense(m * nv, nv) for D in row]
                    for row in full]  # fmt: skip
            self._outputs = [block for row in rows for block in [*row, casadi.Sparsity(m * nv, m)]]
        self.construct(name, options or {})

    def get_n_in(self) -> int:
        return len(self._inputs)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        return self._words[0][i]

    def get_name_out(self, i: int) -> str:
        return self._words[1][i]

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(*self._inputs[i])

    def get_sparsity_out(self, i: int) -> Any:
        return self._outputs[i]

    def has_eval_buffer(self) -> bool:
        return True

    def eval_buffer(self, arg: Any, res: Any) -> int:
        n = len(self._smooth.inputs)
        values = self._plan.compute(*(numpy.frombuffer(x, dtype=numpy.float64) for x in arg[:n]))
        if self._order == 0:
            rows: _smooth.Rows = [[values]]
        else:
            arrays = values if isinstance(values, tuple) else (values,)
            rows = (self._smooth.slopes if self._order == 1 else self._smooth.curves)(*arrays)
        for r, row in enumerate(rows):
            for c, D in enumerate(row):
                to = res[r * (n + 1) + c]  # None: not asked for
                if D is not None and to is not None:
                    numpy.frombuffer(to, dtype=numpy.float64)[:] = D.T.ravel()
        return 0

    def has_jacobian(self) -> bool:
        return self._order < 2

    def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> Any:
        self._jacobian = _Call(name, self._model, self._smooth, self._order + 1, (inames, onames), opts)
        return self._jacobian


class Dynamics:
    """Differentiable dynamics of one robot, for expressions and for numbers of CasADi."""

    model: Model
    inverse_dynamics: _Call  #: tau(q, v, a)
    forward_dynamics: _Call  #: a(q, v, tau)

    def __init__(self, model: Model) -> None:
        self.model = _smooth.check(model)
        self.inverse_dynamics = _Call("inverse_dynamics", model, _smooth.INVERSE)
        self.forward_dynamics = _Call("forward_dynamics", model, _smooth.FORWARD)
        self._positions: dict[str, Any] = {}

    def frame_position(self, frame: str) -> Any:
        """The function of q that is the position of a frame in the world."""
        if frame not in self._positions:
            self._positions[frame] = _Call("frame_position", self.model, _smooth.position(frame))
        return self._positions[frame]
