#!/usr/bin/env python3
"""How many times faster limb is than the best of the other libraries, and how near to the limit: tables in Markdown.

    bench/ratios.py build/release/limb-bench [--robots ur5,panda,FILE.urdf+free,...] [--rounds 5] [--json FILE]

All libraries are measured in the same rounds of one process, in short slices; of several runs the best time of each
counts. Where a peer is faster, the number is bold. The default robots are those that scripts/setup bench unpacks.
The limit is the rate of multiply-adds of the processor, scalar ones for one call, vectors for batches; operations are
counted by running the text of the kernels (bench/README.md).
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import time

UNPACKED = pathlib.Path(__file__).resolve().parent.parent / ".deps/peers/robots"
LEGGED = ("solo12", "anymal", "simple_humanoid", "talos_reduced")
QUANTITIES = {
    "rnea": "inverse dynamics",
    "fd": "forward dynamics",
    "crba": "mass matrix",
    "kinematics": "kinematics",
    "bias": "bias forces",
    "jacobian": "Jacobian of a frame",
    "coriolis": "Coriolis matrix",
    "centroidal": "centroidal momentum matrix",
    "minv": "inverse of M",
    "id_derivatives": "derivatives of ID",
    "fd_derivatives": "derivatives of FD",
    "regressor": "regressor",
    "id_second": "second derivatives of ID",
}
CLOSED = {"fd_loops": "forward dynamics with loops closed"}
GENERATED = {quantity: QUANTITIES[quantity] for quantity in ("rnea", "fd", "crba")}
MECHANISMS = ("four_bar", "five_bar", "gough_stewart")
WAYS = {"fd": ("fd", "fd_aba", "fd_matrix")}  # of a peer the fastest counts
# Why a quantity is below half of the limit, by mode.
WHY = {
    ("rnea", "batch"): "turning states into lanes and back, and the sines, take a fifth of the time each",
    ("fd", "batch"): "turning states into lanes and back, and the sines, take a quarter of the time together",
    ("crba", "single"): "nv^2 entries are written, both halves and the zeros between branches",
    (
        "crba",
        "batch",
    ): "nv^2 entries a state are written and turned: without the zeros and one half, 43 % less time for 35 dofs",
    ("coriolis", "single"): "lanes that are dofs stand idle on short branches",
    ("coriolis", "batch"): "nv^2 entries a state are written and turned; the sweeps are made for all derivatives",
    ("minv", "single"): "short rows of the factors, one after another",
    ("minv", "batch"): "a load for every product, and nv^2 entries to write and turn",
    ("id_derivatives", "single"): "lanes that are dofs stand idle on short branches; three matrices are written",
    (
        "id_derivatives",
        "batch",
    ): "a quarter of the time turns and writes three matrices; they do not fit the first cache",
    ("fd_derivatives", "single"): "the factors of M are short rows; products with M^-1 and all else are as above",
    (
        "fd_derivatives",
        "batch",
    ): "a third of the time is products with M^-1, a quarter the sweeps; the rest inverts, turns and writes",
    ("regressor", "single"): "ten columns a body are written for six products each, and zeros everywhere else",
    ("regressor", "batch"): "ten columns a body and zeros everywhere else are written, then turned: memory decides",
}


def default_robots():
    legged = [f"{UNPACKED}/{name}.urdf" for name in LEGGED]
    return ",".join(["ur5", "panda", *(f"{f}+free" for f in legged), *MECHANISMS, *(f"{f}+feet" for f in legged)])


def measure(options):
    """The last run, with the best times and shares of all."""
    best, rate, answer = {}, {}, None
    words = [*shlex.split(options.bench), "--quick", "--threads", "1", "--robots", options.robots, "--format", "json"]
    for _ in range(options.rounds):
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        answer = json.loads(done.stdout)
        for r in answer["rows"]:
            key = (r["robot"], r["quantity"], r["mode"], r["library"], r["layout"])
            best[key] = min(r["ns"] or float("inf"), best.get(key, float("inf")))
            if r["peak_share"]:
                rate[key] = max(r["peak_share"], rate.get(key, 0))
    for r in answer["rows"]:
        key = (r["robot"], r["quantity"], r["mode"], r["library"], r["layout"])
        r["ns"], r["peak_share"] = best[key], rate.get(key)
    return answer


def fastest(rows, robot, quantities, chosen):
    found = [r["ns"] for r in rows if r["robot"] == robot and r["quantity"] in quantities and chosen(r)]
    return min(found, default=None)


def cell(rows, robot, quantity, mode):
    own = fastest(rows, robot, (quantity,), lambda r: r["library"] == "limb" and r["mode"] == mode)
    theirs = "generated" if mode == "generated" else "single"
    peer = fastest(
        rows, robot, WAYS.get(quantity, (quantity,)), lambda r: r["library"] != "limb" and r["mode"] == theirs
    )
    if not own or not peer:
        return "-"
    text = f"{peer / own:.2g}" if peer < 10 * own else f"{peer / own:.0f}"
    return text if peer >= own else f"**{text}**"


def print_table(answer, title, mode, quantities):
    rows = answer["rows"]
    robots = list({r["robot"]: r["dof"] for r in rows if r["quantity"] in quantities}.items())
    if all(cell(rows, name, q, mode) == "-" for name, _ in robots for q in quantities):
        return
    print(f"\n| {title} | " + " | ".join(f"{name.replace('.urdf', '')} ({dof})" for name, dof in robots) + " |")
    print("|---" * (len(robots) + 1) + "|")
    for quantity, words in quantities.items():
        cells = [cell(rows, name, quantity, mode) for name, _ in robots]
        if set(cells) != {"-"}:
            print(f"| {words} | " + " | ".join(cells) + " |")


def share(rows, robot, quantity, mode):
    """Of limb's row, arrays by state; 0: not counted."""
    wanted = (robot, quantity, mode, "limb")
    found = [
        r for r in rows if (r["robot"], r["quantity"], r["mode"], r["library"]) == wanted and r["layout"] != "lanes"
    ]
    return max((r["peak_share"] or 0 for r in found), default=0)


