#!/usr/bin/env python3
"""Runs the commands of README.md, one by one, in a copy of what they need.

    test_readme.py <limb>

Commands are the indented lines that begin with `limb`; "# exit code N" behind one is what it must return.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]


def main():
    limb = str(pathlib.Path(sys.argv[1]).resolve())
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (limb .*)$", readme, re.M)
    if len(commands) < 12:
        sys.exit(f"test_readme: only {len(commands)} commands found")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(TOP / "examples", pathlib.Path(folder) / "examples")
        for line in commands:
            command, _, comment = line.partition(" #")
            told = re.search(r"exit code (\d)", comment)
            want = int(told[1]) if told else 0
            words = [limb, *shlex.split(command)[1:]]
            run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False,
                                 env={**os.environ, "NO_COLOR": "1"})
            ok = run.returncode == want and (run.stdout or run.stderr)
            print("ok    " if ok else "FAILED", command, f"(exit code {run.returncode})")
            if not ok:
                print(run.stdout[-2000:], run.stderr[-2000:])
                failed += 1
        for name in ("torques.svg", "torques.csv", "tree5.urdf", "map.svg", "map.csv"):
            if not (pathlib.Path(folder) / name).exists():
                print(f"FAILED {name} was not written")
                failed += 1
    sys.exit(1 if failed else 0)


main()
