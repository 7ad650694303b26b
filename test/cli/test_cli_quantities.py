#!/usr/bin/env python3
"""Quantities by name in `limb eval`: the listing and docs/quantities.md, names with frames and labels, one state of the
command line, formats by the ending of a file, NPY and CSV that are read back.

    test_cli_quantities.py <limb>
"""
import json
import math
import re
import struct
from pathlib import Path

import test_cli_b as tool
from test_cli_b import read_csv, table
from test_cli_sim import read_npy

DOCS = Path(__file__).parents[2] / "docs"


class Case(tool.Case):
    def ask(self, *words, code=0):
        return self.run_limb("eval", *words, code=code)

    def answer(self, *words):
        return json.loads(self.ask(*words).stdout)["results"][0]

    def refused(self, message, *words):
        done = self.ask(*words, code=2)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")


class Listing(Case):
    def test_page_is_the_table(self):
        """docs/quantities.md is `limb eval --list --format markdown`."""
        self.assertEqual((DOCS / "quantities.md").read_text(), self.ask("--list", "--format", "markdown").stdout)

    def test_manual_is_the_table(self):
        listed = json.loads(self.ask("--list", "--format", "json").stdout)["quantities"]
        manual = self.run_limb("help", "--man").stdout
        manual = manual[manual.index(".SH QUANTITIES"):]
        for q in listed:
            self.assertIn(f"\\fB{q['name']}\\fR ", manual)

    def test_card(self):
        text = self.ask("--list", "--what", "reactions").stdout
        for words in ("equation", "keyed by joint", "joints x 6", "limb_joint_reactions", "a or tau"):
            self.assertIn(words, text)
        self.refused("did you mean 'velocity'?", "--list", "--what", "vellocity")

    def test_letters_of_books(self):
        listed = {q["name"]: q for q in json.loads(self.ask("--list", "--format", "json").stdout)["quantities"]}
        self.assertIn("no friction", listed["h"]["note"])
        self.assertIn("not", listed["A"]["note"])
        self.assertEqual(listed["pose"]["shape"], "position 3, quaternion 4, rotation 3 x 3")
        self.assertTrue(all(q["equation"] and q["unit"] for q in listed.values()))


