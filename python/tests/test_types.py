"""Types, docstrings, stubs: what is said about the package is true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import subprocess
import sys

import limb
import pytest
from conftest import ROOT

MODULES = [
    f"limb.{module.name}"
    for module in pkgutil.iter_modules(limb.__path__)
    if module.name not in ("_limb", "jax", "torch", "casadi")
]


@pytest.mark.parametrize("name", ["limb", *MODULES])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_everything_public_has_a_docstring():
    for name in limb.__all__:
        value = getattr(limb, name)
        assert inspect.getdoc(value) or name == "ISA", name
        for member, function in vars(value).items() if inspect.isclass(value) else ():
            if callable(function) and not member.startswith("_"):
                assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"
    assert "tau = M a + h" in limb.Model.inverse_dynamics.__doc__
    assert "Shape (..., nv, nv)" in limb.Model.mass_matrix.__doc__
    assert str(inspect.signature(limb.Model.gravity)).startswith("(self, /, q, *, out=None")


def test_stubs_are_those_of_the_extension():
    subprocess.run([sys.executable, ROOT / "tools" / "make_stubs.py", "--check"], check=True)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    files = [ROOT / "python" / "limb", *sorted((ROOT / "python" / "examples").glob("*.py"))]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
         str(tmp_path.parent.parent / "mypy"), *files],
        capture_output=True, text=True, check=False, cwd=ROOT / "python",
    )  # fmt: skip
    assert run.returncode == 0, run.stdout


def test_pyright_knows_every_type():
    pytest.importorskip("pyright")
    folder = pathlib.Path(sys.executable).parent
    environment = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(pathlib.Path(limb.__file__).parent.parent),
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    }
    run = subprocess.run(
        [folder / "pyright", "--verifytypes", "limb", "--ignoreexternal"],
        capture_output=True, text=True, check=False, cwd=ROOT / "python" / "tests", env=environment,
    )  # fmt: skip
    assert "Type completeness score: 100%" in run.stdout, run.stdout + run.stderr


def test_version():
    assert limb.__version__.count(".") == 2
    assert limb.ISA in ("base", "v3", "v4")
