#!/usr/bin/env python3
"""Every public header compiles alone, twice, as C17 and as C++17; all together do after <complex.h>. There are at most
31; their functions have at most 8 parameters; defaults are not inline: other languages call them.
Every text of the kernels parses alone as its version over double."""
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, Findings

MAX_HEADERS = 31  # limb/view.h: what programs send to the view
MAX_PARAMETERS = 8
DECLARATION = re.compile(r"^(?:LIMB_|static |typedef )[^;{}()]*\b(\w+)\(([^;{}]*)\)\s*[;{]", re.MULTILINE)
WARN = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wundef", "-Werror"]
C = ["-x", "c", "-std=c17", "-Wc++-compat", "-Wstrict-prototypes", "-Wdouble-promotion"]
CXX = ["-x", "c++", "-std=c++17"]


def compilers():
    """The compilers at hand, as (command, language flags)."""
    named = [(os.environ.get("CC", "gcc"), C), (os.environ.get("CXX", "g++"), CXX),
             ("clang", C), ("clang++", CXX)]
    seen = {}
    for command, language in named:
        if shutil.which(command):
            seen[command] = language
    return list(seen.items())


def count_parameters(text):
    """Names and numbers of parameters of all functions that a header declares or defines."""
    code = re.sub(r"//[^\n]*", "", text)
    for name, inside in DECLARATION.findall(code):
        depth, count = 0, 0 if inside.strip() in ("", "void") else 1
        for letter in inside:
            depth += (letter == "(") - (letter == ")")
            count += letter == "," and depth == 0
        yield name, count


def compile_headers(job):
    _, text, (command, language) = job
    text += "typedef int limb_header_compiled;\n"
    run = subprocess.run([command, *language, *WARN, "-fsyntax-only", f"-I{ROOT / 'include'}", "-"],
                         input=text, capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


def parse_kernel(job):
    path, command = job
    flags = ["-x", "c", "-std=gnu17", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}"]
    run = subprocess.run([command, *flags, "-fsyntax-only", str(path)], capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


found = Findings("check_headers")
headers = sorted((ROOT / "include" / "limb").glob("*.h"))
if len(headers) > MAX_HEADERS:
    found.add(ROOT / "include" / "limb", 0, f"{len(headers)} headers, limit {MAX_HEADERS}")
functions = 0
for header in headers:
    content = header.read_text(encoding="utf-8")
    for hit in re.findall(r"static inline \w+ (limb_default_\w+)", content):
        found.add(header, 1, f"{hit} is inline: define it in a .c file")
    for function, parameters in count_parameters(content):
        functions += 1
        if parameters > MAX_PARAMETERS:
            found.add(header, 1, f"{function} has {parameters} parameters, limit {MAX_PARAMETERS}")
tools = compilers()
if {language[1] for _, language in tools} != {"c", "c++"}:
    found.add("check_headers", 0, "needs a C and a C++ compiler")
lines = [f'#include "limb/{h.name}"\n' for h in headers]
texts = [(h, line + line) for h, line in zip(headers, lines)]
# Its macros (I, complex) would clash with a name in any of them.
texts.append((ROOT / "include" / "limb", "#include <complex.h>\n" + "".join(lines)))
jobs = [(path, text, tool) for path, text in texts for tool in tools]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    for job, (code, errors) in zip(jobs, pool.map(compile_headers, jobs)):
        if code:
            path, _, (command, language) = job
            how = "alone" if path.is_file() else "after <complex.h>"
            found.add(path, 1, f"does not compile {how} with {command} {language[2]}")
            print(errors, end="")
kernels = sorted((ROOT / "src" / "kernel").glob("*.h"))
jobs = [(path, command) for path in kernels for command, language in tools if language is C]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    for (path, command), (code, errors) in zip(jobs, pool.map(parse_kernel, jobs)):
        if code:
            found.add(path, 1, f"does not parse alone with {command}")
            print(errors, end="")
names = ", ".join(command for command, _ in tools)
found.finish(f"{len(headers)} headers with {functions} functions, {len(kernels)} texts of kernels with {names}")
