#!/usr/bin/env python3
"""The registry of quantities agrees with what names quantities: docs/quantities.md, the checks of limb verify, the
functions in public headers, and every --what and list of channels in pages, help texts and run files."""
import re

from sources import ROOT, Findings, files

found = Findings("check_quantities")
TABLE = ROOT / "src" / "quantities" / "quantity_table.c"
TABLES = [TABLE, TABLE.with_name("quantity_table_bodies.c")]
CODEGEN = ROOT / "src" / "codegen" / "codegen_functions.c"
PAGE = ROOT / "docs" / "quantities.md"


def read(path):
    return path.read_text(encoding="utf-8")


def line_of(text, at):
    return text[:at].count("\n") + 1


table = "".join(read(path) for path in TABLES)
starts = [m for m in re.finditer(r'^  \{\{"(\w+)", "', table, re.MULTILINE)]
rows = {m[1]: table[m.start():table.index("IS(", m.start())] for m in starts}
if len(rows) < len(starts):
    found.add(TABLE, 1, "two rows have the same name")
aliases = set(re.findall(r'^ +\{"(\w+)", "[\w@]+"\},', table, re.MULTILINE))
generated = set(re.findall(r'^ +\{"(\w+)",', read(CODEGEN), re.MULTILINE))
known = set(rows) | aliases | generated | {"all", "Psidot"}  # the last is of limb equations alone

# Every function of a row is declared in a public header.
public = "".join(read(path) for path in files() if path.parent == ROOT / "include" / "limb")
for m in starts:
    for name in re.findall(r"\blimb_\w+", rows[m[1]]):
        if not re.search(rf"\b{name}\(", public):
            found.add(TABLE, line_of(table, m.start()), f"'{m[1]}' names {name}, which no public header declares")

# The page has a line for every row, and no other: from it `limb eval --list --format markdown` and the manual follow.
listed = {m[1]: line_of(read(PAGE), m.start()) for m in re.finditer(r"^\| `(\w+)` \| `", read(PAGE), re.MULTILINE)}
for name in sorted(set(rows) - set(listed)):
    found.add(PAGE, 1, f"'{name}' of the registry is missing: limb eval --list --format markdown > docs/quantities.md")
for name in sorted(set(listed) - set(rows)):
    found.add(PAGE, listed[name], f"'{name}' is not in the registry")

# The checks of limb verify.
verified = 0
for path in files():
    if path.parent != ROOT / "src" / "verify" or path.suffix != ".c":
        continue
    for m in re.finditer(r'^  \{"([^"]+)", "[^"]+",\s+"', read(path), re.MULTILINE):
        for name in m[1].split(", "):
            verified += 1
            if name not in rows:
                found.add(path, line_of(read(path), m.start()), f"limb verify: '{name}' is not in the registry")

# Names that users read. A name may be followed by a reference, a frame and labels.
LIST = re.compile(r"(?:--what[ =]|\b(?:channels|what): ?\[)([A-Za-z_][\w@.,: -]*)")
used = 0
for path in files():
    top = path.relative_to(ROOT).parts[0]
    if path.suffix not in (".md", ".c", ".h", ".yaml", ".yml", ".sh") or path.name == "CHANGELOG.md":
        continue
    if top not in ("README.md", "CONTRIBUTING.md", "docs", "cli", "examples", "models", "include"):
        continue
    for m in LIST.finditer(read(path)):
        at_once = m[0].startswith("--what")
        words = m[1].split(" ")[0] if at_once else m[1]
        if words in ("LIST", "lists,", "needs", "is", "with", "NAME", "list") or "%" in m[0]:
            continue
        for word in words.strip(" ,.").split(","):
            name = re.split(r"[.@]", word.strip())[0]
            used += 1
            if name and name not in known:
                found.add(path, line_of(read(path), m.start()), f"'{name}' is no quantity of the registry")

found.finish(f"{len(rows)} quantities, {verified} names in checks of verify, {used} in pages, help and run files")
