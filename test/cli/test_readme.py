#!/usr/bin/env python3
"""Runs the commands of README.md, docs/guide.md and docs/for-design.md, one by one, in a copy of what they need.

    test_readme.py <limb>

Commands are the indented lines that begin with `limb`; "# exit code N" behind one is what it must return. A block of
text behind a command is part of its output: "..." stands for what is left out, and white space does not count. Numbers
with an exponent are rounding errors, which depend on the machine, as does the state where one is largest.
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
PAGES = ("README.md", "docs/guide.md", "docs/for-design.md")
COMMAND = re.compile(r"^    (limb [^\n]*)$|^```\n(.*?)^```$|^```\w+\n.*?^```$", re.MULTILINE | re.DOTALL)
WRITTEN = ("torques.svg", "torques.csv", "report.html", "tree5.urdf", "map.svg", "map.csv", "panda.c")


def commands_of(page):
    """[command line, blocks of output]"""
    found = []
    for command, output in COMMAND.findall((TOP / page).read_text(encoding="utf-8")):
        if command:
            found.append((command, []))
        elif output:
            found[-1][1].append(output)
    return found


def plain(text):
    text = re.sub(r"\b\d[\d.]*e[-+]?\d+", "#", text)
    return re.sub(r"# # \d+ ", "# # # ", " ".join(text.split()))


def missing_parts(blocks, output):
    parts = [plain(part) for block in blocks for part in re.split(r"^\.\.\.$", block, flags=re.MULTILINE)]
    return [part for part in parts if part not in plain(output)]


def run_command(limb, line, blocks, folder):
    command, _, comment = line.partition(" #")
    code = re.search(r"exit code (\d)", comment)
    want = int(code[1]) if code else 0
    environment = {**os.environ, "NO_COLOR": "1"}
    if re.search(r"\.(pdf|png)\b", command):
        environment["ASAN_OPTIONS"] = "detect_leaks=0"  # of what fontconfig keeps
    run = subprocess.run([limb, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True, check=False,
                         env=environment)
    missing = missing_parts(blocks, run.stdout + "\n" + run.stderr)
    ok = run.returncode == want and (run.stdout or run.stderr) and not missing
    print("ok    " if ok else "FAILED", command, f"(exit code {run.returncode})")
    for part in missing:
        print(f"  not in its output: {part}")
    if not ok:
        print(run.stdout[-2000:], run.stderr[-2000:])
    return ok


def main():
    limb = str(pathlib.Path(sys.argv[1]).resolve())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(TOP / "examples", pathlib.Path(folder) / "examples")
        for page in PAGES:
            commands = commands_of(page)
            if len(commands) < 3:
                sys.exit(f"test_readme: only {len(commands)} commands in {page}")
            failed += sum(not run_command(limb, line, blocks, folder) for line, blocks in commands)
        for name in WRITTEN:
            if not (pathlib.Path(folder) / name).exists():
                print(f"FAILED {name} was not written")
                failed += 1
    sys.exit(1 if failed else 0)


main()
