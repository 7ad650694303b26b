#!/usr/bin/env python3
"""Draws docs/pictures/long_chains.svg: what more processors gain on long chains, from what limb_bench_split prints.

    draw_long_chains.py TABLE.csv [OUT.svg]
"""
import csv
import math
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PANEL, GAP, LEFT, TOP_EDGE, HIGH = 380, 64, 62, 92, 300
COLOURS = {1000: "#c43d5b", 10000: "#2fae9f", 100000: "#1f5fa6"}
TITLES = {"rnea": "inverse dynamics", "fd": "forward dynamics"}
MOST = 128  # the highest gain that is drawn

STYLE = """<style>
text{font-family:Inter,'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:11px;fill:#5b6573}
.title{font-size:19px;font-weight:600;fill:#17202b}.name{font-size:13px;font-weight:600;fill:#17202b}
.page{fill:#fff}.panel{fill:#f7f9fb}.grid{stroke:#e3e7ec}.even{stroke:#9aa4b1}
.curve{fill:none;stroke-width:1.8;stroke-linejoin:round}.tree{stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){text{fill:#9aa7b6}.title,.name{fill:#eef2f6}.page{fill:#12171e}.panel{fill:#171d25}
.grid{stroke:#28303a}.even{stroke:#66717f}}
</style>"""


def gains(path):
    """{(table, quantity, n): [(processors, gain), ...]}, against the best time of the plain call in any row."""
    with open(path, encoding="utf-8", newline="") as stream:
        rows = [r for r in csv.DictReader(stream) if r["table"] in ("model", "tree", "chain")]
    best = {}
    for row in rows:
        key = row["quantity"], row["n"]
        best[key] = min(best.get(key, math.inf), float(row["plain_ns"]))
    found = {}
    for row in rows:
        gain = best[row["quantity"], row["n"]] / float(row["split_ns"])
        found.setdefault((row["table"], row["quantity"], int(row["n"])), []).append((int(row["processors"]), gain))
    return found


def place(left, processors, gain):
    x = left + PANEL * (math.log2(processors) - 1) / 7
    y = TOP_EDGE + HIGH * (math.log2(MOST) - math.log2(gain)) / (math.log2(MOST) + 1)
    return x, y


def ground(left, title):
    yield f'<text class="name" x="{left}" y="{TOP_EDGE - 12}">{title}</text>'
    yield f'<rect class="panel" x="{left}" y="{TOP_EDGE}" width="{PANEL}" height="{HIGH}"/>'
    for k in range(-1, int(math.log2(MOST)) + 1):
        y = place(left, 2, 2 ** k)[1]
        kind = "even" if k == 0 else "grid"
        yield f'<line class="{kind}" x1="{left}" x2="{left + PANEL}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{2 ** k:g}</text>'
    for k in range(1, 9):
        x = place(left, 2 ** k, 1)[0]
        yield f'<text x="{x:.1f}" y="{TOP_EDGE + HIGH + 16}" text-anchor="middle">{2 ** k}</text>'


def curves(found, left, quantity):
    for n, colour in COLOURS.items():
        for table in ("model", "tree"):
            points = [place(left, *p) for p in found.get((table, quantity, n), []) if 0.5 <= p[1] <= MOST]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            yield f'<polyline class="curve {table}" stroke="{colour}" points="{path}"/>'
        for p in found.get(("chain", quantity, n), []):
            x, y = place(left, *p)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def draw(found):
    width = LEFT + 2 * PANEL + GAP + 24
    size = f'width="{width}" height="460"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} 460" role="img">',
             "<title>Long chains on many processors</title>", STYLE, f'<rect class="page" {size}/>',
             '<text class="title" x="24" y="36">Long chains on many processors</text>',
             '<text x="24" y="55">times faster than one call on one processor, over processors; '
             'lines: parts in a row; dashed: joined in a tree; dots: two real processors</text>']
    for i, (quantity, title) in enumerate(TITLES.items()):
        left = LEFT + i * (PANEL + GAP)
        lines += ground(left, title)
        lines += curves(found, left, quantity)
    for i, (n, colour) in enumerate(COLOURS.items()):
        lines.append(f'<circle cx="{LEFT + 4 + 140 * i}" cy="440" r="4" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + 13 + 140 * i}" y="444">{n:,} joints</text>')
    return "\n".join(lines + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else TOP / "docs" / "pictures" / "long_chains.svg"
    out.write_text(draw(gains(sys.argv[1])), encoding="utf-8")


main()
