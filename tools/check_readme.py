#!/usr/bin/env python3
"""The program in README.md is the example that the tests build and run; links and named sources of all pages exist."""
import re

from sources import ROOT, Findings, files

found = Findings("check_readme")
readme, example = ROOT / "README.md", ROOT / "examples" / "01_hello.c"
text = readme.read_text(encoding="utf-8")
block = re.search(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
if not block:
    found.add(readme, 0, "no block of C")
elif block[1] != example.read_text(encoding="utf-8"):
    line = text[: block.start()].count("\n") + 2
    found.add(readme, line, f"differs from {example.relative_to(ROOT)}")


def anchors(page):
    """The headings of a page as links name them."""
    for title in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


links = 0
for page in [readme, *sorted((ROOT / "docs").glob("*.md"))]:
    for name, _, anchor in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", page.read_text(encoding="utf-8")):
        links += 1
        to = page.parent / name if name else page
        if not to.exists():
            found.add(page, 0, f"link to '{name}', which does not exist")
        elif anchor and anchor not in anchors(to):
            found.add(page, 0, f"link to '{name}#{anchor}', which is no heading there")

bibliography = ROOT / "docs" / "references.md"
known = {path.name for path in files()}
for name in re.findall(r"`([\w./]+\.[ch])`", bibliography.read_text(encoding="utf-8")):
    if name.split("/")[-1] not in known:
        found.add(bibliography, 0, f"names '{name}', which does not exist")
found.finish(f"1 program, {links} links")
