#!/usr/bin/env python3
"""Measures the benchmarks of examples/gallery/benchmarks: tables and pictures of docs/benchmarks.md.

    draw_benchmarks.py LIMB [CASE...]        all cases and the work-precision diagrams, or single cases

Errors are those of test/benchmarks. CPU times are minima of several runs, less that of a run of no duration; they are
the only numbers that change from one machine to the next.
"""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "test" / "benchmarks"))
import cases  # noqa: E402
from draw_orders import COLOURS as OWN, STYLE  # noqa: E402

PAGE = TOP / "docs" / "benchmarks.md"
PICTURES = TOP / "docs" / "pictures"
COLOURS = {**OWN, "erk": "#17202b", "adams": "#8a9a2c", "bdf": "#b0529c", "ida": "#5b8fd0"}
MOVING = ("andrews", "bricard", "governor", "four_bars_2", "top", "disc", "sleigh", "double_pendulum")
DIAGRAMS = ("andrews", "bricard", "governor", "top", "double_pendulum", "shafts")
SLOW = 5  # CPU seconds: such runs are measured once
LEAST, LARGEST = -13, 1  # decades of errors


class Bench:
    def __init__(self, limb, folder):
        self.limb, self.folder, self.idle = limb, folder, {}

    def start_up(self, name):
        """CPU seconds before a simulation begins."""
        if name not in self.idle:
            self.idle[name] = min(cases.simulate(self.limb, self.folder, name, "rk4", 1e-3, ("--duration", "0")).cpu
                                  for _ in range(7))
        return self.idle[name]

    def measure(self, name, method, size, repeats=3):
        """A run, with its CPU time alone; None if it does not reach the end."""
        runs = []
        for _ in range(repeats):
            runs.append(cases.simulate(self.limb, self.folder, name, method, size))
            if not runs[-1].values or runs[-1].cpu > SLOW:
                break
        best = min(runs, key=lambda run: run.cpu)
        best.cpu = max(best.cpu - self.start_up(name), 1e-4)
        return best


def digits(x, count=1):
    return f"{x:.{count}e}".replace("e-0", "e-").replace("e+0", "e")


def table(bench, name):
    case = cases.CASES[name]
    lines = ["| method | step or tolerance | error | steps | evaluations | CPU |", "|---|--:|--:|--:|--:|--:|"]
    for method in cases.METHODS:
        if method not in case.errors:
            continue
        size = case.size(method)
        run = bench.measure(name, method, size)
        if not run.values:
            sys.exit(f"{name} by {method}: {run.message}")
        work = run.report["work"]
        unit = f"{1e3 * size:g} ms" if method in cases.FIXED else f"{size:.0e}".replace("e-0", "e-")
        cpu = f"{float(f'{1e3 * run.cpu:.2g}'):g} ms"
        lines.append(f"| `{method}` | {unit} | {digits(run.error)} | {work['steps']:,} | {work['evaluations']:,} "
                     f"| {cpu} |")
    return "\n".join(lines)


def write_table(name, text):
    page = PAGE.read_text(encoding="utf-8")
    mark = f"<!-- table {name} -->"
    page, count = re.subn(rf"{mark}\n.*?<!-- end -->", lambda _: f"{mark}\n{text}\n<!-- end -->", page, flags=re.S)
    if count != 1:
        sys.exit(f"docs/benchmarks.md has {count} tables of {name}")
    PAGE.write_text(page, encoding="utf-8")


