"""The examples run."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT

EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


NEEDS = {"optimal_control": "scipy", "learning": "jax"}


def check(name, out):
    """What an example must find."""
    lines, last = out.splitlines(), out.split()
    if name == "optimal_control":
        assert float(last[-1]) < 0.3
        assert float(lines[0].split()[-1]) < 1e-4
    if name == "lqr":
        assert float(last[-1]) < 1e-3
    if name == "learning":
        alone, together = re.search(r"alone: ([\d.]+)%.*network: ([\d.]+)%", out).groups()
        assert float(together) < float(alone) / 3
    if name == "million_states":
        assert "1000000 states" in lines[0]
        assert 0.8 < float(last[-2]) < 1.2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    pytest.importorskip(NEEDS.get(path.stem, "limb"))
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    check(path.stem, run.stdout)
