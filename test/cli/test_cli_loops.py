#!/usr/bin/env python3
"""What the tool knows of robots with loops: `limb info`, `limb assemble`, and that `limb id`, `limb fd`, `limb eval`
and `limb convert` are never silently wrong about them.

    test_cli_loops.py <limb>
"""
import csv
import json
import math
import re
import xml.etree.ElementTree

import test_cli_b as tool
from test_cli_b import read_csv, table

# The planar four-bar of Khalil 2010, section 4, cut where coupler and rocker meet.
Q = [0.7, -0.145652786822976, 1.5237581508621456]
V = [1.3, -1.7498541677143962, 0.11441346611865466]
A = [-0.6, 1.475717900419038, 1.2677095240767216]
TREE = [14.983367849223617, 7.923067301487641, 0.5531782363153047]
TORQUE = 4.367274542153184
PIN = [-1.316899673004004, -11.169271543385733]  # force of the coupler on the rocker, world axes
JOINTS = ["theta1", "phi2", "phi1"]
ALL = ",".join(f"{x}.{j}" for x in "qva" for j in JOINTS)

BARS = """limb: 1
name: bars
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1.2, com: [0.16, 0, 0], inertia: [0.01, 0, 0, 0.02, 0, 0.02]}
  - {name: coupler, mass: 2.1, com: [0.44, 0, 0], inertia: [0.01, 0, 0, 0.15, 0, 0.15]}
  - {name: rocker, mass: 1.6, com: [0.33, 0, 0], inertia: [0.01, 0, 0, 0.07, 0, 0.07]}
joints:
  - {name: theta1, type: revolute, parent: world, child: crank, axis: [0, 0, 1], start: 0.7}
  - {name: phi2, type: revolute, parent: crank, child: coupler, pose: {xyz: [0.35, 0, 0]}, axis: [0, 0, 1],
     drive: passive}
  - {name: phi1, type: revolute, parent: world, child: rocker, pose: {xyz: [1, 0, 0]}, axis: [0, 0, 1],
     drive: passive}
loops:
  - {name: pin, type: point_on_line, a: {body: rocker, xyz: [0.7, 0, 0]}, b: {body: coupler, xyz: [0.9, 0, 0]}}
"""
AGAIN = BARS + BARS.splitlines()[-1].replace("name: pin", "name: again") + "\n"
TOO_SHORT = BARS.replace("xyz: [0.9, 0, 0]", "xyz: [0.05, 0, 0]").replace("xyz: [0.7, 0, 0]", "xyz: [0.2, 0, 0]")
CONTRADICTION = BARS + "  - {name: rod, type: distance, a: {body: coupler, xyz: [0.9, 0, 0]}, " \
                       "b: {body: rocker, xyz: [0.7, 0, 0]}, length: 0.5}\n"
LOCKED = BARS + "  - {name: rod, type: distance, a: {body: crank, xyz: [0.3, 0, 0]}, " \
                "b: {body: world, xyz: [0.5, 0.5, 0]}, length: 0.5}\n"
LAW = BARS + "  - {name: clock, type: lock, locked: [turn_z], a: {body: world}, b: {body: crank}, " \
             "law: {row: 0, constant: 0.2, rate: 0.3}}\n"
TAIL = """  - {name: tail, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
joints:
  - {name: wag, type: revolute, parent: coupler, child: tail, axis: [0, 0, 1]}
"""


def rounded(places):
    """The four-bar closed by a pin, whose frames are apart along its axis by a unit of that decimal place."""
    text = BARS.replace("xyz: [0.9, 0, 0]", f"xyz: [0.9, 0, {10.0 ** -places:.{places}f}]")
    return text.replace("type: point_on_line", "type: pin")


def apart(q):
    """How far the ends of the loop of the four-bar are apart."""
    x = 0.35 * math.cos(q[0]) + 0.9 * math.cos(q[0] + q[1]) - 1 - 0.7 * math.cos(q[2])
    y = 0.35 * math.sin(q[0]) + 0.9 * math.sin(q[0] + q[1]) - 0.7 * math.sin(q[2])
    return math.hypot(x, y)


def rocker_force():
    """Of its hinge on the rocker, in the rocker's axes: with the pin and gravity it makes the acceleration."""
    (q, v, a), m, r = (Q[2], V[2], A[2]), 1.6, 0.33
    x = m * -r * (math.sin(q) * a + math.cos(q) * v * v) - PIN[0]
    y = m * (r * (math.cos(q) * a - math.sin(q) * v * v) + tool.G) - PIN[1]
    return [math.cos(q) * x + math.sin(q) * y, math.cos(q) * y - math.sin(q) * x]


class Case(tool.Case):
    def model(self, text):
        return self.file("m.limb.yaml", text)

    def states(self, head, *rows):
        return self.file("s.csv", table(head, rows))

    def info(self, model):
        return json.loads(self.run_limb("info", model, "--format", "json").stdout)


