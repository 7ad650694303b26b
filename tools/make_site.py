#!/usr/bin/env python3
"""make_site.py TOOL FOLDER: the pages of the site, from which MkDocs makes it (docs/mkdocs.yml, `make docs`).

Pages are copied at their places, so that their links hold. The reference of the tool is what its --help prints, that of
C is made from the public headers, that of Python from the package: PYTHONPATH=build/release/python.
"""
import ast
import dataclasses
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import limb

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIED = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "bench/README.md", "docs", "examples",
          "python/examples"]
HEADER = re.compile(r"\]\(((?:\.\./)*)include/limb(/\w+)?(?:\.h)?\)")  # a link to one, or to their folder
SIGNS = re.compile(r"([*_<\[\]|`])")


def escaped(text):
    """A line of plain text as Markdown. Four blanks and more are code there, as here."""
    return text if text.startswith("    ") else SIGNS.sub(r"\\\1", text)


def fenced(language, text):
    return f"```{language}\n{text.strip(chr(10))}\n```\n\n"


# ---- the tool -------------------------------------------------------------------------------------------------

def tool_page(tool):
    def help_of(*words):
        return subprocess.run([tool, *words], capture_output=True, text=True, check=True).stdout

    overview = help_of("--help")
    page = "# The tool\n\nWhat `limb --help` and the `--help` of each command print.\n\n" + fenced("text", overview)
    listed = re.search(r"^commands\n(.*?)\n\n", overview, re.MULTILINE | re.DOTALL)[1]
    for command in re.findall(r"^  (\w+)", listed, re.MULTILINE):
        page += f"## limb {command}\n\n" + fenced("text", help_of(command, "--help"))
    return page


# ---- C --------------------------------------------------------------------------------------------------------

NAME = re.compile(r"\b(?:limb|sp|LIMB|SP)_\w+(?= *\()|\}\s*(\w+);|typedef [^;{]*?(\w+);|#define (\w+)")


def comment_text(lines, mark):
    """A comment as Markdown: `@param` and `@return` become a list."""
    out, in_list = [], False
    for line in lines:
        text = line.strip()[len(mark):].removeprefix(" ")
        in_list = text.startswith("@") or (in_list and text.startswith(" "))
        if text.startswith("@"):
            word, _, rest = text[1:].partition(" ")
            name, _, rest = rest.partition(" ") if word == "param" else ("returns", "", rest)
            text = f"- **{escaped(name)}** {escaped(rest.strip())}"
            if out and not out[-1].startswith(("- ", "  ")):
                out.append("")
        elif in_list:
            text = "  " + escaped(text.strip())
        else:
            text = escaped(text)
        if text.startswith("    ") and out and out[-1] and not out[-1].startswith("    "):
            out.append("")
        out.append(text)
    return "\n".join(out).strip("\n") + "\n\n"


def block_title(code):
    for found in NAME.finditer(code):
        name = next((group for group in found.groups() if group), found[0])
        if name not in ("LIMB_API", "LIMB_NODISCARD"):
            return name
    return None


def block_text(block):
    """A declaration with the comment above it."""
    lines = block.split("\n")
    count = next((k for k, line in enumerate(lines) if not line.startswith("///")), len(lines))
    code = "\n".join(lines[count:])
    title = block_title(code)
    text = f"### `{title}`\n\n" if title and count else ""
    return text + (comment_text(lines[:count], "///") if count else "") + (fenced("c", code) if code.strip() else "")


def header_page(header):
    lines = header.read_text(encoding="utf-8").split("\n")
    count = next(k for k, line in enumerate(lines) if not line.startswith("//"))
    opening = comment_text(lines[:count], "//").replace("limb: robot dynamics in C. ", "")
    guard = f"#define LIMB_{header.stem.upper()}_H"
    skipped = ("#ifndef LIMB_", "#ifdef __cplusplus", "#endif", "#include", guard)
    page = f"# limb/{header.name}\n\n{opening}"
    for block in "\n".join(lines[count:]).split("\n\n"):
        kept = block.strip("\n")
        if not kept or all(line.startswith((*skipped, "}", 'extern "C"')) for line in kept.split("\n")):
            continue
        section = re.fullmatch(r"// -+ (.*?) -+", kept.split("\n")[0])
        if section:
            page += f"## {escaped(section[1])}\n\n"
            kept = "\n".join(kept.split("\n")[1:])
        page += block_text(kept) if kept.strip() else ""
    return page


