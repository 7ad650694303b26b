#!/usr/bin/env python3
"""README.md is short; the programs in it and in docs/guide.md are examples, which the tests build and run; links and
named sources of all pages exist."""
import re

from sources import ROOT, Findings, files

MAX_LINES = 150
C_BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)

found = Findings("check_readme")
readme, guide, contributing = ROOT / "README.md", ROOT / "docs" / "guide.md", ROOT / "CONTRIBUTING.md"
if len(readme.read_text(encoding="utf-8").splitlines()) > MAX_LINES:
    found.add(readme, MAX_LINES + 1, f"more than {MAX_LINES} lines: docs/guide.md has room")


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def is_taken_from(block, example):
    """Every line of the block is in the example, in that order; lines may be left out."""
    rest = iter(lines_of(example))
    return all(line in rest for line in lines_of(block))


def check_program(page, example, whole):
    text = page.read_text(encoding="utf-8")
    code = example.read_text(encoding="utf-8")
    block = C_BLOCK.search(text)
    if not block:
        found.add(page, 0, "no block of C")
    elif block[1] != code if whole else not is_taken_from(block[1], code):
        found.add(page, text[: block.start()].count("\n") + 2, f"differs from {example.relative_to(ROOT)}")


check_program(readme, ROOT / "examples" / "00_load.c", whole=False)
check_program(guide, ROOT / "examples" / "01_hello.c", whole=True)


def anchors(page):
    """The headings of a page as links name them."""
    for title in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


links = 0
for page in [readme, contributing, *sorted((ROOT / "docs").glob("*.md"))]:
    for name, _, anchor in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", page.read_text(encoding="utf-8")):
        links += 1
        to = page.parent / name if name else page
        if not to.exists():
            found.add(page, 0, f"link to '{name}', which does not exist")
        elif anchor and anchor not in anchors(to):
            found.add(page, 0, f"link to '{name}#{anchor}', which is no heading there")

# A name with folders is a path from the top, from src/ or from include/; a name alone is that of any file.
known = {str(path.relative_to(ROOT)) for path in files()}
names = {path.split("/")[-1] for path in known}
for page in [readme, contributing, guide, ROOT / "docs" / "references.md"]:
    for name in re.findall(r"`([\w./-]+\.(?:[ch]|py|cmake|md))`", page.read_text(encoding="utf-8")):
        paths = [name, f"src/{name}", f"include/{name}"]
        if name not in names and not any(path in known for path in paths):
            found.add(page, 0, f"names '{name}', which does not exist")
found.finish(f"2 programs, {links} links")
