#!/usr/bin/env python3
"""What limb info, check, models and convert say about bases, drives and elastic joints.

    test_cli_elastic.py <limb>
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIMB = None

# A base of two slides, one of them moored; the joint behind the motor is passive, too, and no part of it.
RAFT = """limb: 1
bodies:
  - {name: rail, mass: 1, solid: point}
  - {name: raft, mass: 1, solid: {sphere: 0.2}}
  - {name: arm, mass: 1, com: [0.5, 0, 0], solid: {sphere: 0.1}}
  - {name: whip, mass: 1, com: [0.5, 0, 0], solid: {sphere: 0.1}}
joints:
  - {name: x, type: prismatic, parent: world, child: rail, axis: [1, 0, 0], drive: passive, spring: {stiffness: 10}}
  - {name: y, type: prismatic, parent: rail, child: raft, axis: [0, 1, 0], drive: passive}
  - {name: hub, type: revolute, parent: raft, child: arm, axis: [0, 0, 1]}
  - {name: tail, type: revolute, parent: arm, child: whip, axis: [0, 0, 1], drive: passive}
"""

# Two moving roots: a cart on a plane, and a ball in the air.
TWO = """limb: 1
name: two
bodies:
  - {name: cart, mass: 1, solid: {box: [1, 1, 1]}}
  - {name: ball, mass: 1, solid: {sphere: 0.1}}
  - {name: ground, mass: 0}
joints:
  - {name: weld, type: fixed, parent: world, child: ground}
  - {name: roll, type: planar, parent: ground, child: cart, axis: [0, 0, 1], drive: passive}
  - {name: fly, type: free, parent: world, child: ball}
"""

# A cart with a wheel of inertia, on a plane.
ROLLER = """limb: 1
name: roller
bodies:
  - {name: cart, mass: 3, solid: {box: [1, 1, 1]}}
  - {name: wheel, mass: 1, solid: {sphere: 0.1}}
joints:
  - {name: slide, type: planar, parent: world, child: cart, drive: DRIVE}
  - {name: spin, type: revolute, parent: cart, child: wheel, axis: [0, 0, 1]}