class Names(Case):
    WORDS = ("panda", "--q", "joint4=-1.5,joint2=0.3", "--v", "joint1=0.5,joint6=1", "--a", "0")

    def test_frames_and_labels(self):
        what = "J.flange,velocity@body.flange.vx,velocity.link4,M.joint2.joint4,M.joint2,energy.kinetic,pose.flange"
        r = self.answer(*self.WORDS, "--what", what)
        J = r["J.flange"]
        body = self.answer(*self.WORDS, "--what", "velocity", "--frame", "flange", "--ref", "body")["velocity"]
        self.assertEqual(r["velocity@body.flange.vx"], body[3])
        self.assertEqual(len(r["velocity.link4"]), 6)
        self.assertEqual(r["M.joint2.joint4"], r["M.joint2"][3])
        self.assertEqual((len(J), len(J[0])), (6, 7))
        self.assertEqual(set(r["pose.flange"]), {"position", "quaternion", "rotation"})
        M = self.answer(*self.WORDS, "--what", "M")["M"]
        self.assertEqual(r["M.joint2"], M[1])

    def test_every_name_once(self):
        """Readers find columns and keys by their names, however long those of the model are."""
        answer = self.answer(*self.WORDS, "--what", "M,M.joint2,q,q.joint2")
        self.assertEqual((answer["M"][1], answer["q"][1]), (answer["M.joint2"], answer["q.joint2"]))
        self.refused("two columns have the name 'M.joint2.joint1'", *self.WORDS, "--what", "M,M.joint2", "--format",
                     "csv")
        a, b = "a" * 999 + "1", "a" * 999 + "2"
        model = self.run_limb("models", "planar_2r").stdout.replace("joint1", a).replace("joint2", b)
        words = (self.file("long.yaml", model), "--states", self.file("s.csv", f"time,q.{a},q.{b}\n1,2,3\n"))
        head, rows = read_csv(self.ask(*words, "--what", "christoffel,time,q", "--format", "csv").stdout)
        self.assertEqual((len(head), head[8:]), (11, ["time", f"q.{a}", f"q.{b}"]))
        self.assertEqual((head[3], len(set(head))), (f"christoffel.{a}.{b}.{b}", 11))
        self.assertEqual(rows[0][8:], [1, 2, 3])

    def test_rounding_is_no_data(self):
        """Text shows zero where there is rounding only; JSON has every digit."""
        noise = re.compile(r"(?<![\w.])-?\d(?:\.\d+)?e-(?:1[3-9]|[2-9]\d)\b")
        state = ("--q", "0.3", "--v", "0.1", "--a", "0", "--what")
        for words in (("eval", "general_6r", *state, "C,d2tau,christoffel,M", "--format", "text"),
                      ("eval", "ur5", *state, "curvature,dM_dq,C", "--format", "text"),
                      ("info", "car"), ("base", "ankle_leg"), ("info", "stanford", "--mdh"),
                      ("ik", "ur5", "--frame", "link6", "--target", "0.3,0.2,0.1", "--format", "text")):
            said = self.run_limb(*words).stdout
            self.assertEqual([line for line in said.splitlines() if noise.search(line) and "pivot" not in line], [],
                             words)
        self.assertRegex(self.ask("general_6r", *state, "d2tau").stdout, noise)

    def test_columns(self):
        what = "velocity@body.flange,pose.flange.position,reactions.joint3"
        head, rows = read_csv(self.ask(*self.WORDS, "--what", what, "--format", "csv").stdout)
        self.assertEqual(head[:4], ["velocity@body.flange.wx", "velocity@body.flange.wy", "velocity@body.flange.wz",
                                    "velocity@body.flange.vx"])
        self.assertEqual(head[6:10], ["pose.flange.position.x", "pose.flange.position.y", "pose.flange.position.z",
                                      "reactions.joint3.mx"])
        self.assertEqual(len(rows[0]), 15)

    def test_all(self):
        done = self.ask("panda", "--q", "joint4=-1.5", "--tau", "0", "--what", "all", "--frame", "flange")
        r = json.loads(done.stdout)["results"][0]
        self.assertTrue({"M", "acc", "J", "Lambda", "curvature", "com", "A"} <= set(r))
        self.assertFalse({"tau", "lambda", "base_acc", "Ad"} & set(r))
        # What has no value is null, and reported; the others are there.
        done = self.ask("planar_2r", "--q", "0", "--what", "all", "--frame", "link2")
        self.assertIn("note: row 1: 'Lambda' has no value: ", done.stderr)
        r = json.loads(done.stdout)["results"][0]
        self.assertIsNone(r["Lambda"][0][0])
        self.assertIsNotNone(r["M"][0][0])

    def test_complaints(self):
        state = ("--q", "0")
        self.refused("there is no 'joint9' in 'M'", "panda", *state, "--what", "M.joint9")
        self.refused("no frame 'flage'; did you mean 'flange'?", "panda", *state, "--what", "J.flage")
        self.refused("none of @body, @world and @aligned", "panda", *state, "--what", "J@tip.flange")
        self.refused("'M' has no reference", "panda", *state, "--what", "M@body")
        self.refused("'M.joint1' is there twice", "panda", *state, "--what", "M.joint1,M.joint1")
        self.refused("--tree is for robots with loops", "panda", *state, "--what", "M", "--tree")


