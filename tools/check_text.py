#!/usr/bin/env python3
"""Plain text hygiene of every file: machine paths, leftovers, names that only insiders know, white space, length."""
import re

from sources import ROOT, Findings, files

FAULTY = [ROOT / "test" / "io" / "broken", ROOT / "test" / "fuzz" / "corpus"]  # on purpose
SKIP = {".png", ".npy", ".parquet", ".gz", ".zip", ".pdf", ".bin"}
WIDTH = dict.fromkeys((".c", ".h", ".py", ".cmake", ".md"), 120)
SLASH = "/"
EVERYWHERE = [  # pattern, what is wrong
    (re.compile(rf"(?<![\w.}}]){SLASH}(home|root|work|Users|tmp|mnt){SLASH}\w"), "machine path"),
    (re.compile(rf"\b[a-z]+:{SLASH}{SLASH}(localhost|\d+\.\d+\.\d+\.\d+)"), "machine address"),
    (re.compile(r"^(<{7} |>{7} |={7}$)"), "conflict marker"),
    (re.compile(r"[ \t]+$"), "white space at the end of the line"),
]
FAULTY_TOO = [  # texts are cited by author and year (docs/references.md)
    (re.compile(r"\bseeds?[ _]0" r"0\d|\berra" r"ta\b", re.I), "cite author and year, as docs/references.md does"),
]
IN_C = [
    (re.compile(r"\t"), "tab"),
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b"), "leftover"),
    (re.compile(r"^\s*#\s*if\s+[01]\b"), "code switched off"),
]

found = Findings("check_text")
looked = 0
for path in files():
    if path.suffix in SKIP:
        continue
    data = path.read_bytes()
    faulty = any(path.is_relative_to(folder) for folder in FAULTY)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        for pattern, what in FAULTY_TOO:
            if pattern.search(line):
                found.add(path, number, what)
    if faulty:
        continue
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        found.add(path, 0, "not UTF-8")
        continue
    looked += 1
    if data and not data.endswith(b"\n"):
        found.add(path, 0, "no newline at the end")
    if b"\r" in data:
        found.add(path, 0, "carriage return")
    rules = EVERYWHERE + (IN_C if path.suffix in (".c", ".h") else [])
    width = WIDTH.get(path.suffix)
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, what in rules:
            if pattern.search(line):
                found.add(path, number, what)
        table = path.suffix == ".md" and line.lstrip().startswith("|")
        if width and len(line) > width and not table:
            found.add(path, number, f"{len(line)} columns, limit {width}")
        if path.suffix == ".md" and "|---|" in line and not table:
            found.add(path, number, "a table whose lines were joined")
found.finish(f"{looked} files")
