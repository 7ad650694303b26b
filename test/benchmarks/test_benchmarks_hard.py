#!/usr/bin/env python3
"""A chaotic and a stiff problem, and that all benchmarks are tested and shown; docs/benchmarks.md.

    test_benchmarks_hard.py <limb>
"""
import subprocess
import unittest

import cases
import checks


class Hard(checks.Benchmark):
    def test_double_pendulum(self):
        self.check("double_pendulum")

    def test_shafts(self):
        self.check("shafts")


class Runs(checks.Benchmark):
    def test_all_are_tested_and_shown(self):
        text = (cases.TOP / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        names = sorted(run.name.split(".")[0] for run in cases.RUNS.glob("*.run.yaml"))
        self.assertEqual(names, sorted(cases.CASES))
        self.assertEqual(names, sorted(cases.REFERENCES))
        for name in names:
            self.assertIn(f"limb sim examples/gallery/benchmarks/{name}.run.yaml", text)
            self.assertIn(f"<!-- table {name} -->", text)

    @unittest.skipUnless(checks.EFFORT == "all", "all pictures of all runs")
    def test_run_files(self):
        """Each file as it is, pictures included, except where the flat position is not passed."""
        for name in cases.CASES:
            if not name.startswith("four_bars"):
                done = subprocess.run([self.limb, "sim", cases.RUNS / f"{name}.run.yaml", "--no-progress"],
                                      cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(self.run_of(name).error, 1e-6)


if __name__ == "__main__":
    checks.main()