class States(Case):
    def test_units_and_starts(self):
        r = self.answer("ur5", "--q", "elbow=1,shoulder_lift=-30deg", "--what", "q,v")
        self.close(r["q"], [0, -math.pi / 6, 1, 0, 0, 0])
        self.assertEqual(r["v"], [0] * 6)
        r = self.answer("ur5", "--q", "*=0.1,elbow=0.5", "--v", "60 rpm", "--a", "0", "--what", "q,v,tau")
        self.close(r["q"] + r["v"], [0.1, 0.1, 0.5, 0.1, 0.1, 0.1] + [2 * math.pi] * 6)

    def test_as_a_table(self):
        joints = [f"joint{k}" for k in range(1, 8)]
        head = [f"{g}.{j}" for g in "qva" for j in joints]
        row = [0.0] * 21
        row[3], row[8], row[20] = -1.5, 0.25, 2.0
        states = self.file("s.csv", table(",".join(head), [row]))
        line = ("--q", "joint4=-1.5", "--v", "joint2=0.25", "--a", "joint7=2")
        self.assertEqual(self.answer("panda", *line, "--what", "tau,M,h"),
                         self.answer("panda", "--states", states, "--what", "tau,M,h"))

    def test_known_and_unknown_joints(self):
        r = self.answer("elastic2r", "--q", "joint1=0.3", "--a", "joint1=1", "--tau", "joint2=0.5", "--what", "hybrid")
        self.assertEqual((r["hybrid"]["a"][0], r["hybrid"]["tau"][1]), (1, 0.5))

    def test_loops(self):
        r = self.answer("four_bar", "--q", "theta1=60deg", "--v", "theta1=1", "--what", "q,v,loop_residual,loop_rate")
        self.close([r["q"][0], r["v"][0]], [math.pi / 3, 1])
        self.assertNotEqual(r["v"][1], 0)
        self.assertLess(max(map(abs, r["loop_residual"] + r["loop_rate"])), 1e-9)
        self.close(self.answer("four_bar", "--v", "0", "--what", "loop_residual")["loop_residual"], [0, 0])
        passive = self.answer("four_bar", "--q", "phi1=1.6", "--what", "q")["q"]
        self.close([passive[2]], [1.6])

    def test_units_that_do_not_fit(self):
        angle = "expected is an angle: rad, deg"
        self.refused("--q: elbow: '1kg' is not a number: the unit 'kg' does not fit; " + angle, "ur5", "--q",
                     "elbow=1kg", "--what", "M")
        self.refused(angle, "ur5", "--q", "elbow=90deg - (4mm + 1)", "--what", "M")
        self.refused(angle, "ur5", "--q", "1m", "--what", "M")
        self.refused(angle, "ur5", "--q", "*=-50%", "--what", "M")
        self.refused("--v: elbow: '2Hz' is not a number: the unit 'Hz' does not fit; expected is an angular velocity",
                     "ur5", "--v", "elbow=2Hz", "--what", "M")
        self.refused("the unit 'deg/s' does not fit; expected is an angular acceleration", "ur5", "--a",
                     "elbow=2deg/s", "--what", "M")
        self.refused("the unit 'N' does not fit; expected is a torque", "ur5", "--tau", "elbow=2 N", "--what", "M")
        self.refused("--v: joint3: '60rpm' is not a number: the unit 'rpm' does not fit; expected is a velocity: m/s",
                     "stanford", "--v", "60rpm", "--what", "M")
        r = self.answer("stanford", "--q", "joint1=90deg,joint2=1rad,joint3=12mm", "--v", "joint3=3cm/s", "--what",
                        "q,v")
        self.close(r["q"][:3] + r["v"][2:3], [math.pi / 2, 1, 0.012, 0.03])
        r = self.answer("ur5", "--q", "elbow=(1m)/(2m),wrist_1=2*90deg", "--tau", "elbow=2N*m", "--what", "q")
        self.close(r["q"][2:4], [0.5, math.pi])

    def test_complaints(self):
        self.refused("did you mean 'elbow'?", "ur5", "--q", "elbwo=1", "--what", "M")
        self.refused("'fast' is not a number", "ur5", "--v", "elbow=fast", "--what", "M")
        states = self.file("s.csv", "q.elbow\n1\n")
        self.refused("one of them", "ur5", "--q", "elbow=1", "--states", states, "--what", "M")
        self.refused("tau needs the a. columns", "ur5", "--q", "elbow=1", "--what", "tau")
        self.refused("--states FILE is missing: the states to compute 'M' for; or --q", "ur5", "--what", "M")


class Files(Case):
    def test_endings(self):
        state = ("ur5", "--q", "elbow=1", "--what", "g")
        for ending, begin in ((".json", "{"), (".csv", "g.shoulder_pan,"), (".txt", "ur5: gravity"),):
            path = self.folder / f"out{ending}"
            self.ask(*state, "--output", path)
            self.assertTrue(path.read_text().startswith(begin), ending)
        self.refused("contradicts the ending of", *state, "--output", self.folder / "o.csv", "--format", "json")
        self.refused("ends in none of .json, .txt, .csv, .npy, .arrow, .feather and .parquet", *state, "--output",
                     self.folder / "o.xls")
        self.refused("--format npy goes to a file", *state, "--format", "npy")
        self.assertFalse((self.folder / "o.csv").exists() or (self.folder / "o.xls").exists())

    def test_npy(self):
        joints = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"]
        rows = [[0.1 * i + 0.01 * k for k in range(19)] for i in range(1, 4)]
        head = ["time"] + [f"{g}.{j}" for g in "qva" for j in joints]
        states = self.file("s.csv", table(",".join(head), rows))
        first, second, third = (self.folder / name for name in ("a.npy", "b.csv", "c.npy"))
        self.ask("ur5", "--states", states, "--what", "q,v,a,tau", "--output", first)
        names, numbers = read_npy(first)
        self.assertEqual(names, head + [f"tau.{j}" for j in joints])
        self.assertEqual([row[:19] for row in numbers], rows)
        # What was written is read, and gives the same.
        self.ask("ur5", "--states", first, "--what", "q,v,a,tau", "--output", second)
        self.assertEqual(read_csv(second.read_text())[1], numbers)
        self.ask("ur5", "--states", second, "--what", "acc", "--output", third)
        for row, accelerations in zip(rows, read_npy(third)[1]):
            self.close(accelerations[1:], row[13:], 1e-9)

    def test_npy_of_a_simulation(self):
        path = self.folder / "run.npy"
        self.run_limb("sim", "ur5", "--duration", "0.1", "--rate", "20", "--output", path, "--channels", "q,v,energy")
        r = json.loads(self.ask("ur5", "--states", path, "--what", "energy").stdout)["results"]
        names, rows = read_npy(path)
        at = names.index("energy.kinetic")
        self.close([x["energy"]["kinetic"] for x in r], [row[at] for row in rows], 1e-9)

    def test_npy_that_is_none(self):
        path = self.folder / "x.npy"
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
        for data in (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head, b"\x93NUMPY\x03\x00",
                     b"\x93NUMPY\x03\x00" + struct.pack("<I", 1 << 31)):
            path.write_bytes(data)
            self.assertIn("the NPY file", self.ask("ur5", "--states", path, "--what", "g", code=2).stderr)
        head = b"{'descr': [('q.elbow', '<f8')], 'fortran_order': False, 'shape': (3,), }"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + b"\0" * 12)
        self.assertIn("missing: q.shoulder_pan", self.ask("ur5", "--states", path, "--what", "g", code=2).stderr)

    def test_columns_are_read_back(self):
        first = self.ask("five_bar", "--q", "left_shoulder=1.3", "--what", "q", "--format", "csv").stdout
        self.assertTrue(first.startswith("q.left_shoulder,"))
        former = self.file("f.csv", first.replace("q.left_elbow", "q_closed.left_elbow"))
        done = self.ask("five_bar", "--states", former, "--what", "q")
        self.assertIn("column 'q_closed.left_elbow' is not used", done.stderr)
        self.assertIn("did you mean 'q.left_elbow'?", done.stderr)
        again = self.ask("five_bar", "--states", self.file("s.csv", first), "--what", "q", "--format", "csv").stdout
        self.close(read_csv(again)[1][0], read_csv(first)[1][0])


