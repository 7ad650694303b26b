"""The examples run."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    if path.stem == "optimal_control":
        pytest.importorskip("scipy")
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout
    if path.stem == "optimal_control":
        assert float(run.stdout.split()[-1]) < 0.3
        assert float(run.stdout.splitlines()[0].split()[-1]) < 1e-4
    if path.stem == "lqr":
        assert float(run.stdout.split()[-1]) < 1e-3
