#!/usr/bin/env python3
"""limb identify --payload FRAME: the load of a gripper from a log, complaints.

test_cli_payload.py <limb>
"""

import csv
import io
import json
import math
import random

from tool import ToolTest, main

JOINTS = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"]


class Payload(ToolTest):
    def log(self, name, load=(), seconds=6.0, rate=250, columns="qv"):
        """A log of a UR5 with a load, along sines."""
        states, rows = self.folder / "states.csv", []
        for i in range(int(seconds * rate)):
            t, row = i / rate, [i / rate]
            for derivative in range(3):
                for j in range(6):
                    w = 1.1 + 0.37 * j
                    row.append(0.9 * w**derivative * math.sin(w * t + j + derivative * math.pi / 2))
            rows.append(row)
        header = ["time", *(f"{g}.{n}" for g in "qva" for n in JOINTS)]
        states.write_text("\n".join([",".join(header), *(",".join(map(repr, r)) for r in rows), ""]))
        tau = list(csv.reader(io.StringIO(self.limb("id", "ur5", str(states), *load).stdout)))
        kept = [k for k, h in enumerate(header) if h == "time" or h[0] in columns]
        path = self.folder / name
        with path.open("w") as out:
            for i, torque in enumerate(tau):
                row = header if i == 0 else rows[i - 1]
                out.write(",".join([*(str(row[k]) for k in kept), *torque[1:]]) + "\n")
        return str(path)

    def test_mass_comes_back(self):
        for columns in ("qv", "q"):
            log = self.log("loaded.csv", ("--payload", "2.5kg@link6"), columns=columns)
            answer = json.loads(self.limb("identify", "ur5", log, "--payload", "link6", "--format", "json").stdout)
            load = {p["name"]: p for p in answer["load"]}
            self.assertAlmostEqual(load["mass"]["value"], 2.5, delta=0.01)
            self.assertLess(abs(load["com.z"]["value"]), 1e-3)
            self.assertLess(answer["residual"], 0.02 * answer["before"])
            self.assertLess(load["mass"]["std"], 0.02)

    def test_an_empty_log_cancels_errors_of_the_model(self):
        model = self.folder / "wrong.yaml"
        self.limb("convert", "ur5", str(model), "--payload", "0.4kg@link6")  # a tool that the robot does not have
        words = ("identify", str(model), self.log("loaded.csv", ("--payload", "2kg@link6")), "--payload", "link6")
        wrong = json.loads(self.limb(*words, "--format", "json").stdout)
        self.assertAlmostEqual(wrong["load"][0]["value"], 1.6, delta=0.01)
        right = json.loads(self.limb(*words, "--empty", self.log("empty.csv"), "--format", "json").stdout)
        self.assertAlmostEqual(right["load"][0]["value"], 2, delta=0.01)

    def test_the_model_with_the_load(self):
        box = self.folder / "box.yaml"
        self.limb("convert", "ur5", str(box), "--payload", "2kg@link6")
        log = self.log("loaded.csv", ("--payload", "2kg@link6"))
        model = self.folder / "with.yaml"
        text = self.limb("identify", "ur5", log, "--payload", "link6", "--output", str(model)).stdout
        self.assertIn("a load at 'link6', from 1500 samples", text)
        self.limb("check", str(model))  # a point mass hardly has inertia, but a physical one
        mass = [json.loads(self.limb("info", m, "--format", "json").stdout)["mass"] for m in ("ur5", str(model))]
        self.assertAlmostEqual(mass[1] - mass[0], 2, delta=0.02)
        rows = list(
            csv.DictReader(
                io.StringIO(self.limb("identify", "ur5", log, "--payload", "link6", "--format", "csv").stdout)
            )
        )
        self.assertEqual([r["name"] for r in rows][:2], ["mass", "com.x"])

    def test_a_rigid_body_can_have_it(self):
        """Of a motion in one joint little is seen: the rest is that of a ball, and the estimate is not passed off."""
        log = self.log("loaded.csv", ("--payload", "2kg@link6"), seconds=2.0)
        lines, noise = (self.folder / "loaded.csv").read_text().splitlines(), random.Random(2)
        for i in range(1, len(lines)):
            numbers = lines[i].split(",")
            numbers[-6:] = [repr(float(x) + noise.gauss(0, 2.0)) for x in numbers[-6:]]
            lines[i] = ",".join(numbers)
        (self.folder / "loaded.csv").write_text("\n".join(lines) + "\n")
        model = self.folder / "with.yaml"
        done = self.limb("identify", "ur5", log, "--payload", "link6", "--output", str(model), "--format", "json")
        answer = json.loads(done.stdout)
        self.assertFalse(answer["physical"])
        self.assertIn("no rigid body can have this estimate", done.stderr)
        self.assertLess(answer["distance"], 5)
        load = {p["name"]: p["physical_value"] for p in answer["load"]}
        for a, b, c in (("Ixx", "Iyy", "Izz"), ("Iyy", "Izz", "Ixx"), ("Izz", "Ixx", "Iyy")):
            self.assertGreater(load[a] + load[b], load[c])
        self.limb("check", str(model))

    def test_complaints(self):
        log = self.log("loaded.csv", seconds=0.5)
        words = ("identify", "ur5", log, "--payload")
        for word, more in (
            ("too short", ["link6"]),
            ("no frame 'wrist_3'", ["wrist_3"]),
            ("no joint moves", ["world"]),
            ("--method is not for", ["link6", "--method", "robust"]),
        ):
            done = self.limb(*words, *more, code=2)
            self.assertIn(word, done.stderr)
        missing = ("link6", "--empty", str(self.folder / "none.csv"))
        loaded = self.log("loaded.csv", ("--payload", "2kg@link6"))
        self.assertIn("none.csv", self.limb("identify", "ur5", loaded, "--payload", *missing, code=2).stderr)
        self.assertIn("--empty is for", self.limb("identify", "ur5", log, "--empty", log, code=2).stderr)
        slow = self.log("slow.csv", seconds=20, rate=10)
        self.assertIn("are longer than", self.limb("identify", "ur5", slow, "--payload", "link6", code=2).stderr)


if __name__ == "__main__":
    main()
