#!/usr/bin/env python3
"""Draws docs/pictures/orders.svg: errors of `limb sim` over steps, by method, on a tree, a free body and a loop.

    draw_orders.py LIMB [OUT.svg]

Errors are the largest difference of q and v at the end from a run by rk4 with far shorter steps. Observed orders are
printed; exit code 1 when one is off its nominal by more than 0.15.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
ORDERS = {"euler": 1, "semi-implicit": 1, "variational": 2, "rk4": 4, "implicit": 4}
FINEST = 1e-11  # errors below are rounding
ROBOTS = (
    ("a tree: planar_2r falls", 0.64, (20, 40, 80, 160, 320, 640),
     ["planar_2r", "--q", "joint1=-90deg,joint2=45deg", "--v", "joint1=2,joint2=-3"]),
    ("a free body: space_arm spins", 0.64, (20, 40, 80, 160, 320, 640),
     ["space_arm", "--gravity", "0,0,0", "--q", "joint1=0.4,joint2=-0.7",
      "--v", "base.wx=1,base.wy=-1.5,base.wz=2,joint1=1,joint2=-2,joint3=0.5"]),
    ("a loop: four_bar swings", 0.64, (20, 40, 80, 160, 320, 640),
     ["four_bar", "--q", "theta1=1.2", "--v", "theta1=2"]),
)
PANEL, GAP, LEFT, TOP_EDGE, HIGH = 262, 44, 62, 92, 300
COLOURS = {"euler": "#c43d5b", "semi-implicit": "#d9730d", "variational": "#2fae9f", "rk4": "#1f5fa6",
           "implicit": "#6d5bb0"}


def end_state(limb, folder, words, length, method, steps):
    out = folder / "end.csv"
    subprocess.run([limb, "sim", *words, "--duration", repr(length), "--method", method, "--step", repr(length / steps),
                    "--rate", repr(1 / length), "--output", out, "--quiet", "--no-progress"], check=True)
    with open(out, encoding="utf-8", newline="") as stream:
        return [float(x) for x in list(csv.reader(stream))[-1][1:]]


def errors_of(limb, folder, robot):
    _, length, counts, words = robot
    exact = end_state(limb, folder, words, length, "rk4", 40 * counts[-1])
    found = {}
    for method in ORDERS:
        ends = [end_state(limb, folder, words, length, method, n) for n in counts]
        found[method] = [(length / n, max(abs(a - b) for a, b in zip(e, exact))) for n, e in zip(counts, ends)]
    return found


def order_of(points):
    """The slope of the last two points above rounding."""
    (h0, e0), (h1, e1) = [p for p in points if p[1] > FINEST][-2:]
    return math.log(e0 / e1) / math.log(h0 / h1)


STYLE = """<style>
text{font-family:Inter,'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:11px;fill:#5b6573}
.title{font-size:19px;font-weight:600;fill:#17202b}.name{font-size:13px;font-weight:600;fill:#17202b}
.page{fill:#fff}.panel{fill:#f7f9fb}.grid{stroke:#e3e7ec}.slope{stroke:#9aa4b1;stroke-dasharray:3 3}
.curve{fill:none;stroke-width:1.8;stroke-linejoin:round}
@media (prefers-color-scheme:dark){text{fill:#9aa7b6}.title,.name{fill:#eef2f6}.page{fill:#12171e}.panel{fill:#171d25}
.grid{stroke:#28303a}.slope{stroke:#66717f}}
</style>"""


class Panel:
    """A log-log diagram at a place of the page; decades of steps and of errors."""

    def __init__(self, left, steps, errors):
        self.left, self.steps, self.errors = left, steps, errors

    def x(self, h):
        low, high = self.steps
        return self.left + PANEL * (math.log10(h) - low) / (high - low)

    def y(self, e):
        low, high = self.errors
        return TOP_EDGE + HIGH * (high - math.log10(e)) / (high - low)

    def ground(self, title):
        yield f'<text class="name" x="{self.left}" y="{TOP_EDGE - 12}">{title}</text>'
        yield f'<rect class="panel" x="{self.left}" y="{TOP_EDGE}" width="{PANEL}" height="{HIGH}"/>'
        for k in range(self.errors[0], self.errors[1] + 1, 2):
            y = self.y(10 ** k)
            yield f'<line class="grid" x1="{self.left}" x2="{self.left + PANEL}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{k}</text>'
        for h in (1e-3, 1e-2):
            x = self.x(h)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP_EDGE}" y2="{TOP_EDGE + HIGH}"/>'
            yield f'<text x="{x:.1f}" y="{TOP_EDGE + HIGH + 16}" text-anchor="middle">{1e3 * h:g} ms</text>'

    def curve(self, method, points):
        colour, seen = COLOURS[method], [p for p in points if p[1] > FINEST]
        place = " ".join(f"{self.x(h):.1f},{self.y(e):.1f}" for h, e in seen)
        yield f'<polyline class="curve" stroke="{colour}" points="{place}"/>'
        for h, e in seen:
            yield f'<circle cx="{self.x(h):.1f}" cy="{self.y(e):.1f}" r="2.6" fill="{colour}"/>'

    def slope(self, order, h, e, ratio=4):
        """A short line of a nominal order below a curve."""
        x0, y0, x1, y1 = self.x(h), self.y(e), self.x(h * ratio), self.y(e * ratio ** order)
        yield f'<line class="slope" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'
        yield f'<text x="{(x0 + x1) / 2 + 6:.1f}" y="{(y0 + y1) / 2 + 12:.1f}">{order}</text>'


def draw(all_errors):
    width = LEFT + 3 * PANEL + 2 * GAP + 24
    size = f'width="{width}" height="460"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} 460" role="img">',
             "<title>Observed orders of convergence</title>", STYLE, f'<rect class="page" {size}/>',
             '<text class="title" x="24" y="36">Errors over steps</text>',
             '<text x="24" y="55">largest error of q and v after 0.64 s; dashed: the nominal orders 1, 2 and 4</text>']
    for i, (robot, found) in enumerate(zip(ROBOTS, all_errors)):
        panel = Panel(LEFT + i * (PANEL + GAP), (-3.1, -1.4), (-12, 1))
        lines += panel.ground(robot[0])
        for method, points in found.items():
            lines += panel.curve(method, points)
        for order, method in ((1, "euler"), (2, "variational"), (4, "implicit")):
            seen = [p for p in found[method] if p[1] > FINEST]
            h, e = seen[-1] if order < 4 else min(seen[-2:])
            lines += panel.slope(order, h, 0.25 * min(e, found["semi-implicit"][-1][1] if order == 1 else e))
    x = LEFT
    for method in ORDERS:
        orders = ", ".join(f"{order_of(found[method]):.2f}" for found in all_errors)
        lines.append(f'<circle cx="{x + 4}" cy="440" r="4" fill="{COLOURS[method]}"/>')
        lines.append(f'<text x="{x + 13}" y="444">{method}: {orders}</text>')
        x += 172
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    limb = str(pathlib.Path(sys.argv[1]).resolve())
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else TOP / "docs" / "pictures" / "orders.svg"
    with tempfile.TemporaryDirectory() as folder:
        all_errors = [errors_of(limb, pathlib.Path(folder), robot) for robot in ROBOTS]
    wrong = 0
    for robot, found in zip(ROBOTS, all_errors):
        for method, nominal in ORDERS.items():
            order = order_of(found[method])
            wrong += abs(order - nominal) > 0.15
            print(f"{robot[0]:30} {method:14} {order:5.2f}  {found[method][0][1]:.1e} to {found[method][-1][1]:.1e}")
    out.write_text(draw(all_errors), encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
