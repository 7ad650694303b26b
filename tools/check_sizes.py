#!/usr/bin/env python3
"""Small pieces, and few of them: finds functions longer than 80 lines, files longer than 500, rooms with too many
files, and public headers that do not open as they should.

House style puts the braces of a function, and only those, alone in the first column, so that a
function is what stands from one line '{' to the next line '}'.
"""
from sources import ROOT, Findings, c_files

FUNCTION_LINES = 80
FILE_LINES = 500
FILES = {"src": 482, "cli": 92}  # at most; check_headers.py counts public headers
OPENING = "// limb: robot dynamics in C."

found = Findings("check_sizes")
for folder, limit in FILES.items():
    count = len(c_files(folder))
    if count > limit:
        found.add(ROOT / folder, 0, f"{count} files, limit {limit}: one topic, one file")
for path in c_files("include"):
    if not path.read_text(encoding="utf-8").startswith(OPENING):
        found.add(path, 1, f"a public header opens with '{OPENING}', and what it is about")
lengths = []
sources = c_files("src", "cli", "include", "examples", "bench", "micro", "python", "web")
for path in sources:
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > FILE_LINES:
        found.add(path, FILE_LINES + 1, f"file has {len(lines)} lines, limit {FILE_LINES}")
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            lengths.append(number - start + 1)
            if lengths[-1] > FUNCTION_LINES:
                found.add(path, start, f"function has {lengths[-1]} lines, limit {FUNCTION_LINES}")
            start = None
lengths.sort()
median = lengths[len(lengths) // 2] if lengths else 0
longest = lengths[-1] if lengths else 0
found.finish(f"{len(sources)} files, {len(lengths)} functions, median {median}, longest {longest}")
