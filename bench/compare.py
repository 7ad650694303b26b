#!/usr/bin/env python3
"""Compares the speed of two builds of limb: runs both in turn, in short slices, and prints new / old of the best times.

    bench/compare.py OLD NEW [--robots panda,ur5] [--rounds 10] [--modes single,batch,float,generated]

OLD and NEW are commands: a program limb-bench, or "path/to/limb bench". The builds take turns robot by robot, and the
first one changes from round to round, so that what else the machine does falls on both. Only the best of all rounds
counts. Rows that are slower than the limit are marked; the exit code is 1 when there are any.
"""
import argparse
import json
import math
import shlex
import subprocess
import sys

ROBOTS = "panda,ur5,quadruped,humanoid,chain30"
MODES = "single,batch,float,generated"
ADAPTIVE = "_ms"  # quantities whose methods choose their steps: times depend on how far a motion has come


def measure(command, robot, quick):
    """Times [ns] of one robot by quantity, mode and layout."""
    words = [*shlex.split(command), "--no-peers", "--threads", "1", "--robots", robot, "--format", "json"]
    try:
        done = subprocess.run(words + ["--quick"] * quick, capture_output=True, text=True, check=False)
    except OSError as e:
        sys.exit(f"compare: {words[0]}: {e.strerror}")
    if done.returncode != 0:
        sys.exit(f"compare: {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return {(r["robot"], r["quantity"], r["mode"], r["layout"] or ""): r["ns"]
            for r in json.loads(done.stdout)["rows"] if r["ns"] is not None and not r["quantity"].endswith(ADAPTIVE)}


def measure_all(commands, options):
    """The best time of each row, for each command."""
    best = [{} for _ in commands]
    robots = options.robots.split(",")
    for i in range(options.rounds):
        for robot in robots:
            if sys.stderr.isatty():
                print(f"\rround {i + 1} of {options.rounds}: {robot:20}\r", end="", file=sys.stderr, flush=True)
            for k in (0, 1) if i % 2 == 0 else (1, 0):
                for row, ns in measure(commands[k], robot, not options.long).items():
                    best[k][row] = min(ns, best[k].get(row, math.inf))
    return best


def print_table(old, new, options):
    """Prints the rows that both have; returns how many are slower than the limit."""
    modes = options.modes.split(",")
    rows = [row for row in old if row in new and row[2] in modes]
    slower = [row for row in rows if new[row] > options.limit * old[row]]
    print(f"{'robot':16} {'quantity':20} {'mode':12} {'old ns':>11} {'new ns':>11} {'new/old':>8}")
    for row in rows:
        if options.only_marked and row not in slower:
            continue
        mode = " ".join(row[2:]) if row[3] == "lanes" else row[2]
        mark = " slower" if row in slower else ""
        print(f"{row[0]:16} {row[1]:20} {mode:12} {old[row]:11.1f} {new[row]:11.1f} {new[row] / old[row]:8.3f}{mark}")
    for mode in modes:
        ratios = [new[row] / old[row] for row in rows if row[2] == mode]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{mode}: {len(ratios)} rows, new / old from {min(ratios):.3f} to {max(ratios):.3f}, "
                  f"geometric mean {mean:.3f}")
    print(f"{len(slower)} of {len(rows)} rows are slower than {options.limit:g}")
    for name, one, other in (("old", old, new), ("new", new, old)):
        alone = sorted({" ".join(row[1:3]) for row in one if row not in other and row[2] in modes})
        if alone:
            print(f"only in {name}: {', '.join(alone)}")
    return len(slower)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0], epilog="Exit code 1: something is slower.")
    p.add_argument("old", help='a command: build/limb-bench, or "build/limb bench"')
    p.add_argument("new", help="another")
    p.add_argument("--robots", default=ROBOTS, help=f"default: {ROBOTS}")
    p.add_argument("--modes", default=MODES, help=f"rows of these modes (default: {MODES})")
    p.add_argument("--rounds", type=int, default=10, help="each runs both once per robot (default: 10)")
    p.add_argument("--long", action="store_true", help="full runs instead of --quick ones")
    p.add_argument("--limit", type=float, default=1.03, help="mark what is slower than this (default: 1.03)")
    p.add_argument("--only-marked", action="store_true", help="leave out all other rows")
    options = p.parse_args()
    old, new = measure_all((options.old, options.new), options)
    return 1 if print_table(old, new, options) else 0


if __name__ == "__main__":
    sys.exit(main())