def copy_picture(bench, name):
    done = subprocess.run([bench.limb, "sim", cases.RUNS / f"{name}.run.yaml", "--no-progress", "--quiet"],
                          cwd=bench.folder, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: no picture: {done.stderr.strip()[-200:]}")
        return
    drawn = f"{name}.svg" if name in MOVING else f"{name}_plot.svg"
    shutil.copy(pathlib.Path(bench.folder) / drawn, PICTURES / f"benchmark_{name}.svg")


# ---- work-precision diagrams

PANEL, HIGH, GAP, LEFT, TOP_EDGE, ROW = 262, 250, 52, 62, 92, 340


def curves(bench, name):
    """By method: points of CPU time and error."""
    case, found = cases.CASES[name], {}
    for method in case.errors:
        if method in case.slow:
            continue
        size = case.size(method)
        sizes = [size * 2.0 ** k for k in range(4, -3, -1)] if method in cases.FIXED else \
            [10.0 ** -k for k in (4, 5, 6, 7, 8, 9, 10, 11, 12, 13)]
        runs = [bench.measure(name, method, x) for x in sizes]
        found[method] = [(run.cpu, max(run.error, 10.0 ** LEAST)) for run in runs
                         if run.values and run.error < 10.0 ** LARGEST]
        print(name, method, *(f"{1e3 * c:.2g}:{e:.0e}" for c, e in found[method]), flush=True)
    return found


class Panel:
    """Errors over CPU time, both in decades."""

    def __init__(self, left, top, points):
        times = [math.log10(c) for c, _ in points]
        self.left, self.top = left, top
        self.low, self.high = math.floor(min(times)), math.ceil(max(times))

    def x(self, cpu):
        return self.left + PANEL * (math.log10(cpu) - self.low) / (self.high - self.low)

    def y(self, error):
        return self.top + HIGH * (LARGEST - math.log10(error)) / (LARGEST - LEAST)

    def ground(self, title):
        yield f'<text class="name" x="{self.left}" y="{self.top - 12}">{title}</text>'
        yield f'<rect class="panel" x="{self.left}" y="{self.top}" width="{PANEL}" height="{HIGH}"/>'
        for k in range(LARGEST, LEAST - 1, -2):
            y = self.y(10.0 ** k)
            yield f'<line class="grid" x1="{self.left}" x2="{self.left + PANEL}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{k}</text>'
        for k in range(self.low, self.high + 1):
            x, label = self.x(10.0 ** k), f"{10.0 ** (k + 3):g} ms" if k < 0 else f"{10 ** k} s"
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{self.top}" y2="{self.top + HIGH}"/>'
            yield f'<text x="{x:.1f}" y="{self.top + HIGH + 16}" text-anchor="middle">{label}</text>'

    def curve(self, method, points):
        place = " ".join(f"{self.x(c):.1f},{self.y(e):.1f}" for c, e in points)
        yield f'<polyline class="curve" stroke="{COLOURS[method]}" points="{place}"/>'
        for c, e in points:
            yield f'<circle cx="{self.x(c):.1f}" cy="{self.y(e):.1f}" r="2.2" fill="{COLOURS[method]}"/>'


def title_of(name):
    return re.search(r"(?m)^title: (.*)$", (cases.RUNS / f"{name}.run.yaml").read_text(encoding="utf-8"))[1]


def draw(found):
    width = LEFT + 3 * PANEL + 2 * GAP + 24
    high = TOP_EDGE + ROW * math.ceil(len(found) / 3) + 20
    size = f'width="{width}" height="{high}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {high}" role="img">',
             "<title>Work and precision of the methods</title>", STYLE, f'<rect class="page" {size}/>',
             '<text class="title" x="24" y="36">Work and precision</text>',
             '<text x="24" y="55">error at the end, over CPU time</text>']
    for i, (name, points) in enumerate(found.items()):
        panel = Panel(LEFT + i % 3 * (PANEL + GAP), TOP_EDGE + i // 3 * ROW, sum(points.values(), []))
        lines += panel.ground(title_of(name))
        for method, places in points.items():
            if places:
                lines += panel.curve(method, places)
    for i, method in enumerate(cases.METHODS):
        x = LEFT + 98 * i
        lines.append(f'<circle cx="{x + 4}" cy="{high - 20}" r="4" fill="{COLOURS[method]}"/>')
        lines.append(f'<text x="{x + 13}" y="{high - 16}">{method}</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    chosen = sys.argv[2:] or list(cases.CASES)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        for name in chosen:
            if cases.CASES[name].errors:
                write_table(name, table(bench, name))
            copy_picture(bench, name)
        if not sys.argv[2:]:
            found = {name: curves(bench, name) for name in DIAGRAMS}
            (PICTURES / "work_precision.svg").write_text(draw(found), encoding="utf-8")


if __name__ == "__main__":
    main()