class Info(Case):
    def test_four_bar(self):
        x = self.info("four_bar")
        self.assertEqual([(a["name"], a["type"], a["constraints"], a["a"]["body"], a["b"]["body"]) for a in x["loops"]],
                         [("pin", "point_on_line", 2, "rocker", "coupler")])
        m = x["mobility"]
        self.assertTrue(m["closed"])
        self.assertLess(m["residual"], 1e-12)
        self.close(m["q"], Q)
        self.assertEqual([m[k] for k in ("gruebler", "mobility", "rank", "redundant", "idle", "driven", "undriven",
                                         "overdriven", "active", "passive")], [1, 1, 2, 0, 0, 1, 0, 0, 1, 2])
        self.assertEqual((m["singularity"], m["locked"], m["still"]), ("regular", False, []))
        text = self.run_limb("info", "four_bar").stdout
        self.assertRegex(text, r"(?m)^  pin +point_on_line +rocker, coupler +2$")
        self.assertIn("Gruebler counts 1: 3 velocities less 2 constraints", text)
        self.assertIn("actual mobility 1: rank 2", text)
        self.assertIn("regular: no singularity", text)

    def test_bennett_counts_wrong_and_moves(self):
        m = self.info("bennett")["mobility"]
        self.assertEqual((m["gruebler"], m["mobility"], m["redundant"]), (-2, 1, 3))
        self.assertEqual(m["redundant_in"], {"joint4": 3})
        self.assertIn("redundant: 3 constraints in joint4 (3 of 5)", self.run_limb("info", "bennett").stdout)

    def test_gough_stewart(self):
        x = self.info("gough_stewart")
        m = x["mobility"]
        self.assertEqual((len(x["loops"]), m["mobility"], m["driven"], m["active"]), (6, 6, 6, 6))

    def test_no_loops(self):
        x = self.info("ur5")
        self.assertEqual(x["loops"], [])
        self.assertNotIn("mobility", x)
        self.assertNotIn("mobility", self.run_limb("info", "ur5").stdout)

    def test_idle_rows(self):
        """A pin in a planar mechanism holds what nothing moves."""
        x = self.info(self.model(BARS.replace("point_on_line", "pin")))["mobility"]
        self.assertEqual((x["constraints"], x["rank"], x["redundant"], x["idle"], x["mobility"]), (5, 2, 3, 3, 1))
        text = self.run_limb("info", self.model(BARS.replace("point_on_line", "pin"))).stdout
        self.assertIn("3 of all constraints are idle", text)

    def test_impossible(self):
        path = self.model(TOO_SHORT)
        done = self.run_limb("info", path)
        self.assertRegex(done.stderr, r"m.limb.yaml: warning: loop 'pin': cannot be closed .* stays 0\.[34]\d* apart")
        self.assertRegex(done.stdout, r"the loops do not close: loop 'pin' stays 0\.[34]\d* apart")
        x = self.info(path)["mobility"]
        self.assertEqual((x["closed"], x["loop"]), (False, "pin"))
        self.assertTrue(0.4 / math.sqrt(2) <= x["residual"] <= 0.4 + 1e-6)  # of the distance, the larger component
        self.assertNotIn("mobility", x)

    def test_locked(self):
        path = self.model(LOCKED)
        x = self.info(path)["mobility"]
        self.assertEqual((x["locked"], x["mobility"], x["still"]), (True, 0, JOINTS))
        text = self.run_limb("info", path).stdout
        self.assertIn("the mechanism is locked", text)
        self.assertIn("cannot move here: theta1, phi2, phi1", text)

    def test_laws(self):
        path = self.model(LAW)
        x = self.info(path)
        self.assertEqual((x["mobility"]["mobility"], x["mobility"]["locked"]), (0, False))
        self.assertEqual((x["loops"][1]["law"]["constant"], x["loops"][1]["law"]["rate"]), (0.2, 0.3))
        self.assertRegex(self.run_limb("info", path).stdout, r"(?m)^  clock .* of constraint 0$")

    def test_tree_shows_loops(self):
        self.assertRegex(self.run_limb("info", "four_bar", "--tree").stdout, r"pin +point_on_line")


