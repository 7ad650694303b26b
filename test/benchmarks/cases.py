"""The benchmarks: run files, methods, and how far from the figures of references.json a run ended.

test_benchmarks.py tests them, tools/draw_benchmarks.py measures and draws them.
"""
import csv
import dataclasses
import json
import math
import pathlib
import re
import resource
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
RUNS = TOP / "examples" / "gallery" / "benchmarks"
REFERENCES = json.loads((pathlib.Path(__file__).parent / "references.json").read_text(encoding="utf-8"))
FIXED = ("euler", "semi-implicit", "variational", "rk4", "implicit")
ADAPTIVE = ("erk", "adams", "bdf", "ida")
METHODS = FIXED + ADAPTIVE


@dataclasses.dataclass
class Case:
    """How a benchmark is tested: a step for fixed methods, a relative tolerance for the others, and the largest error
    allowed there; sizes of single methods; those that are tested with all effort only. Methods without an error are
    left out, for the reasons in docs/benchmarks.md.
    """
    step: float
    tolerance: float
    errors: dict
    sizes: dict = dataclasses.field(default_factory=dict)
    slow: tuple = ()
    floor: float = 2e-11  # errors below are rounding, or of the passage of a singular position

    def size(self, method):
        return self.sizes.get(method, self.step if method in FIXED else self.tolerance)


def errors(*values):
    """Errors by method, in the order of METHODS; None leaves a method out."""
    return {method: value for method, value in zip(METHODS, values) if value is not None}


@dataclasses.dataclass
class Run:
    """One run: what limb reports, the error at the end, and CPU seconds."""
    error: float
    report: dict
    cpu: float
    message: str
    values: dict


# Errors: five times those that were measured.
CASES = {
    "andrews": Case(1e-5, 1e-10, errors(40, 0.8, 5e-3, 6e-8, 4e-8, 1e-6, 1.5e-6, 3e-6, 3e-6)),
    "pendulum": Case(2e-3, 1e-10, errors(4, 0.03, 3e-4, 2e-9, 3e-11, 2e-8, 1e-7, 5e-7, 1e-7)),
    "bricard": Case(5e-3, 1e-10, errors(1, 0.02, 4e-3, 3e-9, 4e-10, 2e-10, 1e-8, 2e-8, 6e-7)),
    "governor": Case(5e-3, 1e-9, errors(0.15, 0.06, 4e-3, 1e-10, 2e-7, 1e-10, 1.5e-6, 1e-6, 2e-6),
                     {"euler": 2e-4, "semi-implicit": 2e-4, "rk4": 2e-4}, slow=("euler", "rk4", "erk", "adams")),
    "four_bars_2": Case(5e-3, 1e-10, errors(None, None, 4e-3, 6e-7, 2e-7, 3e-7, 3e-6, 3e-5, 2e-5), floor=2e-7),
    "four_bars_40": Case(1e-2, 1e-8, errors(None, None, None, 1e-3, None, 1e-3, None, None, None),
                         slow=("rk4", "erk")),
    "sphere": Case(1e-3, 1e-10, errors(3e-3, 3e-3, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 5e-11, 1e-11)),
    "top": Case(5e-4, 1e-10, errors(None, None, 0.01, 7e-5, 7e-6, 1e-9, 3e-8, 2e-7, 1e-7)),
    "euler_symmetric": Case(5e-3, 1e-10, errors(0.15, 0.15, 4e-4, 3e-10, 1e-10, 2e-8, 3e-9, 1e-8, 5e-9)),
    "euler_general": Case(5e-3, 1e-10, errors(0.25, 0.25, 4e-4, 5e-10, 1e-10, 7e-9, 3e-9, 6e-9, 5e-9)),
    "euler_separatrix": Case(5e-3, 1e-10, errors(0.15, 0.15, 8e-3, 8e-11, 3e-11, 5e-9, 7e-9, 3e-8, 3e-8)),
    "sleigh": Case(2e-3, 1e-10, errors(0.06, 0.15, 1.5e-4, 2e-9, 2e-9, 1e-9, 7e-9, 4e-8, 4e-8)),
    "disc": Case(1e-3, 1e-10, errors(1.5, 0.3, 1.5e-4, 5e-9, 7e-10, 1e-9, 6e-7, 2e-6, 2e-7)),
    "hoop": Case(2e-3, 1e-11, errors(None, 4e-3, 8e-4, 1e-8, 5e-9, 8e-8, 6e-8, 2e-6, 1e-6)),
    "kapitza": Case(1e-3, 1e-10, errors(2, 0.3, 0.2, 7e-5, 2e-5, 4e-7, 5e-8, 6e-6, 7e-6)),
    "double_pendulum": Case(1e-3, 1e-12, errors(None, None, 0.3, 4e-6, 1e-5, 2e-7, 3e-6, 8e-6, 4e-6)),
    "shafts": Case(1e-3, 1e-9, errors(0.01, 7e-3, 2e-5, 1e-11, 2e-10, 5e-11, 5e-8, 5e-8, 3e-8),
                   {"euler": 1e-4, "semi-implicit": 1e-4, "rk4": 1e-4}),
}


