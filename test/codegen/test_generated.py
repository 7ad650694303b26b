#!/usr/bin/env python3
"""Generated sources of all fixture robots, compiled and run.

    test_generated.py <generate_fixtures> [--all [RECORD]]

Every source is compiled with gcc and clang (those that are there), with -O0, -O2 and -O3, and once with the
undefined-behaviour sanitizer; all warnings that users ask for are errors. The program that was generated with it then
compares its answers with the library's. test_languages.py runs the other languages.

All that takes hours of processor time: --all does it, telling every program that has run. What went well is written
into the file RECORD, by what compiler, flags and texts were; a later run does not do that again. Otherwise it depends
on LIMB_TEST_EFFORT (docs/testing.md):

    all     the largest sources are left out, those of more than SMALL statements are compiled in one of these ways,
            each in another one, and those of more than LARGE with -O0 by one compiler
    normal  all quantities of small robots, a few of the others; sources of up to TINY statements in one of these
            ways, others with -O0
    few     small robots, one compiler, -O0
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

GENERATE = EXTENT = None
FEW = NORMAL = ALL = False
RECORD = None
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
LEVELS = ["-O0", "-O2", "-O3"]
SANITIZER = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
TINY, SMALL, LARGE = 150, 400, 2000  # statements: see above
MEASURED = 800  # statements: stack is
DOUBLE = 1e-13  # of the largest entry of a result
EPSILON = 2**-52
# By elimination, or small differences of large terms (gamma): so much times the condition of the mass matrix (of
# slopes, which are solved for twice, four times that), or what the test allows (with loops, or over float), ten times
# what the expressions differed when they were evaluated in double or float.
SOLVED = ("acc", "Minv", "dacc", "hybrid", "gamma", "G", "passive", "acc_lambda", "platform_tau", "platform_acc",
          "platform_J")
SOLVED_WITH_LOOPS = ("tau", "reduced_M", "reduced_h")


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


@functools.lru_cache
def version_of(compiler):
    return run([compiler, "--version"]).stdout


class Record:
    """Programs that ran well and how far their answers differed: a line each, in a file (or None)."""

    def __init__(self, path):
        self.done = {}  # key: name, is it over float, {quantity: difference}
        self.lock = threading.Lock()
        self.file = open(path, "a+", encoding="utf-8") if path else None
        if self.file:
            self.file.seek(0)
            text = self.file.read()
            whole = text[:text.rfind("\n") + 1]  # the last line may have been cut off
            self.done = {x["key"]: x for x in map(json.loads, whole.splitlines())}
            self.file.truncate(len(whole.encode()))

    @staticmethod
    def key(words, sources):
        """Of what is compiled, how and by what."""
        version = version_of(words[0])
        texts = [x.read_text() for x in sources]
        return hashlib.sha256("\0".join([version, *words, *texts]).encode()).hexdigest()

    def add(self, key, name, is_float, differs):
        with self.lock:
            self.done[key] = {"key": key, "name": name, "float": is_float, "differs": differs}
            if self.file:
                self.file.write(json.dumps(self.done[key]) + "\n")
                self.file.flush()
            if ALL:
                print(f"{len(self.done):5} ok {name}", file=sys.stderr, flush=True)

    def worst(self):
        """Quantity: largest difference over double, and whose."""
        worst = {}
        for told in [x for x in self.done.values() if not x["float"]]:
            for quantity, differs in told["differs"].items():
                worst[quantity] = max(worst.get(quantity, (0, "")), (differs, told["name"]))
        return worst


class Case:
    """A line of generate_fixtures."""

    def __init__(self, line):
        self.prefix, self.variant, statements, differs, condition = line.split()
        self.is_float = "float" in self.variant or self.variant == "many"
        self.statements, self.differs = int(statements), float(differs)
        self.condition = float(condition)

    def answers(self, text):
        """What its test program tells: {quantity: (difference, is it well)}."""
        lines = [re.match(r"(\w+) +(\w+): differs by (\S+), allowed (\S+)$", x).groups() for x in text.splitlines()]
        told = {name[len(self.prefix) + 1:]: (verdict, float(differs), float(allowed))
                for verdict, name, differs, allowed in lines}
        return {quantity: (differs, verdict == "ok" and differs <= self.most(quantity, allowed))
                for quantity, (verdict, differs, allowed) in told.items()}

    def most(self, quantity, allowed):
        """How far answers may differ; allowed: what the test program allows."""
        solved = quantity in SOLVED or (quantity in SOLVED_WITH_LOOPS and self.prefix.startswith("closed_"))
        if self.is_float or (solved and not self.condition):
            return allowed
        if solved:
            return max(DOUBLE, (4 if quantity == "dacc" else 1) * EPSILON * self.condition)
        return DOUBLE

    def builds(self, compilers, turn):
        """Compilers and flags; turn: which one, where one has to do."""
        if FEW:
            return [(compilers[0], ["-O0"])]
        every = [(x, [level]) for x in compilers for level in LEVELS] + [(compilers[-1], SANITIZER)]
        if ALL or (self.statements <= SMALL and not NORMAL):
            return every
        if NORMAL and self.statements > TINY:
            return [(compilers[turn % len(compilers)], ["-O0"])]
        if self.statements > LARGE:
            return [(compilers[-1], ["-O0"])]
        return [every[turn % len(every)]]


class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        done = run([GENERATE, str(cls.folder), *EXTENT])
        assert done.returncode == 0, done.stderr
        cls.cases = [Case(line) for line in done.stdout.splitlines()]
        cls.compilers = [x for x in ("gcc", "clang") if shutil.which(x)][:1 if FEW else 2]
        if not cls.compilers:
            raise unittest.SkipTest("there is no compiler")

    @classmethod
    def tearDownClass(cls):
        for quantity, (differs, name) in RECORD.worst().items():
            print(f"{quantity:12} {differs:.1e}  {name}", file=sys.stderr)

    def build_and_run(self, case, compiler, flags):
        """Message about what went wrong; empty when all is fine."""
        words = [compiler, *FLAGS, *flags, f"{case.prefix}.c", f"{case.prefix}_test.c"]
        key = Record.key(words, sorted(self.folder.glob(f"{case.prefix}.[ch]")) +
                         [self.folder / f"{case.prefix}_test.c"])
        name = " ".join([case.prefix, compiler, *flags])
        if key in RECORD.done:
            return ""
        program = self.folder / key
        made = run([*words, "-o", str(program), "-lm"], cwd=self.folder)
        if made.returncode != 0:
            return f"{name}: does not compile: {made.stderr[:2000]}"
        done = run([str(program)])
        program.unlink()
        told = case.answers(done.stdout)
        if done.returncode == 0 and told and all(well for _, well in told.values()):
            RECORD.add(key, name, case.is_float, {quantity: differs for quantity, (differs, _) in told.items()})
            return ""
        return f"{name}: exit code {done.returncode}: {done.stdout[-2000:]} {done.stderr[-2000:]}"

    def all_well(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            told = [x for x in pool.map(lambda job: self.build_and_run(*job), jobs) if x]
        self.assertEqual(told, [])

    def test_every_robot_is_there(self):
        plain = {x.prefix for x in self.cases if x.variant == "plain"}
        self.assertGreater(len(plain), 4 if FEW else 25)
        self.assertGreater(len({x.variant for x in self.cases}), 10)

    def test_expressions_agree_with_the_library(self):
        for case in self.cases:
            # by several states, and relative to what each of them solves for: ten times what one program may
            most = 1e-2 if case.is_float else max(1e-10, 40 * EPSILON * case.condition)
            self.assertLess(case.differs, most, case.prefix)

    def test_compiled(self):
        jobs = [(x, *build) for turn, x in enumerate(self.cases) for build in x.builds(self.compilers, turn)]
        # LIMB_TEST_SHARE=k/n: every n-th of them, from the k-th; sources, compilers and flags take turns.
        k, n = map(int, os.environ.get("LIMB_TEST_SHARE", "1/1").split("/"))
        self.all_well(sorted(jobs, key=lambda job: -job[0].statements)[k - 1::n])

    def test_stack_is_bounded(self):
        """What the header says of the stack, against what compilers take without optimisation: more than with it."""
        cases = [x for x in self.cases if x.variant != "plain" and x.statements <= MEASURED and not FEW]
        for turn, case in enumerate(cases):
            header, source = [(self.folder / f"{case.prefix}{x}").read_text() for x in (".h", ".c")]
            said = dict(re.findall(r"\* (\w+): [^*]*\n \*\n.*?compilers take at most (\d+)", header, re.DOTALL))
            for compiler in [self.compilers[turn % len(self.compilers)]] if NORMAL else self.compilers:
                made = run([compiler, "-std=c99", "-O0", "-fstack-usage", "-c", f"{case.prefix}.c"], cwd=self.folder)
                self.assertEqual(made.returncode, 0, made.stderr)
                lines = (self.folder / f"{case.prefix}.su").read_text().splitlines()
                taken = {x.split("\t")[0].split(":")[-1]: int(x.split("\t")[1]) for x in lines}
                self.assertGreater(len(said), 0)
                for name, most in said.items():
                    body = re.split(rf"\n(?:void|int) {name}\(", source)[-1].split("\n}\n")[0]
                    called = [0] + [size for other, size in taken.items() if f"{other}(" in body]
                    self.assertLessEqual(taken[name] + max(called), int(most), f"{name}, {compiler}")

    def test_own_sines_are_computed_as_written(self):
        """Whatever may be reordered elsewhere: gcc says so, and is refused; clang does not, and is told."""
        if "clang" not in self.compilers:
            self.skipTest("there is no clang")
        for case in [x for x in self.cases if x.variant == "own"]:
            loose = Case(f"{case.prefix} own 0 0 0")
            self.assertEqual(self.build_and_run(loose, "clang", ["-O2", "-funsafe-math-optimizations"]), "")

    def test_own_sines_are_exact(self):
        measure = pathlib.Path(__file__).with_name("own_sines.c")
        for case in [x for x in self.cases if x.variant in ("own", "own_float")]:
            program = self.folder / f"{case.prefix}_sines"
            names = [f'-DSOURCE="{case.prefix}.c"', f"-DSINES={case.prefix}_sines",
                     f"-DREAL={'float' if case.is_float else 'double'}"]
            for flags in (["-ffp-contract=fast", "-march=native"], ["-ffp-contract=off"])[:1 if NORMAL else 2]:
                made = run([self.compilers[0], *FLAGS, "-O2", *flags, *names, f"-I{self.folder}", str(measure),
                            "-o", str(program), "-lm"])
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertLess(float(run([str(program)]).stdout), 1.25, f"{case.prefix} {flags}")

    def test_a_wrong_source_is_found(self):
        """Tests that were generated can fail."""
        text = (self.folder / "scara_plain.c").read_text()
        wrong, count = re.subn(r"(= \(?[a-z]\w*) \+ ", r"\1 - ", text, count=1)
        self.assertEqual(count, 1)
        for ending in (".h", "_test.c"):
            test = (self.folder / f"scara_plain{ending}").read_text()
            (self.folder / f"wrong{ending}").write_text(test.replace("scara_plain.h", "wrong.h"))
        (self.folder / "wrong.c").write_text(wrong.replace("scara_plain.h", "wrong.h"))
        case = Case("wrong plain 0 0 0")
        self.assertIn("exit code 1", self.build_and_run(case, self.compilers[0], ["-O1"]))


if __name__ == "__main__":
    GENERATE = sys.argv[1]
    ALL = "--all" in sys.argv
    EFFORT = os.environ.get("LIMB_TEST_EFFORT", "normal")
    FEW, NORMAL = EFFORT == "few" and not ALL, EFFORT == "normal" and not ALL
    EXTENT = ["--all"] if ALL else [] if EFFORT == "all" else [f"--{EFFORT}"]
    RECORD = Record(sys.argv[3] if ALL and len(sys.argv) > 3 else None)
    unittest.main(argv=sys.argv[:1])
