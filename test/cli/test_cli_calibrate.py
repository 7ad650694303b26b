#!/usr/bin/env python3
"""The command calibrate of the tool: a robot with other offsets is found, written, and complaints.

test_cli_calibrate.py <limb>
"""

import csv
import io
import json
import random
import subprocess

from tool import ToolTest, main

JOINTS = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"]
OFFSET = [0.004, -0.01, 0.007, 0.002, -0.006, 0.003]
POSE = [
    f"pose.{part}"
    for part in (
        "position.x",
        "position.y",
        "position.z",
        "quaternion.x",
        "quaternion.y",
        "quaternion.z",
        "quaternion.w",
    )
]


class Calibrate(ToolTest):
    def poses(self, model, rows):
        """Of the tip, as the tool computes them."""
        states = self.write("states.csv", [f"q.{n}" for n in JOINTS], rows)
        table = self.limb("eval", model, "--states", states, "--what", "pose", "--frame", "tip", "--format", "csv")
        return [[float(line[c]) for c in POSE] for line in csv.DictReader(io.StringIO(table.stdout))]

    def measured(self, name="poses.csv", columns=POSE, count=40, factor=1.0):
        """A UR5 whose joints read OFFSET less than they are."""
        chance = random.Random(7)
        q = [[chance.uniform(-1.5, 1.5) for _ in JOINTS] for _ in range(count)]
        real = self.poses("ur5", [[a + b for a, b in zip(row, OFFSET)] for row in q])
        rows = [[*row, *(factor * p[POSE.index(c)] for c in columns)] for row, p in zip(q, real)]
        return self.write(name, [*(f"q.{n}" for n in JOINTS), *columns], rows), q, real

    def test_offsets_come_back(self):
        table, q, real = self.measured()
        model = self.folder / "calibrated.yaml"
        answer = json.loads(
            self.limb("calibrate", "ur5", table, "--offsets", "--format", "json", "--output", str(model)).stdout
        )
        change = {p["name"]: p["change"] for p in answer["calibration"]}
        for name, offset in zip(JOINTS, OFFSET):
            self.assertAlmostEqual(change[f"{name}.offset"], offset, delta=1e-8)
        self.assertLess(answer["errors"][1]["position_after"], 1e-8)
        self.assertGreater(answer["errors"][1]["position_before"], 1e-3)
        for found, pose in zip(self.poses(str(model), q), real):
            for a, b in zip(found[:3], pose[:3]):
                self.assertAlmostEqual(a, b, delta=1e-8)

    def test_kinds_of_measurements(self):
        table, _, _ = self.measured(columns=POSE[:3], count=60)
        text = self.limb("calibrate", "ur5", table, "--unknown", "device").stdout
        self.assertIn("60 measurements, 42 of them fitted; 24 of 66 parameters", text)
        rows = list(csv.DictReader(io.StringIO(self.limb("calibrate", "ur5", table, "--format", "csv").stdout)))
        self.assertEqual(rows[12]["name"], "shoulder_pan.offset")

    def test_urdf_in_place(self):
        """Origins change, every other byte stays; the file then has the measured poses."""
        model, new = self.folder / "arm.urdf", self.folder / "new.urdf"
        self.limb("convert", "ur5", str(model))
        model.write_text(model.read_text().replace("<joint ", "<!--  kept,  as it is -->\n  <joint ", 1))
        table, q, real = self.measured()
        self.limb("calibrate", str(model), table, "--frame", "tip", "--output", str(new))
        before, after = model.read_text().splitlines(), new.read_text().splitlines()
        self.assertEqual(len(before), len(after))
        changed = [a for a, b in zip(before, after) if a != b]
        self.assertTrue(changed)
        for line in changed:
            self.assertIn("<origin", line)
        for found, pose in zip(self.poses(str(new), q), real):
            for a, b in zip(found[:3], pose[:3]):
                self.assertAlmostEqual(a, b, delta=1e-7)

    def test_units_of_the_set_up(self):
        table, _, _ = self.measured()
        for pose in ("10cm,0,0,0,0,90deg", "0.1,0,0,0,0,1.5707963267948966"):
            answer = json.loads(self.limb("calibrate", "ur5", table, "--device", pose, "--format", "json").stdout)
            self.assertAlmostEqual(answer["device"]["position"][0], 0.1)
        self.refused("six numbers", "calibrate", "ur5", table, "--device", "1,2,3")
        self.refused("--target", "calibrate", "ur5", table, "--target", "1kg,0,0,0,0,0")

    def test_complaints(self):
        def refused(word, *words, code=2):
            self.assertIn(word, self.limb("calibrate", *words, code=code).stderr)

        table, q, _ = self.measured()
        refused("nothing was measured", "ur5", self.write("a.csv", [f"q.{n}" for n in JOINTS], q))
        few = self.write("b.csv", ["q.shoulder_pan", "q.shoulder_lift"], [[0, 0]])
        refused("no column q.elbow, q.wrist_1, q.wrist_2, q.wrist_3", "ur5", few)
        refused("some columns are missing", "ur5", self.measured("c.csv", columns=POSE[:2])[0])
        refused("too few", "ur5", self.measured("d.csv", columns=POSE[:3], count=4)[0])
        refused("no frame 'nose'", "ur5", table, "--frame", "nose")
        refused("no joint moves", "ur5", table, "--frame", "world")
        refused("norm", "ur5", self.measured("e.csv", factor=2.0)[0])
        refused("cannot be opened", "ur5", str(self.folder / "none.csv"))
        refused("the table has no rows", "ur5", self.write("f.csv", [*(f"q.{n}" for n in JOINTS), *POSE], []))
        done = subprocess.run(
            [self.tool, "calibrate", "ur5", self.measured("g.csv", POSE[:3], 60, 1000.0)[0]],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn("in mm?", done.stderr)


if __name__ == "__main__":
    main()