def channels_of(name):
    """What the run has to write for the reference values."""
    values = REFERENCES[name]["values"]
    return sorted({"lambda" if key[0] == "E" else ".".join(key.split(".")[:2]) for key in values})


def andrews_forces(row):
    """Forces at E in world axes, as the test set counts them, from those along the axes of K3, K4 and K6."""
    q = {name: row[f"q.{name}"] for name in ("gamma", "delta", "phi", "epsilon", "omega")}
    angles = {"E3": q["gamma"], "E4": q["delta"] + q["phi"], "E6": q["epsilon"] + q["omega"]}
    for loop, angle in angles.items():
        x, y = row[f"lambda.{loop}.move_x"], row[f"lambda.{loop}.move_y"]
        row[f"{loop}.x"] = -(math.cos(angle) * x - math.sin(angle) * y)
        row[f"{loop}.y"] = -(math.sin(angle) * x + math.cos(angle) * y)


def error_of(name, row):
    """The largest difference from the reference, in parts of max(1, |reference|)."""
    if name == "andrews":
        andrews_forces(row)
    return max(abs(row[key] - x) / max(1, abs(x)) for key, x in REFERENCES[name]["values"].items())


def without_outputs(name, folder):
    """The run without its tables and pictures, whose rows would be ends of steps."""
    text = (RUNS / f"{name}.run.yaml").read_text(encoding="utf-8").split("\noutputs:")[0] + "\n"
    path = pathlib.Path(folder) / f"{name}.run.yaml"
    path.write_text(re.sub(r"(?m)^model: (\S+\.yaml)$", lambda m: f"model: '{RUNS / m[1]}'", text), encoding="utf-8")
    return path


def simulate(limb, folder, name, method=None, size=None, options=(), interval=None):
    """A run to the end, with a step (fixed methods) or a relative tolerance (adaptive ones); None: as in the file.

    Rows are ends of steps: there is only one, unless an interval is given.
    """
    out = pathlib.Path(folder) / f"{name}.csv"
    words = [limb, "sim", without_outputs(name, folder), "--output", out, "--channels", ",".join(channels_of(name)),
             "--interval", repr(interval or REFERENCES[name]["end"]), "--summary", "json", "--no-progress", *options]
    if method:
        words += ["--method", method]
    if size:
        words += ["--step", repr(size)] if method in FIXED else ["--rtol", repr(size), "--atol", repr(size / 10)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    if done.returncode:
        return Run(math.inf, report, cpu, done.stderr.strip(), {})
    with open(out, encoding="utf-8", newline="") as stream:
        row = {key: float(x) for key, x in list(csv.DictReader(stream))[-1].items()}
    return Run(error_of(name, row), report, cpu, done.stderr.strip(), row)
