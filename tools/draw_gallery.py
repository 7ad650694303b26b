#!/usr/bin/env python3
"""Runs the simulations of examples/gallery and puts their pictures into docs/pictures.

    draw_gallery.py LIMB [NAME...]      all, or those that are named
    draw_gallery.py --tables            writes the tables that runs read, by their formulas

A run writes where it is started: that is a folder for the time being, of which only .svg files are kept.
"""
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
GALLERY, PICTURES = TOP / "examples" / "gallery", TOP / "docs" / "pictures"
LARGEST = 150_000  # bytes of a picture


def write_table(name, columns, rows):
    """Numbers as short as they are exact."""
    lines = [",".join(columns)] + [",".join(repr(x) for x in row) for row in rows]
    (GALLERY / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def turned(roll, pitch, yaw, p):
    """Rz(yaw) Ry(pitch) Rx(roll) p"""
    x, y, z = p
    y, z = y * math.cos(roll) - z * math.sin(roll), y * math.sin(roll) + z * math.cos(roll)
    x, z = x * math.cos(pitch) + z * math.sin(pitch), z * math.cos(pitch) - x * math.sin(pitch)
    return x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw), z


def around(radius, degrees, z):
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), z


def leg_lengths(t):
    """Lengths of the legs while the platform moves: from the base to the platform, point by point."""
    w = math.pi * t
    place = 0.08 * math.sin(w), 0.06 * math.cos(w) - 0.06, 0.75 + 0.05 * math.sin(2 * w)
    turn = 0.12 * math.sin(w + 0.3), 0.1 * math.sin(2 * w), 0.15 * math.cos(w)
    for foot, head in zip((15, 105, 135, 225, 255, 345), (45, 75, 165, 195, 285, 315)):
        tip = turned(*turn, around(0.35, head, -0.05))
        yield math.dist([a + b for a, b in zip(place, tip)], around(0.6, foot, 0))


def write_tables():
    # A little longer than the run, so that the ends of the spline are not in it.
    times = [(k - 20) / 100 for k in range(241)]
    write_table("gough_stewart_legs.csv", ["time"] + [f"q.leg{i}_slide" for i in range(1, 7)],
                [[t, *leg_lengths(t)] for t in times])
    # Stretched; then the angles of an alpha helix, which the springs hold.
    names = [f"q.{angle}{i}" for i in range(1, 501) for angle in ("phi", "psi")]
    write_table("protein_angles.csv", ["time"] + names,
                [[-1] + 1000 * [3.1416], [0] + 500 * [-0.9948, -0.8203]])


def draw(limb, run):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([limb, "sim", run, "--no-progress"], cwd=folder, check=True)
        for picture in sorted(pathlib.Path(folder).glob("*.svg")):
            size = picture.stat().st_size
            if size > LARGEST:
                sys.exit(f"draw_gallery: {picture.name} has {size} bytes, more than {LARGEST}: fewer frames")
            shutil.copyfile(picture, PICTURES / picture.name)
            print(f"{picture.name:28} {size:7} bytes")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    if sys.argv[1] == "--tables":
        write_tables()
        return
    limb = str(pathlib.Path(sys.argv[1]).resolve())
    for run in sorted(GALLERY.glob("*.run.yaml")):
        name = run.name.split(".")[0]
        if len(sys.argv) == 2 or name in sys.argv[2:]:
            draw(limb, run)


main()