def c_pages():
    """The overview and a page per header, by file name."""
    first = "One page for each public header; [limb/limb.h](c/limb.md) has the order to read them in."
    pages = {"c.md": f"# C\n\n{first}\n\n"}
    for header in sorted((ROOT / "include" / "limb").glob("*.h")):
        pages[f"c/{header.stem}.md"] = header_page(header)
        purpose = header.read_text(encoding="utf-8").split("\n")[0]
        purpose = purpose.removeprefix("// ").removeprefix("limb: robot dynamics in C. ")
        pages["c.md"] += f"- [limb/{header.name}](c/{header.stem}.md): {escaped(purpose)}\n"
    return pages


# ---- Python ---------------------------------------------------------------------------------------------------

def doc_text(value):
    """A docstring as Markdown: sessions are code."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"(?m)(^>>>.*(?:\n(?!$).*)*)", lambda found: fenced("pycon", found[0]).rstrip("\n"), text) + "\n\n"


def signature(value):
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(...)"
    text = re.sub(r"\(self(, /)?(, |(?=\)))", "(", text)
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)


def fields_of(cls):
    """The members of a record, with the comments beside them."""
    if not (dataclasses.is_dataclass(cls) or hasattr(cls, "_fields") or hasattr(cls, "__total__")):
        return ""
    package = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "python" / "limb").glob("*.py")))
    source = re.search(rf"^class {cls.__name__}\b.*?(?=^\S|\Z)", package, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"(?m)^    (\w+: .*)$", source[0])
    return fenced("python", "\n".join(line.replace("#: ", "# ") for line in lines if not line.startswith("_")))


def python_class(name, cls):
    page = f"## {name}\n\n{doc_text(cls)}{fields_of(cls)}"
    for owner in [base for base in reversed(cls.__mro__) if base.__module__.startswith("limb")]:
        for member, value in vars(owner).items():
            is_field = member in vars(cls).get("__annotations__", {})
            if member.startswith("_") or is_field or getattr(cls, member, None) is not getattr(owner, member, None):
                continue
            if callable(value) or isinstance(value, classmethod | staticmethod):
                page += f"### {name}.{member}\n\n" + fenced("python", f"{member}{signature(getattr(cls, member))}")
                page += doc_text(getattr(cls, member))
            elif inspect.getdoc(value) and hasattr(value, "__get__") and not isinstance(cls, tuple):
                page += f"### {name}.{member}\n\n{doc_text(value)}"
    return page


def python_page():
    page = "# Python\n\nThe package `limb`, name by name. [limb for Python](../docs/python.md) introduces it.\n\n"
    names = sorted(limb.__all__, key=lambda name: (isinstance(getattr(limb, name), type), name.lower()))
    for name in names:
        value = getattr(limb, name)
        if isinstance(value, type):
            page += python_class(name, value)
        elif callable(value):
            page += f"## {name}\n\n" + fenced("python", f"{name}{signature(value)}") + doc_text(value)
    return page


def programs_page():
    """The programs of python/examples, each with what it says about itself."""
    page = "# Programs in Python\n\nThe tests run all of them. They are in `python/examples`.\n\n"
    for path in sorted((ROOT / "python" / "examples").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = path.read_text(encoding="utf-8").split("\n")[tree.body[0].end_lineno:]
        title = path.stem.replace("_", " ").capitalize()
        page += f"## {title}\n\n{ast.get_docstring(tree)}\n\n" + fenced("python", "\n".join(lines))
    return page


# ---- all --------------------------------------------------------------------------------------------------------

def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    for name in COPIED:
        to = folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to, ignore=shutil.ignore_patterns("mkdocs.yml", "requirements.txt"))
        else:
            shutil.copy(ROOT / name, to)
    (folder / "LICENSE").rename(folder / "LICENSE.md")
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8").replace("(LICENSE)", "(LICENSE.md)")
        page.write_text(HEADER.sub(r"](\1reference/c\2.md)", text), encoding="utf-8")
    pages = {"tool.md": tool_page(tool), "python.md": python_page(), "programs.md": programs_page(), **c_pages()}
    for name, text in pages.items():
        path = folder / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"site: {len(list(folder.rglob('*.md')))} pages")


if __name__ == "__main__":
    main()