class Assemble(Case):
    def one(self, *words, code=0):
        done = self.run_limb("assemble", *words, code=code)
        head, rows = read_csv(done.stdout)
        return head, rows, done.stderr

    def test_from_the_start_of_the_model(self):
        head, rows, told = self.one("four_bar")
        self.assertEqual(head, [f"q.{j}" for j in JOINTS])
        self.close(rows[0], Q)
        self.assertRegex(told, r"^four_bar: closed: residual \S+ in loop 'pin'; 1 motion, 0 constraints redundant\n$")

    def test_from_zero_and_from_far(self):
        for start in ("theta1=0,phi2=0,phi1=0", "theta1=100,phi2=-40,phi1=7", "theta1=3,phi2=3,phi1=3"):
            rows = self.one("four_bar", "--q", start)[1]
            self.assertLess(apart(rows[0]), 1e-11)
        self.assertLess(apart(self.one(self.model(BARS))[1][0]), 1e-12)

    def test_answer_can_be_fed_back(self):
        text = self.run_limb("assemble", "four_bar", "--hold", "theta1=1.1").stdout
        again = self.run_limb("assemble", "four_bar", "--start", self.file("a.csv", text))
        self.assertEqual(again.stdout, text)
        done = self.run_limb("eval", "four_bar", "--states", self.file("a.csv", text), "--what", "com")
        self.assertEqual(done.stderr, "")

    def test_hold(self):
        rows = self.one("four_bar", "--hold", "theta1=2")[1]
        self.assertEqual(rows[0][0], 2)
        self.assertLess(apart(rows[0]), 1e-12)
        # Over half a turn away, from a table.
        path = self.states("q.theta1", [4])
        rows = self.one("four_bar", "--start", path, "--hold", "theta1")[1]
        self.assertEqual(rows[0][0], 4)
        self.assertLess(apart(rows[0]), 1e-12)

    def test_branches(self):
        head, rows, _ = self.one("four_bar", "--hold", "theta1=2", "--branches", "9")
        self.assertEqual((len(head), len(rows)), (3, 2))
        for q in rows:
            self.assertEqual(q[0], 2)
            self.assertLess(apart(q), 1e-11)
        self.assertGreater(abs(rows[0][2] - rows[1][2]), 1)
        # Without --hold the motor is held where it is.
        rows = self.one("four_bar", "--branches", "9")[1]
        self.assertEqual([q[0] for q in rows], [0.7, 0.7])
        self.close(rows[0], Q)
        self.assertEqual(len(self.one("four_bar", "--branches", "1")[1]), 1)

    def test_branches_of_what_moves(self):
        told = self.one("five_bar", "--hold", "left_shoulder", "--branches", "3")[2]
        self.assertIn("note: 1 of 2 motions are held", told)

    def test_json_and_text(self):
        x = json.loads(self.run_limb("assemble", "four_bar", "--branches", "4", "--format", "json").stdout)
        self.assertEqual((x["closed"], x["mobility"], x["held"], x["coordinates"]), (True, 1, ["theta1"], JOINTS))
        self.close(x["configurations"][0], Q)
        self.assertEqual(len(x["configurations"]), 2)
        text = self.run_limb("assemble", "four_bar", "--branches", "4", "--format", "text").stdout
        self.assertRegex(text, r"(?m)^  theta1 +0\.7 +0\.7$")

    def test_impossible_loop_is_named(self):
        done = self.run_limb("assemble", self.model(TOO_SHORT), code=4)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"m.limb.yaml: error: loop 'pin': cannot be closed: it stays 0\.[34]\d* "
                                      r"apart, at best of 21 starts\n")
        done = self.run_limb("assemble", self.model(TOO_SHORT), "--format", "json", "--restarts", "3", code=4)
        x = json.loads(done.stdout)
        self.assertEqual((x["closed"], x["loop"], x["starts"], x["configurations"]), (False, "pin", 4, []))
        self.assertEqual(len(x["best"]), 3)

    def test_contradiction_is_named(self):
        done = self.run_limb("assemble", self.model(CONTRADICTION), code=4)
        self.assertRegex(done.stderr, r"error: loop '(pin|rod)': cannot be closed: it stays 0\.\d+ apart")

    def test_duplicate_is_named_and_works(self):
        done = self.run_limb("assemble", self.model(AGAIN))
        self.assertIn("warning: loop 'again': is redundant: other loops imply all its constraints", done.stderr)
        self.assertIn("2 constraints redundant", done.stderr)

    def test_locked_is_named(self):
        done = self.run_limb("assemble", self.model(LOCKED), code=4)
        self.assertRegex(done.stderr, r"error: the mechanism is locked: none of its 3 velocities is left free by loop "
                                      r"'pin', 'rod'; residual \S+\n")
        self.assertLess(apart(read_csv(done.stdout)[1][0]), 1e-11)

    def test_limits(self):
        text = BARS.replace("xyz: [1, 0, 0]}, axis: [0, 0, 1],", "xyz: [1, 0, 0]}, axis: [0, 0, 1], "
                            "limits: {lower: -3.1, upper: 0},")
        path = self.model(text)
        outside = self.one(path, "--hold", "theta1", "--q", "phi1=1.5")[1][0]
        inside = self.one(path, "--hold", "theta1", "--q", "phi1=1.5", "--within-limits")[1][0]
        self.assertGreater(outside[2], 0)
        self.assertTrue(-3.1 <= inside[2] <= 0)
        self.assertLess(apart(inside), 1e-11)

    def test_joints_outside_their_limits_are_named(self):
        """In the only configuration, in one of two branches, and when nothing else was found."""
        limited = BARS.replace("xyz: [1, 0, 0]}, axis: [0, 0, 1],", "xyz: [1, 0, 0]}, axis: [0, 0, 1], "
                               "limits: {lower: %g, upper: %g},")
        hold = ["--hold", "theta1", "--q", "phi1=1.5"]
        path = self.model(limited % (-3.1, 0))
        done = self.run_limb("assemble", path, *hold)
        told = r"joint 'phi1' is at 1\.52376 rad, outside its limits -3\.1 \.\.\. 0\n"
        self.assertRegex(done.stderr, "m.limb.yaml: warning: " + told)
        self.assertIn("--within-limits", done.stderr)
        x = json.loads(self.run_limb("assemble", path, *hold, "--branches", 4, "--format", "json").stdout)
        self.assertEqual((x["limits"], [len(b) for b in x["beyond_limits"]]), (False, [1, 0]))
        one = x["beyond_limits"][0][0]
        self.assertEqual((one["joint"], one["lower"], one["upper"]), ("phi1", -3.1, 0))
        self.assertAlmostEqual(one["position"], Q[2], 10)
        self.assertRegex(self.run_limb("assemble", path, *hold, "--branches", 4).stderr, "configuration 1: " + told)
        self.assertNotIn("limits", self.run_limb("assemble", path, *hold, "--within-limits").stderr)
        path = self.model(limited % (0.1, 0.2))
        done = self.run_limb("assemble", path, *hold, "--within-limits", "--format", "json", code=4)
        self.assertIn("error: the loops close, but only outside the limits of joints, in 21 starts", done.stderr)
        self.assertIn("note: joint 'phi1' is at ", done.stderr)
        x = json.loads(done.stdout)
        self.assertEqual((x["closed"], x["limits"], x["best_beyond_limits"][0]["joint"]), (False, True, "phi1"))

    def test_unknown_coordinates_are_named(self):
        for option, value in (("map", "nix:0:1:5"), ("map", "a:b:0:1:5"), ("q", "nix=1"), ("hold", "nix")):
            done = self.run_limb("assemble", "four_bar", "--" + option, value, code=2)
            name = value.rsplit(":", 3)[0] if option == "map" else "nix"
            self.assertIn(f"--{option}: the model has no coordinate '{name}'; it has theta1, phi2, phi1\n", done.stderr)
        done = self.run_limb("assemble", "four_bar", "--map", "theta:0:1:5", code=2)
        self.assertIn("no coordinate 'theta'; did you mean 'theta1'?", done.stderr)
        done = self.run_limb("assemble", "gough_stewart", "--q", "nix=1", code=2)
        self.assertIn(" and more: limb info names its joints", done.stderr)
        for value in ("theta1:0:1", "theta1", ":0:1:5", "theta1:0:1:x"):
            done = self.run_limb("assemble", "four_bar", "--map", value, code=2)
            self.assertIn("--map takes NAME:LOWER:UPPER:COUNT", done.stderr)

    def test_time(self):
        path = self.model(LAW)
        for time in (0, 2):
            rows = self.one(path, "--time", time)[1]
            self.assertAlmostEqual(rows[0][0], 0.2 + 0.3 * time, 11)
            self.assertLess(apart(rows[0]), 1e-11)

    def test_no_loops(self):
        done = self.run_limb("assemble", "ur5")
        self.assertIn("note: there are no loops", done.stderr)
        self.assertEqual(read_csv(done.stdout)[1], [[0] * 6])

    def test_mistakes(self):
        for words, why in ((["--q", "theta1"], "--q takes NAME=X"),
                           (["--q", "theta=1"], "no coordinate 'theta'; did you mean 'theta1'?"),
                           (["--q", "phi2=x"], "'x' is not a number, for phi2"),
                           (["--hold", "elbow"], "no coordinate 'elbow'"),
                           (["--branches", "0"], "--branches must be a whole number"),
                           (["--restarts", "1.5"], "--restarts must be a whole number"),
                           (["--tolerance", "0"], "--tolerance must be above zero"),
                           (["--map2", "phi2:0:1:3"], "--map2 needs --map"),
                           (["--map", "theta1:0:1"], "--map takes NAME:LOWER:UPPER:COUNT"),
                           (["--map", "theta1:0:1:2.5"], "--map takes NAME:LOWER:UPPER:COUNT"),
                           (["--map", "theta1:0:1:2000000"], "--map takes NAME:LOWER:UPPER:COUNT"),
                           (["--map", "theta1:0:1:3", "--map2", "theta1:0:1:3"], "the same coordinate"),
                           (["--map", "theta1:0:1:3", "--frame", "crnk"], "did you mean 'crank'?"),
                           (["--map", "theta1:0:1:3", "--format", "json"], "--map prints CSV"),
                           (["--map", "theta1:0:1:3", "--plot", "-"], "cannot share standard output"),
                           (["--map", "theta1:0:1:3", "--branches", "2"], "leave --branches out")):
            self.assertIn(why, self.run_limb("assemble", "four_bar", *words, code=2).stderr)
        done = self.run_limb("assemble", "gough_stewart", "--hold", "platform.px", code=2)
        self.assertIn("held as a whole", done.stderr)
        done = self.run_limb("assemble", "gough_stewart", "--q", "platform.qx=1", code=2)
        self.assertIn("quaternion of joint 'platform' has norm 1.41", done.stderr)
        done = self.run_limb("assemble", "four_bar", "--start", self.states("q.theta1"), code=2)
        self.assertIn("has no rows", done.stderr)
        self.run_limb("assemble", "no_such_robot", code=2)
        self.run_limb("assemble", self.model(BARS.replace("coupler, xyz: [0.9", "cuopler, xyz: [0.9")), code=3)


