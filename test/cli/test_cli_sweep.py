#!/usr/bin/env python3
"""`limb sweep`: the same table on any number of threads and parts, killed and stopped sweeps, wrong options.

    test_cli_sweep.py <limb>
"""
import csv
import os
import pathlib
import signal
import subprocess
import time

import test_cli_b as tool

STUDY = """study: 1
title: Two links that fall
run:
  model: planar_2r
  start: {q: {joint1: 30deg}}
  events: [{name: level, when: q.joint1 < 0}]
  solver: {method: rk4, step: 1ms}
  duration: DURATION
samples: SAMPLES
sampling: latin
vary:
  start.q.joint2: [0, 10deg]
  solver.method: [rk4, euler]
  model.parameters.link2.mass: {normal: [1, 0.1]}
  load: {log_uniform: [0.1, 2], set: {model.payload: "{}kg@tip"}}
collect: {final: [q, total_energy], max: [v.joint1], events: [level], series: [q.joint1], points: 3}
"""
ARRAYS = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT")


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.reader(f))


class Sweep(tool.Case):
    def setUp(self):
        super().setUp()
        for name in ARRAYS:
            os.environ.pop(name, None)

    def study(self, samples=4, duration="50ms", text=STUDY):
        return self.file("study.yaml", text.replace("SAMPLES", str(samples)).replace("DURATION", duration))

    def sweep(self, *words, code=0):
        return self.run_limb("sweep", *words, code=code)

    def test_a_table(self):
        study = self.study()
        done = self.sweep(study, "--output", self.folder / "a.csv")
        self.assertIn("limb sweep: 16 cases, 16 now", done.stderr)
        head, *rows = rows_of(self.folder / "a.csv")
        self.assertEqual(head[:8], ["case", "status", "reason", "start.q.joint2", "solver.method",
                                    "model.parameters.link2.mass", "load", "time"])
        self.assertEqual([row[0] for row in rows], [str(i) for i in range(16)])
        self.assertEqual({row[4] for row in rows}, {"rk4", "euler"})
        self.assertEqual(self.names(), ["a.csv", "study.yaml"])  # no folder of rows is left
        first = (self.folder / "a.csv").read_bytes()
        for words in (("--threads", "1"), ("--threads", "3")):
            self.sweep(study, "--output", self.folder / "a.csv", *words)
            self.assertEqual((self.folder / "a.csv").read_bytes(), first)
        listed = list(csv.reader(self.sweep(study, "--list").stdout.splitlines()))
        self.assertEqual(listed[1:], [[row[0], *row[3:7]] for row in rows])
        self.sweep(study)
        self.assertTrue((self.folder / "study.arrow").read_bytes().startswith(b"ARROW1\0\0"))

    def test_a_run_file_of_its_own(self):
        (self.folder / "runs").mkdir()
        (self.folder / "runs" / "fall.yaml").write_text(
            "schema: 1\nmodel: planar_2r\nduration: 10ms\nsolver: {method: rk4}\nstart: {q: {joint3: 1}}\n")
        study = self.file("s.yaml", "study: 1\nrun: runs/fall.yaml\nvary: {solver.step: [1ms, 2ms]}\n"
                                    "collect: {final: [q]}\n")
        self.assertIn("fall.yaml:5:21: start.q.joint3: the model has no joint", self.sweep(study, code=2).stderr)
        (self.folder / "runs" / "fall.yaml").write_text("schema: 1\nmodel: planar_2r\nduration: 10ms\nbad: 1\n")
        self.assertRegex(self.sweep(study, code=2).stderr, r"fall.yaml:4:1: error: unknown key 'bad'")

    def test_parts(self):
        study = self.study()
        self.sweep(study, "--output", self.folder / "whole.csv")
        out = self.folder / "parts.csv"
        self.sweep(study, "--output", out, "--part", "1/3")
        os.environ.update(zip(ARRAYS, ("12", "10", "12", "3")))
        self.assertIn("part 3 of 3, by SLURM_ARRAY_TASK_ID", self.sweep(study, "--output", out).stderr)
        for name in ARRAYS:
            del os.environ[name]
        done = self.sweep(study, "--output", out, "--merge", code=1)
        self.assertIn("5 of 16 cases are missing, the first is 1: part 2 has 0 of 5", done.stderr)
        self.assertFalse(out.exists())
        self.sweep(study, "--output", out, "--part", "1/3", "--restart")  # of that part alone
        self.sweep(study, "--output", out, "--merge", "--partial")
        self.assertEqual(len(rows_of(out)), 1 + 11)
        again = self.sweep(study, "--output", out, "--part", "1/3", code=2)
        self.assertIn("has rows of this study already", again.stderr)
        self.assertIn("is of part 1 of 3", self.sweep(study, "--output", out, "--part", "1/2", code=2).stderr)
        done = self.sweep(study, "--output", out, "--part", "2/3", "--resume")
        self.assertIn("all parts are there", done.stderr)
        self.sweep(study, "--output", out, "--merge")
        self.assertEqual(out.read_bytes(), (self.folder / "whole.csv").read_bytes())
        self.assertFalse((self.folder / "parts.csv.rows").exists())

    def begin(self, *words):
        """A sweep in the background, after its first rows have been written."""
        sweep = subprocess.Popen([tool.LIMB, "sweep", *map(str, words)], stderr=subprocess.PIPE, text=True)
        folder = pathlib.Path(str(words[-1]) + ".rows")
        while sweep.poll() is None and not any(p.stat().st_size > 2000 for p in folder.glob("*.rows")):
            time.sleep(0.01)
        self.assertIsNone(sweep.poll(), "the sweep ended before it could be stopped")
        return sweep

    def test_killed(self):
        """kill -9 in the middle, twice, and a row that was cut off: the table is that of a sweep without."""
        study = self.study(samples=100, duration="1s")
        out = self.folder / "killed.csv"
        for resume in ([], ["--resume"]):
            sweep = self.begin(study, "--quiet", *resume, "--output", out)
            sweep.send_signal(signal.SIGKILL)
            sweep.communicate()
        longest = max((self.folder / "killed.csv.rows").iterdir(), key=lambda p: p.stat().st_size)
        with open(longest, "r+b") as f:
            f.truncate(longest.stat().st_size - 7)
        self.assertIn("--resume goes on", self.sweep(study, "--output", out, code=2).stderr)
        self.sweep(study, "--output", out, "--resume")
        self.sweep(study, "--output", self.folder / "whole.csv", "--threads", "1")
        self.assertEqual(out.read_bytes(), (self.folder / "whole.csv").read_bytes())
        self.assertIn("nothing to go on with", self.sweep(study, "--output", out, "--resume", code=2).stderr)

    def test_stopped(self):
        study = self.study(samples=1000, duration="1s")
        out = self.folder / "out.csv"
        sweep = self.begin(study, "--output", out)
        second = self.sweep(study, "--resume", "--output", out, code=2)
        self.assertIn("is being written by another process", second.stderr)
        sweep.send_signal(signal.SIGINT)
        error = sweep.communicate()[1]
        self.assertRegex(error, r"stopped after \d+ of 4000 cases; to go on: limb sweep .*study.yaml --resume")
        self.assertIn(sweep.returncode, (130, -signal.SIGINT))
        self.assertFalse(out.exists())
        # another study of the same name
        study = self.study(samples=2)
        self.assertIn("rows of another study", self.sweep(study, "--resume", "--output", out, code=2).stderr)
        self.sweep(study, "--restart", "--output", out)
        self.assertEqual(len(rows_of(out)), 1 + 8)

    def test_example(self):
        """Heavier loads bend the Panda further, and a higher gain less."""
        example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "panda.study.yaml"
        text = example.read_text(encoding="utf-8")
        text = text.replace("samples: 50", "samples: 4").replace("step: 2ms", "step: 5ms")
        out = self.folder / "panda.csv"
        self.sweep(self.file("panda.yaml", text), "--output", out)
        head, *rows = rows_of(out)
        z, load = head.index("final.pos.flange.z"), head.index("load")
        self.assertTrue(all(row[1] == "0" for row in rows))
        for soft, stiff in zip(rows[:4], rows[4:]):
            self.assertEqual(soft[load], stiff[load])
            self.assertLess(float(soft[z]), float(stiff[z]))
        heights = [float(row[z]) for row in sorted(rows[:4], key=lambda row: float(row[load]))]
        self.assertEqual(heights, sorted(heights, reverse=True))

    def test_other_models(self):
        """Cases with models of their own: files by name, arguments of xacro, another base."""
        arm = tool.PENDULUM.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
            '<mass value="2"/>', '<mass value="$(arg m)"/>').replace(
            '<link name="stand"/>', '<xacro:arg name="m" default="1"/><link name="stand"/>')
        self.file("arm.xacro", arm)
        self.file("light.urdf", tool.PENDULUM.replace('<mass value="2"/>', '<mass value="1"/>'))
        self.file("heavy.urdf", tool.PENDULUM.replace('<mass value="2"/>', '<mass value="5"/>'))
        rest = "start: {q: {hinge: 1}}, duration: 0.1, solver: {method: rk4}}\ncollect: {final: [q, energy]}\n"
        one = self.file("one.yaml", 'study: 1\nrun: {model: {name: arm.xacro, args: ["m:=1"]}, ' + rest +
                        'vary: {m: {list: [1, 5], set: {model.args.1: "m:={}"}}}\n')
        two = self.file("two.yaml", "study: 1\nrun: {model: light.urdf, " + rest +
                        "vary: {model: [light.urdf, heavy.urdf]}\n")
        tables = []
        for study in (one, two):
            self.sweep(study, "--output", self.folder / "t.csv")
            tables.append([row[4:] for row in rows_of(self.folder / "t.csv")])
        self.assertEqual(*tables)
        self.assertNotEqual(tables[0][1], tables[0][2])
        bad = pathlib.Path(two).read_text(encoding="utf-8").replace("model: [", "model.srdf: [")
        done = self.sweep(self.file("bad.yaml", bad), code=2)
        self.assertIn("is a place of files, which cannot vary", done.stderr)

    def test_failures(self):
        study = self.file("s.yaml", "study: 1\nrun: {model: planar_2r, duration: 10ms, solver: {method: rk4}}\n"
                                    "vary: {solver.step: [1ms, 0, -1]}\ncollect: {final: [q]}\noutput: t.csv\n")
        done = self.sweep(study)
        self.assertIn("2 of 3 cases failed (columns status and reason), the first: solver.step: must be", done.stderr)
        rows = rows_of(self.folder / "t.csv")
        self.assertEqual([row[1] == "0" for row in rows[1:]], [True, False, False])
        self.assertEqual(rows[2][5:], ["nan", "nan"])
        self.assertIn("must be positive", rows[3][2])

    def test_wrong(self):
        study = self.study()
        for words, text in (
                (("--part", "4/3"), "--part takes the number"), (("--part", "x"), "--part takes the number"),
                (("--resume", "--restart"), "exclude each other"), (("--partial",), "--partial belongs to --merge"),
                (("--output", "/no/such/folder/a.csv"), "No such file"), (("--output", "-"), "must be a file"),
                (("--output", "a.txt"), ".arrow"), (("--threads", "-1"), "--threads")):
            self.assertIn(text, self.sweep(study, *words, code=2).stderr)
        self.assertEqual(self.names(), ["study.yaml"])
        done = self.sweep(self.folder / "none.yaml", code=2)
        self.assertIn("no such file", done.stderr)

    def test_list_checks(self):
        """Cases that cannot be set up are reported where they are listed; a name that is no key needs set."""
        text = ("study: 1\nrun: {model: planar_2r, duration: 10ms, solver: {method: rk4}}\n"
                "vary: {start.q.joint1: [10deg, 5kg], start.v.joint2: [1, 2]}\ncollect: {final: [q]}\n")
        done = self.sweep(self.file("s.yaml", text), "--list", code=1)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        self.assertRegex(done.stderr, "case 2 cannot be set up: .*s.yaml:3:8: start.q.joint1: '5kg' is not a number: "
                                      "the unit 'kg' does not fit")
        done = self.sweep(self.file("s.yaml", text.replace("start.q.joint1", "gain")), "--list", code=2)
        self.assertIn("a run has no 'gain'", done.stderr)
        self.assertIn("a name of your own needs set", done.stderr)

    def test_alone_under_mpirun(self):
        """One of several processes, and no plug-in: an error, and not as many sweeps as processes."""
        lonely = self.folder / "limb"
        lonely.write_bytes(pathlib.Path(tool.LIMB).read_bytes())
        lonely.chmod(0o755)
        env = {**os.environ, "OMPI_COMM_WORLD_SIZE": "4"}
        done = subprocess.run([lonely, "sweep", self.study()], capture_output=True, text=True, check=False, env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("started as one of 4 processes, and MPI cannot be used", done.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    tool.main(__doc__)
