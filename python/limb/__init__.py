"""Robot dynamics: arrays in, arrays out, at the speed of C.

>>> import limb
>>> panda = limb.load("panda")
>>> q = panda.neutral()
>>> panda.mass_matrix(q).shape
(7, 7)
"""

from . import _limb
from ._errors import (
    ArgumentError,
    ConvergenceError,
    Error,
    FileError,
    ModelError,
    ModelSyntaxError,
    ModelWarning,
    NonFiniteError,
    OrderError,
    SingularError,
    UnsupportedError,
)
from .build import Builder, Payload
from .code import Equations, Generated
from .estimate import Calibrated, Change, Excitation, Load, LoadEstimator, calibrate, excite
from .goals import Goal, Solution
from .identify import Estimate, Identified, Log, Residual, identify
from .model import Attachment, Environment, Model, Plan, Reading, load, loads, quantities, robots, rules
from .motion import Event, Trajectory
from .parts import Body, Coordinate, Finding, Frame, Joint, Loop, Parameter, Placement, Pose, Quantity, Rule
from .study import Study, sweep
from .view import Live, Page

__version__, ISA = _limb.facts()[:2]

__all__ = [
    "ISA",
    "ArgumentError",
    "Attachment",
    "Body",
    "Builder",
    "Calibrated",
    "Change",
    "ConvergenceError",
    "Coordinate",
    "Environment",
    "Equations",
    "Error",
    "Estimate",
    "Event",
    "Excitation",
    "FileError",
    "Finding",
    "Frame",
    "Generated",
    "Goal",
    "Identified",
    "Joint",
    "Live",
    "Load",
    "LoadEstimator",
    "Log",
    "Loop",
    "Model",
    "ModelError",
    "ModelSyntaxError",
    "ModelWarning",
    "NonFiniteError",
    "OrderError",
    "Page",
    "Parameter",
    "Payload",
    "Placement",
    "Plan",
    "Pose",
    "Quantity",
    "Reading",
    "Residual",
    "Rule",
    "SingularError",
    "Solution",
    "Study",
    "Trajectory",
    "UnsupportedError",
    "calibrate",
    "excite",
    "identify",
    "load",
    "loads",
    "quantities",
    "robots",
    "rules",
    "sweep",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "limb"
