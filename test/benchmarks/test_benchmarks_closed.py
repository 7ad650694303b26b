#!/usr/bin/env python3
"""Problems with closed solutions: tops, free bodies, rolling, sliding, prescribed motion; docs/benchmarks.md.

    test_benchmarks_closed.py <limb>
"""
import csv
import math
import pathlib

import checks


class Closed(checks.Benchmark):
    def rows(self, name, *options):
        """The table of a run, as numbers."""
        self.run_of(name, "rk4", 1e-3, options, 0.02)
        with open(pathlib.Path(self.folder) / f"{name}.csv", encoding="utf-8", newline="") as stream:
            return [{key: float(x) for key, x in row.items()} for row in csv.DictReader(stream)]

    def test_sphere(self):
        self.check("sphere")
        event, = self.run_of("sphere", "rk4", 1e-3).report["events"]
        self.assertAlmostEqual(event["time"], 2 * 2 / (7 * 0.2 * 9.81), delta=1e-10)

    def test_top(self):
        self.check("top")

    def test_euler(self):
        for name in ("euler_symmetric", "euler_general", "euler_separatrix"):
            self.check(name)
            self.assertLess(self.run_of(name, "rk4", 5e-3).report["momentum"]["angular_drift"], 1e-9)

    def test_sleigh(self):
        self.check("sleigh")

    def test_disc(self):
        self.check("disc")

    def test_hoop(self):
        self.check("hoop")

    def test_hoop_bifurcates(self):
        """Below sqrt(g/R) the bead swings about the lowest point; above it about acos(g / w^2 R), or its mirror image.
        At that angle it stays."""
        slow = [row["q.bead"] for row in self.rows("hoop", "--motion", "hoop.rate=4")]
        fast = [row["q.bead"] for row in self.rows("hoop")]
        self.assertLess(min(slow), -0.19)
        self.assertLess(max(slow), 0.2 + 1e-9)
        self.assertGreater(min(fast), 0.2 - 1e-9)
        self.assertAlmostEqual(max(fast), math.acos(2 * 2 * 9.81 / 49 - math.cos(0.2)), delta=0.02)
        middle = math.acos(2 * 9.81 / 49)
        still = self.rows("hoop", "--q", f"bead={middle!r}")
        self.assertLess(max(abs(row["q.bead"] - middle) for row in still), 1e-9)

    def test_kapitza(self):
        self.check("kapitza")

    def test_kapitza_is_stable_upright(self):
        """Only if amplitude * frequency exceeds sqrt(2 g l): at 10 Hz, not at 5 Hz."""
        fast = self.rows("kapitza")
        slow = self.rows("kapitza", "--motion", "shake.amplitude=0.1,shake.frequency=5Hz")
        self.assertLess(max(abs(row["q.hinge"]) for row in fast), math.pi / 4)
        self.assertGreater(max(abs(row["q.hinge"]) for row in slow), math.pi / 2)


if __name__ == "__main__":
    checks.main()
