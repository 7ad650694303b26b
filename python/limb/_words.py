"""Words of arguments as the numbers that the library knows them by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

REFERENCES = ("body", "world", "aligned")
DIRECTIONS = ("wx", "wy", "wz", "vx", "vy", "vz")


def place(word: str, words: Sequence[str], what: str) -> int:
    """The place of a word among those that are known; `what` is for the message."""
    if word not in words:
        raise ValueError(f"{what} is {word!r}, expected one of {', '.join(words)}")
    return words.index(word)


def flags(chosen: Iterable[str], words: Sequence[str], what: str) -> int:
    """A bit for each of several words."""
    return sum({1 << place(word, words, what) for word in chosen})


def named(name: str, places: Iterable[str], robot: str, what: str) -> int:
    """The place of a part of a robot among all of its kind."""
    for index, other in enumerate(places):
        if other == name:
            return index
    raise KeyError(f"'{robot}' has no {what} '{name}'")
