#!/usr/bin/env python3
"""The commands eval, id and fd of the tool: answers, complaints, exit codes, files.

    test_cli_b.py <limb>
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

LIMB = None
G = 9.81

# A rod of 2 kg on a hinge about y, its centre of mass 0.5 m below; inertia about the centre 0.1.
PENDULUM = """<robot name="pendulum">
  <link name="stand"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/></inertial>
  </link>
  <link name="tip"/>
  <joint name="hinge" type="revolute">
    <parent link="stand"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="5" velocity="10"/><dynamics damping="0.3" friction="0.2"/>
  </joint>
  <joint name="end" type="fixed"><origin xyz="0 0 -1"/><parent link="rod"/><child link="tip"/></joint>
</robot>
"""
ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0.1"/><mass value="3"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0.02" izz="0.15"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.1 0.05 0"/><mass value="2"/>
    <inertia ixx="0.05" ixy="0" ixz="0.01" iyy="0.06" iyz="0" izz="0.04"/></inertial></link>
  <link name="grip.tool"><inertial><origin xyz="0 0 0.05"/><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"/></inertial></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.3"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="30" velocity="3"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0.4 0 0" rpy="0.3 0.2 0.1"/><parent link="upper"/>
    <child link="fore"/><axis xyz="0 1 0"/></joint>
  <joint name="slide &amp; grip" type="prismatic"><origin xyz="0.2 0 0"/><parent link="fore"/>
    <child link="grip.tool"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="40" velocity="1"/></joint>
</robot>
"""
FINGERS = PENDULUM.replace('name="pendulum"', 'name="fingers"').replace("</robot>", """
  <link name="second"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="follower" type="revolute"><parent link="stand"/><child link="second"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" effort="5" velocity="10"/><mimic joint="hinge" multiplier="2"/></joint>
</robot>""")
SINGULAR = PENDULUM.replace('<mass value="2"/>', '<mass value="0"/>').replace("0.1", "0").replace("0.02", "0")
BODY = """<robot name="body">
  <link name="hull"><inertial><origin xyz="0.1 0 0.2"/><mass value="4"/>
    <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
</robot>
"""


def table(head, rows):
    return "\n".join([head, *(",".join(repr(float(x)) for x in row) for row in rows)]) + "\n"


