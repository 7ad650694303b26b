#!/usr/bin/env python3
"""Tests tools/hooks/commit-msg: which messages it accepts and what it reports about the others."""
import pathlib
import subprocess
import sys
import tempfile

HOOK = pathlib.Path(__file__).resolve().parent / "hooks" / "commit-msg"
BODY = "\n\nIt is measured: 3 % faster.\n"
ACCEPTED = [
    "Reject mimic cycles with the names of their joints" + BODY,
    "Tests: compare batches with single calls",
    "limb sim: accept old option names with a note",
    "Speed up the regressor",
    "Merge branch 'front'",
    "Revert \"Added what was not there.\"",
    "# a comment\nAdd a joint\n# Please enter the commit message\n",
    "Add a joint\n\nWhy.\n# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n",
    "x" * 72,
]
REFUSED = [  # message, part of the report
    ("", "empty"),
    ("# only comments\n", "empty"),
    ("x" * 73, "73 columns"),
    ("Add a joint." + BODY, "period"),
    ("WIP joints", "WIP"),
    ("wip: joints", "WIP"),
    ("Added a joint", "'Added'"),
    ("Adding a joint", "'Adding'"),
    ("Tests: fixed tolerances", "'fixed'"),
    ("Add a joint\nwithout a blank line", "second line"),
]


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "message"
        for message, want in [*((text, None) for text in ACCEPTED), *REFUSED]:
            file.write_text(message, encoding="utf-8")
            run = subprocess.run([sys.executable, HOOK, file], capture_output=True, text=True, check=False)
            refused = run.returncode == 1 and want is not None and want in run.stderr
            fine = run.returncode == 0 and not run.stderr if want is None else refused
            if not fine:
                print(f"FAILED {message!r}: exit code {run.returncode}, {run.stderr.strip()!r}, expected {want!r}")
                failed += 1
    print(f"test_commit_msg: {len(ACCEPTED)} accepted, {len(REFUSED)} refused, {failed} failed")
    sys.exit(1 if failed else 0)


main()