class Maps(Case):
    def test_line(self):
        done = self.run_limb("assemble", "four_bar", "--map", "theta1:-3:3:25", "--frame", "rocker")
        head, rows = read_csv(done.stdout)
        self.assertEqual(head[:7], ["grid.theta1", "closed", "mobility", "condition", "condition_passive",
                                    "condition_active", "singularity"])
        self.assertEqual(head[7:], ["px", "py", "pz", "qx", "qy", "qz", "qw", *(f"q.{j}" for j in JOINTS)])
        self.assertEqual(len(rows), 25)
        for row in rows:  # a crank: it goes all the way round
            self.assertEqual(row[1], 1)
            self.assertEqual(row[0], row[14])
            self.assertLess(apart(row[14:]), 1e-10)
            self.assertAlmostEqual(row[7], 1)
            self.assertAlmostEqual(abs(row[12]), abs(math.sin(row[16] / 2)), 10)
        self.assertIn("the loops close at 25 of 25 points, 0 of them singular", done.stderr)

    def test_grid_and_drawing(self):
        svg = self.folder / "map.svg"
        done = self.run_limb("assemble", "five_bar", "--map", "left_shoulder:-1:3:9", "--map2",
                             "right_shoulder:-1:3:9", "--frame", "tip", "--plot", svg)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 82)
        closed = [line.split(",")[2] for line in lines[1:]]
        self.assertIn("0", closed)
        self.assertIn("1", closed)
        for line in lines[1:]:
            fields = line.split(",")
            self.assertEqual(len(fields), 19)
            self.assertEqual(fields[2] == "0", fields[3] == "")
        self.assertEqual([float(x.split(",")[1]) for x in lines[1:4]], [-1, -0.5, 0])
        root = xml.etree.ElementTree.parse(svg).getroot()
        cells = [x for x in root if re.fullmatch("b[0-4]|s", x.get("class", ""))]
        self.assertEqual(len(cells), 2 * closed.count("1") + 6)  # grid, places, legend


