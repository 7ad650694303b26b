#!/usr/bin/env python3
"""Every kernel of a table is called by someone: what nobody calls costs minutes to compile and megabytes.

A table is a struct of functions of which there is a constant, one per instruction set, that other files see. The
compiler finds the calls: in the preprocessed text of every source that sees a table, its members become deprecated,
and gcc warns where one is read (and not where a table is filled)."""
import collections
import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, Findings, c_files, closure, text

FLAGS = ["-std=c17", f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", "-DLIMB_HAVE_BASE=1", "-DLIMB_ISA=base",
         "-DLIMB_HAVE_THREADS=1", "-D_GNU_SOURCE"]
if platform.machine() == "x86_64":
    FLAGS.append("-march=x86-64-v4")  # the widest vectors: some tables are theirs alone
TABLE = re.compile(r"\bextern const (limb_\w*kernels\w*) \w+")
STRUCT = r"typedef struct {0} \{{(.*?)\}} {0};"


def marked(table, body):
    """The members of a table, and its body with all of them deprecated."""
    names = []

    def mark(declarator):
        name = re.search(r"\(\*\s*(\w+)\)\(|(\w+)\s*$", declarator)
        names.append(name[1] or name[2])
        return f'{declarator} __attribute__((deprecated("{table}.{names[-1]}")))'

    lines = []
    for line in filter(None, (line.strip() for line in body.split(";"))):
        # Commas separate members where there is no list of arguments.
        lines.append(mark(line) if "(" in line else ",".join(map(mark, line.split(","))))
    return names, "; ".join(lines) + ";"


def calls(path):
    """Tables that a source sees, with their members, and the members it reads, as table.member."""
    source = subprocess.run(["gcc", "-E", "-P", *FLAGS, str(path)], capture_output=True, text=True, check=True).stdout
    tables = {}
    for table in sorted(set(TABLE.findall(source))):
        def replace(found, table=table):
            tables[table], body = marked(table, found[1])
            return f"typedef struct {table} {{{body}}} {table};"
        source, count = re.subn(STRUCT.format(table), replace, source, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"check_kernels: {path}: {count} definitions of {table}")
    if not tables:
        return tables, set()
    run = subprocess.run(["gcc", "-x", "c", "-fsyntax-only", "-Wdeprecated-declarations", *FLAGS, "-"],
                         input=source, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    if run.returncode:
        raise SystemExit(f"check_kernels: {path}\n{run.stderr}")
    return tables, set(re.findall(r"is deprecated: (\w+\.\w+)", run.stderr))


found = Findings("check_kernels")
if not shutil.which("gcc"):
    raise SystemExit("check_kernels: needs gcc")
sources = [path for path in c_files("src")
           if path.suffix == ".c" and path.relative_to(ROOT).parts[1] not in ("io", "sim")  # they see no kernels
           and any(b"kernels" in text(part) for part in closure(path))]
members, read = {}, collections.Counter()
with ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
    for tables, names in pool.map(calls, sources):
        members.update(tables)
        read.update(names)
for table, names in sorted(members.items()):
    for name in names:
        if not read[f"{table}.{name}"]:
            found.add("src", 0, f"{table}.{name} is called by nobody: take it out of the table")
if not members:
    found.add("src", 0, "no table of kernels was found")
found.finish(f"{sum(map(len, members.values()))} kernels in {len(members)} tables")
