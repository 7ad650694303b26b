#!/usr/bin/env python3
"""The command excite of the tool: the motion, its condition by the regressor itself, complaints.

test_cli_excite.py <limb>
"""

import csv
import io
import json
import math
import pathlib

from tool import ToolTest, main



def extreme_singular_values(rows):
    """Of a matrix with columns of length 1: one-sided Jacobi."""
    columns = [list(c) for c in zip(*rows)]
    columns = [[x / math.sqrt(sum(y * y for y in c)) for x in c] for c in columns]
    for _ in range(30):
        turned = 0.0
        for i in range(len(columns)):
            for j in range(i):
                a, b = columns[i], columns[j]
                ab, aa, bb = (sum(x * y for x, y in zip(u, v)) for u, v in ((a, b), (a, a), (b, b)))
                if abs(ab) < 1e-13 * math.sqrt(aa * bb):
                    continue
                turned = max(turned, abs(ab))
                angle = 0.5 * math.atan2(2 * ab, bb - aa)
                c, s = math.cos(angle), math.sin(angle)
                columns[i], columns[j] = ([c * x - s * y for x, y in zip(a, b)], [s * x + c * y for x, y in zip(a, b)])
        if turned < 1e-12:
            break
    lengths = sorted(math.sqrt(sum(x * x for x in c)) for c in columns)
    return lengths[-1], lengths[0]


class Excite(ToolTest):
    def refused(self, word, *words, code=2):
        done = self.limb("excite", *words, code=code)
        self.assertIn(word, done.stderr)
        self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)

    def test_condition_is_that_of_the_regressor(self):
        motion, plot = self.folder / "motion.csv", self.folder / "motion.svg"
        words = (
            "excite",
            "planar_2r",
            "--restarts",
            "2",
            "--max-iterations",
            "30",
            "--rate",
            "20",
            "--output",
            str(motion),
            "--plot",
            str(plot),
            "--format",
            "json",
        )
        answer = json.loads(self.limb(*words).stdout)
        table = csv.DictReader(
            io.StringIO(
                self.limb("eval", "planar_2r", "--states", str(motion), "--what", "Y_base", "--format", "csv").stdout
            )
        )
        rows = [[], []]
        for line in table:
            for joint in (1, 2):
                rows[joint - 1].append([float(x) for k, x in line.items() if k.startswith(f"Y_base.joint{joint}.")])
        largest, smallest = extreme_singular_values(rows[0] + rows[1])
        self.assertAlmostEqual(largest / smallest, answer["base_condition"], delta=0.05 * answer["base_condition"])
        self.assertEqual(len(rows[0]), 201)
        base = json.loads(self.limb("base", "planar_2r", "--format", "json").stdout)
        self.assertEqual(base["count"]["base"], len(rows[0][0]))  # limb base and Y_base have the same set
        self.assertEqual(answer["parameters"], len(rows[0][0]) + 2)
        self.assertLess(answer["condition"], answer["random"])
        self.assertIn("<svg", plot.read_text())

    def test_motion_starts_and_ends_at_a_pose(self):
        motion = self.folder / "motion.csv"
        self.limb(
            "excite",
            "scara",
            "--restarts",
            "1",
            "--max-iterations",
            "3",
            "--q",
            "shoulder=20deg,quill=0.05",
            "--duration",
            "4",
            "--output",
            str(motion),
        )
        rows = list(csv.DictReader(motion.read_text().splitlines()))
        for row in (rows[0], rows[-1]):
            self.assertAlmostEqual(float(row["q.shoulder"]), math.radians(20))
            self.assertEqual(max(abs(float(x)) for k, x in row.items() if k[:2] in ("v.", "a.")), 0)
        self.assertEqual((float(rows[-1]["time"]), len(rows)), (4, 401))

    def test_the_same_for_any_number_of_threads(self):
        files = [self.folder / f"{n}.csv" for n in (1, 3)]
        for n, path in zip(("1", "3"), files):
            self.limb(
                "excite", "planar_2r", "--threads", n, "--restarts", "3", "--max-iterations", "5", "--output", str(path)
            )
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_what_cannot_be_shown_is_named(self):
        text = self.limb("excite", "scara", "--restarts", "1", "--max-iterations", "2").stdout
        self.assertIn("a constant torque of 'quill' cannot be told from its weight", text)

    def test_the_whole_way(self):
        """The commands at the top of docs/identification.md: motion, log, model, load, calibration."""
        motion, model = str(self.folder / "motion.csv"), str(self.folder / "identified.urdf")
        words = ("--max-acceleration", "8", "--keep", "tip=-0.9:0.9,-0.9:0.9,0:", "--restarts", "1")
        self.limb("excite", "ur5", *words, "--max-iterations", "6", "--rate", "200", "--output", motion)
        self.limb("identify", "ur5", motion, "--output", model)  # the log of a robot that is its model
        states = list(csv.DictReader(pathlib.Path(motion).read_text().splitlines()))
        torques = self.limb("id", "ur5", motion, "--payload", "2kg@tip").stdout
        loaded = self.folder / "loaded.csv"
        with loaded.open("w") as out:
            rows = [{**a, **b} for a, b in zip(states, csv.DictReader(io.StringIO(torques)))]
            table = csv.DictWriter(out, rows[0])
            table.writeheader()
            table.writerows(rows)
        answer = self.limb("identify", model, str(loaded), "--payload", "tip", "--format", "json").stdout
        self.assertAlmostEqual(json.loads(answer)["load"][0]["value"], 2, delta=0.05)
        poses, calibrated = self.folder / "poses.csv", str(self.folder / "calibrated.urdf")
        few = self.folder / "few.csv"
        few.write_text("\n".join(pathlib.Path(motion).read_text().splitlines()[::20]) + "\n")
        self.limb("eval", "ur5", "--states", str(few), "--what", "q,pose", "--frame", "tip", "--output", str(poses))
        self.limb("calibrate", model, str(poses), "--frame", "tip", "--unknown", "both", "--output", calibrated)
        self.limb("check", calibrated)

    def test_complaints(self):
        self.refused("loops", "four_bar", code=3)
        self.refused("did you mean 'flange'", "panda", "--keep", "flnge=0:1,0:1,0:1")
        self.refused("three intervals", "panda", "--keep", "flange=0:1,0:1")
        self.refused("three intervals", "panda", "--keep", "flange=0:1,0:1,0:nan")
        self.refused("empty along y", "panda", "--keep", "flange=0:1,1:0,0:1")
        self.refused("write boxes as", "panda", "--keep", "flange")
        self.refused("'flange' is outside its box", "panda", "--keep", "flange=5:6,5:6,5:6", code=4)
        self.refused("position of 'joint1'", "panda", "--q", "joint1=5")
        self.refused("at most 1", "panda", "--share", "2")
        self.refused("rows", "panda", "--rate", "1e9")
        self.refused("--output", "panda", "--format", "csv")
        self.refused("three revolute joints", "humanoid", code=3)


if __name__ == "__main__":
    main()
