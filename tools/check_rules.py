#!/usr/bin/env python3
"""docs/doctor.md holds every rule of src/io/rules.h, word for word, and no other.

The tables of the page stand between "<!-- rules: GROUP -->" and "<!-- end -->"; --update writes
them anew. What the doctor finds also has a section "### `rule`".
"""
import re
import sys

from sources import ROOT, Findings

RULES = ROOT / "src/io/rules.h"
PAGE = ROOT / "docs/doctor.md"
ROW = re.compile(r'X\((\w+), "([\w-]+)", (NOTE|WARNING|ERROR), (".*")\)$')
BLOCK = re.compile(r"(<!-- rules: (.*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEADING = re.compile(r"^### (`[^`]+`(?:, `[^`]+`)*)$", re.MULTILINE)


def read_rules():
    """{group: [(name, severity, why, fix)]} in the order of the file."""
    text = RULES.read_text().split("#define LIMB_RULE_LIST(X)")[1].split("// clang-format on")[0]
    text = re.sub(r"\s*\\\n\s*", " ", text)
    groups, group = {}, None
    for part in re.split(r"(/\*.*?\*/|(?= X\())", text):
        part = part.strip()
        if part.startswith("/*"):
            group = part.strip("/* ")
            groups[group] = []
        elif part.startswith("X("):
            row = ROW.match(part)
            words = re.findall(r'"([^"]*)"', row[4]) if row else []
            if group is None or len(words) != 2:
                sys.exit(f"check_rules: cannot read the row: {part}")
            groups[group].append((row[2], row[3].lower(), *words))
    return groups


def table(rows):
    lines = ["| rule | severity | why it matters | what to do |", "|---|---|---|---|"]
    for row in rows:
        name, severity, why, fix = (cell.replace("|", "\\|").replace("<", "&lt;") for cell in row)
        lines.append(f"| `{name}` | {severity} | {why} | {fix} |")
    return "\n".join(lines) + "\n"


groups = read_rules()
page = PAGE.read_text()
if "--update" in sys.argv[1:]:
    PAGE.write_text(BLOCK.sub(lambda m: m[1] + table(groups.get(m[2], [])) + m[4], page))
    page = PAGE.read_text()

found = Findings("check_rules")
blocks = {m[2]: (m[3], page.count("\n", 0, m.start()) + 1) for m in BLOCK.finditer(page)}
for group, rows in groups.items():
    if group not in blocks:
        found.add(PAGE, 0, f"no table for the group '{group}'")
    elif blocks[group][0] != table(rows):
        found.add(PAGE, blocks[group][1], f"the table of '{group}' is not that of rules.h: "
                                          "python3 tools/check_rules.py --update")
for group, (_, line) in blocks.items():
    if group not in groups:
        found.add(PAGE, line, f"rules.h has no group '{group}'")

# What the doctor finds is also explained.
explained = re.findall(r"`([^`]+)`", " ".join(HEADING.findall(page)))
names = {row[0] for rows in groups.values() for row in rows}
for group, rows in groups.items():
    for name in (row[0] for row in rows if group.startswith("the doctor")):
        if name not in explained:
            found.add(PAGE, 0, f"rule '{name}' of the doctor has no section of its own")
for name in explained:
    if name not in names:
        found.add(PAGE, 0, f"a section is about '{name}', which is no rule")
found.finish(f"{len(names)} rules")
