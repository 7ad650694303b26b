#!/usr/bin/env python3
"""The command identify of the tool: answers, complaints, exit codes.

    test_cli_identify.py <limb>
"""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIMB = None
SHARED = pathlib.Path(os.environ.get("LIMB_SHARED", "."))


class Identify(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def limb(self, *words, code=0):
        done = subprocess.run([LIMB, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def states(self, seconds=12.0):
        """q, v and a of the built-in planar_2r along sines."""
        for i in range(int(seconds * 100)):
            t = i / 100
            row = [t]
            for derivative in range(3):
                for w, size in ((2.1, 1.2), (3.7, 0.8)):
                    row.append(size * w**derivative * math.sin(w * t + derivative * math.pi / 2))
            yield row

    def log(self, name="log.csv", columns=(1, 2, 3, 4), change=lambda i, row: row, **more):
        """A log of planar_2r: time, q, v, tau."""
        rows = list(self.states(**more))
        path, names = self.folder / "states.csv", ["joint1", "joint2"]
        with path.open("w") as out:
            out.write(",".join(["time", *(f"{g}.{n}" for g in "qva" for n in names)]) + "\n")
            out.writelines(",".join(map(repr, row)) + "\n" for row in rows)
        tau = list(csv.reader(io.StringIO(self.limb("id", "planar_2r", str(path)).stdout)))[1:]
        header = ["time", "q.joint1", "q.joint2", "v.joint1", "v.joint2"]
        kept = [0, *columns]
        with (self.folder / name).open("w") as out:
            out.write(",".join([*(header[c] for c in kept), "tau.joint1", "tau.joint2"]) + "\n")
            for i, (row, torque) in enumerate(zip(rows, tau)):
                out.write(",".join(map(str, change(i, [*(row[c] for c in kept), *torque[1:]]))) + "\n")
        return str(self.folder / name)

    def test_answers(self):
        log = self.log()
        answer = json.loads(self.limb("identify", "planar_2r", log, "--format", "json").stdout)
        for p in answer["parameters"]:
            self.assertAlmostEqual(p["value"], p["model"], delta=1e-2, msg=p["name"])
        self.assertLess(answer["joints"][-1]["validation_relative"], 1e-3)
        self.assertEqual(answer["notes"], [])
        self.assertEqual(len(answer["covariance"]), len(answer["parameters"]))
        text = self.limb("identify", "planar_2r", log).stdout
        self.assertIn("planar_2r: 1200 samples at 100 Hz, 1 log, 1 window without gaps", text)
        rows = list(csv.DictReader(io.StringIO(self.limb("identify", "planar_2r", log, "--format", "csv").stdout)))
        self.assertEqual([r["name"] for r in rows], [p["name"] for p in answer["parameters"]])

    def test_options(self):
        log = self.log()
        for words in (["--method", "robust"], ["--method", "ordinary"], ["--method", "likelihood"], ["--asymmetry"],
                      ["--stribeck"], ["--no-offset"], ["--no-rotors"], ["--cutoff", "6"], ["--train", "1"],
                      ["--no-friction"], ["--min-speed", "0.1"]):
            self.limb("identify", "planar_2r", log, *words)
        both = json.loads(self.limb("identify", "planar_2r", log, self.log("second.csv"), "--format", "json").stdout)
        self.assertEqual((both["logs"], both["windows"], both["samples"]), (2, 2, 2400))
        self.limb("identify", "planar_2r", self.log("positions.csv", columns=(1, 2)))
        self.assertIn("at most 1", self.limb("identify", "planar_2r", log, "--train", "2", code=2).stderr)

    def test_written(self):
        log = self.log(change=lambda i, row: [*row[:-2], 1.1 * float(row[-2]), 1.1 * float(row[-1])])
        for ending in ("yaml", "urdf"):
            path = str(self.folder / f"identified.{ending}")
            text = self.limb("identify", "planar_2r", log, "--output", path).stdout
            self.assertIn("physical: weight of the model", text)
            self.limb("check", path)
            again = json.loads(self.limb("identify", path, log, "--format", "json").stdout)
            for p in again["parameters"]:
                self.assertAlmostEqual(p["value"], p["model"], delta=3e-2, msg=p["name"])
        self.assertIn("--output", self.limb("identify", "planar_2r", log, "--output", "x.txt", code=2).stderr)

    def test_gaps(self):
        log = self.log(seconds=24, change=lambda i, row: [row[0] + (5 if i > 1300 else 0), *row[1:]])
        self.assertIn("2 windows without gaps", self.limb("identify", "planar_2r", log).stdout)

    def test_faults(self):
        def refused(sentence, code=2, **how):
            self.assertIn(sentence, self.limb("identify", "planar_2r", self.log(**how), code=code).stderr)

        def back(i, row):
            return [3.0 if i == 500 else row[0], *row[1:]]

        def nan(i, row):
            return [*row[:-1], "nan" if i == 500 else row[-1]]

        refused("samples are 0 rows", seconds=0.03)
        refused("time", change=back)
        refused("is not a finite number", change=nan)
        other = self.limb("identify", "ur5", self.log(), code=2).stderr
        self.assertIn("q.shoulder_pan", other)
        self.assertIn("no loops", self.limb("identify", "four_bar", self.log(), code=2).stderr)

    def test_suspicions(self):
        def warned(sentence, change):
            self.assertIn(sentence, self.limb("identify", "planar_2r", self.log(change=change)).stderr)

        warned("are these degrees?", lambda i, row: [row[0], *(57.3 * x for x in row[1:3]), *row[3:]])
        warned("one of them is in degrees", lambda i, row: [*row[:3], 57.3 * row[3], *row[4:]])
        warned("v.joint1 is the rate of q.joint2", lambda i, row: [*row[:3], row[4], row[3], *row[5:]])
        warned("tau.joint2 is 3 in every sample", lambda i, row: [*row[:-1], 3])
        warned("'joint2' never moves", lambda i, row: [*row[:2], 0.5, row[3], 0, *row[5:]])

    def test_panda(self):
        log = SHARED / "data" / "ident" / "panda.csv"
        if not log.exists():
            self.skipTest("no $LIMB_SHARED/data/ident/panda.csv")
        answer = json.loads(self.limb("identify", "panda", str(log), "--format", "json").stdout)
        self.assertLess(answer["joints"][-1]["validation_relative"], 0.011)
        physical = json.loads(self.limb("identify", "panda", str(log), "--physical", "--format", "json").stdout)
        self.assertLess(physical["physical"]["joints"][-1]["validation_relative"], 0.0125)


if __name__ == "__main__":
    LIMB = sys.argv.pop(1)
    unittest.main()
