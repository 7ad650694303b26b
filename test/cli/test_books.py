#!/usr/bin/env python3
"""Runs the commands of docs/books.md and compares their answers with the numbers of that page.

    test_books.py <limb>

Commands are the indented lines that begin with `limb` and end in a label, "# L3". Numbers are rows of tables:
| label | `quantity` | numbers |. Names of functions and constants must be in the public headers, files must exist.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs" / "books.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (limb .*?) +# ([A-Z]\d+)$", PAGE, re.M)
NUMBERS = re.findall(r"^\| ([A-Z]\d+) \| `([\w.]+)` \| ([-\d., ]+) \|$", PAGE, re.M)


def flat(x):
    if isinstance(x, dict):
        x = list(x.values())
    return [number for part in x for number in flat(part)] if isinstance(x, list) else [x]


def differs(answer, quantity, wanted):
    found = json.loads(answer)["results"][0]
    for name in quantity.split("."):
        found = found[name]
    found, wanted = flat(found), [float(word) for word in wanted.split(",")]
    within = 2e-9 * max(abs(x) for x in wanted)
    return len(found) != len(wanted) or any(abs(x - y) > within for x, y in zip(found, wanted))


def check_names():
    headers = "".join(p.read_text(encoding="utf-8") for p in (TOP / "include").rglob("*.h"))
    names = set(re.findall(r"`(limb_\w+|sp_\w+|LIMB_\w+)`", PAGE))
    lists = {f"LIMB_SIM_{name}" for name in re.findall(r"\bX\((\w+),", headers)}
    known = set(re.findall(r"\b\w+\b", headers)) | lists
    files = set(re.findall(r"\bexamples/[\w./]+\w", PAGE))
    files |= {f"docs/{name}" for name in re.findall(r"\]\((\w[\w-]*\.md)", PAGE)}
    return [f"no {name} in the headers" for name in sorted(names - known)] + [
        f"no file {name}" for name in sorted(files) if not (TOP / name).exists()]


def run_all(limb, folder):
    answers, failed = {}, []
    for command, label in COMMANDS:
        words = [limb, *shlex.split(command)[1:]]
        run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False,
                             env={**os.environ, "NO_COLOR": "1"})
        answers[label] = run.stdout
        if run.returncode:
            failed.append(f"{label}: {command}: exit code {run.returncode}\n{run.stdout[-1000:]}{run.stderr[-1000:]}")
    return answers, failed


def main():
    limb = str(pathlib.Path(sys.argv[1]).resolve())
    if len(COMMANDS) < 40 or len(NUMBERS) < 20:
        sys.exit(f"test_books: only {len(COMMANDS)} commands and {len(NUMBERS)} rows of numbers found")
    failed = check_names()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(TOP / "examples", pathlib.Path(folder) / "examples")
        answers, wrong = run_all(limb, folder)
    failed += wrong
    failed += [f"{label}: {quantity} is not {wanted}" for label, quantity, wanted in NUMBERS
               if differs(answers[label], quantity, wanted)]
    print("\n".join(failed) or f"{len(COMMANDS)} commands, {len(NUMBERS)} rows of numbers: fine")
    sys.exit(1 if failed else 0)


main()
