#!/usr/bin/env python3
"""The exported symbols are those of cmake/<library>.abi, and those that its public headers promise.

    check_symbols.py <liblimb.so, liblimb_io.so, ...>            compare
    check_symbols.py <liblimb.so, liblimb_io.so, ...> --update   write the list anew: a decision about the ABI

Headers of limb_io, limb_sim, limb_ident and limb_study say so in a comment, which holds up to the next such comment;
all others are of limb.
"""
import re
import subprocess
import sys
from pathlib import Path

from sources import ROOT, Findings

if len(sys.argv) < 2:
    sys.exit(__doc__)
LIBRARY = Path(sys.argv[1]).name.split(".")[0].removeprefix("lib")
ABI = ROOT / "cmake" / f"{LIBRARY}.abi"
TITLE = f"# Symbols that lib{LIBRARY} exports. tools/check_symbols.py compares; --update writes it.\n"


def exported(library):
    run = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True)
    return {line.split()[2].split("@")[0] for line in run.stdout.splitlines()}


def promised():
    """Functions declared LIMB_API in a public header: name -> (header, line)."""
    names = {}
    for header in sorted((ROOT / "include" / "limb").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        said = [(hit.start(), hit[1]) for hit in re.finditer(r"belongs? to the library (limb\w*)", text)]
        for hit in re.finditer(r"^(?:LIMB_NODISCARD )?LIMB_API\b[^;(]*?(\w+)\s*\(", text, re.M):
            library = ([name for at, name in said if at < hit.start()] or ["limb"])[-1]
            if library == LIBRARY:
                names[hit[1]] = (header, text.count("\n", 0, hit.start()) + 1)
    return names


now = exported(sys.argv[1])
if "--update" in sys.argv[2:]:
    ABI.write_text(TITLE + "".join(f"{name}\n" for name in sorted(now)), encoding="utf-8")

found = Findings("check_symbols")
listed = set()
if ABI.exists():
    lines = ABI.read_text(encoding="utf-8").splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
for name in sorted(now - listed):
    found.add(ABI, 0, f"{name} is exported but not listed")
for name in sorted(listed - now):
    found.add(ABI, 0, f"{name} is listed but no longer exported")
headers = promised()
for name in sorted(set(headers) - now):
    found.add(*headers[name], f"{name} is declared but not exported")
for name in sorted(now - set(headers)):
    found.add(sys.argv[1], 0, f"{name} is exported but no public header declares it")
found.finish(f"{len(now)} symbols")
