#!/usr/bin/env python3
"""`limb sim` in difficult cases: full disks, channels without value, odd names, starts and motions that contradict.

    test_cli_sim_errors.py <limb>
"""
import json
import os
import resource
import shlex
import signal
import subprocess

import test_cli_b as tool
import test_cli_sim as base

ODD = """<robot name="odd"><link name="base"/>
<link name="l,1"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a=b, c" type="continuous"><parent link="base"/><child link="l,1"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def small_files():
    """Files cannot grow beyond 50 kB: a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))


class Edges(tool.Case):
    sim, rows = base.Sim.sim, base.Sim.rows

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.csv"

    def crowded(self, path):
        done = subprocess.run([tool.LIMB, "sim", "planar_2r", "--duration", "9", "--rate", "1000", "--method", "rk4",
                               "--output", str(path), "--summary", "json"], capture_output=True, text=True, check=False,
                              preexec_fn=small_files)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("could not be written"), 1, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["ending"], told["error"]), ("failed", "the rows could not be written"))
        self.assertLess(told["end"], 9)

    def test_full_disk(self):
        path = self.folder / "out.npy"
        self.crowded(path)
        names, rows = base.read_npy(path)  # whole rows, as many as the header says
        self.assertEqual(names[0], "time")
        self.assertGreater(len(rows), 1000)
        self.assertEqual([row[0] for row in rows], [i / 1000 for i in range(len(rows))])
        self.crowded(self.out)

    def test_everything_of_a_run_file_is_an_option(self):
        plot = self.folder / "out.svg"
        done = self.sim("planar_2r", "--end", "0.5", "--interval", "0.25", "--title", "Mine", "--work", "false",
                        "--event", "low: q.joint1 < -0.5; energy > 100", "--output", self.out, "--plot", plot)
        self.assertIn("s: low", done.stderr)
        self.assertNotIn("drift", done.stderr)
        self.assertEqual([row[0] for row in self.rows()[1]], [0, 0.25, 0.5])
        self.assertIn("Mine", plot.read_text(encoding="utf-8"))
        self.assertIn("exclude each other", self.sim("planar_2r", "--end", "1", "--duration", "1", code=2).stderr)
        self.assertIn("exclude each other", self.sim("planar_2r", "--end", "1", "--rate", "5", "--interval", "1",
                                                   code=2).stderr)

    def test_inputs_are_not_written_over(self):
        table = self.folder / "torques.csv"
        text = "time,tau.joint1\n0,1\n1,2\n"
        table.write_text(text, encoding="utf-8")
        done = self.run_limb("sim", "planar_2r", "--duration", "1", "--torques", str(table), "--output", str(table),
                             code=2)
        self.assertIn("is an input of this run", done.stderr)
        self.assertEqual(table.read_text(encoding="utf-8"), text)

    def test_full_standard_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for words in (["--summary", "json"], []):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([tool.LIMB, "sim", "planar_2r", "--duration", "1", *words], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("could not be written", done.stderr)

    def test_channel_without_value(self):
        other = self.folder / "other.csv"
        done = self.sim("planar_2r", "--duration", "1", "--channels", "Lambda.link2", "--directions", "vx,vy",
                        "--output", f"{self.out},{other}", "--summary", "json", "--q", "joint2=0", code=4)
        told = json.loads(done.stdout)
        self.assertEqual(told["ending"], "failed")
        self.assertIn("channel Lambda at 0 s", told["error"])
        self.assertEqual(done.stderr.count("channel Lambda at 0 s"), 1)

    def test_odd_names(self):
        model = self.file("odd.urdf", ODD)
        self.sim(model, "--duration", "1", "--rate", "1", "--q", "'a=b, c'=1", "--torque", "'a=b, c'=-'v.a=b, c'",
                 "--channels", "t,'q.a=b, c','pos.l,1.x'", "--event", "'q.a=b, c' < 0", "--output", self.out)
        head, rows = self.rows()
        self.assertEqual(head, ["time", "q.a=b, c", "pos.l,1.x"])
        self.assertEqual(rows[0][1], 1)
        self.assertLess(rows[1][1], 1)

    def test_no_text(self):
        path = self.folder / "run.yaml"
        path.write_bytes(b"schema: 1\nmodel: \xc0\x81\n")
        self.assertIn("the byte 0xc0 is not part of a UTF-8 text", self.sim(path, code=2).stderr)

    def test_one_file_twice(self):
        words = f"{self.out},{self.folder}/./out.csv"
        self.assertIn("are the same file", self.sim("planar_2r", "--duration", "1", "--output", words, code=2).stderr)

    def test_examples_of_help(self):
        lines = [line.strip() for line in self.run_limb("sim", "--help").stdout.splitlines()]
        lines = [line for line in lines if line.startswith("limb sim ") and ".yaml" not in line]
        self.assertGreater(len(lines), 2)
        for line in lines:
            done = subprocess.run([tool.LIMB, *shlex.split(line)[1:]], cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, line + done.stderr)

    def refuse(self, says, *words):
        done = self.sim("planar_2r", "--duration", "1", "--output", self.out, *words, code=2)
        self.assertIn(says, done.stderr)
        self.assertFalse(self.out.exists())

    def test_motion_contradicts(self):
        self.refuse("--motion joint1.v: 'joint1': v is not the derivative of q", "--motion",
                    "joint1.q=t^2,joint1.v=3*t,joint1.a=3")
        self.refuse("--motion joint1.a: 'joint1': a is not the derivative of v", "--motion",
                    "joint1.q=t^2,joint1.v=2*t,joint1.a=0")
        self.refuse("--q joint1: is 5, but the prescribed motion begins with 0", "--motion", "joint1.rate=1", "--q",
                    "joint1=5")
        self.refuse("--v joint1: is 5, but the prescribed motion begins with 1", "--motion", "joint1.rate=1", "--v",
                    "joint1=5")

    def test_motion_agrees(self):
        # A jump of the acceleration, a large frequency, a late start.
        self.sim("planar_2r", "--duration", "1", "--start-time", "500", "--rate", "1", "--output", self.out, "--motion",
                 "joint1.q=max(0,t-500.5)^2,joint1.v=2*max(0,t-500.5),joint1.a=t>500.5 ? 2 : 0,"
                 "joint2.q=1e-3*sin(1e3*t),joint2.v=cos(1e3*t),joint2.a=-1e3*sin(1e3*t)", "--q", "joint1=0", "--v",
                 "joint1=0")
        self.close([self.rows()[1][-1][1]], [0.25])

    def test_directions_of_controller(self):
        self.sim("panda", "--duration", "3", "--rate", "1", "--q", "*=-0.5", "--channels", "pos.flange.z", "--output",
                 self.out, "--controller", "impedance,frame=flange,kp=400,kd=40,directions=vx vy vz,posture_kp=20,"
                 "posture_kd=9,position.z=0.6")
        self.assertLess(abs(self.rows()[1][-1][1] - 0.6), 1e-3)
        done = self.sim("panda", "--duration", "1", "--controller", "impedance,frame=flange,kp=1,directions=up", code=2)
        self.assertIn("'up' is none of wx", done.stderr)


if __name__ == "__main__":
    tool.main(__doc__)
