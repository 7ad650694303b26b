#!/usr/bin/env python3
"""Andrews' squeezer, of the test set for IVP solvers and of IFToMM: docs/benchmarks.md.

    test_benchmarks_andrews.py <limb>
"""
import cases
import checks

# How far the published solution of the squeezer is off: the differences that make_references.py prints.
RIGHT = {"q": 1e-10, "v": 3e-8, "a": 1.4e-6, "E": 1.3e-6}


class Andrews(checks.Benchmark):
    def test_andrews(self):
        self.check("andrews")

    def test_andrews_to_nine_digits(self):
        sizes = {"rk4": 5e-6, "implicit": 5e-6, "erk": 1e-13, "adams": 1e-13, "bdf": 1e-14, "ida": 3e-13}
        for method in self.methods_of(cases.CASES["andrews"]):
            if method in sizes:
                with self.subTest(method=method):
                    limit = 2e-9 if method == "ida" else 1e-9  # which is near its rounding there
                    self.assertLessEqual(self.run_of("andrews", method, sizes[method]).error, limit)

    def test_andrews_as_published(self):
        values = self.run_of("andrews", "rk4", 5e-6).values
        for key, x in cases.REFERENCES["andrews"]["published"].items():
            self.assertLessEqual(abs(values[key] - x) / max(1, abs(x)), RIGHT[key[0]], key)


if __name__ == "__main__":
    checks.main()
