#!/usr/bin/env python3
"""The program in README.md is the example that the tests build and run."""
import re

from sources import ROOT, Findings

found = Findings("check_readme")
readme, example = ROOT / "README.md", ROOT / "examples" / "01_hello.c"
text = readme.read_text(encoding="utf-8")
block = re.search(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
if not block:
    found.add(readme, 0, "no block of C")
elif block[1] != example.read_text(encoding="utf-8"):
    line = text[: block.start()].count("\n") + 2
    found.add(readme, line, f"differs from {example.relative_to(ROOT)}")
links = re.findall(r"\]\(([^)#:]+)\)", text)
for name in links:
    if not (ROOT / name).exists():
        found.add(readme, 0, f"link to '{name}', which does not exist")
found.finish(f"1 program, {len(links)} links")
