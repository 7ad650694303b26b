#!/usr/bin/env python3
"""Files of the tool: no command writes over its inputs, outputs differ, nothing old is lost, signals and full disks.

    test_cli_files.py <limb>
"""
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

import test_cli_b as tool
import test_cli_sim as base

SVG, YAML = "<svg", "limb: 1"
MODEL = """limb: 1
name: swing
bodies:
  - {name: rod, mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0, 0, 0.1, 0, 0.01]}
joints:
  - {name: hinge, type: revolute, parent: world, child: rod, axis: [0, 1, 0]}
"""


class Files(tool.Case):
    def setUp(self):
        super().setUp()
        self.model = self.file("m.urdf", tool.PENDULUM)
        rows = [[0.01 * i, 0.1 * i, 0.2, 0.3] for i in range(20)]
        self.states = self.file("t.csv", tool.table("time,q.hinge,v.hinge,a.hinge", rows))
        os.symlink("t.csv", self.folder / "link.csv")
        os.link(self.states, self.folder / "hard.csv")
        os.symlink("m.urdf", self.folder / "link.svg")
        self.content = self.read()

    def read(self):
        return {name: (self.folder / name).read_text(encoding="utf-8") for name in self.names()}

    def refused(self, why, *words, **more):
        done = subprocess.run([tool.LIMB, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder, **more)
        self.assertEqual(done.returncode, 2, f"{words}: {done.stdout[-300:]}{done.stderr[-600:]}")
        self.assertIn(why, done.stderr, words)
        self.assertEqual(self.read(), self.content, words)  # and nothing is left behind
        return done

    # ---- inputs ------------------------------------------------------------------------------------------

    def test_no_option_names_an_input(self):
        told = "is an input of this run"
        for out in ("t.csv", "./t.csv", "link.csv", "hard.csv", str(self.states)):
            self.refused(told, "id", "m.urdf", "t.csv", "--output", out)
            self.refused(told, "id", "m.urdf", "t.csv", "--differentiate", "--output", out)
            self.refused(told, "eval", "m.urdf", "--states", "t.csv", "--what", "M", "--output", out)
            self.refused(told, "assemble", "m.urdf", "--start", "t.csv", "--output", out)
            self.refused(told, "sim", "m.urdf", "--duration", "1", "--start", "t.csv", "--output", out)
        self.refused(told, "id", "m.urdf", "link.csv", "--output", "hard.csv")
        for words in (("id", "m.urdf", "t.csv", "--plot"), ("id", "m.urdf", "t.csv", "--animate"),
                      ("sim", "m.urdf", "--duration", "1", "--plot"),
                      ("sim", "m.urdf", "--duration", "1", "--animate")):
            self.refused(told, *words, "link.svg")
        self.refused(told, "convert", "m.urdf", "m.urdf")
        self.refused(told, "check", "m.urdf", "--repair", "m.urdf")
        with open(self.states, encoding="utf-8") as stream:
            self.refused(told, "id", "m.urdf", "-", "--output", "link.csv", stdin=stream)

    def test_model_as_output_of_every_command(self):
        os.symlink("m.urdf", self.folder / "link.txt")
        os.symlink("m.urdf", self.folder / "link.json")
        os.symlink("m.urdf", self.folder / "m.csv")
        self.content = self.read()
        for words in (("eval", "m.urdf", "--q", "hinge=0", "--what", "M", "--output", "link.json"),
                      ("equations", "m.urdf", "--output", "link.txt"), ("fd", "m.urdf", "t.csv", "--output", "m.csv"),
                      ("assemble", "m.urdf", "--output", "link.json"), ("assemble", "m.urdf", "--output", "m.csv"),
                      ("sim", "m.urdf", "--duration", "1", "--output", "m.csv")):
            self.refused("is an input of this run", *words)

    def test_keys_of_run_files(self):
        self.file("motion.csv", "time,q.hinge\n0,0\n1,1\n2,2\n3,3\n")
        self.file("torque.csv", "time,tau.hinge\n0,0\n1,1\n")
        os.symlink("m.yaml", self.folder / "p.svg")
        self.file("m.yaml", MODEL)
        os.symlink("run.yaml", self.folder / "r.svg")
        told = "is an input of this run"
        for output, more in (("plot: p.svg", ""), ("animation: p.svg", ""), ("file: t.csv", "start: {file: t.csv}"),
                             ("plot: r.svg", "")):
            self.file("run.yaml", f"schema: 1\nmodel: m.yaml\nduration: 1 s\n{more}\noutputs:\n  - {{{output}}}\n")
            self.content = self.read()
            self.refused(told, "sim", "run.yaml")
        for option, table in (("--torques", "torque.csv"), ("--start", "t.csv")):
            self.refused(told, "sim", "m.yaml", "--duration", "1", option, table, "--output", table)

    def test_standard_output_is_no_input(self):
        with open(self.states, "a", encoding="utf-8") as stream:
            done = subprocess.run([tool.LIMB, "fd", self.model, self.states], stdout=stream, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("and its standard output", done.stderr)
        self.assertEqual(self.read(), self.content)

    # ---- outputs -----------------------------------------------------------------------------------------

    def test_outputs_differ(self):
        told = "are the same file"
        self.refused(told, "id", "m.urdf", "t.csv", "--plot", "p.svg", "--animate", "./p.svg")
        self.refused(told, "sim", "planar_2r", "--duration", "1", "--plot", "p.svg", "--animate", "./p.svg")
        self.refused(told, "sim", "planar_2r", "--duration", "1", "--output", f"a.csv,{self.folder}/a.csv")
        os.symlink("later.svg", self.folder / "first.svg")
        names = self.names()
        done = subprocess.run([tool.LIMB, "sim", "planar_2r", "--duration", "1", "--plot", "first.svg", "--animate",
                               "later.svg"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(told, done.stderr)
        self.assertEqual(self.names(), names)

    def test_standard_output_has_one_user(self):
        told = "cannot share standard output"
        self.refused(told, "id", "m.urdf", "t.csv", "--size", "--output", "-")
        self.refused(told, "id", "m.urdf", "t.csv", "--plot", "-", "--output", "-")
        self.refused(told, "sim", "planar_2r", "--duration", "1", "--output", "-", "--summary", "json")
        self.refused(told, "sim", "planar_2r", "--duration", "1", "--output", "-", "--plot", "-")

    def test_a_mistake_empties_nothing(self):
        self.file("keep.csv", "old")
        self.content = self.read()
        sim = ("sim", "planar_2r", "--duration", "1", "--output", "keep.csv")
        self.refused("ends in none of .svg, .png, .pdf, .html and .htm", *sim, "--animate", "picture.gif")
        self.refused("ends in none of .svg, .png, .pdf and .html", *sim, "--plot", "picture.jpg")
        self.refused("No such file", *sim[:-1], "keep.csv,no/such.csv")
        self.refused("No such file", *sim, "--plot", "no/such.svg")
        self.refused("nonsense", *sim, "--channels", "nonsense")
        self.refused("No such file", "id", "m.urdf", "t.csv", "--output", "keep.csv", "--plot", "no/such.svg")
        self.refused("cannot be written", *sim, "--plot", self.folder)

    def test_pictures_are_checked_before_the_simulation(self):
        begin = time.monotonic()
        self.refused("No such file", "sim", "panda", "--duration", "1e6", "--step", "1e-5", "--plot", "no/such.svg")
        self.assertLess(time.monotonic() - begin, 60)

    def test_pictures_are_what_their_endings_say(self):
        heads = {"svg": b"<svg", "html": b"<!DOCTYPE html>", "png": b"\x89PNG\r\n", "pdf": b"%PDF-1."}
        for ending, head in heads.items():
            commands = (("id", "m.urdf", "t.csv", "--curves", "torque,speed,power,load"),
                        ("sim", "m.urdf", "--duration", "0.1"),
                        ("assemble", "four_bar", "--map", "theta1:0:1:3"))
            for words in commands:
                picture = self.folder / f"picture.{ending}"
                caches = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # which fontconfig keeps
                done = subprocess.run([tool.LIMB, *words, "--plot", picture], capture_output=True, text=True,
                                      check=False, cwd=self.folder, env=caches)
                if ending in ("png", "pdf") and "librsvg" in done.stderr:
                    self.assertEqual(done.returncode, 2)
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(picture.read_bytes()[:len(head)], head)
                picture.unlink()
        self.refused("is none of torque, speed, power and load", "id", "m.urdf", "t.csv", "--plot", "p.svg", "--curves",
                     "torques")
        self.refused("is for --plot", "id", "m.urdf", "t.csv", "--curves", "speed")

    def test_endings(self):
        ask = ("eval", "m.urdf", "--q", "hinge=0", "--what", "M", "--output")
        self.refused("ends in none of .json, .txt, .csv, .npy, .arrow, .feather and .parquet", *ask, "o.h5")
        self.refused("ends in none of", *ask, "o")
        self.refused("contradicts", *ask, "o.csv", "--format", "json")
        for option, name in (("--plot", "t.gif"), ("--plot", "t.csv"), ("--animate", "t.gif"), ("--animate", "t.txt")):
            self.refused("ends in none of", "id", "m.urdf", "t.csv", option, name)
            self.refused("ends in none of", "sim", "m.urdf", "--duration", "1", option, name)
        self.refused("ends in none of .csv, .npy, .arrow, .feather and .parquet", "id", "m.urdf", "t.csv", "--output",
                     "o.txt")
        self.refused("ends in none of", "fd", "m.urdf", "t.csv", "--output", "o.json")
        self.refused("contradicts", "assemble", "four_bar", "--output", "o.json", "--format", "csv")
        self.refused("ends in none of", "equations", "planar_2r", "--output", "o.pdf")
        self.refused("contradicts", "convert", "ur5", "o.yaml", "--to", "urdf")
        self.refused("ends in none of .svg, .png, .pdf and .html", "assemble", "four_bar", "--map", "theta1:0:1:3",
                     "--plot", "o.gif")
        self.run_limb("assemble", "four_bar", "--output", self.folder / "o.json")
        self.assertIn("coordinates", json.loads((self.folder / "o.json").read_text()))
        self.run_limb("equations", "planar_2r", "--output", self.folder / "o.tex")
        self.assertIn("\\", (self.folder / "o.tex").read_text())
        for ending, begin in ((".csv", b"M"), (".npy", b"\x93NUMPY"), (".json", b"{"), (".txt", b"pendulum")):
            out = self.folder / f"o{ending}"
            self.run_limb("eval", self.model, "--q", "hinge=0", "--what", "M", "--output", out)
            self.assertTrue(out.read_bytes().startswith(begin), out)

    def test_long_names(self):
        name = "x" * 250
        self.run_limb("id", self.model, self.states, "--output", self.folder / (name + ".csv"))
        self.run_limb("eval", self.model, "--q", "hinge=0", "--what", "M", "--output", self.folder / (name + ".txt"))
        self.run_limb("sim", "planar_2r", "--duration", "1", "--output", self.folder / (name + ".npy"))
        self.run_limb("sim", "planar_2r", "--duration", "1", "--plot", self.folder / (name + ".svg"))
        done = subprocess.run([tool.LIMB, "id", self.model, self.states, "--output", "x" * 252 + ".csv"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("File name too long", done.stderr)


class Words(tool.Case):
    """Sentences that once misled."""

    def says(self, why, *words, code=2):
        done = self.run_limb(*words, code=code)
        self.assertIn(why, done.stderr)
        return done

    def test_rates_that_do_not_fit_the_step(self):
        sim = ("sim", "planar_2r", "--duration", "1", "--method", "euler", "--step", "10ms", "--output", "/dev/null")
        self.says("makes steps of 0.00833333333 s, not 0.01 s", *sim, "--rate", "30", code=0)
        self.assertNotIn("makes steps", self.run_limb(*sim, "--rate", "50").stderr)

    def test_steps_that_are_too_long(self):
        self.says("step must be at most 1e100 s", "sim", "planar_2r", "--duration", "1", "--step", "1e300")

    def test_codegen_lists_what_is_for_a_robot(self):
        names = [line.split()[0] for line in self.run_limb("codegen", "--list", "panda").stdout.splitlines()]
        self.assertIn("tau", names)
        self.assertNotIn("reduced_M", names)
        self.assertIn("reduced_M", self.run_limb("codegen", "--list", "four_bar").stdout)
        self.assertIn("reduced_M", self.run_limb("codegen", "--list").stdout)

    def test_given_twice(self):
        """Of two values for one thing neither is taken silently."""
        state = ("eval", "planar_2r", "--what", "q")
        self.says("--q: 'joint1' is given twice", *state, "--q", "joint1=1,joint2=3,joint1=2")
        self.says("put it first, or it replaces 'joint1'", *state, "--q", "joint1=1,2")
        self.says("put it first, or it replaces 'joint1'", *state, "--q", "joint1=1,*=2")
        self.assertIn('"q": [1.0, 2.0]', self.run_limb(*state, "--q", "2,joint1=1").stdout)
        self.says("--hold: 'theta1' is given twice", "assemble", "four_bar", "--hold", "theta1=1,theta1=2")
        self.says("--q: 'joint1' is given twice", "ik", "planar_2r", "--frame", "tip", "--target", "1,1,0", "--q",
                  "joint1=1,joint1=2")
        for option, twice in (("q", "joint1=1,joint1=2"), ("torque", "joint1=1,joint1=t"),
                              ("wrench", "tip.fx=1,tip.fx=2"), ("motion", "joint1.rate=1,joint1.rate=2")):
            self.says(f"--{option} {twice.split('=')[0]} is given twice", "sim", "planar_2r", "--duration", "1",
                      f"--{option}", twice)
        self.says("'M.' ends with a dot: a label is missing", "eval", "planar_2r", "--q", "1", "--what", "M.")

    def test_suggestions(self):
        self.says("did you mean 'sectional_curvature'?", "eval", "planar_2r", "--q", "joint1=0", "--what",
                  "sectional_curvatures")
        self.says("did you mean 'reduced_M'?", "eval", "four_bar", "--q", "theta1=1", "--what", "closed_M")
        self.says("limb YAML (.limb.yaml) can express it", "convert", "four_bar", self.folder / "four_bar.xml", code=1)

    def test_what_to_do(self):
        done = self.says("leave out the base", "eval", "ur5", "--base", "floating", "--q", "elbow=1", "--what", "M",
                         code=3)
        self.assertNotIn("correct the value", done.stderr)
        run = self.file("b.yaml", "schema: 1\nmodel: four_bar\nduration: 1 s\nsolver:\n  baumgarte: {alpha: 1}\n")
        self.says("baumgarte must be a single value, found a mapping", "sim", run)

    @unittest.skipIf(os.environ.get("LIMB_TEST_EFFORT") == "few", "instrumented, it takes long")
    def test_limits_that_cannot_be_raised(self):
        done = self.run_limb("check", self.file("m.yaml", "limb: 1\nx: [" + "1," * 4000001 + "1]\n"), code=3)
        self.assertIn("more than 4000000 values", done.stdout)
        self.assertIn("cannot be raised", done.stdout)
        self.assertNotIn("max-bytes", done.stdout)

    def test_tree_shows_who_carries_whom(self):
        tree = self.run_limb("info", "quadruped", "--tree").stdout
        self.assertIn("├─ lf_hip", tree)
        self.assertIn("│  └─ lf_thigh", tree)
        self.assertIn("│     └─ lf_shank", tree)
        self.assertNotIn("─", self.run_limb("info", "panda", "--tree").stdout.replace("─ hand", ""))

    def test_models_print_their_origin_once(self):
        for name in ("ur5", "puma560", "protein"):
            self.assertEqual(self.run_limb("models", name).stdout.count("# origin:"), 1)

    def test_rounding_is_no_speed(self):
        rows = [[0.1 * i, 0.3] for i in range(30)]
        states = self.file("t.csv", tool.table("time,q.hinge", rows))
        done = self.run_limb("id", self.file("m.urdf", tool.PENDULUM), states, "--differentiate", "--size")
        self.assertIsNone(re.search(r"e-1\d rad/s", done.stdout), done.stdout)

    def test_tables_of_numpy_are_read_everywhere(self):
        states = self.file("s.csv", tool.table("time,q.joint1,q.joint2", [[0, 0.3, 1], [1, 2, 1]]))
        self.run_limb("eval", "planar_2r", "--states", states, "--what", "q", "--output",
                      self.folder / "s.npy")
        with open(self.folder / "s.npy", "rb") as stream:
            done = subprocess.run([tool.LIMB, "eval", "planar_2r", "--states", "-", "--what", "M", "--format", "csv"],
                                  stdin=stream, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, self.run_limb("eval", "planar_2r", "--states", states, "--what", "M", "--format",
                                                    "csv").stdout)
        sim = ("sim", "planar_2r", "--duration", "1", "--start", self.folder / "s.npy", "--quiet")
        self.assertEqual(self.run_limb(*sim).stdout, self.run_limb(*sim[:-2], states, "--quiet").stdout)

    def test_pose_of_a_platform_by_its_legs(self):
        head, rows = tool.read_csv(self.run_limb("assemble", "gough_stewart").stdout)
        legs = [f"q.leg{k}_slide" for k in range(1, 7)]
        states = self.file("s.csv", tool.table(",".join(legs), [[rows[0][head.index(leg)] for leg in legs]]))
        done = self.run_limb("eval", "gough_stewart", "--states", states, "--what", "pose", "--frame", "platform")
        pose = json.loads(done.stdout)["results"][0]["pose"]
        self.close(pose["position"], [0, 0, 0.75], 1e-9)


class Ends(tool.Case):
    SIM = ("sim", "planar_2r", "--duration", "1e6", "--step", "1e-4", "--rate", "1000")

    def start(self, *words):
        return subprocess.Popen([tool.LIMB, *self.SIM, *map(str, words)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def wait_for_rows(self):
        end = time.monotonic() + 100
        while time.monotonic() < end:
            if any((self.folder / name).stat().st_size > 10000 for name in self.names()):
                return
            time.sleep(0.02)
        self.fail("no rows")

    def test_first_signal_writes_everything(self):
        for name in ("HUP", "QUIT", "TERM", "INT", "XCPU", "XFSZ", "USR1", "USR2", "ALRM"):
            number = getattr(signal, "SIG" + name)
            with self.start("--output", "o.csv", "--plot", "o.svg", "--animate", "o.html", "--summary",
                            "json") as process:
                self.wait_for_rows()
                process.send_signal(number)
                out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 128 + number, name + err)
            self.assertEqual(self.names(), ["o.csv", "o.html", "o.svg"])
            head, rows = tool.read_csv((self.folder / "o.csv").read_text())
            self.assertEqual({len(row) for row in rows}, {len(head)})
            self.assertEqual(rows[-1][0], json.loads(out)["end"])
            self.assertTrue((self.folder / "o.svg").read_text().rstrip().endswith("</svg>"))
            for path in self.names():
                (self.folder / path).unlink()

    def test_second_signal_ends(self):
        with self.start("--output", "o.csv") as process:
            self.wait_for_rows()
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGHUP)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=100)
        self.assertLess(process.returncode, 0)
        self.assertEqual(self.names(), [])

    def test_signals_of_other_commands_leave_nothing(self):
        model = self.file("m.urdf", tool.PENDULUM)
        for name in ("HUP", "QUIT", "TERM", "XCPU", "USR1", "USR2", "ALRM"):
            number = getattr(signal, "SIG" + name)
            with subprocess.Popen([tool.LIMB, "id", model, "-", "--output", str(self.folder / "o.csv")],
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdin.write(b"q.hinge,v.hinge,a.hinge\n" + b"0,0,0\n" * 50000)
                process.stdin.flush()
                end = time.monotonic() + 100
                while len(self.names()) < 2 and time.monotonic() < end:
                    time.sleep(0.01)
                process.send_signal(number)
                process.wait(timeout=100)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(self.names(), ["m.urdf"])

    def limited(self, bytes_, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return subprocess.run([tool.LIMB, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder, preexec_fn=limit)

    def test_full_disk_cuts_no_number(self):
        out = self.folder / "o.csv"
        for size in range(20000, 20600, 37):
            done = self.limited(size, "sim", "planar_2r", "--duration", "1", "--rate", "1000", "--output", out)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("File too large", done.stderr)
            head, rows = tool.read_csv(out.read_text())
            self.assertTrue(out.read_text().endswith("\n"))
            self.assertEqual({len(row) for row in rows}, {len(head)})
            self.assertGreater(len(rows), 100)
            self.assertEqual(self.names(), ["o.csv"])
            out.unlink()

    def test_full_disk_keeps_the_old_file(self):
        states = self.file("t.csv", tool.table("q.hinge,v.hinge,a.hinge", [[0.1 * i, 0.2, 0.3] for i in range(9000)]))
        model = self.file("m.urdf", tool.PENDULUM)
        self.file("o.csv", "old")
        self.file("o.txt", "old")
        self.file("o.npy", "old")
        names = self.names()
        for words in (("id", model, states, "--output", "o.csv"), ("fd", "m.urdf", "t.csv", "--output", "o.csv"),
                      ("eval", model, "--states", states, "--what", "tau", "--output", "o.npy"),
                      ("eval", model, "--states", states, "--what", "tau", "--output", "o.txt"),
                      ("sim", "planar_2r", "--duration", "1", "--rate", "1000", "--output", "o.csv"),
                      ("sim", "planar_2r", "--duration", "1", "--rate", "1000", "--output", "o.npy")):
            done = self.limited(20000, *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual((self.folder / words[-1]).read_text(), "old", words)
            self.assertEqual(self.names(), names)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    tool.main(__doc__)