class Forces(Case):
    def torques(self, head, *rows, model="four_bar", options=()):
        done = self.run_limb("id", model, self.states(head, *rows), *options)
        names, values = read_csv(done.stdout)
        return names, values, done.stderr

    def test_all_columns(self):
        names, values, told = self.torques(ALL, Q + V + A)
        self.assertEqual((names, told), (["tau.theta1"], ""))
        self.close(values[0], [TORQUE], 1e-11)

    def test_motor_alone(self):
        names, values, told = self.torques("time,q.theta1,v.theta1,a.theta1", [0, Q[0], V[0], A[0]])
        self.assertEqual(names, ["time", "tau.theta1"])
        self.close(values[0], [0, TORQUE], 1e-11)
        self.assertIn("s.csv: note: columns that follow from the loops: q.phi2, q.phi1, v.phi2, v.phi1, a.phi2, "
                      "a.phi1\n", told)

    def test_any_joint_that_determines_the_others(self):
        for k, joint in enumerate(JOINTS):
            values = self.torques(f"q.theta1,v.{joint},a.{joint}", [Q[0], V[k], A[k]])[1]
            self.close(values[0], [TORQUE], 1e-10)
        values = self.torques("q.phi2,v.theta1,a.theta1", [Q[1], V[0], A[0]])[1]
        self.close(values[0], [TORQUE], 1e-9)

    def test_more_than_enough(self):
        head = "q.theta1,q.phi1,v.theta1,v.phi1,a.theta1,a.phi1"
        row = [Q[0], Q[2], V[0], V[2], A[0], A[2]]
        self.close(self.torques(head, row)[1][0], [TORQUE], 1e-11)
        for k, name in ((1, "q.phi1"), (3, "v.phi1"), (5, "a.phi1")):
            wrong = [x + (0.01 if i == k else 0) for i, x in enumerate(row)]
            done = self.run_limb("id", "four_bar", self.states(head, wrong), code=4)
            self.assertRegex(done.stderr, rf"s.csv:2: error: row 1: loops: ({name}|{name[:2]}theta1) is -?0\.\d+ off")

    def test_branch_of_the_row_before(self):
        """The crank goes round; the other branch is never taken."""
        rows = [[0.01 * i, 0.7 + 0.1 * i, 1, 0] for i in range(70)]
        small = self.torques("time,q.theta1,v.theta1,a.theta1", *rows)[1]
        large = self.torques("time,q.theta1,v.theta1,a.theta1", *rows[::23])[1]
        for k, row in enumerate(large):
            self.close(row, small[23 * k], 1e-9)

    def test_wrong_trajectory(self):
        for k, why in ((2, r"loops: loop 'pin' is 0\.0\d+ apart; 1e-06 is allowed"),
                       (5, r"loops: the velocities open loop 'pin' at a rate of 0\.0\d+"),
                       (8, r"loops: the accelerations open loop 'pin' by 0\.0\d+")):
            wrong = [x + (0.1 if i == k else 0) for i, x in enumerate(Q + V + A)]
            path = self.states(ALL, Q + V + A, wrong)
            done = self.run_limb("id", "four_bar", path, "--output", self.folder / "t.csv", code=4)
            self.assertRegex(done.stderr, r"s.csv:3: error: row 2: " + why)
            self.assertNotIn("t.csv", self.names())
            self.run_limb("id", "four_bar", path, "--loop-tolerance", "0.2")

    def test_out_of_reach(self):
        text = BARS.replace("pose: {xyz: [0.35, 0, 0]}", "pose: {xyz: [1.35, 0, 0]}")
        done = self.run_limb("id", self.model(text.replace("start: 0.7", "start: 0.1")),
                             self.states("q.theta1,v.theta1,a.theta1", [0.1, 0, 0], [3, 0, 0]), code=4)
        self.assertRegex(done.stderr, r"s.csv:3: error: row 2: loops: no way to close them found: loop 'pin' stays "
                                      r"0\.\d+ apart")

    def test_start_that_does_not_close(self):
        path = self.model(TOO_SHORT)
        done = self.run_limb("id", path, self.states("q.theta1,v.theta1,a.theta1", [0, 0, 0]), code=4)
        self.assertRegex(done.stderr, r"row 1: loops: no way to close them found: loop 'pin' stays 0\.\d+ apart")

    def test_not_determined(self):
        path = self.states("q.left_shoulder,v.left_shoulder,a.left_shoulder", [1, 0, 0])
        done = self.run_limb("id", "five_bar", path, code=4)
        self.assertIn("the given q determine 1 of 2 motions", done.stderr)
        done = self.run_limb("id", "four_bar", self.states("q.theta1", [0.7]), code=2)
        self.assertIn("inverse dynamics needs the v. columns; there are none of them", done.stderr)

        # At time 0 the law asks for a sine of 1.2; later the loops close, and something is still free.
        text = LAW.replace("constant: 0.2, rate: 0.3", "constant: 1.2, rate: -0.5")
        text = text.replace("joints:\n", TAIL)
        path = self.states("time,q.theta1,v.wag,a.wag", [1, math.asin(0.7), 0, 0])
        done = self.run_limb("id", self.model(text), path, code=4)
        self.assertIn("the given q determine 0 of 1 motions", done.stderr)

    def test_singular(self):
        """Crank and coupler in line, and the rocker drives: it holds the crank no longer."""
        path = self.model(BARS.replace("start: 0.7}", "start: 0.7, drive: passive}").replace(
            "xyz: [1, 0, 0]}, axis: [0, 0, 1],\n     drive: passive", "xyz: [1, 0, 0]}, axis: [0, 0, 1]"))
        theta = math.acos((1.25 ** 2 + 1 - 0.7 ** 2) / 2.5)
        phi = math.atan2(1.25 * math.sin(theta), 1.25 * math.cos(theta) - 1)
        done = self.run_limb("id", path, self.states(ALL, [theta, 0, phi, *[0] * 6]), code=4)
        self.assertIn("row 1: inverse dynamics:", done.stderr)
        self.assertIn("1 motion here that no motor drives;", done.stderr)

    def test_rolling_needs_all_positions(self):
        done = self.run_limb("id", "sled", self.states("q.glide.px,v.glide.vx,a.glide.vx", [0, 1, 0]), code=2)
        self.assertIn("all of q is needed: loop 'edge' holds velocities", done.stderr)

    def test_differentiate(self):
        rows = [[0.02 * i, 0.7 + 1.3 * 0.02 * i - 0.3 * (0.02 * i) ** 2] for i in range(40)]
        values = self.torques("time,q.theta1", *rows, options=["--differentiate"])[1]
        self.close(values[0], [0, TORQUE], 1e-8)

    def test_size(self):
        path = self.states("time," + ALL, [0, *Q, *V, *A], [1, *Q, *V, *A])
        x = json.loads(self.run_limb("id", "four_bar", path, "--size", "--format", "json").stdout)
        self.close([d["peak_torque"]["value"] for d in x["dofs"]], [TORQUE, 0, 0], 1e-11)
        loads = {load["joint"]: load["peak_force"]["wrench"] for load in x["loads"]}
        self.close([loads[j][2] for j in JOINTS], [TORQUE, 0, 0], 1e-11)
        self.close(loads["phi1"][3:5], rocker_force(), 1e-11)

    def test_size_of_closures(self):
        """The load of the pin is on the coupler, in the axes of the rocker; a gear has none of its own."""
        path = self.states("time," + ALL, [0, *Q, *[0] * 6], [1, *Q, *V, *A], [2, *Q, *[0] * 6])
        x = json.loads(self.run_limb("id", "four_bar", path, "--size", "--format", "json").stdout)
        (pin,) = x["loop_loads"]
        c, s = math.cos(Q[2]), math.sin(Q[2])
        self.assertEqual((pin["loop"], pin["peak_moment"]["value"]), ("pin", 0))
        self.assertGreaterEqual(pin["peak_force"]["value"], math.hypot(*PIN))
        one = self.states("time," + ALL, [0, *Q, *V, *A])
        (pin,) = json.loads(self.run_limb("id", "four_bar", one, "--size", "--format", "json").stdout)["loop_loads"]
        self.close(pin["peak_force"]["wrench"],
                   [0, 0, 0, -c * PIN[0] - s * PIN[1], s * PIN[0] - c * PIN[1], 0], 1e-11)
        self.assertRegex(self.run_limb("id", "four_bar", one, "--size").stdout,
                         r"load on the closure +peak force +at +peak moment +at\npin +11\.25 N +0 s +0 N m +-\n")
        rows = csv.DictReader(self.run_limb("id", "four_bar", one, "--size", "--format", "csv").stdout.splitlines())
        self.assertEqual([row["loop"] for row in rows], ["", "", "", "pin"])
        start = self.run_limb("assemble", "gripper").stdout.splitlines()
        still = ",".join(g + name[2:] for g in ("v.", "a.") for name in start[0].split(","))
        path = self.file("g.csv", f"time,{start[0]},{still}\n0,{start[1]}{',0' * (still.count(',') + 1)}\n")
        loads = json.loads(self.run_limb("id", "gripper", path, "--size", "--format", "json").stdout)["loop_loads"]
        kinds = {a["name"]: a["type"] for a in self.info("gripper")["loops"]}
        self.assertEqual([a["loop"] for a in loads], [n for n, k in kinds.items() if k not in ("gear", "polynomial")])
        self.assertLess(len(loads), len(kinds))
        ur5 = self.run_limb("assemble", "ur5").stdout.splitlines()[0]
        head = ",".join([ur5, ur5.replace("q.", "v."), ur5.replace("q.", "a.")])
        path = self.file("u.csv", f"time,{head}\n0{',0' * 18}\n")
        self.assertNotIn("closure", self.run_limb("id", "ur5", path, "--size").stdout)

    def test_size_when_cut_open(self):
        """The tree alone would load the joints otherwise."""
        done = self.run_limb("eval", "four_bar", "--states", self.states(ALL, Q + V + A), "--what", "reactions",
                             "--ref", "body", "--tree")
        open_load = json.loads(done.stdout)["results"][0]["reactions"]["phi1"]
        self.assertGreater(abs(open_load[3] - rocker_force()[0]), 1)

    def test_duplicate_changes_nothing(self):
        values = self.torques(ALL, Q + V + A, model=self.model(AGAIN.replace(": [0.01,", ": [0,")))[1]
        self.close(values[0], [TORQUE], 1e-11)

    def test_no_motor(self):
        """Nothing drives it: what is left without balance is told."""
        path = self.model(BARS.replace("start: 0.7}", "start: 0.7, drive: passive}"))
        done = self.run_limb("id", path, self.states("time," + ALL, [0, *Q, *V, *A]))
        self.assertIn("s.csv: note: no joint has a motor: there are no torques to write\n", done.stderr)
        self.assertRegex(done.stderr, r"note: 1 motion has no motor, and \d\.\d+ of the forces along it is left")


