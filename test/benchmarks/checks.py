"""What the tests of benchmarks have in common."""
import os
import subprocess
import sys
import tempfile
import unittest

import cases

EFFORT = os.environ.get("LIMB_TEST_EFFORT", "normal")


def main():
    """The tests of the calling script, with the tool that its argument names."""
    if len(sys.argv) < 2:
        sys.exit("name the tool")
    Benchmark.limb = os.path.abspath(sys.argv.pop(1))
    unittest.main()


class Benchmark(unittest.TestCase):
    limb = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    @classmethod
    def setUpClass(cls):
        asked = [cls.limb, "sim", "planar_2r", "--duration", "0", "--method", "erk", "--quiet"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        cls.adaptive = "requires SUNDIALS" not in done.stderr

    def run_of(self, name, method=None, size=None, options=(), interval=None):
        run = cases.simulate(self.limb, self.folder, name, method, size, options, interval)
        self.assertTrue(run.values, f"{name} by {method}, {size}: {run.message}")
        return run

    def methods_of(self, case):
        """Those of this build; the quickest of them with few effort."""
        found = [m for m in case.errors if self.adaptive or m in cases.FIXED]
        if EFFORT != "all":
            found = [m for m in found if m not in case.slow]
        return [m for m in found if m in ("rk4", "erk", "ida")] or found[:1] if EFFORT == "few" else found

    def check(self, name):
        """Every method is as near to the reference as promised, and nearer with half the step or tolerance.

        The error at the end of an adaptive run depends on where its steps fall. Half the tolerance may thus give up
        to three times the error, but not more than promised, and a hundredth of the tolerance is better.
        """
        case = cases.CASES[name]
        for method in self.methods_of(case):
            with self.subTest(benchmark=name, method=method):
                size, limit = case.size(method), case.errors[method]
                first = self.run_of(name, method, size).error
                second = self.run_of(name, method, size / 2).error
                self.assertLessEqual(first, limit)
                self.assertLessEqual(second, limit)
                if method in cases.FIXED:
                    self.assertLessEqual(second, max(first, case.floor))
                elif first > case.floor:
                    self.assertLessEqual(second, max(3 * first, case.floor))
                    if EFFORT == "all" and size >= 1e-11:
                        self.assertLess(self.run_of(name, method, size / 100).error, first)
