#!/usr/bin/env python3
"""Every public header compiles alone: as C17, as C++17, twice, and after <complex.h>."""
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, Findings

WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
C = ["-x", "c", "-std=c17", "-Wc++-compat", "-Wstrict-prototypes", "-Wdouble-promotion"]
CXX = ["-x", "c++", "-std=c++17"]
BEFORE = ["", "#include <complex.h>\n"]


def compilers():
    """The compilers at hand, as (command, language flags)."""
    named = [(os.environ.get("CC", "gcc"), C), (os.environ.get("CXX", "g++"), CXX),
             ("clang", C), ("clang++", CXX)]
    seen = {}
    for command, language in named:
        if shutil.which(command):
            seen[command] = language
    return list(seen.items())


def compile_alone(job):
    header, (command, language), before = job
    line = f'#include "limb/{header.name}"\n'
    text = before + line + line + "typedef int limb_header_compiled;\n"
    run = subprocess.run([command, *language, *WARN, "-fsyntax-only", f"-I{ROOT / 'include'}", "-"],
                         input=text, capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


found = Findings("check_headers")
headers = sorted((ROOT / "include" / "limb").glob("*.h"))
tools = compilers()
if {language[1] for _, language in tools} != {"c", "c++"}:
    found.add("check_headers", 0, "needs a C and a C++ compiler")
jobs = [(h, tool, before) for h in headers for tool in tools for before in BEFORE]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    for job, (code, errors) in zip(jobs, pool.map(compile_alone, jobs)):
        if code:
            header, (command, language), before = job
            after = " after <complex.h>" if before else ""
            found.add(header, 1, f"does not compile alone with {command} {language[2]}{after}")
            print(errors, end="")
names = ", ".join(command for command, _ in tools)
found.finish(f"{len(headers)} headers with {names}")