def read_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def run_limb(self, *words, code=0, stdin=None):
        done = subprocess.run([LIMB, *map(str, words)], capture_output=True, text=True, input=stdin, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def names(self):
        return sorted(os.listdir(self.folder))

    def close(self, got, expected, tolerance=1e-12):
        self.assertEqual(len(got), len(expected))
        size = max(1.0, *map(abs, expected))
        for a, b in zip(got, expected):
            self.assertLess(abs(a - b), tolerance * size, f"{got} is not {expected}")

    def eval(self, urdf, states, what, *options):
        done = self.run_limb("eval", self.file("m.urdf", urdf), "--states", self.file("s.csv", states),
                             "--what", what, *options)
        return json.loads(done.stdout)


class Eval(Case):
    ROW = table("time,q.hinge,v.hinge,a.hinge,tau.hinge", [[0.5, 0.3, 2, -4, 1.5]])

    def test_list(self):
        text = self.run_limb("eval", "--list").stdout
        for name in ("tau", "acc", "M", "Minv", "h", "g", "C", "J", "Jdotv", "pose", "energy", "com", "momentum",
                     "reactions", "power", "friction", "springs", "momentum_rate"):
            self.assertRegex(text, rf"(?m)^{name} ")

    def test_list_for_programs(self):
        answer = json.loads(self.run_limb("eval", "--list", "--format", "json").stdout)
        names = re.findall(r"(?m)^(\w+) ", self.run_limb("eval", "--list", "--format", "text").stdout)
        self.assertEqual(["name", *(q["name"] for q in answer["quantities"])], names)
        tau = next(q for q in answer["quantities"] if q["name"] == "tau")
        self.assertEqual((tau["name"], tau["needs"], tau["shape"], tau["frame"]), ("tau", ["q", "v", "a"], "nv", False))
        self.assertIn("text, json or markdown", self.run_limb("eval", "--list", "--format", "csv", code=2).stderr)

    def test_base_is_what_the_robot_has(self):
        free = "q.{0}.px,q.{0}.py,q.{0}.pz,q.{0}.qx,q.{0}.qy,q.{0}.qz,q.{0}.qw"
        planar = "q.base.px,q.base.py,q.base.rz"
        own = BODY.replace("</robot>", """<link name="world"/><joint name="air" type="floating">
            <parent link="world"/><child link="hull"/></joint></robot>""")
        for text, columns, options, base in (
                (PENDULUM, "q.hinge", [], "fixed"), (PENDULUM, "q.hinge", ["--base", "as-file"], "fixed"),
                (BODY, free.format("base"), ["--base", "floating"], "floating"),
                (own, free.format("air"), [], "floating"),
                (BODY, planar, ["--base", "planar"], "planar")):
            row = [1.0 if c.endswith("qw") else 0.0 for c in columns.split(",")]
            self.assertEqual(self.eval(text, table(columns, [row]), "com", *options)["base"], base)

    def test_answers_of_a_pendulum(self):
        q, v, a, tau = 0.3, 2.0, -4.0, 1.5
        s, c = math.sin(q), math.cos(q)
        inertia, gravity = 0.1 + 2 * 0.25, 2 * G * 0.5 * s
        x = self.eval(PENDULUM, self.ROW, "tau,acc,M,Minv,h,g,C,friction,springs,energy,com,vcom,momentum")
        self.assertEqual({k: x[k] for k in ("schema", "model", "gravity", "joints", "dofs", "nq", "nv", "friction",
                                            "mimic", "frame", "ref")},
                         {"schema": 1, "model": "pendulum", "gravity": [0, 0, -G], "joints": ["hinge"],
                          "dofs": ["hinge"], "nq": 1, "nv": 1, "friction": True, "mimic": True, "frame": None,
                          "ref": "aligned"})
        r = x["results"][0]
        self.assertEqual(r["time"], 0.5)
        drag = 0.2 + 0.3 * v
        self.close(r["tau"], [inertia * a + gravity + drag])
        self.close(r["acc"], [(tau - gravity - drag) / inertia])
        self.close(r["M"][0] + r["Minv"][0], [inertia, 1 / inertia])
        self.close(r["h"] + r["g"] + r["C"][0], [gravity, gravity, 0])
        self.close(r["friction"] + r["springs"], [drag, 0])
        e = r["energy"]
        self.close([e["kinetic"], e["potential"], e["gravity"], e["springs"]],
                   [inertia * v * v / 2, -2 * G * 0.5 * c, -2 * G * 0.5 * c, 0])
        self.close(r["com"] + r["vcom"], [-0.5 * s, 0, -0.5 * c, -0.5 * c * v, 0, 0.5 * s * v])
        self.close(r["momentum"], [0, 0.1 * v, 0, -c * v, 0, s * v])

    def test_answers_of_a_frame(self):
        q, v, a = 0.3, 2.0, -4.0
        s, c = math.sin(q), math.cos(q)
        what = "J,Jdotv,pose,velocity,acceleration,reactions,power,acom,momentum_rate"
        r = self.eval(PENDULUM, self.ROW, what, "--frame", "tip", "--no-friction")["results"][0]
        self.close([row[0] for row in r["J"]], [0, 1, 0, -c, 0, s])
        self.close(r["Jdotv"], [0, 0, 0, s * v * v, 0, c * v * v])
        self.close(r["pose"]["position"] + r["pose"]["quaternion"],
                   [-s, 0, -c, 0, math.sin(q / 2), 0, math.cos(q / 2)])
        self.close(sum(r["pose"]["rotation"], []), [c, 0, s, 0, 1, 0, -s, 0, c])
        self.close(r["velocity"], [0, v, 0, -c * v, 0, s * v])
        self.close(r["acceleration"], [0, a, 0, s * v * v - c * a, 0, c * v * v + s * a])
        acom = [(s * v * v - c * a) / 2, 0, (c * v * v + s * a) / 2]
        self.close(r["acom"], acom)
        self.close(r["momentum_rate"], [0, 0.1 * a, 0, 2 * acom[0], 0, 2 * acom[2]])
        self.close(r["reactions"]["hinge"],
                   [0, 0.6 * a + G * s, 0, 2 * acom[0], 0, 2 * (acom[2] + G)])
        self.close(r["reactions"]["end"], [0] * 6)
        self.close([r["power"]["actuators"], r["power"]["residual"]], [(0.6 * a + G * s) * v, 0], 1e-11)
        r = self.eval(PENDULUM, self.ROW, "J,acceleration", "--frame", "tip", "--ref", "body")["results"][0]
        self.close([row[0] for row in r["J"]], [0, 1, 0, -1, 0, 0])
        self.close(r["acceleration"], [0, a, 0, -a, 0, 0])
        r = self.eval(PENDULUM, self.ROW, "velocity", "--frame", "tip", "--ref", "world")["results"][0]
        self.close(r["velocity"], [0, v, 0, 0, 0, 0])

    def test_gravity_is_taken_and_echoed(self):
        x = self.eval(PENDULUM, self.ROW, "g", "--gravity", "0,0,-1.62")
        self.assertEqual(x["gravity"], [0, 0, -1.62])
        self.close(x["results"][0]["g"], [1.62 * math.sin(0.3)])

    def test_forms_agree(self):
        model, states = self.file("m.urdf", ARM), self.file("s.csv", table(
            "q.shoulder,q.elbow,q.slide & grip,v.shoulder,v.elbow,v.slide & grip", [[0.1, 0.2, 0.05, 1, 2, 3],
                                                                                    [-1, 1, 0, 0, 0, 0.1]]))
        words = ("eval", model, "--states", states, "--what", "M,J,pose,energy,h", "--frame", "grip.tool")
        rows = json.loads(self.run_limb(*words).stdout)["results"]
        head, lines = read_csv(self.run_limb(*words, "--format", "csv").stdout)
        self.assertEqual(head[1], "M.shoulder.elbow")
        self.assertIn("J.vz.slide & grip", head)
        self.assertIn("energy.kinetic", head)
        self.assertNotIn("time", rows[0])
        for row, line in zip(rows, lines):
            flat = sum(row["M"], []) + sum(row["J"], []) + row["pose"]["position"] + row["pose"]["quaternion"]
            flat += sum(row["pose"]["rotation"], []) + [row["energy"][k] for k in ("kinetic", "potential", "gravity",
                                                                                  "springs")] + row["h"]
            self.assertEqual(flat, line)  # to the last bit
        text = self.run_limb(*words, "--format", "text").stdout
        self.assertIn("slide & grip", text)
        self.assertIn("row 2", text)

    def test_nothing_is_assumed(self):
        model = self.file("m.urdf", ARM)
        states = self.file("s.csv", table("q.shoulder,q.elbow", [[0, 0]]))
        done = self.run_limb("eval", model, "--states", states, "--what", "M,h", code=2)
        self.assertIn("M needs the q. columns; some are missing", done.stderr)
        self.assertIn("missing: q.slide & grip", done.stderr)
        self.assertIn("h needs the v. columns; there are none", done.stderr)
        self.assertIn("v.shoulder, v.elbow, v.slide & grip", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_unknown_columns_are_named(self):
        states = self.file("s.csv", "q.hinge,q.hing,colour\n0,1,2\n")
        done = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states", states, "--what", "g")
        self.assertIn("column 'q.hing' is not used", done.stderr)
        self.assertIn("did you mean 'q.hinge'?", done.stderr)
        self.assertIn("column 'colour' is not used", done.stderr)

    def test_mimic_joints(self):
        states = table("q.hinge,q.follower", [[0.5, 3]])
        done = self.run_limb("eval", self.file("m.urdf", FINGERS), "--states", self.file("s.csv", states),
                             "--what", "M")
        self.assertIn("joint 'follower' follows another; --no-mimic frees it", done.stderr)
        self.close(json.loads(done.stdout)["results"][0]["M"][0], [0.6 + 4 * 0.1])
        x = self.eval(FINGERS, states, "M", "--no-mimic")
        self.assertEqual((x["mimic"], x["dofs"]), (False, ["hinge", "follower"]))
        self.close(sum(x["results"][0]["M"], []), [0.6, 0, 0, 0.1])

    def test_wrong_words(self):
        model, states = self.file("m.urdf", PENDULUM), self.file("s.csv", self.ROW)
        for words, message in (
                (("--what", "taw"), "did you mean 'tau'?"),
                (("--what", "tua"), "did you mean 'tau'?"),
                (("--what", "m"), "did you mean 'M'?"),
                (("--what", "jacobian"), "did you mean 'J'?"),
                (("--what", "zzzzz"), "limb eval --list"),
                (("--what", "x"), "limb eval --list"),
                (("--what", "tau,"), "no quantity ''"),
                (("--what", "tau,tau"), "is there twice"),
                (("--what", "J"), "name it, as in J.<frame>, or for all by --frame"),
                (("--what", "J", "--frame", "tips"), "did you mean 'tip'?"),
                ((), "--what LIST is missing")):
            done = self.run_limb("eval", model, "--states", states, *words, code=2)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("name a model", self.run_limb("eval", code=2).stderr)
        self.assertIn("--states", self.run_limb("eval", model, "--what", "M", code=2).stderr)
        done = self.run_limb("eval", model, "--states", self.folder / "none.csv", "--what", "M", code=2)
        self.assertIn("none.csv", done.stderr)
        done = self.run_limb("eval", model, "--states", self.folder, "--what", "M", code=2)
        self.assertIn("directory", done.stderr)

    def test_wrenches(self):
        head = "time,q.hinge,v.hinge,a.hinge,tau.hinge"
        states = table(head + ",wrench.tip.fx,wrench.tip.my", [[0, 0.3, 0, 0, 0, 7, 0.5]])
        plain = self.eval(PENDULUM, self.ROW.replace("2.0,-4.0,1.5", "0.0,0.0,0.0"), "tau")
        x = self.eval(PENDULUM, states, "tau")["results"][0]["tau"][0]
        self.close([x - plain["results"][0]["tau"][0]], [-(-math.cos(0.3) * 7 + 0.5)])
        x = self.eval(PENDULUM, states, "tau", "--wrench-ref", "body")["results"][0]["tau"][0]
        self.close([x - plain["results"][0]["tau"][0]], [7 - 0.5])
        x = self.eval(PENDULUM, states, "tau", "--wrench-ref", "world")["results"][0]["tau"][0]
        self.close([x - plain["results"][0]["tau"][0]], [-0.5])
        done = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states",
                             self.file("s.csv", states.replace("wrench.tip.fx", "wrench.tipp.fx")), "--what", "tau",
                             code=2)
        self.assertIn("no frame 'tipp'; did you mean 'tip'?", done.stderr)

    def test_wrenches_that_cannot_be_placed_are_errors(self):
        for column, message in (("wrench.tip.fX", "did you mean 'wrench.tip.fx'?"),
                                ("wrench.tip", "did you mean 'wrench.tip.fx'"),
                                ("wrench.tip.torque", "one of mx my mz fx fy fz"),
                                ("wrench.fx", "one of mx my mz fx fy fz"),
                                ("wrench.", "one of mx my mz fx fy fz"),
                                ("wrench.TIP.fx", "no frame 'TIP'; did you mean 'tip'?")):
            states = self.file("s.csv", table(f"q.hinge,{column},wrench.nowhere.fx", [[0, 1, 2]]))
            done = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states", states, "--what", "g", code=2)
            self.assertIn(f"s.csv:1: error: column '{column}'", done.stderr)
            self.assertIn(message, done.stderr)
            self.assertIn("no frame 'nowhere'", done.stderr)  # all of them are told
            self.assertEqual(done.stdout, "")
        states = self.file("s.csv", table("q.hinge,Wrench.tip.fx", [[0, 1]]))
        done = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states", states, "--what", "g")
        self.assertIn("did you mean 'wrench.tip.fx'?", done.stderr)

    def test_frames_with_dots(self):
        states = table("q.shoulder,q.elbow,q.slide & grip,v.shoulder,v.elbow,v.slide & grip,a.shoulder,a.elbow,"
                       "a.slide & grip,wrench.grip.tool.fz", [[0.1, 0.2, 0.05, 0, 0, 0, 0, 0, 0, 10]])
        x = self.eval(ARM, states, "tau,g,J", "--frame", "grip.tool")["results"][0]
        self.close(x["tau"], [g - 10 * j for g, j in zip(x["g"], x["J"][5])])

    def test_quaternions_are_checked(self):
        head = "q.base.px,q.base.py,q.base.pz,q.base.qx,q.base.qy,q.base.qz,q.base.qw"
        rows = [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 1]]
        done = self.run_limb("eval", self.file("m.urdf", BODY), "--base", "floating", "--what", "M", "--states",
                             self.file("s.csv", table(head, rows)), code=2)
        self.assertIn("s.csv:3: error: base.qx", done.stderr)
        self.assertIn("norm is 1.41", done.stderr)

    def test_floating_base(self):
        head = "q.base.px,q.base.py,q.base.pz,q.base.qx,q.base.qy,q.base.qz,q.base.qw"
        x = self.eval(BODY, table(head, [[1, 2, 3, 0, 0, math.sin(0.4), math.cos(0.4)]]), "g,com,M", "--base",
                      "floating")
        self.assertEqual(x["base"], "floating")
        self.assertEqual(x["dofs"], [f"base.{k}" for k in ("wx", "wy", "wz", "vx", "vy", "vz")])
        r = x["results"][0]
        self.close(r["g"], [0, -4 * G * 0.1, 0, 0, 0, 4 * G])
        self.close(r["com"], [1 + 0.1 * math.cos(0.8), 2 + 0.1 * math.sin(0.8), 3.2])
        self.close([r["M"][5][5]], [4])

    def test_numerical_failure(self):
        states = table("time,q.hinge,v.hinge,tau.hinge", [[0.25, 0, 0, 1]])
        out = self.folder / "out.json"
        out.write_text("as it was")
        done = self.run_limb("eval", self.file("m.urdf", SINGULAR), "--states", self.file("s.csv", states), "--what",
                             "acc", "--output", out, code=4)
        self.assertIn("s.csv:2: error: row 1, time 0.25: acc: matrix is singular", done.stderr)
        self.assertEqual(out.read_text(), "as it was")
        self.assertEqual(self.names(), ["m.urdf", "out.json", "s.csv"])

    def test_a_row_that_fails_leaves_valid_json(self):
        good = "time,q.hinge,v.hinge,tau.hinge\n0,0,0,1\n"
        for text, bad, code, line, says, count in (
                (SINGULAR, good, 4, 2, "acc: matrix is singular", 0),
                (PENDULUM, good + "1,0,0,x\n", 2, 3, "x", 1),
                (PENDULUM, good + 2 * "2,0,0,0\n" + "3,0\n", 2, 5, "", 3)):
            done = self.run_limb("eval", self.file("m.urdf", text), "--states", self.file("s.csv", bad), "--what",
                                 "acc", code=code)
            answer = json.loads(done.stdout)
            self.assertEqual(len(answer["results"]), count)
            self.assertEqual((answer["error"]["exit"], answer["error"]["line"]), (code, line))
            self.assertIn(says, answer["error"]["text"])
            self.assertTrue(answer["error"]["text"])
            done = self.run_limb("eval", self.file("m.urdf", text), "--states", self.file("s.csv", bad), "--what",
                                 "acc", "--format", "csv", code=code)
            self.assertEqual(len(read_csv(done.stdout)[1]), count)

    def test_bad_rows(self):
        for text, line in (("q.hinge\n0\nx\n", 3), ("q.hinge\n0\n1,2\n", 3), ("q.hinge\nnan\n", 2), ("", " error")):
            done = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states", self.file("s.csv", text), "--what",
                                 "g", "--output", self.folder / "o.json", code=2)
            self.assertIn(f"s.csv:{line}", done.stderr)
            self.assertEqual(self.names(), ["m.urdf", "s.csv"])

    def test_no_rows_is_an_empty_answer(self):
        self.assertEqual(self.eval(PENDULUM, "q.hinge\n", "g")["results"], [])


