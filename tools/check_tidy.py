#!/usr/bin/env python3
"""check_tidy.py BUILD [--analyze]: clang's warnings and clang-tidy's checks, for all sources of a configured build.

Clang parses each file once for both. With --analyze the static analyzer runs instead, over src/ and cli/: it follows
paths through functions and takes ten times as long. A file found clean is not looked at again until it, a header it
includes, its compile command or the checks change: BUILD/tidy.json keeps a hash of these."""
import collections
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import FOLDERS, ROOT, Findings, closure, text

TIDY = "clang-tidy-14"
KERNELS = re.compile(r"src/.*/(kernels_|elastic_inverse|trace_kernels|loop_trace_kernels)|test/support/kernels_")

# A kernel holds an arm for every joint shape, made by a macro: its size is not what one reads.
OF_KERNELS = "-readability-function-*,-readability-non-const-parameter"
# Programs around the library compare bits, replace malloc, ignore what printf says, and may be long.
AROUND = ("-cert-*,-bugprone-integer-division,-bugprone-narrowing-conversions,-bugprone-not-null-terminated-result,"
          "-bugprone-sizeof-expression,-bugprone-suspicious-memory-comparison,-bugprone-suspicious-missing-comma,"
          "-readability-inconsistent-declaration-parameter-name")
# DeprecatedOrUnsafeBufferHandling flags memcpy and snprintf.
ANALYZE = "-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling"
# The analyzer gives up a function after so many nodes of its graph, by default 225000: a quarter of the time.
NODES = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")]


def arguments(name, analyze):
    """What clang-tidy is called with for a file, beside .clang-tidy."""
    if analyze:
        return (f"--checks={ANALYZE}", *NODES)
    if KERNELS.match(name):
        return (f"--checks={OF_KERNELS}",)
    if not name.startswith(("src/", "cli/")):
        return (f"--checks={AROUND},{OF_KERNELS}",)
    return ()


def key(path, commands, how, common):
    digest = hashlib.sha256("\0".join([common, *how, *commands]).encode())
    for part in closure(path):
        digest.update(b"\0" + str(part).encode() + b"\0" + text(part))
    return digest.hexdigest()


def look(build, job):
    how, names = job
    run = subprocess.run([TIDY, "-p", str(build), "--quiet", *how, *names], cwd=ROOT, capture_output=True, text=True,
                         check=False)
    noise = re.compile(r"\d+ (warnings?|errors?).* generated\.|Suppressed |Use -header-filter|$")
    said = [line for line in (run.stdout + run.stderr).splitlines() if not noise.match(line)]
    return run.returncode or bool(said), "\n".join(said)


analyze = "--analyze" in sys.argv[1:]
build = pathlib.Path([word for word in sys.argv[1:] if word != "--analyze"][0]).resolve()
commands = collections.defaultdict(list)
for entry in json.loads((build / "compile_commands.json").read_text()):
    path = pathlib.Path(entry["file"])
    # Sources that are generated while building are not checked.
    if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
        commands[path].append(entry["command"])
if analyze:
    commands = {path: value for path, value in commands.items() if path.relative_to(ROOT).parts[0] in ("src", "cli")}

common = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
common += (ROOT / ".clang-tidy").read_text()
record = build / ("analyze.json" if analyze else "tidy.json")
clean = json.loads(record.read_text()) if record.exists() else {}
keys, groups = {}, collections.defaultdict(list)
for path, lines in commands.items():
    name = str(path.relative_to(ROOT))
    how = arguments(name, analyze)
    keys[name] = key(path, lines, how, common)
    if clean.get(name) != keys[name]:
        groups[how].append(name)

# Several files at a time, because starting clang-tidy takes as long as a small file; kernels, the longest, first.
jobs = []
for how, names in groups.items():
    size = 1 if analyze or KERNELS.match(names[0]) else 10
    jobs += [(how, names[at:at + size]) for at in range(0, len(names), size)]
jobs.sort(key=lambda job: not KERNELS.match(job[1][0]))
found = Findings("check_tidy")
with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
    for (_, names), (bad, said) in zip(jobs, pool.map(functools.partial(look, build), jobs)):
        for name in names:
            clean[name] = "" if bad else keys[name]
        if bad:
            print(said)
            found.count += 1
        record.write_text(json.dumps(clean, indent=0))
found.finish(f"{len(commands)} sources, {sum(len(names) for _, names in jobs)} of them new or changed")