class Platform(Case):
    """Gough and Stewart: from the platform, or from the legs; rotations are given whole."""
    POSE = [f"q.platform.{k}" for k in ("px", "py", "pz", "qx", "qy", "qz", "qw")]
    RATES = [f"{g}.platform.{k}" for g in "va" for k in ("wx", "wy", "wz", "vx", "vy", "vz")]
    ROW = [0.01, 0.02, 0.03, 0.1, 0, 0, math.sqrt(0.99), *[0.1, 0.2, 0.3] * 2, *[0.3] * 6]

    def test_there_and_back(self):
        done = self.run_limb("id", "gough_stewart", self.states(",".join(self.POSE + self.RATES), self.ROW))
        self.assertIn("columns that follow from the loops: q.leg1_u1, q.leg1_u2,", done.stderr)
        names, torques = read_csv(done.stdout)
        self.assertEqual(names, [f"tau.leg{k}_slide" for k in range(1, 7)])
        head = self.POSE + self.RATES[:6] + names
        done = self.run_limb("fd", "gough_stewart", self.states(",".join(head), self.ROW[:13] + torques[0]))
        head, rows = read_csv(done.stdout)
        self.close([rows[0][head.index(k)] for k in self.RATES[6:]], self.ROW[13:], 1e-10)

    def test_part_of_a_rotation(self):
        head = self.POSE[:5] + self.RATES
        done = self.run_limb("id", "gough_stewart", self.states(",".join(head), self.ROW[:5] + self.ROW[7:]), code=2)
        self.assertIn("some of q.platform are missing: a rotation is given whole", done.stderr)

    def test_fewer_motions_than_six(self):
        """The platform of a delta robot only shifts: its pose is given whole, and must be one that it can have."""
        head = ",".join(self.POSE + self.RATES)
        row = [0.02, -0.01, 0.01, 0, 0, 0, 1, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0, 0, 1, 2, 3]
        done = self.run_limb("id", "delta", self.states(head, row, [0.03, *row[1:]]))
        names, torques = read_csv(done.stdout)
        self.assertEqual(names, ["tau.arm1", "tau.arm2", "tau.arm3"])
        head_fd = ",".join(self.POSE + self.RATES[:6] + names)
        done = self.run_limb("fd", "delta", self.states(head_fd, row[:13] + torques[0]))
        found, rows = read_csv(done.stdout)
        self.close([rows[0][found.index(k)] for k in self.RATES[6:]], row[13:], 1e-9)
        done = self.run_limb("id", "delta", self.states(head, row, [*row[:2], -0.3, *row[3:]]), code=4)
        self.assertIn("the branch of the state before does not lead here; with smaller steps it may", done.stderr)
        for k, x, why in ((3, 0.02, r"no way to close them found: loop '\w+' stays 0\.\d+ apart"),
                          (0, 5, r"no way to close them found: loop '\w+' stays \d\.\d+ apart"),
                          (7, 0.1, r"loops: v\.platform\.wx is 0\.1 off what follows"),
                          (13, 0.1, r"loops: a\.platform\.wx is 0\.1 off what follows")):
            wrong = [x if i == k else y for i, y in enumerate(row)]
            done = self.run_limb("id", "delta", self.states(head, row, wrong), code=4)
            self.assertRegex(done.stderr, r"s.csv:3: error: row 2: .*" + why)


