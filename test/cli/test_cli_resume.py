#!/usr/bin/env python3
"""--resume of id, fd, eval, ik and sim: what was stopped goes on, and the table is that of a run without a stop.

    test_cli_resume.py <limb>
"""
import math
import pathlib
import signal
import struct
import subprocess
import time

import test_cli_b as tool

ROWS = 2500


class Resume(tool.Case):
    def states(self, rows=ROWS):
        columns = [f"{x}.joint{j}" for x in ("q", "v", "a", "tau") for j in (1, 2)]
        lines = [",".join(["time", *columns])]
        for i in range(rows):
            lines.append(",".join([repr(0.01 * i), *(repr(math.sin(0.1 * i + k)) for k in range(8))]))
        return self.file("s.csv", "\n".join(lines) + "\n")

    def numbers(self, path):
        lines = path.read_text(encoding="utf-8").splitlines()
        return [[float(x) for x in line.split(",")] for line in lines[1:]]

    def cut(self, whole, part, share=0.6):
        """What kill -9 leaves: a table that ends anywhere."""
        data = pathlib.Path(whole).read_bytes()
        pathlib.Path(part).write_bytes(data[:int(share * len(data))])

    def goes_on(self, words, whole, out):
        """The table of a run that found part of it is that of a run that did not."""
        part = pathlib.Path(f"{out}.part")
        self.run_limb(*words, "--output", whole, code=0)
        expected = whole.read_bytes()
        for share in (0.02, 0.6, 0.999):
            self.cut(whole, part, share)
            self.run_limb(*words, "--output", out, "--resume", code=0)
            self.assertEqual(out.read_bytes(), expected, share)
            self.assertFalse(part.exists())
            out.unlink()
        self.run_limb(*words, "--output", out, "--resume", code=0)  # nothing was there
        self.assertEqual(out.read_bytes(), expected)
        done = self.run_limb(*words, "--output", out, "--resume", code=2)
        self.assertIn("nothing to go on with", done.stderr)
        out.unlink()

    def test_tables(self):
        states = self.states()
        for words in (("id", "planar_2r", states), ("fd", "planar_2r", states, "--threads", "1"),
                      ("eval", "planar_2r", "--states", states, "--what", "M,pose.tip", "--format", "csv")):
            self.goes_on(words, self.folder / "whole.csv", self.folder / "out.csv")

    def test_npy(self):
        """The header of a table that was cut off counts the rows of its last flush."""
        states, whole, out = self.states(), self.folder / "whole.npy", self.folder / "out.npy"
        words = ("id", "planar_2r", states)
        self.run_limb(*words, "--output", whole, code=0)
        data = whole.read_bytes()
        head = 12 + struct.unpack("<I", data[8:12])[0]
        short = data[:head].replace(f"{ROWS:20d}".encode(), f"{1000:20d}".encode()) + data[head:head + 1700 * 24 + 5]
        self.assertNotEqual(short[:head], data[:head])
        part = self.folder / "out.npy.part"
        part.write_bytes(short)
        self.run_limb(*words, "--output", out, "--resume", code=0)
        self.assertEqual(out.read_bytes(), data)
        self.assertFalse(part.exists())

    def test_ik(self):
        states, poses = self.states(300), self.folder / "poses.csv"
        self.run_limb("eval", "planar_2r", "--states", states, "--what", "pose.tip", "--output", poses, code=0)
        words = ("ik", "planar_2r", poses, "--frame", "tip", "--directions", "linear")
        self.goes_on((*words, "--q", "joint2=1"), self.folder / "whole.csv", self.folder / "out.csv")
        self.goes_on((*words, "--threads", "0"), self.folder / "whole.csv", self.folder / "out.csv")

    def test_other_rows(self):
        """Rows of another run are found out."""
        states, whole, out = self.states(), self.folder / "whole.csv", self.folder / "out.csv"
        part = self.folder / "out.csv.part"
        self.run_limb("id", "planar_2r", states, "--output", whole, code=0)
        for words, text in (
                (("id", "planar_2r", states, "--gravity", "0,0,-9"), "row 1 has"),
                (("fd", "planar_2r", states), "it has other columns"),
                (("id", "planar_2r", self.file("t.csv", "\n".join(
                    pathlib.Path(states).read_text(encoding="utf-8").splitlines()[:100]) + "\n")),
                 "it has more rows than the input")):
            self.cut(whole, part)
            before = part.read_bytes()
            done = self.run_limb(*words, "--output", out, "--resume", code=2)
            self.assertIn(text, done.stderr)
            self.assertFalse(out.exists())
            self.assertTrue(before.startswith(part.read_bytes()))
        part.write_text("no table", encoding="utf-8")
        self.run_limb("id", "planar_2r", states, "--output", out, "--resume", code=0)  # not one whole line

    def test_refused(self):
        states, x = self.states(5), self.folder / "x"
        table = pathlib.Path(states).read_text(encoding="utf-8")
        for words, text in (
                (("id", "planar_2r", states), "must be a file, .csv or .npy"),
                (("id", "planar_2r", states, "--output", f"{x}.arrow"), "must be a file, .csv or .npy"),
                (("id", "planar_2r", states, "--output", f"{x}.csv", "--size"), "for torques alone"),
                (("id", "planar_2r", "-", "--output", f"{x}.csv"), "rows must come from a file"),
                (("eval", "planar_2r", "--states", states, "--what", "M", "--output", f"{x}.json"), "must be a file"),
                (("ik", "planar_2r", "--frame", "tip", "--target", "1,0,1", "--output", f"{x}.csv"), "table of poses"),
                (("sim", "planar_2r", "--duration", "1"), "must be a table in a file"),
                (("sim", "planar_2r", "--duration", "1", "--output", f"{x}.csv", "--channels", "q"), "q and v"),
                (("sim", "planar_2r", "--duration", "1", "--output", f"{x}.csv,{x}2.csv"), "must be a table in a file"),
                (("sim", "planar_2r", "--duration", "1", "--output", f"{x}.csv", "--controller",
                  "pd_gravity,kp=1,kd=1,q.joint1=0,rate=100,delay=1ms"), "has a delay")):
            self.assertIn(text, self.run_limb(*words, "--resume", code=2, stdin=table).stderr)
        self.assertEqual(self.names(), ["s.csv"])

    def test_interrupted(self):
        """Ctrl-C keeps the rows, and kill -9 of a run with --resume."""
        states, out = self.states(30000), self.folder / "out.csv"
        words = ["id", "planar_2r", states]
        self.run_limb(*words, "--output", self.folder / "whole.csv", code=0)
        part = self.folder / "out.csv.part"
        for number, more in ((signal.SIGINT, []), (signal.SIGKILL, ["--resume"]), (signal.SIGTERM, ["--resume"])):
            run = subprocess.Popen([tool.LIMB, *words, "--output", str(out), *more], stderr=subprocess.PIPE, text=True)
            before = part.stat().st_size if part.exists() else 0
            while run.poll() is None:
                sizes = [p.stat().st_size for p in (*self.folder.glob(".limb.*"), *self.folder.glob("out.csv.part"))
                         if p.exists()]
                if sizes and max(sizes) > before:
                    break
                time.sleep(0.001)
            run.send_signal(number)
            error = run.communicate()[1]
            if run.returncode == 0:
                out.unlink()  # it was faster
                continue
            self.assertEqual(run.returncode, -number, error)
            if number != signal.SIGKILL and part.exists():
                self.assertRegex(error, r"out.csv.part has the first \d+ rows; to go on: the same command with|^$")
        self.run_limb(*words, "--output", out, "--resume", code=0)
        self.assertEqual(out.read_bytes(), (self.folder / "whole.csv").read_bytes())
        self.assertEqual(self.names(), ["out.csv", "s.csv", "whole.csv"])

    def test_sim(self):
        """Fixed steps go on with the same bits, and a controller with its samples."""
        words = ("sim", "planar_2r", "--duration", "2", "--method", "rk4", "--step", "1ms", "--rate", "100",
                 "--q", "joint2=0.5", "--summary", "none")
        for more in ((), ("--controller", "pd_gravity,kp=10,kd=2,q.joint1=0.4,rate=40")):
            for ending in (".csv", ".npy"):
                whole, out = self.folder / f"whole{ending}", self.folder / f"out{ending}"
                self.run_limb(*words, *more, "--output", whole, code=0)
                data = whole.read_bytes()
                if ending == ".npy":  # as after a flush
                    head = 12 + struct.unpack("<I", data[8:12])[0]
                    data = data[:head].replace(f"{201:20d}".encode(), f"{90:20d}".encode()) + data[head:head + 4000]
                else:
                    data = data[:len(data) // 2]
                for name in (f"out{ending}.part", f"out{ending}"):  # killed; stopped by Ctrl-C
                    (self.folder / name).write_bytes(data)
                    self.run_limb(*words, *more, "--output", out, "--resume", code=0)
                    if not more:
                        self.assertEqual(out.read_bytes(), whole.read_bytes())
                    elif ending == ".csv":  # times of samples round otherwise
                        for got, expected in zip(self.numbers(out), self.numbers(whole), strict=True):
                            self.close(got, expected)
                    self.assertFalse((self.folder / f"out{ending}.part").exists())
                    done = self.run_limb(*words, *more, "--output", out, "--resume", code=2)
                    self.assertIn("reaches the end", done.stderr)
                    out.unlink()
                (self.folder / f"out{ending}").write_bytes(data)
                done = self.run_limb(*words, *more, "--gravity", "0,0,-9", "--output", out, "--resume", code=2)
                self.assertIn("the model, the run or an option has changed", done.stderr)
                for name in self.names():
                    (self.folder / name).unlink()

    def test_sim_stopped(self):
        """A run that was stopped has a last row at any time, which is left out."""
        words = ["sim", "planar_2r", "--duration", "1", "--method", "rk4", "--rate", "20", "--summary", "none"]
        out, whole = self.folder / "out.csv", self.folder / "whole.csv"
        self.run_limb(*words, "--output", whole, code=0)
        lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
        out.write_text("".join(lines[:8]) + "0.3123" + lines[9][lines[9].index(","):], encoding="utf-8")
        self.run_limb(*words, "--output", out, "--resume", code=0)
        self.assertEqual(out.read_bytes(), whole.read_bytes())

    def test_threads(self):
        """--threads means the same in all commands, and is checked before anything is opened."""
        for words in (("id", "m", "t"), ("fd", "m", "t"), ("eval", "m"), ("ik", "m", "t"), ("excite", "m"),
                      ("sweep", "s.yaml"), ("bench",)):
            for text in ("-1", "4097", "1.5"):
                done = self.run_limb(*words, "--threads", text, code=2)
                self.assertIn("--threads must be a whole number from 0 to 4096", done.stderr)
        states = self.states(50)
        whole = self.run_limb("id", "planar_2r", states, "--threads", "1", code=0).stdout
        self.assertEqual(self.run_limb("id", "planar_2r", states, "--threads", "0", code=0).stdout, whole)
        for words, text in ((("--safety", "0.5"), "--safety is a factor of at least 1"),
                            (("--motors", "none.yaml"), "none.yaml")):
            for command in (("id", "planar_2r", "none.csv", "--size"), ("report", "planar_2r", "none.csv")):
                done = self.run_limb(*command, *words, code=2)
                self.assertIn(text, done.stderr)
                self.assertNotIn("none.csv", done.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    tool.main(__doc__)