class MovingWorld(Case):
    JOINTS = "shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"
    HEAD = [f"q.{j}" for j in JOINTS] + [f"v.{j}" for j in JOINTS] + [f"a.{j}" for j in JOINTS]
    Q = [0.1, -1.2, 1.4, -0.6, 0.9, -0.3]
    V, A = [-0.7, 0.9, -1.1, 1.3, -1.5], [1.5, -1, 0.8, -0.6, 1.2]
    GRAVITY = "--gravity", "0,0,-9.81"

    def torques(self, head, row, *words):
        done = self.run_limb("id", "ur5", self.file("s.csv", table(",".join(head), [row])), *words)
        return read_csv(done.stdout)[1][0]

    def test_turntable(self):
        """The first axis of a UR5 is that of a turntable: both turn the arm alike."""
        alone = self.torques(self.HEAD, [*self.Q, 0.5, *self.V, 2, *self.A], *self.GRAVITY)
        shared = self.torques([*self.HEAD, "base_velocity.wz", "base_acceleration.wz"],
                              [*self.Q, 0.2, *self.V, 1.25, *self.A, 0.3, 0.75], *self.GRAVITY)
        self.close(shared, alone, 1e-12)
        turning = self.torques(self.HEAD, [*self.Q, 0.2, *self.V, 1.25, *self.A], "--base-velocity", "0,0,0.3,0,0,0",
                               "--base-acceleration", "0,0,0.75,0,0,0", *self.GRAVITY)
        self.close(turning, alone, 1e-12)

    def test_lift(self):
        """Gravity is an acceleration of the world upwards."""
        row = [*self.Q, 0.5, *self.V, 2, *self.A]
        lifted = self.torques(self.HEAD, row, "--gravity", "0,0,0", "--base-acceleration", "0,0,0,0,0,9.81")
        self.close(lifted, self.torques(self.HEAD, row, *self.GRAVITY), 1e-12)

    def test_refusals(self):
        self.refused("--base-velocity", "ur5", "--q", "0", "--what", "g", "--base-velocity", "1,2")
        done = self.run_limb("sim", "ur5", "--duration", "0.1", "--base-velocity", "0,0,1,0,0,0", code=2)
        self.assertIn("moving base", done.stderr)


class Base(Case):
    def test_one_number(self):
        """`limb base` and Y_base have the same set."""
        for robot, count in (("panda", 62), ("point_mass_2r", 11), ("elastic2r", None)):
            r = self.answer(robot, "--q", "0", "--a", "0", "--what", "Y_base,theta_base")
            base = json.loads(self.run_limb("base", robot, "--format", "json").stdout)
            self.assertEqual(len(r["theta_base"]), len(r["Y_base"][0]))
            self.assertIn(len(r["theta_base"]), (count, len(r["theta_base"]) if count is None else count))
            self.assertIn(f"{len(r['theta_base'])} base parameters", self.run_limb("base", robot).stdout, base.keys())


if __name__ == "__main__":
    tool.main(__doc__)
