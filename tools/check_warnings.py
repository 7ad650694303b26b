#!/usr/bin/env python3
"""check_warnings.py BUILD: every compile command of a configured build, as far as the warnings.

Clang warns before it makes code, so no code is made; gcc needs the real build. Sources that are generated while
building are not there yet, and are left out."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import Findings


def warnings(entry):
    command = [*shlex.split(entry["command"]), "-fsyntax-only"]
    # Neither an object nor a list of the headers it depends on.
    at = command.index("-o")
    del command[at:at + 2]
    run = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


found = Findings("check_warnings")
entries = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
entries = [entry for entry in entries if os.path.exists(entry["file"])]
jobs = int(os.environ.get("JOBS", os.cpu_count()))
with ThreadPoolExecutor(jobs) as pool:
    for entry, (code, text) in zip(entries, pool.map(warnings, entries)):
        print(text, end="")
        if code or text:
            found.add(entry["file"], 0, "does not compile without warnings")
found.finish(f"{len(entries)} compile commands")
