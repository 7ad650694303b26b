"""What the checks share: where the repository is, which files it holds, how findings are told."""
import collections
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "src", "cli", "bench", "test", "examples", "micro", "python", "web")  # of C


def files():
    """Every file of the repository, new ones included; without git: every file outside build/ and .deps/."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        out = subprocess.run(git, capture_output=True, check=True, text=True).stdout
        found = [ROOT / name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*")
                 if not {".git", ".deps", "build", "__pycache__"} & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def c_files(*folders):
    """The C sources and headers below the given folders."""
    return [path for path in files()
            if path.suffix in (".c", ".h") and path.relative_to(ROOT).parts[0] in folders]


@functools.cache
def text(path):
    return path.read_bytes()


@functools.cache
def by_name():
    """Headers and sources by the last part of their path."""
    found = collections.defaultdict(list)
    for path in c_files(*FOLDERS):
        found[path.name].append(path)
    return found


@functools.cache
def included(path):
    """Every file that an #include of this one may mean: those of that name."""
    names = re.findall(rb'^\s*#\s*include\s*["<]([^">]+)[">]', text(path), re.MULTILINE)
    return [other for name in names for other in by_name().get(name.decode().split("/")[-1], [])]


def closure(path):
    """A file, and all that it may include, directly or not."""
    seen, left = {path}, [path]
    while left:
        for other in included(left.pop()):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return sorted(seen)


class Findings:
    """Prints findings as file:line: text, and ends the program with 1 when there were any."""

    def __init__(self, name):
        self.name = name
        self.count = 0

    def add(self, path, line, text):
        path = pathlib.Path(path)
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{shown}:{line}: {text}" if line else f"{shown}: {text}")
        self.count += 1

    def finish(self, looked_at):
        if self.count:
            print(f"{self.name}: {self.count} finding(s)")
            sys.exit(1)
        print(f"{self.name}: {looked_at}, no findings")
        sys.exit(0)
