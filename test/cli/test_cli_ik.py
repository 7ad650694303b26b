#!/usr/bin/env python3
"""`limb ik`: poses in, joint positions out; paths, branches, failures.

    test_cli_ik.py <limb>
"""
import json
import math
import pathlib

import test_cli_b as tool
from test_cli_b import read_csv, table

CIRCLE = str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "books" / "circle.csv")
POSE = ["position.x", "position.y", "position.z", "quaternion.x", "quaternion.y", "quaternion.z", "quaternion.w"]


class Ik(tool.Case):
    def ik(self, *words, **more):
        return self.run_limb("ik", *words, **more)

    def pose(self, model, states, frame):
        done = self.run_limb("eval", model, "--states", self.file("back.csv", states), "--frame", frame,
                             "--what", "pose")
        return [x["pose"] for x in json.loads(done.stdout)["results"]]

    def test_pose_and_back(self):
        done = self.ik("panda", "--frame", "flange", "--target", "0.4,0.1,0.5,1,0,0,0")
        pose = self.pose("panda", done.stdout, "flange")[0]
        self.close(pose["position"], [0.4, 0.1, 0.5], 1e-9)
        self.close([abs(x) for x in pose["quaternion"]], [1, 0, 0, 0], 1e-9)
        again = self.ik("panda", "--frame", "flange", "--target", "0.4,0.1,0.5", "--rpy", f"{math.pi!r},0,0")
        self.close(read_csv(again.stdout)[1][0], read_csv(done.stdout)[1][0], 1e-6)

    def test_circle(self):
        """Ghosal 2010, figures 6 to 9: the elbow in closed form, and the torques of limb sim."""
        path = self.ik("planar_2r", CIRCLE, "--frame", "tip", "--q", "joint2=1").stdout
        head, rows = read_csv(path)
        self.assertEqual(head, ["time", "q.joint1", "q.joint2"])
        self.assertEqual(len(rows), 201)
        for t, q1, q2 in rows:
            u = 0.24 * (math.cos(math.pi * t / 5) + math.sin(math.pi * t / 5))
            self.assertAlmostEqual(q2, math.acos(0.46 + u), delta=1e-9)
            x, y = 1.2 + 0.2 * math.cos(math.pi * t / 5), 1.2 + 0.2 * math.sin(math.pi * t / 5)
            self.assertAlmostEqual(q1, math.atan2(y, x) - q2 / 2, delta=1e-9)
        done = self.run_limb("id", "planar_2r", "-", "--differentiate", stdin=path)
        rows = read_csv(done.stdout)[1]
        self.assertAlmostEqual(min(x[1] for x in rows), 210.418448, delta=5e-3)
        self.assertAlmostEqual(max(x[2] for x in rows), 33.254240, delta=5e-3)

    def test_torques_of_a_path(self):
        """limb id by itself: the torques of Ghosal's circle, computed from its closed form outside."""
        done = self.run_limb("id", "planar_2r", CIRCLE, "--frame", "tip", "--q", "joint2=1")
        rows = {x[0]: x[1:] for x in read_csv(done.stdout)[1]}
        for t, want in ((2.5, [213.834570582, 21.5773203777]), (5, [213.291306825, 1.06062083026]),
                        (7.5, [232.886267142, 14.3891789654])):
            self.close(rows[t], want, 1e-6)
        self.assertIn("--frame", self.run_limb("id", "planar_2r", CIRCLE, "--q", "joint2=1", code=2).stderr)
        self.assertIn("did you mean 'tip'?", self.run_limb("id", "planar_2r", CIRCLE, "--frame", "tipp", code=2).stderr)
        far = self.file("far.csv", "time,position.x,position.y,position.z\n0,1,1,0\n1,3,1,0\n".replace(
            "position", "pose.position"))
        self.assertIn("far.csv:3: error", self.run_limb("id", "planar_2r", far, "--frame", "tip", code=4).stderr)

    def test_threads(self):
        """Rows on their own: any number of threads gives the same bits, and the frame is where it should be."""
        words = "planar_2r", CIRCLE, "--frame", "tip", "--q", "joint2=1"
        one = self.ik(*words, "--threads", "1").stdout
        self.assertEqual(self.ik(*words, "--threads", "3").stdout, one)
        for t, (_, q1, q2) in enumerate(read_csv(one)[1]):
            phi = math.pi * t / 100
            self.assertAlmostEqual(math.cos(q1) + math.cos(q1 + q2), 1.2 + 0.2 * math.cos(phi), delta=1e-9)
            self.assertAlmostEqual(math.sin(q1) + math.sin(q1 + q2), 1.2 + 0.2 * math.sin(phi), delta=1e-9)
        far = self.file("far.csv", "pose.position.x,pose.position.y,pose.position.z\n1,1,0\n3,1,0\n")
        done = self.ik("planar_2r", far, "--frame", "tip", "--threads", "2", code=4)
        self.assertIn("far.csv:3: error: out of reach", done.stderr)
        done = self.ik("planar_2r", "--target", "1,1,0", "--frame", "tip", "--threads", "2", code=2)
        self.assertIn("table", done.stderr)

    def test_start_of_a_simulation(self):
        for robot, pose, want in (("panda", "flange=0.4,0.1,0.5,1,0,0,0", [0.4, 0.1, 0.5]),
                                  ("gough_stewart", "platform=0.03,0.02,0.75", [0.03, 0.02, 0.75])):
            frame = pose.split("=")[0]
            done = self.run_limb("sim", robot, "--duration", "0.001", "--target", pose, "--channels",
                                 f"position.{frame}", "--quiet")
            self.close(read_csv(done.stdout)[1][0][1:], want, 1e-9)
        for pose, message in (("flange=4,0,0", "out of reach"), ("hand=1,1,1", "no frame 'hand'"),
                              ("flange=1,1", "3 or 7"), ("flange", "FRAME=X,Y,Z"), ("flange=1,1,1,0,0,0,2", "norm 2"),
                              ("flange=1,1,x", "not a number")):
            self.assertIn(message, self.run_limb("sim", "panda", "--duration", "1", "--target", pose, code=2).stderr)

    def test_branches(self):
        done = self.ik("ur5", "--target", "0.4,0.2,0.3", "--rpy", "3,0,0", "--branches", "12")
        self.assertEqual(len(read_csv(done.stdout)[1]), 8)
        frame = json.loads(self.ik("ur5", "--target", "0.4,0.2,0.3", "--format", "json").stdout)["goals"][0]["frame"]
        for pose in self.pose("ur5", done.stdout, frame):
            self.close(pose["position"], [0.4, 0.2, 0.3], 1e-9)

    def test_loops(self):
        """A platform: eval refuses states that do not close the loops."""
        done = self.ik("gough_stewart", "--frame", "platform", "--target", "0.03,0.02,0.75,0,0,0.0499792,0.9987503")
        self.close(self.pose("gough_stewart", done.stdout, "platform")[0]["position"], [0.03, 0.02, 0.75], 1e-9)

    def test_out_of_reach(self):
        words = ("planar_2r", "--frame", "tip", "--target", "3,4,0")
        done = self.ik(*words, code=4)
        self.assertRegex(done.stderr, r"out of reach: frame 'tip' stays 3 m from its target, nearest at 1\.2, 1\.6, 0")
        self.assertEqual(done.stdout, "")
        answer = json.loads(self.ik(*words, "--format", "json", code=4).stdout)
        self.assertFalse(answer["solved"])
        self.assertAlmostEqual(answer["goals"][0]["position"], 3, delta=1e-8)

    def test_row_that_fails(self):
        poses = table("pose.tip.position.x,pose.tip.position.y,pose.tip.position.z", [[1, 1, 0], [5, 0, 0], [1, 1, 0]])
        done = self.ik("planar_2r", self.file("p.csv", poses), "--frame", "tip", code=4)
        self.assertRegex(done.stderr, r"p\.csv:3: error: out of reach: frame 'tip' stays 3 m")
        self.assertEqual(len(read_csv(done.stdout)[1]), 1)

    def test_limits(self):
        words = (self.file("m.urdf", tool.PENDULUM), "--frame", "tip",
                 "--target", f"{-math.sin(2.5)},0,{-math.cos(2.5)}")
        done = self.ik(*words, code=4)
        self.assertRegex(done.stderr, r"joints are at their limits: frame 'tip' stays 0\.4948\d+ m .*"
                                      r"; joint 'hinge' is at its upper limit 2;")  # 2 sin(1/4)
        q = read_csv(self.ik(*words, "--ignore-limits").stdout)[1][0][0]
        self.assertAlmostEqual(math.remainder(q - 2.5, 2 * math.pi), 0, delta=1e-9)

    def test_poses_of_eval(self):
        """A table of limb eval is a table of poses."""
        states = self.file("q.csv", table(",".join(f"q.joint{k}" for k in range(1, 8)),
                                          [[0.1, 0.2, 0.3, -1.5, 0.2, 1.4, 0.1], [0.15, 0.25, 0.3, -1.6, 0.2, 1.4, 0]]))
        poses = self.run_limb("eval", "panda", "--states", states, "--what", "pose.flange", "--format", "csv").stdout
        done = self.ik("panda", "-", "--frame", "flange", "--start", states, stdin=poses)
        back = self.run_limb("eval", "panda", "--states", self.file("b.csv", done.stdout), "--what", "pose.flange",
                             "--format", "csv").stdout
        for got, want in zip(read_csv(back)[1], read_csv(poses)[1]):
            self.close(got, want, 1e-9)

    def test_mistakes(self):
        npy = self.folder / "e.npy"
        npy.write_bytes(b"\x93NUMPY")
        for words, message in (
            (("--frame", "tap", "--target", "1,1,0"), r"no frame 'tap'; did you mean 'tip'\?"),
            (("--frame", "tip"), r"give a table of poses, or one pose by --target"),
            (("--frame", "tip", "--target", "1,1,0,0,0,0,2"), r"the quaternion has norm 2; it must be 1"),
            (("--frame", "tip", "--target", "1,1,0", "--directions", "angular"), r"add a quaternion or --rpy"),
            (("--frame", "tip", "--target", "1,1,0", "--directions", "up"), r"'up' is none of"),
            (("--frame", "tip", "--target", "1,1,0", "--q", "joint3=1"), r"no joint 'joint3'"),
            (("--frame", "tip", "--target", "1,1,0", "--tolerance", "0"), r"--tolerance must be above zero"),
            (("--frame", "tip", "--target", "1,1"), r"--target"),
            ((self.file("p.csv", "time,pose.tip.position.x\n0,1\n"), "--frame", "tip"),
             r"there is no column pose\.tip\.position\.y"),
            ((self.file("r.csv", table(",".join(f"pose.{x}" for x in POSE), [[1, 1, 0, 0, 0, 0, 3]])),
              "--frame", "tip"),
             r"r\.csv:2: frame 'tip': the quaternion has norm 3"),
            ((self.file("c.csv", table(",".join(f"pose.{x}" for x in POSE), [[1, 1, 0, 0, 0, 0, 3]]).rstrip()),
              "--frame", "tip"), r"c\.csv:2: warning: the last line does not end"),
            ((str(npy), "--frame", "tip"), r"e\.npy: error: header: the NPY file"),
        ):
            self.assertRegex(self.ik("planar_2r", *words, code=2).stderr, message)
        still = self.file("still.yaml", """limb: 1
name: still
bodies: [{name: a, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}]
joints: [{name: j, type: fixed, parent: world, child: a}]
""")
        self.assertIn("no joint moves", self.ik(still, "--frame", "a", "--target", "0,0,0", code=3).stderr)
        self.assertIn("--frame NAME", self.ik("gough_stewart", "--target", "0,0,1", code=2).stderr)


if __name__ == "__main__":
    tool.main(__doc__)
