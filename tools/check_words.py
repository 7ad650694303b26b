#!/usr/bin/env python3
"""One word, one meaning: finds words and phrases that limb gave up (the glossary is in CONTRIBUTING.md).

Pages are README.md, CONTRIBUTING.md and docs/; code is include/, src/ and cli/, comments and messages alike.
CHANGELOG.md names what was renamed, and is left out. To give up a word: remove it, then add a row here.
"""
import re

from sources import ROOT, Findings, c_files, files

# pattern (of whole words, any case; a blank matches across lines): what to write instead
EVERYWHERE = {
    r"direct dynamics": "forward dynamics",
    r"laws? of time": "prescribed motion",
    r"doubts? it|doubtful": "check critically; suspicious",
    r"go before|goes before what": "override, take precedence",
    r"a figure of (?!eight)": "a value of, a number of",
    r"wander(s|ed|ing)?": "drift",
    r"burdens?": "load",
    r"reels?": "animation, track",
    r"sheets? of": "table of",
    r"sketch(es|ed)?": "raw robot",
    r"(to|that) mend|mended": "fix",
    r"say so": "report it",
    r"so that it be": "so that it is",
    r"what there is": "name it",
    r"hangs? (on|from) the world": "is attached to the world",
    r"left any more": "the integrator cannot advance",
    r"the same twice": "redundant",
    r"work taken": "energy absorbed",
    r"a wish|wishes": "a request",
    r"without memory, loops": "C without allocation, loops",
    r"films?": "animation",
    r"room to (one|the)": "margin to the nearest limit",
}
PAGES = {  # gone from the pages; the code still has some
    r"(is|are) told": "is reported",
    r"told (by|in)": "reported by",
    r"says so": "reports it",
    r"(is|are) (not )?looked at": "is checked, is read",
    r"goes first": "takes precedence",
    r"comes of it": "results",
    r"told|tells": "reported, reports, shows",
}

CODE = {  # comments and messages state one thing in one form
    r"(is|are|NULL:) not wanted": "NULL: not computed, not needed",
    r"half an allocator": "incomplete allocator",
    r"(is|are) (not )?looked at": "is ignored, is checked",
    r"(that|options that) (is|are) none": "invalid, unknown",
    r"stands for that|goes by": "these defaults; depends on",
    r"has to say|how it went": "status, reason",
    r"(is|are) told": "is reported",
    r"NULL is fine": "NULL is accepted",
    r"rooms?|hangs?|hanging": "scratch, capacity, left; is attached",
}
NAMES = {  # identifiers
    r"[A-Za-z0-9_]*(told|tell|TOLD)(_[a-z]+)?": "report, list",
    r"(?<![.>])room|[a-z]+_room": "reserve, size",
    r"most(_[a-z]+)?|least(_[a-z]+)?|MOST_[A-Z]+|LEAST_[A-Z]+": "max, min",
    r"burden|wander|sketch|sheet|reel|film|into_onto": "load, drift, raw robot, table, track, animation",
}


def compiled(table):
    return [(re.compile(r"\b(?:" + pattern.replace(" ", r"\s+") + r")\b", re.IGNORECASE), instead)
            for pattern, instead in table.items()]


def text_of(path):
    """The text, with marks of comments blanked, so that a phrase may go on in the next line."""
    text = path.read_text(encoding="utf-8")
    return text if path.suffix == ".md" else re.sub(r"^ *//+", "", text, flags=re.MULTILINE)


def names_of(path):
    """Code without comments and texts: what is left of letters are identifiers. Lines stay where they are."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', "", path.read_text(encoding="utf-8"))
    return re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)


found = Findings("check_words")
pages = [path for path in files() if path.suffix == ".md" and
         (path.parent == ROOT / "docs" or path.name in ("README.md", "CONTRIBUTING.md") and path.parent == ROOT)]
code = c_files("include", "src", "cli")
for paths, table, read in ((pages + code, EVERYWHERE, text_of), (pages, PAGES, text_of), (code, CODE, text_of),
                           (code, NAMES, names_of)):
    rules = compiled(table)
    for path in paths:
        text = read(path)
        for pattern, instead in rules:
            for hit in pattern.finditer(text):
                line = text.count("\n", 0, hit.start()) + 1
                found.add(path, line, f"'{' '.join(hit[0].split())}': write '{instead}'")
phrases = sum(map(len, (EVERYWHERE, PAGES, CODE, NAMES)))
found.finish(f"{len(pages)} pages, {len(code)} sources, {phrases} phrases")