class Trajectories(Case):
    HEAD = "time," + ",".join(f"{k}.{j}" for k in "qva" for j in ("shoulder", "elbow", "slide & grip"))
    POLYNOMIALS = ([0.1, 0.2, -0.5, 0.3, 0.25, -0.1], [-0.3, 1, 0.2, -0.4, 0.1, 0.05],
                   [0.05, 0, 0.03, 0.02, -0.02, 0.004])

    def test_long_names(self):
        """Columns of joints whose names differ at the end only."""
        for length in (509, 700, 1000):
            names = ["j" * (length - 1) + c for c in "abc"]
            body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
            links = "".join(f'<link name="l{k + 1}">{body}<joint name="{name}" type="continuous"><parent link="l{k}"/>'
                            f'<child link="l{k + 1}"/><axis xyz="0 1 0"/></joint>' for k, name in enumerate(names))
            model = self.file("long.urdf", f'<robot name="long"><link name="l0"/>{links}</robot>')
            head = ",".join(f"{what}.{name}" for what in "qva" for name in names)
            done = self.run_limb("id", model, self.file("long.csv", head + "\n" + ",".join("1" * 9) + "\n"))
            self.assertNotIn("warning", done.stderr)
            self.assertEqual(done.stdout.splitlines()[0], ",".join(f"tau.{name}" for name in names))
            self.run_limb("eval", model, "--what", "tau", "--states", self.folder / "long.csv", "--output",
                          self.folder / "o.csv")
            self.assertIn(f"tau.{names[2]}", (self.folder / "o.csv").read_text(encoding="utf-8"))
        model = self.file("long.urdf", f'<robot name="long"><link name="{"x" * 1001}"/></robot>')
        self.assertIn("its name has 1001 bytes: at most 1000 are supported",
                      self.run_limb("check", model, code=3).stdout)

    def rows(self, n=101, last=2.0):
        for i in range(n):
            t = last * (i / (n - 1)) ** 1.3  # steps that grow
            derivatives = [[sum(c * math.perm(k, d) * t ** (k - d) for k, c in enumerate(p) if k >= d)
                            for p in self.POLYNOMIALS] for d in range(3)]
            yield [t, *sum(derivatives, [])]

    def arm(self, text=ARM):
        return self.file("arm.urdf", text)

    def moving(self):
        return self.file("move.csv", table(self.HEAD, self.rows()))

    def test_id_is_what_eval_says(self):
        head, rows = read_csv(self.run_limb("id", self.arm(), self.moving()).stdout)
        self.assertEqual(head, ["time", "tau.shoulder", "tau.elbow", "tau.slide & grip"])
        answer = json.loads(self.run_limb("eval", self.arm(), "--states", self.moving(), "--what", "tau").stdout)
        self.assertEqual([[r["time"], *r["tau"]] for r in answer["results"]], rows)

    def test_fd_undoes_id(self):
        _, torques = read_csv(self.run_limb("id", self.arm(), self.moving()).stdout)
        rows = [[*r[:7], *t[1:]] for r, t in zip(self.rows(), torques)]
        head = self.HEAD.replace("a.", "tau.")
        done = self.run_limb("fd", self.arm(), self.file("tau.csv", table(head, rows)))
        names, got = read_csv(done.stdout)
        self.assertEqual(names, ["time", "a.shoulder", "a.elbow", "a.slide & grip"])
        for row, a in zip(self.rows(), got):
            self.close(a[1:], row[7:], 1e-10)

    def test_standard_input_and_no_time(self):
        text = table(self.HEAD, self.rows(5))
        text = "\n".join(line.split(",", 1)[1] for line in text.splitlines()) + "\n"
        head, rows = read_csv(self.run_limb("id", self.arm(), "-", stdin=text).stdout)
        self.assertEqual((len(head), len(rows)), (3, 5))

    def test_standard_input_is_read_once(self):
        for words in (("id", "-", "-"), ("fd", "-", "-"), ("eval", "-", "--states", "-", "--what", "M")):
            done = self.run_limb(*words, code=2, stdin=PENDULUM)
            self.assertIn("standard input can be read only once", done.stderr)

    def test_no_rows_are_told(self):
        model, states = self.file("m.urdf", PENDULUM), self.file("s.csv", "q.hinge,v.hinge,a.hinge,tau.hinge\n")
        for words in (("id", model, states), ("fd", model, states), ("eval", model, "--states", states, "--what", "M")):
            self.assertIn("s.csv: warning: there are no rows", self.run_limb(*words).stderr)
        done = self.run_limb("eval", model, "--states", states, "--what", "M")
        self.assertEqual(json.loads(done.stdout)["results"], [])

    def test_doubts_have_lines_and_rules(self):
        states = self.file("s.csv", "q.hinge,v.hinge,a.hinge,tau.hinge\n0,0,0,0\n")
        model = self.file("m.urdf", PENDULUM.replace('izz="0.02"', 'izz="0.3"'))
        for words in (("id", model, states), ("fd", model, states), ("eval", model, "--states", states, "--what", "M")):
            done = self.run_limb(*words)
            self.assertRegex(done.stderr, r"m\.urdf:3:\d+: warning: link 'rod': .* \[inertia-triangle\]")
            self.assertNotIn("non-physical", done.stderr)

    def test_fd_singular(self):
        states = self.file("s.csv", table("time,q.hinge,v.hinge,tau.hinge", [[0, 0, 0, 1]]))
        done = self.run_limb("fd", self.file("m.urdf", SINGULAR), states, "--output", self.folder / "o.csv", code=4)
        self.assertIn("row 1, time 0: forward dynamics: matrix is singular", done.stderr)
        self.assertEqual(self.names(), ["m.urdf", "s.csv"])

    def test_missing_velocities_are_not_zero(self):
        states = self.file("p.csv", table(",".join(self.HEAD.split(",")[:4]), (r[:4] for r in self.rows())))
        done = self.run_limb("id", self.arm(), states, code=2)
        self.assertIn("inverse dynamics needs the v. columns", done.stderr)
        self.assertIn("--differentiate computes v and a", done.stderr)

    # ---- --differentiate ---------------------------------------------------------------------------------

    def test_differentiate_reproduces_quintics(self):
        states = self.file("p.csv", table(",".join(self.HEAD.split(",")[:4]), (r[:4] for r in self.rows())))
        done = self.run_limb("id", self.arm(), states, "--differentiate")
        self.assertIn("quintic spline", done.stderr)
        _, expected = read_csv(self.run_limb("id", self.arm(), self.moving()).stdout)
        _, got = read_csv(done.stdout)
        for a, b in zip(got, expected):
            self.close(a, b, 1e-7)

    def test_differentiate_rotations(self):
        # Turns about a fixed axis by th(t) while it flies on a parabola; quaternions change sign at random.
        axis, n, rows, exact = (2 / 7, 3 / 7, 6 / 7), 161, [], []
        for i in range(n):
            t = 2 * i / (n - 1)
            th, w, dw = 1.5 * math.sin(t), 1.5 * math.cos(t), -1.5 * math.sin(t)
            p, dp, ddp = (t, 0.5 * t * t, 1 - t * t), (1, t, -2 * t), (0, 1, -2)
            s, sign = math.sin(th / 2), -1 if i % 5 in (1, 2) else 1
            q = [sign * s * a for a in axis] + [sign * math.cos(th / 2)]
            rows.append([t, *p, *q])

            def turn_back(x, th=th):  # R' x by Rodrigues
                c, s = math.cos(th), -math.sin(th)
                dot = sum(a * b for a, b in zip(axis, x))
                cross = (axis[1] * x[2] - axis[2] * x[1], axis[2] * x[0] - axis[0] * x[2],
                         axis[0] * x[1] - axis[1] * x[0])
                return [c * b + s * k + (1 - c) * dot * a for a, b, k in zip(axis, x, cross)]

            v = turn_back(dp)
            om = [w * a for a in axis]
            cor = (om[1] * v[2] - om[2] * v[1], om[2] * v[0] - om[0] * v[2], om[0] * v[1] - om[1] * v[0])
            a = [x - y for x, y in zip(turn_back(ddp), cor)]
            exact.append([t, *p, *q, *om, *v, *(dw * k for k in axis), *a])
        q_names = [f"q.base.{k}" for k in ("px", "py", "pz", "qx", "qy", "qz", "qw")]
        v_names = [f"{d}.base.{k}" for d in "va" for k in ("wx", "wy", "wz", "vx", "vy", "vz")]
        model = self.file("m.urdf", BODY)
        done = self.run_limb("id", model, self.file("p.csv", table(",".join(["time", *q_names]), rows)), "--base",
                             "floating", "--differentiate")
        _, got = read_csv(done.stdout)
        full = self.file("f.csv", table(",".join(["time", *q_names, *v_names]), exact))
        _, expected = read_csv(self.run_limb("id", model, full, "--base", "floating").stdout)
        for a, b in zip(got[4:-4], expected[4:-4]):
            self.close(a, b, 1e-7)
        for a, b in zip(got, expected):
            self.close(a, b, 1e-4)

    def test_differentiate_refuses(self):
        head = "time,q.hinge"
        for rows, message in (
                ([[i, 0] for i in range(5)], "at least 6 rows"),
                ([[i, 0] for i in (0, 1, 2, 2, 3, 4)], "p.csv:5: error: time: 2"),
                ([[i, 3.0 if i < 3 else -3.2] for i in range(8)], "p.csv:5: error: hinge: the angle jumps")):
            done = self.run_limb("id", self.file("m.urdf", PENDULUM), self.file("p.csv", table(head, rows)),
                                 "--differentiate", code=2)
            self.assertIn(message, done.stderr)
        done = self.run_limb("id", self.file("m.urdf", PENDULUM), self.file("p.csv", "q.hinge\n1\n"),
                             "--differentiate", code=2)
        self.assertIn("needs a column called time", done.stderr)
        rows = [[i, 0, 5] for i in range(6)]
        done = self.run_limb("id", self.file("m.urdf", PENDULUM), self.file("p.csv", table(head + ",v.hinge", rows)),
                             "--differentiate")
        self.assertIn("the columns v. and a. are not used", done.stderr)

    # ---- --size ------------------------------------------------------------------------------------------

    def sized(self):
        done = self.run_limb("id", self.arm(), self.moving(), "--size", "--format", "json", "--output",
                             self.folder / "tau.csv")
        return json.loads(done.stdout), read_csv((self.folder / "tau.csv").read_text())[1]

    def test_sizing_against_its_definition(self):
        x, torques = self.sized()
        rows = list(self.rows())
        self.assertEqual((x["rows"], x["duration"], len(x["dofs"])), (101, rows[-1][0], 3))
        for k, d in enumerate(x["dofs"]):
            t, tau, v = ([r[0] for r in rows], [r[1 + k] for r in torques], [r[4 + k] for r in rows])
            at = max(range(101), key=lambda i: abs(tau[i]))
            self.assertEqual(d["peak_torque"], {"value": tau[at], "time": t[at], "speed": v[at]})
            at = max(range(101), key=lambda i: abs(v[i]))
            self.assertEqual(d["peak_speed"], {"value": v[at], "time": t[at], "torque": tau[at]})
            steps = list(zip(t, t[1:], tau, tau[1:]))
            self.close([d["rms_torque"]],
                       [math.sqrt(sum((b - a) * (x * x + y * y) / 2 for a, b, x, y in steps) / t[-1])])
            power = [a * b for a, b in zip(tau, v)]
            net = sum((b - a) * (x + y) / 2 for a, b, x, y in zip(t, t[1:], power, power[1:]))
            self.close([d["energy_delivered"] - d["energy_absorbed"]], [net])
            self.close([d["mean_absolute_power"]], [(d["energy_delivered"] + d["energy_absorbed"]) / t[-1]])
            self.assertGreaterEqual(min(d["energy_delivered"], d["energy_absorbed"]), 0)
            q = [r[1 + k] for r in rows]
            self.assertEqual([d["position"]["min"], d["position"]["max"]], [min(q), max(q)])
        shoulder, elbow = x["dofs"][:2]
        self.close([shoulder["torque_margin_percent"]],
                   [100 * (1 - abs(shoulder["peak_torque"]["value"]) / 30)])
        none = [elbow["torque_limit"], elbow["torque_margin_percent"], elbow["position"]["margin"]]
        self.assertEqual(none, [None] * 3)

    def test_sizing_of_loads(self):
        x, _ = self.sized()
        answer = json.loads(self.run_limb("eval", self.arm(), "--states", self.moving(), "--what", "reactions", "--ref",
                                          "body").stdout)
        for load in x["loads"]:
            force = [math.hypot(*r["reactions"][load["joint"]][3:]) for r in answer["results"]]
            moment = [math.hypot(*r["reactions"][load["joint"]][:3]) for r in answer["results"]]
            self.close([load["peak_force"]["value"], load["peak_moment"]["value"]], [max(force), max(moment)])
            at = force.index(max(force))
            self.assertEqual(load["peak_force"]["time"], answer["results"][at]["time"])
            self.assertEqual(load["peak_force"]["wrench"], answer["results"][at]["reactions"][load["joint"]])

    def test_sizing_forms(self):
        text = self.run_limb("id", self.arm(ARM.replace('effort="30"', 'effort="0.5"')), self.moving(), "--size").stdout
        self.assertRegex(text, r"(?m)^shoulder .*OVER$")
        self.assertIn("load on the joint", text)
        rows = list(csv.DictReader(io.StringIO(
            self.run_limb("id", self.arm(), self.moving(), "--size", "--format", "csv").stdout)))
        rows = {r["joint"]: r for r in rows}
        self.assertEqual({r["dof"] for r in rows.values()}, {"", "shoulder", "elbow", "slide & grip"})
        self.assertEqual(rows["elbow"]["torque_limit"], "")
        self.assertEqual(float(rows["shoulder"]["torque_limit"]), 30)
        for load in self.sized()[0]["loads"]:  # the joint to the world included
            self.assertEqual(float(rows[load["joint"]]["peak_force"]), load["peak_force"]["value"])

    def test_followers_have_limits_of_their_own(self):
        # The follower goes to 0.1 - 2 q: from -0.9 to 0.1, at twice the speed.
        text = FINGERS.replace('multiplier="2"', 'multiplier="-2" offset="0.1"').replace(
            'lower="-9" upper="9" effort="5" velocity="10"', 'lower="-0.5" upper="1" effort="5" velocity="0.6"')
        rows = [[i / 10, i / 20, 0.5, 0] for i in range(11)]
        model, states = self.file("m.urdf", text), self.file("s.csv", table("time,q.hinge,v.hinge,a.hinge", rows))
        x, = json.loads(self.run_limb("id", model, states, "--size", "--format", "json").stdout)["followers"]
        self.assertEqual((x["joint"], x["follows"], x["speed_limit"]), ("follower", "hinge", 0.6))
        p = x["position"]
        self.close([p["min"], p["max"], p["min_time"], p["max_time"], p["margin"]], [-0.9, 0.1, 1, 0, -0.4])
        self.close([x["peak_speed"]["value"], x["speed_margin_percent"]], [-1, 100 * (1 - 1 / 0.6)])
        text = self.run_limb("id", model, states, "--size").stdout
        self.assertEqual(len(re.findall(r"(?m)^follower .*OVER", text)), 4)  # above, and in two tables
        lines = csv.DictReader(io.StringIO(self.run_limb("id", model, states, "--size", "--format", "csv").stdout))
        row = next(r for r in lines if r["joint"] == "follower")
        self.close([float(row[k]) for k in ("q_min", "q_max", "q_lower_limit", "peak_speed", "speed_limit")],
                   [-0.9, 0.1, -0.5, -1, 0.6])
        self.assertEqual((row["dof"], row["peak_torque"]), ("", ""))
        one = self.file("s.csv", table("time,q.hinge,v.hinge,a.hinge", rows[:1]))
        self.assertIn(": 1 row, 0 s", self.run_limb("id", model, one, "--size").stdout)

    def test_work_splits_where_power_crosses_zero(self):
        # Constant speed, torque from -1 to 3 by gravity-free acceleration terms: P from -2 to 6 in one step.
        model = PENDULUM.replace('damping="0.3" friction="0.2"', "")
        states = self.file("s.csv", table("time,q.hinge,v.hinge,a.hinge", [[0, 0, 2, -1 / 0.6], [1, 0, 2, 3 / 0.6]]))
        done = self.run_limb("id", self.file("m.urdf", model), states, "--size", "--format", "json")
        d = json.loads(done.stdout)["dofs"][0]
        self.close([d["energy_absorbed"], d["energy_delivered"], d["mean_absolute_power"]],
                   [0.25 * 2 / 2, 0.75 * 6 / 2, 0.25 + 2.25])
        self.close([d["rms_torque"]], [math.sqrt(5)])

    def test_size_needs_time_and_rows(self):
        model = self.file("m.urdf", PENDULUM)
        done = self.run_limb("id", model, self.file("s.csv", "q.hinge,v.hinge,a.hinge\n0,0,0\n"), "--size", code=2)
        self.assertIn("--size needs a column called time", done.stderr)
        done = self.run_limb("id", model, self.file("s.csv", "time,q.hinge,v.hinge,a.hinge\n"), "--size", code=2)
        self.assertIn("there are no rows", done.stderr)
        done = self.run_limb("id", model, self.file("s.csv", "time,q.hinge,v.hinge,a.hinge\n1,0,0,0\n0,0,0,0\n"),
                             "--size", code=2)
        self.assertIn("s.csv:3: error: time: 0 does not come after", done.stderr)
        for words in (("--format", "json"), ("--size", "--output", "-"), ("--size", "--plot", "-"),
                      ("--output", "x", "--plot", "x")):
            self.assertEqual(self.run_limb("id", model, self.file("s.csv", "time\n"), *words, code=2).stdout, "")

    # ---- --plot ------------------------------------------------------------------------------------------

    def test_plot(self):
        svg = self.folder / "tau.svg"
        done = self.run_limb("id", self.arm(ARM.replace('effort="30"', 'effort="0.5"')), self.moving(), "--plot", svg)
        self.assertEqual(done.stdout, "")
        root = xml.etree.ElementTree.parse(svg).getroot()
        kind = "{http://www.w3.org/2000/svg}"
        classes = [e.get("class") for e in root.iter(f"{kind}path")]
        self.assertEqual(classes.count("curve"), 3)
        self.assertGreaterEqual(classes.count("dash"), 2)
        texts = [e.text for e in root.iter(f"{kind}text")]
        for text in ("shoulder", "slide & grip", "time [s]", "N", "N m"):
            self.assertIn(text, texts)
        self.assertTrue(any("over the limit" in t for t in texts))

    def test_plot_keeps_peaks_of_many_rows(self):
        svg, n = self.folder / "tau.svg", 30011
        rows = [[i / 1000, 0, 0, 1e3 if i == 17777 else 1.0] for i in range(n)]
        states = self.file("s.csv", table("time,q.hinge,v.hinge,a.hinge", rows))
        self.run_limb("id", self.file("m.urdf", PENDULUM), states, "--plot", svg)
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertTrue(any("peak 600 of 5" in (e.text or "") for e in root.iter("{http://www.w3.org/2000/svg}text")))
        curve = next(e for e in root.iter("{http://www.w3.org/2000/svg}path") if e.get("class") == "curve").get("d")
        self.assertLess(curve.count("L"), 2100)

    # ---- files -------------------------------------------------------------------------------------------

    def test_interrupt_leaves_nothing(self):
        out = self.folder / "o.csv"
        with subprocess.Popen([LIMB, "id", self.file("m.urdf", PENDULUM), "-", "--output", str(out)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(b"q.hinge,v.hinge,a.hinge\n" + b"0,0,0\n" * 50000)
            process.stdin.flush()
            for _ in range(30000):
                if len(self.names()) > 1:
                    break
                time.sleep(0.02)
            self.assertEqual(len(self.names()), 2)  # the temporary file
            process.send_signal(signal.SIGINT)
            process.stdin.close()
            process.stdin = None
            process.communicate()
            self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.names(), ["m.urdf"])

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        model, states = self.arm(), self.moving()
        for words in (("id", model, states), ("eval", model, "--states", states, "--what", "M"),
                      ("eval", model, "--states", states, "--what", "M", "--format", "csv"),
                      ("id", model, states, "--size", "--format", "csv")):
            if "--size" not in words:
                done = self.run_limb(*words, "--output", "/dev/full", code=2)
                self.assertIn("No space left on device", done.stderr)
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([LIMB, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"No space left on device", done.stderr)

    def test_help(self):
        for command in ("eval", "id", "fd"):
            text = self.run_limb(command, "--help").stdout
            self.assertIn("examples", text)
            self.assertIn("--wrench-ref", text)


class Blocks(Case):
    """Long tables are computed in blocks, on threads: the same bits, in order, and the same complaints."""

    ROWS = 9000  # more than two blocks

    def table(self, bad=None):
        rows = [[0.001 * i, math.sin(i), math.cos(3 * i), 0.1 * i % 7] for i in range(self.ROWS)]
        text = table("time,q.hinge,v.hinge,a.hinge", rows)
        if bad is not None:
            lines = text.split("\n")
            lines[bad] = lines[bad].replace(",", ",x", 1)
            text = "\n".join(lines)
        return self.file("long.csv", text)

    def test_bits_and_order(self):
        model, states = self.file("m.urdf", PENDULUM), self.table()
        first = self.run_limb("id", model, states, "--threads", "1").stdout
        self.assertEqual(first.count("\n"), self.ROWS + 1)
        for threads in ("2", "5"):
            self.assertEqual(self.run_limb("id", model, states, "--threads", threads).stdout, first)
        # one row after the other: a column for the motion of the base
        lines = (self.folder / "long.csv").read_text().splitlines()
        one = self.file("one.csv", "\n".join([lines[0] + ",base_velocity.wx", *(s + ",0" for s in lines[1:])]) + "\n")
        self.assertEqual(self.run_limb("id", model, one).stdout, first)
        tau = self.run_limb("eval", model, "--states", states, "--what", "tau", "--format", "csv").stdout
        self.assertEqual(read_csv(tau)[1], read_csv(first)[1])

    def test_files(self):
        model, states = self.file("m.urdf", PENDULUM), self.table()
        head, rows = read_csv(self.run_limb("id", model, states).stdout)
        for ending in ("npy", "arrow", "parquet"):
            self.run_limb("id", model, states, "--output", self.folder / f"tau.{ending}")
        data = (self.folder / "tau.npy").read_bytes()
        body = data[len(data) - 16 * self.ROWS:]
        self.assertEqual([list(x) for x in struct.iter_unpack("<2d", body)], rows)
        self.assertIn(b"'tau.hinge'", data[:200])
        self.assertEqual((self.folder / "tau.arrow").read_bytes()[-6:], b"ARROW1")
        self.assertEqual((self.folder / "tau.parquet").read_bytes()[-4:], b"PAR1")
        forces = [[*a, b[1]] for a, b in zip(read_csv((self.folder / "long.csv").read_text())[1], rows)]
        there = self.file("tau.csv", table("time,q.hinge,v.hinge,a.hinge,tau.hinge", forces))
        acc = read_csv(self.run_limb("fd", model, there, "--threads", "2").stdout)[1]
        for a, b in zip(acc, forces):
            self.assertLess(abs(a[1] - b[3]), 1e-9)

    def test_complaints(self):
        model, states = self.file("m.urdf", PENDULUM), self.table(bad=5001)
        done = self.run_limb("id", model, states, code=2)
        self.assertRegex(done.stderr, r"long.csv:5002:")
        self.assertIn(done.stdout.count("\n"), range(4000, 5002))  # of what was before it
        self.assertIn("--threads", self.run_limb("id", model, states, "--threads", "-1", code=2).stderr)
        light = self.file("s.urdf", SINGULAR)
        forces = self.file("f.csv", table("q.hinge,v.hinge,tau.hinge", [[0, 0, 1]] * 3))
        self.assertIn("row 1: forward dynamics", self.run_limb("fd", light, forces, code=4).stderr)


def main(about):
    """Runs the tests of the program that was started: its arguments are the tool, and what unittest takes."""
    global LIMB
    if len(sys.argv) < 2:
        sys.exit(about)
    LIMB = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    main(__doc__)
