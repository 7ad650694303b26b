"""Changes of a model by options and run files: --attach, --root, --lock, --payload.

    python3 test_cli_change.py PATH-TO-LIMB
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMB = "limb"  # replaced by main
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}

GRIPPER = """limb: 1
name: gripper
bodies:
  - {name: palm, mass: 0.5, com: [0, 0, 0.03], inertia: [1e-3, 0, 0, 1e-3, 0, 1e-3]}
  - {name: left, mass: 0.1, com: [0, 0, 0.02], inertia: [1e-5, 0, 0, 1e-5, 0, 1e-5]}
  - {name: right, mass: 0.1, com: [0, 0, 0.02], inertia: [1e-5, 0, 0, 1e-5, 0, 1e-5]}
joints:
  - {name: mount, type: fixed, parent: world, child: palm}
  - {name: grip, type: prismatic, parent: palm, child: left, axis: [0, 1, 0]}
  - {name: follow, type: prismatic, parent: palm, child: right, axis: [0, -1, 0], mimic: {joint: grip}}
"""


def limb(*arguments):
    return subprocess.run([LIMB, *arguments], capture_output=True, text=True, env=ENVIRONMENT, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.gripper = self.path("gripper.limb.yaml", GRIPPER)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def answer(self, *arguments):
        done = limb("eval", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, text, *arguments, code=2):
        done = limb("eval", "panda", "--what", "M", "--q", "0", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Changes(Case):
    def test_lock(self):
        whole = self.answer("panda", "--q", "joint4=-1,joint2=0.5", "--what", "M")
        held = self.answer("panda", "--lock", "joint4=-1rad,joint7", "--q", "joint2=0.5", "--what", "M")
        names = [name for name in whole["dofs"] if name not in ("joint4", "joint7")]
        self.assertEqual(held["dofs"], names)
        kept = [whole["dofs"].index(name) for name in names]
        for row, i in zip(held["results"][0]["M"], kept):
            for x, j in zip(row, kept):
                self.assertAlmostEqual(x, whole["results"][0]["M"][i][j], delta=1e-12)

    def test_payload_and_attach(self):
        at = ("--q", "joint2=0.5", "--a", "0", "--what", "tau,com")
        alone = self.answer("panda", *at)["results"][0]
        one = self.answer("panda", *at, "--payload", "1kg@flange,500g")["results"][0]
        two = self.answer("panda", *at, "--payload", "1.5kg")["results"][0]
        self.assertNotAlmostEqual(alone["tau"][1], one["tau"][1], delta=1)
        self.assertNotAlmostEqual(alone["tau"][1], two["tau"][1], delta=1)
        # A load beside its frame, and its moments of inertia: as another body of the file.
        more = self.answer("panda", *at, "--payload", "1kg@flange,com=(0,0,10cm),inertia=(0.02,0.03,0.04),500g@flange")
        more = more["results"][0]
        parts = "500g@flange,com=(0,0,10cm),500g@flange,inertia=(0,0,0),com=(0,0,0.1),500g@flange"
        split = self.answer("panda", *at, "--payload", parts)["results"][0]
        for x, y in zip(more["tau"], split["tau"]):
            self.assertAlmostEqual(x, y, delta=1e-12)  # at rest, moments of inertia do not count
        turned = ("--q", "joint2=0.5", "--a", "joint7=1", "--what", "tau")
        point = self.answer("panda", *turned, "--payload", "1kg@flange")["results"][0]["tau"][6]
        body = self.answer("panda", *turned, "--payload", "1kg@flange,inertia=(0.02,0.03,0.04)")["results"][0]["tau"][6]
        self.assertAlmostEqual(body - point, 0.04, delta=1e-12)
        both = self.answer("panda", "--attach", f"{self.gripper}:flange:a_,{self.gripper}:link5:b_", "--what", "M",
                           "--q", "0")
        self.assertEqual(both["nv"], 9)
        self.assertIn("b_grip", both["dofs"])

    def test_locked_follower(self):
        done = self.answer("panda", "--attach", f"{self.gripper}:flange", "--lock", "follow=2cm", "--what", "M",
                           "--q", "0")
        self.assertEqual(done["nv"], 7)

    def test_root(self):
        done = limb("info", "quadruped", "--root", "lf_thigh", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        base = next(joint for joint in json.loads(done.stdout)["joints"] if joint["parent"] == "world")
        self.assertEqual((base["type"], base["child"]), ("free", "lf_thigh"))
        done = limb("verify", "four_bar", "--root", "coupler", "--states", "3")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_convert(self):
        out = self.path("out.limb.yaml")
        done = limb("convert", "panda", out, "--attach", f"{self.gripper}:flange", "--lock", "grip=1cm", "--payload",
                    "2kg@palm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(limb("info", out, "--format", "json").stdout)["nv"], 7)
        self.assertEqual(limb("convert", "panda", self.gripper, "--attach", f"{self.gripper}:flange").returncode, 2)

    def test_run_file(self):
        run = self.path("run.yaml", "schema: 1\nmodel:\n  name: panda\n  attach: gripper.limb.yaml:flange\n"
                        "  lock: [grip=1cm, joint1=20deg]\n  payload: ['2kg@palm,com=(0,0,1cm)']\nduration: 10ms\n")
        done = limb("sim", run, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("time,q.joint2,"))
        done = limb("sim", run, "--quiet", "--lock", "joint2")  # the option replaces the key
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("time,q.joint1,q.joint3"))
        wrong = self.path("wrong.yaml", "schema: 1\nmodel:\n  name: panda\n  lock: [joint11]\nduration: 1ms\n")
        done = limb("sim", wrong)
        self.assertEqual(done.returncode, 2)
        self.assertIn("wrong.yaml:4:", done.stderr)
        wrong = self.path("wrong.yaml", "schema: 1\nmodel: {name: panda, payload: ['1kg,cog=(1,2,3)']}\n"
                          "duration: 1ms\n")
        self.assertIn("'cog=(1,2,3)' is neither com=", limb("sim", wrong).stderr)
        self.assertIn("did you mean 'joint1'?", done.stderr)


class Refusals(Case):
    def test_lock(self):
        self.refused("no joint 'joint9'; did you mean", "--lock", "joint9")
        self.refused("the unit 'kg' does not fit", "--lock", "joint1=1kg")
        self.refused("is not a number", "--lock", "joint1=")
        self.refused("too large", "--lock", "joint1=1e999")
        self.refused("is fixed already", "--lock", "joint1,joint1=2")

    def test_payload(self):
        self.refused("no body or frame 'hnd'", "--payload", "5kg@hnd")
        self.refused("must not be negative", "--payload=-1kg")
        self.refused("expected is a mass", "--payload", "5m")
        self.refused("com has 3 numbers, found 2", "--payload", "5kg,com=(0,1)")
        self.refused("inertia has 3 numbers", "--payload", "5kg,inertia=(1,1,1,1)")
        self.refused("in parentheses", "--payload", "5kg,com=0.1")
        self.refused("expected is a length", "--payload", "5kg,com=(0,0,1kg)")
        self.refused("no body has this mass and inertia", "--payload", "5kg,inertia=(1,1,3)")
        self.refused("no body has this mass and inertia", "--payload", "5kg,inertia=(-1,1,1)")
        self.refused("several ends", "--attach", f"{self.gripper}:flange", "--payload", "5kg")

    def test_attach(self):
        self.refused("not of the form FILE:FRAME", "--attach", "x")
        self.refused("no such file", "--attach", "nofile.urdf:link7")
        self.refused("no body or frame 'nolink'", "--attach", f"{self.gripper}:nolink")
        self.refused("add a prefix", "--attach", "panda:link7")

    def test_root(self):
        self.refused("no body 'link9'", "--root", "link9")
        self.refused("the world is no body", "--root", "world")

    def test_loop_that_would_stay_open(self):
        done = limb("info", "four_bar", "--lock", "theta1=0.7,phi2=0,phi1=0")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("open by", done.stderr)

    def test_check(self):
        self.assertEqual(limb("check", "panda", "--lock", "joint1").returncode, 0)
        self.assertEqual(limb("check", "panda", "--lock", "joint9").returncode, 2)


if __name__ == "__main__":
    LIMB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
