#!/usr/bin/env python3
"""How many times faster limb is than the best of the other libraries: a table in Markdown.

    bench/ratios.py build/release/limb-bench [--robots ur5,panda,FILE.urdf+free,...] [--rounds 5] [--json FILE]

All libraries are measured in the same rounds of one process, in short slices; of several runs the best time of each
counts. Where a peer is faster, the number is bold. The default robots are those that scripts/setup bench unpacks.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys

UNPACKED = pathlib.Path(__file__).resolve().parent.parent / ".deps/peers/robots"
LEGGED = ("solo12", "anymal", "simple_humanoid", "talos_reduced")
QUANTITIES = {"rnea": "inverse dynamics", "fd": "forward dynamics", "crba": "mass matrix", "kinematics": "kinematics",
              "bias": "bias forces", "jacobian": "Jacobian of a frame", "coriolis": "Coriolis matrix",
              "centroidal": "centroidal momentum matrix", "minv": "inverse of M", "id_derivatives": "derivatives of ID",
              "fd_derivatives": "derivatives of FD", "regressor": "regressor", "id_second": "second derivatives of ID"}
WAYS = {"fd": ("fd", "fd_aba", "fd_matrix")}  # of a peer the fastest counts


def default_robots():
    return ",".join(["ur5", "panda", *(f"{UNPACKED}/{name}.urdf+free" for name in LEGGED)])


def measure(options):
    """The last run, with the best times of all."""
    best, answer = {}, None
    words = [*shlex.split(options.bench), "--quick", "--threads", "1", "--robots", options.robots, "--format", "json"]
    for _ in range(options.rounds):
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        answer = json.loads(done.stdout)
        for r in answer["rows"]:
            key = (r["robot"], r["quantity"], r["mode"], r["library"], r["layout"])
            best[key] = min(r["ns"] or float("inf"), best.get(key, float("inf")))
    for r in answer["rows"]:
        r["ns"] = best[r["robot"], r["quantity"], r["mode"], r["library"], r["layout"]]
    return answer


def fastest(rows, robot, quantities, chosen):
    found = [r["ns"] for r in rows if r["robot"] == robot and r["quantity"] in quantities and chosen(r)]
    return min(found, default=None)


def cell(rows, robot, quantity, mode):
    own = fastest(rows, robot, (quantity,), lambda r: r["library"] == "limb" and r["mode"] == mode)
    peer = fastest(rows, robot, WAYS.get(quantity, (quantity,)), lambda r: r["library"] != "limb")
    if not own or not peer:
        return "-"
    text = f"{peer / own:.2g}" if peer < 10 * own else f"{peer / own:.0f}"
    return text if peer >= own else f"**{text}**"


def print_table(answer, title, mode):
    rows = answer["rows"]
    robots = list({r["robot"]: r["dof"] for r in rows}.items())
    print(f"\n| {title} | " + " | ".join(f"{name.removesuffix('.urdf')} ({dof})" for name, dof in robots) + " |")
    print("|---" * (len(robots) + 1) + "|")
    for quantity, words in QUANTITIES.items():
        cells = [cell(rows, name, quantity, mode) for name, _ in robots]
        if set(cells) != {"-"}:
            print(f"| {words} | " + " | ".join(cells) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    p.add_argument("bench", help="a command: build/release/limb-bench")
    p.add_argument("--robots", default=default_robots(), help="names and files with commas between them")
    p.add_argument("--rounds", type=int, default=5, help="runs; the best times count (default: 5)")
    p.add_argument("--json", help="where all results of the last run go, with the best times of all runs")
    options = p.parse_args()
    answer = measure(options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    print(f"{answer['processor']}, {answer['isa']}, {answer['date']}, load {answer['load']:.1f}")
    for peer in answer["peers"]:
        print(f"- {peer['name']} {peer['version']}: {peer['build']}")
    print_table(answer, "one call", "single")
    print_table(answer, "a state of a batch, over a peer's call", "batch")


if __name__ == "__main__":
    sys.exit(main())
