"""What the checks share: where the repository is, which files it holds, how findings are told."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files():
    """Every file of the repository, new ones included; without git: every file outside build/."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        out = subprocess.run(git, capture_output=True, check=True, text=True).stdout
        found = [ROOT / name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*")
                 if not {".git", "build", "__pycache__"} & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def c_files(*folders):
    """The C sources and headers below the given folders."""
    return [path for path in files()
            if path.suffix in (".c", ".h") and path.relative_to(ROOT).parts[0] in folders]


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
