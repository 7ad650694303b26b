"""What the tests share: robots, states, the tool."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Callable

import limb
import numpy
import pytest
from hypothesis import settings

settings.register_profile("limb", deadline=None, max_examples=30, derandomize=True, database=None)
settings.load_profile("limb")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def robot() -> Callable[[str], limb.Model]:
    """Built-in robots, loaded once."""
    loaded: dict[str, limb.Model] = {}

    def load(name: str) -> limb.Model:
        if name not in loaded:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", limb.ModelWarning)
                loaded[name] = limb.load(name)
        return loaded[name]

    return load


@pytest.fixture(scope="session")
def panda(robot: Callable[[str], limb.Model]) -> limb.Model:
    return robot("panda")


@pytest.fixture
def tool() -> str:
    """The tool of the same build."""
    path = os.environ.get("LIMB_TOOL")
    if not path:
        pytest.skip("LIMB_TOOL does not name the tool")
    return path


def small_robots() -> list[str]:
    """Built-in robots that are not made to be large."""
    return [name for name, about in limb.robots().items() if about.text]


def states(model: limb.Model, n: int, seed: int = 1) -> tuple[numpy.ndarray, ...]:
    """q, v, a and tau of n random states."""
    random = numpy.random.default_rng(seed)
    rates = [random.uniform(-1, 1, (n, model.nv)) for _ in range(3)]
    return (model.random(n, seed=seed), *rates)