class Motion(Case):
    def test_numbers(self):
        for method in ("auto", "clusters", "schur", "kkt", "proximal"):
            done = self.run_limb("fd", "four_bar", self.states("q.theta1,v.theta1,tau.theta1", [Q[0], V[0], TORQUE]),
                                 "--loop-method", method)
            head, rows = read_csv(done.stdout)
            self.assertEqual(head, [f"a.{j}" for j in JOINTS])
            self.close(rows[0], A, 1e-11)

    def test_state_that_is_open(self):
        head = ",".join(f"{x}.{j}" for x in ("q", "v", "tau") for j in JOINTS)
        good = Q + V + [TORQUE, 0, 0]
        self.close(read_csv(self.run_limb("fd", "four_bar", self.states(head, good)).stdout)[1][0], A, 1e-11)
        for k, why in ((1, "loop 'pin' is"), (4, "the velocities open loop 'pin'")):
            wrong = [x + (0.1 if i == k else 0) for i, x in enumerate(good)]
            done = self.run_limb("fd", "four_bar", self.states(head, good, wrong), code=4)
            self.assertIn(f"s.csv:3: error: row 2: loops: {why}", done.stderr)

    def test_redundant_loops_are_told(self):
        path = self.model(AGAIN)
        done = self.run_limb("fd", path, self.states("q.theta1,v.theta1,tau.theta1", [Q[0], V[0], TORQUE]))
        self.assertIn("note: 2 of 4 equations of the loops follow from others", done.stderr)

    def test_laws_move_it(self):
        """theta1 = 0.2 + 0.3 t: nothing is left to be given."""
        done = self.run_limb("fd", self.model(LAW), self.states("time,tau.theta1", [1, 0], [1.5, 0]))
        rows = read_csv(done.stdout)[1]
        for row in rows:
            self.assertAlmostEqual(row[1], 0, 11)

    def test_method_needs_loops(self):
        done = self.run_limb("fd", "planar_2r", self.states(
            "q.joint1,q.joint2,v.joint1,v.joint2,tau.joint1,tau.joint2", [0] * 6), "--loop-method", "kkt", code=2)
        self.assertIn("--loop-method is for robots with loops", done.stderr)
        former = self.run_limb("fd", "four_bar", "states.csv", "--method", "kkt", code=2)
        self.assertIn("--method is now --loop-method", former.stderr)


class Quantities(Case):
    def test_tree_is_told(self):
        words = ("eval", "four_bar", "--states", self.states(ALL, Q + V + A), "--what", "tau,energy,M,independent")
        x = json.loads(self.run_limb(*words).stdout)
        self.assertFalse(x["tree"])
        self.assertEqual(x["results"][0]["independent"], [1, 0, 0])
        self.assertEqual(x["results"][0]["M"][1:] + [x["results"][0]["tau"][1:]], [[0] * 3, [0] * 3, [0] * 2])
        x = json.loads(self.run_limb(*words[:-1], "tau,energy,M", "--tree").stdout)
        self.assertTrue(x["tree"])
        self.close(x["results"][0]["tau"], TREE, 1e-11)
        self.assertNotIn("tree", json.loads(self.run_limb(
            "eval", "planar_2r", "--states", self.states("q.joint1,q.joint2", [0, 0]), "--what", "M").stdout))

    def test_open_rows_are_told(self):
        open_row = [Q[0] + 0.1, *Q[1:]]
        path = self.states("q.theta1,q.phi2,q.phi1", Q, open_row, open_row, open_row)
        done = self.run_limb("eval", "four_bar", "--states", path, "--what", "com")
        self.assertRegex(done.stderr, r"s.csv:3: warning: row 2 does not close the loops: loop 'pin' is 0\.\d+ apart\n")
        self.assertIn("s.csv: warning: 2 more rows do not close the loops\n", done.stderr)


    def test_former_names(self):
        """Names of before, and names that are nearly right, are errors that suggest the right one."""
        path = self.states(ALL, Q + V + A)
        for wrong, name in (("tau_active", "tau"), ("joint_loads", "reactions"), ("q_closed", "q"),
                            ("closed_tau", "tau"), ("acc_closed", "acc"), ("closed_M", "reduced_M")):
            done = self.run_limb("eval", "four_bar", "--states", path, "--what", wrong, code=2)
            self.assertIn(f"did you mean '{name}'?", done.stderr)
        done = self.run_limb("eval", "four_bar", "--states", path, "--what", "christoffel", code=2)
        self.assertIn("closed, but for its spanning tree: --tree\n", done.stderr)


class Base(Case):
    def test_tree_is_told(self):
        self.assertIn("note: with the loops cut open", self.run_limb("base", "four_bar").stderr)