def print_shares(answer):
    rows = answer["rows"]
    robots = list({r["robot"]: r["dof"] for r in rows if r["quantity"] in QUANTITIES})
    if not robots:
        return
    names = " | ".join(name.removesuffix(".urdf") for name in robots)
    print(f"\n| share of multiply-adds, %: one call, batch | {names} |\n|---" + "|---" * len(robots) + "|")
    low = []
    for quantity, words in QUANTITIES.items():
        pairs = [[share(rows, name, quantity, mode) for mode in ("single", "batch")] for name in robots]
        if not any(map(any, pairs)):
            continue
        print(f"| {words} | " + " | ".join(", ".join(f"{100 * x:.0f}" if x else "-" for x in p) for p in pairs) + " |")
        for k, mode in enumerate(("single", "batch")):
            if any(0 < p[k] < 0.5 for p in pairs):
                low.append(f"- {words}, {'one call' if k == 0 else 'batch'}: {WHY.get((quantity, mode), '?')}")
    print("\nBelow half, and why:\n" + "\n".join(low))


def print_tool(bench):
    """Size and start of the tool, and of what else is measured, as far as they are beside the program."""
    build = pathlib.Path(bench).resolve().parent
    tool = build / "limb"
    files = [tool, build / "liblimb.so", *sorted((UNPACKED.parent / "mujoco").glob("libmujoco.so*"))]
    print("\n" + ", ".join(f"{f.name} {f.stat().st_size / 1e6:.1f} MB" for f in files if f.exists()))
    if tool.exists():
        times = []
        for _ in range(20):
            begin = time.perf_counter()
            subprocess.run([tool, "--version"], stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begin)
        print(f"limb --version: {1e3 * min(times):.1f} ms, best of {len(times)}")


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
    print_table(answer, "one call", "single", QUANTITIES)
    print_table(answer, "a state of a batch, over a peer's call", "batch", QUANTITIES)
    print_table(answer, "code generated for the robot, over a peer's", "generated", GENERATED)
    print_table(answer, "one call", "single", CLOSED)
    print_table(answer, "a state of a batch, over a peer's call", "batch", CLOSED)
    print_shares(answer)
    print_tool(shlex.split(options.bench)[0])


if __name__ == "__main__":
    sys.exit(main())