"""
ROLLER_URDF = """<robot name="roller"><link name="world"/>
<link name="cart"><inertial><mass value="3"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/></joint></robot>
"""

SHAFT = "  - {joint: shoulder, motor: shoulder_motor, ratio: 100, stiffness: 5000, damping: 4}\n"


class Elastic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def info(self, *words):
        return self.run_limb("info", *words).stdout

    def json(self, *words):
        return json.loads(self.info(*words, "--format", "json"))

    def joint(self, robot, name):
        return next(j for j in robot["joints"] if j["name"] == name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    # ---- info ----

    def test_lumped(self):
        text = self.info("elastic2r")
        self.assertIn("  base: fixed\n  motors: 1 of 2 dof are active, 1 passive\n", text)
        self.assertRegex(text, r"joint2 +revolute +link1 -> link2 +1 +350 +passive\n")
        self.assertRegex(text, r"joint2 +lumped +350 +0.2 +0 +1\.29\d+ +0\n")
        self.assertNotRegex(text, r"\bratio\b")
        robot = self.json("elastic2r")
        self.assertEqual((robot["base"], robot["active"], robot["passive"]), ([], 1, 1))
        self.assertFalse(self.joint(robot, "joint1")["passive"])
        self.assertNotIn("elastic", self.joint(robot, "joint1"))
        joint = self.joint(robot, "joint2")
        self.assertTrue(joint["passive"])
        # sqrt(K / (I + m r^2)) / (2 pi)
        hertz = (350 / (1.042 + 12.456 * 0.583**2)) ** 0.5 / 6.283185307179586
        self.assertAlmostEqual(joint["elastic"].pop("frequency"), hertz, places=12)
        self.assertEqual(joint["elastic"], {"kind": "lumped", "stiffness": 350, "rest": 0.2,
                                            "damping": 0, "rotor_inertia": 0})

    def test_series(self):
        text = self.info("series_elastic_arm")
        self.assertIn("  base: fixed\n  motors: 2 of 4 dof are active, 2 passive\n", text)
        self.assertRegex(text, r"shoulder +series +5000 +0 +4 +15\.\d+ +6e-05 +100 +shoulder_motor +spong\n")
        self.assertRegex(text, r"elbow +series +1800 +0 +1.2 +33\.\d+ +8e-05 +50 +elbow_motor +full\n")
        robot = self.json("series_elastic_arm")
        self.assertEqual((robot["active"], robot["passive"]), (2, 2))
        elbow = self.joint(robot, "elbow")["elastic"]
        self.assertEqual((elbow["kind"], elbow["model"], elbow["motor"]), ("series", "full", "elbow_motor"))
        self.assertEqual((elbow["ratio"], elbow["rotor_inertia"]), (50, 8e-5))
        self.assertFalse(self.joint(robot, "elbow_motor")["passive"])
        self.assertNotIn("elastic", self.joint(robot, "elbow_motor"))

    def test_base(self):
        text = self.info("space_arm")
        self.assertIn("  base: floating, joint 'base', body 'link0', 6 dof, passive\n"
                      "  motors: 3 of 9 dof are active, 6 passive\n", text)
        self.assertNotIn("elastic", text)
        self.assertEqual(self.json("space_arm")["base"],
                         [{"type": "floating", "joint": "base", "body": "link0", "nv": 6, "passive": True}])
        # A robot as all robots were says nothing about motors.
        text = self.info("panda")
        self.assertIn("  base: fixed\n  gravity", text)
        self.assertNotIn("passive", text)
        text = self.info("space_arm", "--base", "planar")
        self.assertIn("  base: planar, joint 'base', body 'link0', 3 dof, passive\n"
                      "  motors: 3 of 6 dof are active, 3 passive\n", text)

    def test_several_roots(self):
        path = self.file("two.limb.yaml", TWO)
        text = self.info(path)
        self.assertIn("  base: planar, joint 'roll', body 'cart', 3 dof, passive\n"
                      "  base: floating, joint 'fly', body 'ball', 6 dof, passive\n"
                      "  motors: 0 of 9 dof are active, 9 passive\n", text)
        self.assertEqual([b["joint"] for b in self.json(path)["base"]], ["roll", "fly"])

    def test_base_with_motors(self):
        """A root that slides or floats is a base, driven or not; an arm's first joint is none."""
        for drive, word in (("auto", "active"), ("active", "active"), ("passive", "passive")):
            path = self.file("r.limb.yaml", ROLLER.replace("DRIVE", drive))
            self.assertIn(f"  base: planar, joint 'slide', body 'cart', 3 dof, {word}\n", self.info(path))
            self.assertEqual(self.json(path)["base"], [{"type": "planar", "joint": "slide", "body": "cart", "nv": 3,
                                                        "passive": word == "passive"}])
            path = self.file("f.limb.yaml", ROLLER.replace("DRIVE", drive).replace("planar", "free"))
            word = "active" if drive == "active" else "passive"
            self.assertIn(f"  base: floating, joint 'slide', body 'cart', 6 dof, {word}\n", self.info(path))
        path = self.file("r.urdf", ROLLER_URDF)
        self.assertIn("  base: planar, joint 'slide', body 'cart', 3 dof, active\n", self.info(path))
        path = self.file("r.urdf", ROLLER_URDF.replace("</joint>", '<limb drive="passive"/></joint>'))
        self.assertIn("  base: planar, joint 'slide', body 'cart', 3 dof, passive\n", self.info(path))

    def test_base_by_one_name(self):
        """eval calls the base what info calls it; other when its joints differ, or when others move on the world."""
        arm = """  - {name: pole, mass: 1, solid: {sphere: 0.1}}
joints:
  - {name: mast, type: revolute, parent: world, child: pole, axis: [0, 0, 1]}
"""
        roller = ROLLER.replace("DRIVE", "active")
        for text, name in ((roller, "planar"), (roller.replace("planar", "free"), "floating"),
                           (roller.replace("joints:\n", arm), "other"), (TWO, "other"), (RAFT, "prismatic")):
            path = self.file("r.limb.yaml", text)
            states = self.file("s.csv", "time\n0\n")
            answer = json.loads(self.run_limb("eval", path, "--states", states, "--what", "theta").stdout)
            self.assertEqual(answer["base"], name)
            types = {b["type"] for b in self.json(path)["base"]}
            self.assertTrue(name == "other" or types == {name})
        answer = json.loads(self.run_limb("eval", "panda", "--states", states, "--what", "theta").stdout)
        self.assertEqual((answer["base"], self.json("panda")["base"]), ("fixed", []))

    def test_reach_names_what_travels(self):
        end = "bound on the distance of any frame from the base, not counting the travel of "
        path = self.file("r.limb.yaml", ROLLER.replace("DRIVE", "auto"))
        self.assertIn(end + "slide, which has no limit\n", self.info(path))
        self.assertIn(end + "base and 1 other, which have no limits\n", self.info("space_arm"))
        self.assertIn(end + "x and 2 others, which have no limits\n",
                      self.info(self.file("r.limb.yaml", RAFT.replace("hub, type: revolute", "hub, type: prismatic"))))

    def test_messages(self):
        """What is wrong with an elastic joint is said with the section, and with the way out."""
        for elastic, text in (
                ("{stiffness: 10, motor: {gear: 5}}", "the key 'inertia' of motor is missing"),
                ("{stiffness: 10, motor: {inertia: 1, model: full}}",
                 "the key 'mass' of motor is missing, which 'model: full' needs"),
                ("{stiffness: 10, motor: {inertia: 0}}", "inertia of motor is zero: it must be greater than 0"),
                ("{stiffness: 10, motor: {inertia: -1}}", "inertia of motor is negative: it must be greater than 0"),
                ("{stiffness: -1}", "stiffness of elastic is negative [bad-value]"),
                ("{stiffness: .inf}", "for a rigid joint use 'rotor' instead of 'elastic'"),
                ("{stiffness: .inf, motor: {inertia: 1}}", "for a rigid joint use 'rotor' instead of 'elastic'")):
            path = self.file("m.limb.yaml", ROLLER.replace("DRIVE", "auto").replace(
                "axis: [0, 0, 1]}", f"axis: [0, 0, 1], elastic: {elastic}}}"))
            done = self.run_limb("info", path, code=3)
            self.assertIn(text, done.stderr + "\n")

    def test_many_roots(self):
        text = "limb: 1\nbodies:\n" + "".join(
            f"  - {{name: b{i}, mass: 1, solid: {{sphere: 0.1}}}}\n" for i in range(20))
        text += "joints:\n" + "".join(
            f"  - {{name: j{i}, type: free, parent: world, child: b{i}}}\n" for i in range(20))
        out = self.info(self.file("many.limb.yaml", text))
        self.assertEqual(out.count("  base: floating"), 8)
        self.assertIn("  base: ... and 12 more\n", out)

    def test_base_of_several_joints(self):
        """What `limb eval` calls the base: all joints before the first motor, springs or not."""
        path = self.file("raft.limb.yaml", RAFT)
        self.assertIn("  base: prismatic, joint 'x', body 'rail', 1 dof, passive\n"
                      "  base: prismatic, joint 'y', body 'raft', 1 dof, passive\n"
                      "  motors: 1 of 4 dof are active, 3 passive\n", self.info(path))
        self.assertEqual([b["joint"] for b in self.json(path)["base"]], ["x", "y"])

    def test_passive_without_elasticity(self):
        robot = self.json("cart_pole")
        self.assertTrue(self.joint(robot, "hinge")["passive"])
        self.assertEqual((robot["active"], robot["passive"], robot["base"]), (1, 1, []))

    # ---- others ----

    def test_check_is_content(self):
        for robot in ("elastic2r", "space_arm", "series_elastic_arm"):
            self.assertIn("fine: 0 errors, 0 warnings, 0 notes", self.run_limb("check", robot).stdout)

    def test_listed(self):
        names = [r["name"] for r in json.loads(self.run_limb("models", "--format", "json").stdout)["models"]]
        for robot in ("elastic2r", "space_arm", "series_elastic_arm"):
            self.assertIn(robot, names)

    def test_convert_and_back(self):
        for robot in ("elastic2r", "space_arm", "series_elastic_arm"):
            for language in ("limb.yaml", "urdf"):
                before = self.json(robot)
                path = str(self.folder / f"{robot}.{language}")
                self.run_limb("convert", robot, path)
                after = self.json(path)
                for key in ("base", "active", "passive", "nq", "nv"):
                    self.assertEqual(before[key], after[key], (robot, language, key))
                for joint in before["joints"]:
                    other = self.joint(after, joint["name"])
                    self.assertEqual(joint["passive"], other["passive"])
                    mine, its = joint.get("elastic"), other.get("elastic")
                    self.assertEqual(mine is None, its is None)
                    if mine:
                        self.assertAlmostEqual(mine.pop("frequency"), its.pop("frequency"), places=10)
                        self.assertEqual(mine, its)

    def test_shafts_are_written(self):
        path = self.folder / "out.limb.yaml"
        self.run_limb("convert", "series_elastic_arm", str(path))
        self.assertIn("\nshafts:\n" + SHAFT, path.read_text())


if __name__ == "__main__":
    LIMB = sys.argv.pop(1)
    unittest.main()