class Check(Case):
    def test_loops_are_examined(self):
        """What cannot be closed or moved is an error with exit code 4; what says nothing is a warning."""
        for text, code, rule, loop in ((TOO_SHORT, 4, "loop-open", "pin"), (LOCKED, 4, "loop-locked", "rod"),
                                       (AGAIN, 0, "loop-repeated", "again"), (LAW, 0, None, None),
                                       (BARS, 0, None, None)):
            done = self.run_limb("check", self.model(text), "--format", "json", code=code)
            found = json.loads(done.stdout)["files"][0]
            told = [(f["rule"], f["where"]) for f in found["findings"] if f["rule"] in (
                "loop-open", "loop-locked", "loop-repeated")]
            self.assertEqual(told, [(rule, f"loop '{loop}'")] if rule else [])
            self.assertEqual(found["exit"], code)
        done = self.run_limb("check", self.model(TOO_SHORT), code=4)
        self.assertRegex(done.stdout,
                         r"error: loop 'pin': it remains open by 0\.[34]\d* in the best of 21 starts; "
                         r"0.0001 is allowed \[loop-open\]")

    def test_tolerance_follows_the_digits_of_the_file(self):
        """A pin that holds the four-bar out of its plane, by a unit of the last decimal place of the file."""
        for places, allowed in ((9, "1e-07"), (6, "1e-05"), (5, "0.0001")):
            path = self.model(rounded(places))
            open_by = f"it stays open by {10.0 ** -places:.3g}, the most of all loops; {allowed} is allowed"
            self.assertIn(f"warning: loop 'pin': {open_by} [loop-rounded]", self.run_limb("check", path).stdout)
            self.assertIn(f"closed to {10.0 ** -places:.1e}; ", self.run_limb("info", path).stdout)
            done = self.run_limb("verify", path, "--states", "5")
            self.assertIn(f"loops closed to {10.0 ** -places:.1e}; ", done.stdout)
            state = ("--q", "theta1=0.8", "--v", "theta1=1", "--tau", "theta1=1")
            self.run_limb("eval", path, *state, "--what", "acc")
            self.run_limb("sim", path, "--duration", "0.1", "--quiet")

    def test_tolerance_is_stated(self):
        path = self.model(rounded(5) + "# 0.123456789\n")
        self.assertIn("open by 1e-05 in the best of 21 starts; 1e-07 is allowed [loop-open]",
                      self.run_limb("check", path, code=4).stdout)
        for command in ("check", "info", "verify", "base"):
            self.run_limb(command, path, "--loop-tolerance", "2e-5")
        stated = self.model(rounded(5).replace("name: bars", "loop_tolerance: 2e-5") + "# 0.123456789\n")
        self.run_limb("check", stated)
        for name in ("out.limb.yaml", "out.urdf"):
            self.run_limb("convert", stated, self.folder / name)
            self.assertIn("; 2.0e-05 may stay open", self.run_limb("info", self.folder / name).stdout)
        self.assertIn("2:17: error: loop_tolerance must be above zero and at most 0.001 [bad-number]",
                      self.run_limb("check", self.model(rounded(5).replace("name: bars", "loop_tolerance: 1")),
                                    code=3).stdout)
        self.assertIn("--loop-tolerance must be above zero",
                      self.run_limb("info", path, "--loop-tolerance", "0", code=2).stderr)


class Convert(Case):
    def test_loops_survive(self):
        for robot in ("four_bar", "bennett", "gough_stewart", "car"):
            for name in ("out.limb.yaml", "out.urdf"):
                self.run_limb("convert", robot, self.folder / name)
                a, b = self.info(robot), self.info(self.folder / name)
                self.assertEqual([x["name"] for x in a["loops"]], [x["name"] for x in b["loops"]])
                self.close(b["mobility"]["q"], a["mobility"]["q"], 1e-9)
                self.assertEqual(a["mobility"]["mobility"], b["mobility"]["mobility"])
                (self.folder / name).unlink()


class Help(Case):
    def test_command_is_everywhere(self):
        self.assertIn("assemble", self.run_limb("--help").stdout)
        self.assertIn("--branches", self.run_limb("help", "assemble").stdout)
        self.assertIn("limb assemble", self.run_limb("help", "--man").stdout)
        self.assertIn("assemble\t", self.run_limb("completion", "words", "--", "ass").stdout)
        self.assertIn("--within-limits\t", self.run_limb("completion", "words", "--", "assemble", "--w").stdout)


def hexapod():
    """A platform as SYMORO writes it: six legs of R R P R R R, of which five are cut at the last joint, with the two
    frames of each cut. Four bodies of each leg have no mass: without the loops M is singular."""
    h, base, top, legs = math.pi / 2, 0.5, 0.25, 6
    corner = [(math.radians(60 * i + 10 * (-1) ** (i + 1)), math.radians(60 * i + 20 * (-1) ** i)) for i in range(legs)]
    rows, mass, cuts, frames = [], [], [], []  # antecedent, sigma, mu, gamma, alpha, d
    for i, (at, _) in enumerate(corner):
        n = len(rows)
        leg = [(0, 0, 0, at, h, base), (n + 1, 0, 0, 0, h, 0), (n + 2, 1, 1, 0, h, 0), (n + 3, 0, 0, 0, 0, 0),
               (n + 4, 0, 0, 0, h, 0), (n + 5, 0, 0, 0, -h, 0)]
        rows += leg[:5] if i else leg
        mass += [0, 2, 1, 0, 0] if i else [0, 2, 1, 0, 0, 10]
        cuts += leg[5:] if i else []
    points = [(top * math.cos(up), top * math.sin(up)) for _, up in corner]
    for x, y in points[1:]:
        x, y = x - points[0][0], y - points[0][1]
        frames.append((6, 2, 0, math.atan2(y, x), 0, math.hypot(x, y)))
    all_rows = rows + cuts + frames
    lists = dict(zip(("Ant", "Sigma", "Mu", "gamma", "Alpha", "d"), zip(*all_rows)))
    lists |= {"B": [0] * len(all_rows), "M": mass, "G": [0, 0, -9.81],
              "R": [f"r{k}" if r[1] == 1 else 0 for k, r in enumerate(all_rows, 1)],
              "Theta": [f"t{k}" if r[1] == 0 else 0 for k, r in enumerate(all_rows, 1)]}
    lists |= {name: [0.02 * m for m in mass] for name in ("XX", "YY", "ZZ")}
    lists |= {name: [0] * len(mass) for name in ("XY", "XZ", "YZ", "MX", "MY", "MZ", "IA", "FV", "FS")}
    sizes = f"NF = {len(all_rows)}\nNL = {len(rows)}\nNJ = {len(rows + cuts)}\nType = 2\n"
    return ("(* Robotname = 'hexapod' *)\n" + sizes +
            "".join(f"{name} = {{{','.join(map(str, values))}}}\n" for name, values in lists.items()) +
            "(* End of definition *)\n")


class Symoro(Case):
    def test_loops_are_part_of_the_judgement(self):
        path = self.file("hexapod.par", hexapod())
        self.assertIn("hexapod.par: fine", self.run_limb("check", path).stdout)
        mobility = json.loads(self.run_limb("info", path, "--format", "json").stdout)["mobility"]
        self.assertEqual([mobility[x] for x in ("constraints", "rank", "mobility", "undriven")], [25, 25, 6, 0])
        self.assertIn("agree.", self.run_limb("verify", path, "--states", "1").stdout)


if __name__ == "__main__":
    tool.main(__doc__)
