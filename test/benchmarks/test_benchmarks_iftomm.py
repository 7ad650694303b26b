#!/usr/bin/env python3
"""The IFToMM library of computational benchmark problems: docs/benchmarks.md.

    test_benchmarks_iftomm.py <limb>
"""
import cases
import checks


class Iftomm(checks.Benchmark):
    def test_pendulum(self):
        self.check("pendulum")

    def test_bricard(self):
        self.check("bricard")
        self.assertLess(abs(self.run_of("bricard", "rk4", 5e-3).report["energy"]["drift"]), 1e-7)

    def test_governor(self):
        self.check("governor")

    def test_four_bars(self):
        self.check("four_bars_2")

    def test_forty_four_bars(self):
        """Ten times per run through the flat position; a high precision of 1e-3 is asked for."""
        case = cases.CASES["four_bars_40"]
        for method in self.methods_of(case):
            with self.subTest(method=method):
                self.assertLessEqual(self.run_of("four_bars_40", method, case.size(method)).error, case.errors[method])


if __name__ == "__main__":
    checks.main()
