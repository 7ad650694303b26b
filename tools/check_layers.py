#!/usr/bin/env python3
"""Includes point down: says where a file includes a layer that it may not see."""
import re

from sources import ROOT, Findings, c_files

MAY_SEE = {  # layer: layers it may include besides its own and the public headers
    "base": [],
    "linalg": ["base"],
    "model": ["base", "linalg"],
    "kernel": ["base", "linalg", "model"],
    "kinematics": ["base", "linalg", "model", "kernel"],
    "dynamics": ["base", "linalg", "model", "kernel", "kinematics"],
    "loops": ["base", "linalg", "model", "kernel", "kinematics", "dynamics"],
    "control": ["base", "linalg"],  # with sim a library of its own: the rest by public headers
    "sim": ["base", "linalg", "control"],
    "ident": ["base", "linalg", "model", "kernel", "kinematics", "dynamics", "loops"],
    "codegen": ["base", "linalg", "model", "kernel", "kinematics", "dynamics", "loops"],
    "ik": ["base", "linalg"],  # the rest by public headers
    "batch": ["base", "linalg", "model", "kernel", "kinematics", "dynamics", "loops"],
    "quantities": ["base"],  # the rest by public headers
    "io": ["base"],
    "estimate": ["base", "linalg"],  # limb_ident, by public headers
    # limb_study: libraries of their own, as sim; the reference formulations of verify are in the core.
    "reference": ["base", "linalg", "model", "kernel", "kinematics", "dynamics", "verify"],
    "verify": ["base", "linalg"],
    "study": ["base", "linalg"],
    "draw": ["base", "linalg"],
    "run": ["base"],
}
# Texts of the kernels that need nothing but a scalar: plain code shares them.
SHARED_TEXTS = {"kernel/arc.h"}
# Readers and writers see the builder and what it is made of, and pools of threads; never a model.
IO_PUBLIC = {"limb/base.h", "limb/batch.h", "limb/builder.h", "limb/edit.h", "limb/spatial.h", "limb/read.h",
             "limb/table.h", "limb/run.h"}
# The doctor examines loops on the robot itself.
DOCTOR_PUBLIC = {"limb/assemble.h"}
# Springs of MJCF follow from the inertia that their joints move.
SPRINGS_PUBLIC = {"limb/dynamics.h", "limb/kinematics.h", "limb/model.h"}

found = Findings("check_layers")


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        hit = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if hit:
            yield number, hit[1]
        hit = re.match(r"\s*#\s*include\s+<(limb/[^>]+)>", line)
        if hit:
            yield number, hit[1]


def check_source(path, layer):
    if layer not in MAY_SEE:
        found.add(path, 0, f"layer '{layer}' is not in the table of tools/check_layers.py")
        return
    for number, name in includes(path):
        folder = name.split("/")[0] if "/" in name else None
        if ".." in name.split("/"):
            found.add(path, number, f'"{name}": name the file by its layer, not by ..')
        elif folder is None:
            found.add(path, number, f'"{name}": write "{layer}/{name}"')
        elif folder == "limb":
            doctor = path.name.startswith("doctor_") and name in DOCTOR_PUBLIC
            springs = path.name == "read_mjcf_spring.c" and name in SPRINGS_PUBLIC
            if layer == "io" and name not in IO_PUBLIC and not doctor and not springs:
                found.add(path, number, f"layer 'io' sees the builder only, not '{name}'")
        elif folder != layer and folder not in MAY_SEE[layer] and name not in SHARED_TEXTS:
            found.add(path, number, f"layer '{layer}' may not include '{folder}'")


def check_outside(path):
    """Public headers, the tool and the examples see public headers and files beside them."""
    folder = path.relative_to(ROOT).parts[0]
    for number, name in includes(path):
        if name.startswith("limb/") and (ROOT / "include" / name).exists():
            continue
        places = [path.parent] if folder != "cli" else [ROOT / "cli", *(ROOT / "cli").glob("*/")]
        if folder == "include" or not any((place / name).exists() for place in places):
            found.add(path, number, f"{folder}/ may include public headers only, not '{name}'")


sources = c_files("src")
for source in sources:
    layer = source.relative_to(ROOT).parts[1]
    check_source(source, "reference" if layer == "verify" and source.name.startswith("reference_") else layer)
outside = c_files("include", "cli", "examples", "python")
for source in outside:
    check_outside(source)
found.finish(f"{len(sources) + len(outside)} files")
