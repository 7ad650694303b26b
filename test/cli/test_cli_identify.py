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
import random

from tool import ToolTest, main

SHARED = pathlib.Path(os.environ.get("LIMB_SHARED", "."))


class Identify(ToolTest):
    def states(self, seconds=12.0):
        """q, v and a of the built-in planar_2r along sines."""
        for i in range(int(seconds * 100)):
            t = i / 100
            row = [t]
            for derivative in range(3):
                for w, size in ((2.1, 1.2), (3.7, 0.8)):
                    row.append(size * w**derivative * math.sin(w * t + derivative * math.pi / 2))
            yield row

    def log(self, name="log.csv", columns=(1, 2, 3, 4), change=lambda i, row: row, robot="planar_2r", **more):
        """A log of planar_2r: time, q, v, tau."""
        rows = list(self.states(**more))
        path, names = self.folder / "states.csv", ["joint1", "joint2"]
        with path.open("w") as out:
            out.write(",".join(["time", *(f"{g}.{n}" for g in "qva" for n in names)]) + "\n")
            out.writelines(",".join(map(repr, row)) + "\n" for row in rows)
        tau = list(csv.reader(io.StringIO(self.limb("id", robot, str(path)).stdout)))[1:]
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
        for words in (
            ["--method", "robust"],
            ["--method", "ordinary"],
            ["--method", "likelihood"],
            ["--method", "total"],
            ["--method", "instrumental"],
            ["--asymmetry"],
            ["--stribeck"],
            ["--no-offset"],
            ["--no-rotors"],
            ["--cutoff", "6"],
            ["--train", "1"],
            ["--no-friction"],
            ["--min-speed", "0.1"],
        ):
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
        self.assertIn("needs", self.limb("identify", "four_bar", self.log(), code=2).stderr)

    def test_suspicions(self):
        def warned(sentence, change):
            self.assertIn(sentence, self.limb("identify", "planar_2r", self.log(change=change)).stderr)

        warned("are these degrees?", lambda i, row: [row[0], *(57.3 * x for x in row[1:3]), *row[3:]])
        warned("one of them is in degrees", lambda i, row: [*row[:3], 57.3 * row[3], *row[4:]])
        warned("v.joint1 is the rate of q.joint2", lambda i, row: [*row[:3], row[4], row[3], *row[5:]])
        warned("tau.joint2 is 3 in every sample", lambda i, row: [*row[:-1], 3])
        warned("'joint2' never moves", lambda i, row: [*row[:2], 0.5, row[3], 0, *row[5:]])

    URDF = """<?xml version="1.0"?>
<!-- kept,  as  it is -->
<robot name="two">
  <link name="base"/>
	<link name="upper"><visual><geometry><box size="1.2 0.1 0.1"/></geometry><origin xyz="0.5 0 0"/></visual>
    <inertial><origin rpy="0.3 0 0"   xyz='0.5 0 0'/> <mass   value="2.0" />
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="lower">
    <inertial><mass value="1"/><inertia ixx="0.02" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="joint1" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="10"/><dynamics friction='0' damping="0.2"/></joint>
  <joint name="joint2" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="100" velocity="10"/></joint>
</robot>
"""

    def test_urdf_in_place(self):
        model, new = self.folder / "two.urdf", self.folder / "new.urdf"
        model.write_text(self.URDF)
        log = self.log(robot=str(model), change=lambda i, row: [*row[:-2], *(1.2 * float(x) for x in row[-2:])])
        self.limb(
            "identify",
            str(model),
            log,
            "--output",
            str(new),
            "--bound",
            "lower.m=0.5:2kg,lower.x=-1:1",
            "--inside-shapes",
            "--l-curve",
        )
        before, after = self.URDF.splitlines(), new.read_text().splitlines()
        self.assertEqual(before[1], after[1])
        self.assertIn('rpy="0.3 0 0"   xyz=', "".join(after))
        self.assertRegex("".join(after), """friction='0[^']*' damping="0.2[34]""")
        kept = [line for line in before if not any(w in line for w in ("inertia", "mass", "dynamics", "type="))]
        self.assertEqual([line for line in kept if line not in after], [])
        self.assertIn("0 errors", self.limb("check", str(new)).stdout)
        again = json.loads(self.limb("identify", str(new), log, "--format", "json").stdout)
        for p in again["parameters"]:
            self.assertAlmostEqual(p["value"], p["model"], delta=3e-2, msg=p["name"])
        for words in (
            ["--bound", "upper=1:2"],
            ["--bound", "middle.m=1:2"],
            ["--bound", "upper.m=2:1"],
            ["--bound", "upper.m=2"],
        ):
            self.assertIn("--bound", self.limb("identify", str(model), log, *words, code=2).stderr)
        self.assertIn("unknown", self.limb("identify", "planar_2r", log, "--inside-shapes", code=2).stderr)

    def test_pictures(self):
        log = self.log()
        svg, page = self.folder / "fit.svg", self.folder / "fit.html"
        self.limb("identify", "planar_2r", log, "--plot", str(svg), "--report", str(page), "--physical")
        self.assertIn("measured and predicted torques", svg.read_text())
        text = page.read_text()
        for words in (
            "Identification of planar_2r",
            "Residuals",
            "Physical parameters",
            "joint2.offset",
            "data:image/svg",
        ):
            self.assertTrue(words in text, words)
        self.assertFalse("MX1 + d2 M2" in text)  # for programs alone
        self.assertFalse("http://" in text.replace("http://www.w3.org", ""))

    def test_loops(self):
        """Of the five-bar only the driven joints are logged; the others follow."""
        path, out = self.folder / "states.csv", self.folder / "log.csv"
        names = ("left_shoulder", "right_shoulder")
        with path.open("w") as f:
            f.write(",".join(["time", *(f"{g}.{n}" for g in "qva" for n in names)]) + "\n")
            for i in range(2000):
                row, t = [i / 100], i / 100
                for k in range(3):
                    for w, size, middle in ((2.1, 0.3, 1.4), (3.7, 0.2, 1.9)):
                        row.append(size * w**k * math.sin(w * t + k * math.pi / 2) + (middle if k == 0 else 0))
                f.write(",".join(map(repr, row)) + "\n")
        tau = list(csv.DictReader(io.StringIO(self.limb("id", "five_bar", str(path)).stdout)))
        states = list(csv.DictReader(io.StringIO(path.read_text())))
        with out.open("w") as f:
            f.write("time," + ",".join([*(f"q.{n}" for n in names), *(f"tau.{n}" for n in names)]) + "\n")
            for s, t in zip(states, tau):
                f.write(",".join([s["time"], *(s[f"q.{n}"] for n in names), *(t[f"tau.{n}"] for n in names)]) + "\n")
        answer = json.loads(self.limb("identify", "five_bar", str(out), "--format", "json", "--no-friction").stdout)
        self.assertLess(answer["joints"][-1]["validation_relative"], 1e-2)
        hidden = [p for p in answer["parameters"] if p["verdict"] == "hidden"]
        self.assertTrue(hidden)
        for p in hidden:
            self.assertTrue(p["why"], p["name"])

    def test_what_columns_hold(self):
        log = self.log()
        known = self.limb("identify", "planar_2r", log).stdout.splitlines()[2]
        half = self.log("half.csv", change=lambda i, row: [*row[:-2], *(0.5 * float(x) for x in row[-2:])])
        again = json.loads(
            self.limb("identify", "planar_2r", half, "--gain", "joint1=2,joint2=2", "--format", "json").stdout
        )
        for p in again["parameters"]:
            self.assertAlmostEqual(p["value"], p["model"], delta=1e-2, msg=p["name"])
        self.limb("identify", "planar_2r", log, "--unmeasured", "joint1")
        self.assertIn("of 2", known + " of 2")
        load = f"{half}=3kg@link2,com=(20cm,0,0),inertia=(0.01,0.01,0.02)"
        both = self.limb("identify", "planar_2r", log, half, "--current", "all", "--load", load)
        self.assertIn("joint1.gain", both.stdout)
        self.limb("identify", "planar_2r", log, half, "--current", "all", "--load", f"{half}=3kg@link2:0.2:0:0")
        for words in (
            ["--current", "joint9"],
            ["--current", "all"],
            ["--load", f"{log}=1kg@link2,inertia=(1,1,5)"],
            ["--load", f"{log}=1kg@link2,com=(1,1)"],
            ["--load", f"{log}=1kg@link2,colour=(1,1,1)"],
            ["--gain", "joint1=fast"],
            ["--load", "other.csv=1kg@link2"],
            ["--load", f"{log}=1kg@hand"],
            ["--load", f"{log}=1kg"],
            ["--unmeasured", "all"],
        ):
            self.assertIn("limb identify", self.limb("identify", "planar_2r", log, *words, code=2).stderr)

    def test_unmeasured_torques(self):
        """Their column may be missing or wrong: the others determine what they show."""
        answers = []
        for change in (lambda i, row: row, lambda i, row: [*row[:-2], 1e6, row[-1]]):
            log = self.log(change=change)
            answer = self.limb("identify", "planar_2r", log, "--unmeasured", "joint1", "--format", "json").stdout
            answers.append(json.loads(answer))
        self.assertEqual(answers[0]["parameters"], answers[1]["parameters"])
        self.assertIsNone(answers[0]["joints"][0]["rms"])
        known = {p["name"]: p for p in answers[0]["parameters"] if p["verdict"] != "hidden"}
        for p in known.values():
            self.assertAlmostEqual(p["value"], p["model"], delta=1e-2, msg=p["name"])
        self.assertNotIn("Fv1", known)
        self.refused("did you mean 'joint1'?", "identify", "planar_2r", self.log(), "--unmeasured", "jiont1")

    def test_reference(self):
        """Noise in positions, and what was commanded: instruments along the command remove the bias."""
        noise = random.Random(1)
        path, rows = self.folder / "noisy.csv", list(self.states(seconds=40.0))
        clean = self.log(columns=(1, 2), seconds=40.0)
        with path.open("w") as out, open(clean) as log:
            head = next(log).strip().split(",")
            out.write(",".join([*head, "q_r.joint1", "q_r.joint2"]) + "\n")
            for row, line in zip(rows, log):
                time, *q, a, b = line.strip().split(",")
                noisy = [repr(float(x) + noise.gauss(0, 5e-4)) for x in q]
                out.write(",".join([time, *noisy, a, b, repr(row[1]), repr(row[2])]) + "\n")
        words = ("identify", "planar_2r", str(path), "--cutoff", "10", "--no-friction", "--format", "json")

        def worst(*more):
            answer = json.loads(self.limb(*words, *more).stdout)
            return max(abs(p["value"] - p["model"]) / (0.05 + abs(p["model"])) for p in answer["parameters"])

        self.assertLess(worst("--method", "instrumental"), 0.3 * worst())
        half = self.folder / "half.csv"
        half.write_text("\n".join(line.rsplit(",", 1)[0] for line in path.read_text().splitlines()) + "\n")
        self.refused("missing: q_r.joint2", "identify", "planar_2r", str(half))

    def test_names_are_checked_before_the_log(self):
        """A log of which every row is wrong is not read: the option is named."""
        log = self.log(change=lambda i, row: [*row[:-1], "nan"])
        self.refused("did you mean 'link2'?", "identify", "planar_2r", log, "--bound", "lnk2.m=1:2")
        self.refused("no body or frame 'hnd'", "identify", "planar_2r", log, "--load", f"{log}=1kg@hnd")
        self.refused("add a log of the motion with a known load", "identify", "planar_2r", log, "--current", "all")

    def test_panda(self):
        log = SHARED / "data" / "ident" / "panda.csv"
        if not log.exists():
            self.skipTest("no $LIMB_SHARED/data/ident/panda.csv")
        answer = json.loads(self.limb("identify", "panda", str(log), "--format", "json").stdout)
        self.assertLess(answer["joints"][-1]["validation_relative"], 0.011)
        physical = json.loads(self.limb("identify", "panda", str(log), "--physical", "--format", "json").stdout)
        self.assertLess(physical["physical"]["joints"][-1]["validation_relative"], 0.0125)


if __name__ == "__main__":
    main()
