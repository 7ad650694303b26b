#!/usr/bin/env python3
"""The core stands on libc and libm alone, prints nothing, ends no program and has no state.

    check_core_deps.py <liblimb.so> <liblimb.a>

Undefined symbols must come from libc or libm (or be libgcc's view of the processor, by which a
kernel variant is chosen); .data and .bss must be empty.
"""
import re
import subprocess
import sys

from sources import Findings

NEEDED = {"libc.so.6", "libm.so.6"}
RUNTIME = {"__cpu_model", "__cpu_indicator_init", "_GLOBAL_OFFSET_TABLE_"}
FORBIDDEN = {  # of libc, for a library that never acts on its own
    "abort", "exit", "_exit", "longjmp", "_longjmp", "setlocale", "localeconv", "printf", "puts",
    "putchar", "vprintf", "fprintf", "fputs", "fwrite", "stdout", "stderr", "perror", "getenv",
    "rand", "srand", "random", "strtok", "signal", "system",
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libc_symbols():
    names = set()
    for library in sorted(NEEDED):
        path = run("gcc", f"-print-file-name={library}").strip()
        for line in run("nm", "-D", "--defined-only", path).splitlines():
            names.add(line.split()[-1].split("@")[0])
    return names


if len(sys.argv) != 3:
    sys.exit(__doc__)
shared, static = sys.argv[1:]
found = Findings("check_core_deps")

for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", "-W", shared)):
    if name not in NEEDED:
        found.add(shared, 0, f"needs {name}")

defined = set()
wanted = []  # (object, symbol)
member = ""
for line in run("nm", static).splitlines():
    fields = line.split()
    if line.endswith(".o:"):
        member = line[:-1]
    elif len(fields) == 2 and fields[0] in "Uwv":
        wanted.append((member, fields[1]))
    elif len(fields) == 3:
        defined.add(fields[2])
outside = [(member, name) for member, name in wanted if name not in defined]
known = libc_symbols() | RUNTIME
for member, name in outside:
    if name in FORBIDDEN:
        found.add(static, 0, f"{member} uses {name}, which a library must not")
    elif name not in known:
        found.add(static, 0, f"{member} uses {name}, which is neither of libc nor of libm")

for line in run("readelf", "-S", "-W", static).splitlines():
    if line.startswith("File: "):
        member = line.split("(")[-1].rstrip(")")
    hit = re.match(r"\s*\[ *\d+\] (\.t?data|\.t?bss|COMMON)\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", line)
    if hit and int(hit[2], 16):
        found.add(static, 0, f"{member} has {int(hit[2], 16)} bytes of writable {hit[1]}")

names = " ".join(sorted({name for _, name in outside}))
found.finish(f"libc and libm only ({names})")
