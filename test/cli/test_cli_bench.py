#!/usr/bin/env python3
"""The command bench of the tool: rows, formats, complaints. Times are looked at for being there, not for what they are.

    test_cli_bench.py <limb>

limb-bench is expected beside it.
"""
import csv
import io
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

LIMB = None

MODES = ("single", "batch", "float", "threads")
BATCHED = {"rnea", "crba", "fd", "jacobian", "minv", "id_derivatives", "fd_derivatives", "rk4_step", "regressor",
           "coriolis"}
COLUMNS = ["robot", "dof", "quantity", "mode", "layout", "threads", "states", "library", "version", "ns", "median_ns",
           "slots", "gflops", "peak_share", "difference", "target_slots", "reached", "mul", "add", "div", "sqrt",
           "sincos"]


def run_limb(*words):
    return subprocess.run([LIMB, "bench", "--quick", *words], capture_output=True, text=True, check=False)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run_limb("--no-peers", "--robots", "2r", "--threads", "2", "--format", "json")
        assert done.returncode == 0, done.stderr
        cls.errors, cls.answer = done.stderr, json.loads(done.stdout)
        cls.rows = cls.answer["rows"]

    def fails(self, *words):
        done = run_limb(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def find(self, quantity, mode):
        found = [r for r in self.rows if (r["quantity"], r["mode"]) == (quantity, mode)]
        self.assertEqual(len(found), 1, (quantity, mode))
        return found[0]

    def test_answers_agree(self):
        self.assertEqual(self.errors, "")
        for row in self.rows:
            if row["difference"] is not None:
                self.assertLess(row["difference"], 1e-4 if row["mode"] == "float" else 1e-9, row)

    def test_head(self):
        answer = self.answer
        self.assertEqual((answer["schema"], answer["threads"]), (1, 2))
        self.assertIn(answer["isa"], ("base", "v3", "v4"))
        self.assertEqual((answer["no_peers"], answer["peers"]), ("left out", []))
        self.assertRegex(answer["date"], r"^20\d\d-\d\d-\d\d ")
        self.assertGreaterEqual(answer["load"], 0)
        self.assertEqual(answer["slots_per_ns"], answer["peak_gflops"]["scalar"])
        for peak in answer["peak_gflops"].values():
            self.assertGreater(peak, 0)

    def test_rows(self):
        for row in self.rows:
            self.assertEqual(list(row), COLUMNS)
            self.assertEqual((row["robot"], row["dof"], row["library"]), ("2r", 2, "limb"))
            self.assertIn(row["mode"], MODES)
            self.assertGreater(row["ns"], 0)
            self.assertGreaterEqual(row["median_ns"], row["ns"])
            self.assertTrue(math.isclose(row["slots"], row["ns"] * self.answer["slots_per_ns"]))
            single = row["mode"] == "single"
            self.assertEqual((row["layout"], row["states"]) == (None, 1), single)
            self.assertEqual(row["threads"], 2 if row["mode"] == "threads" else 1)
        for mode in MODES[1:]:
            self.assertEqual({r["quantity"] for r in self.rows if r["mode"] == mode}, BATCHED)
        self.assertLess(BATCHED, {r["quantity"] for r in self.rows if r["mode"] == "single"})

    def test_operations(self):
        peak = self.answer["peak_gflops"]
        of = {"single": peak["scalar"], "batch": peak["double"], "float": peak["float"], "threads": 2 * peak["double"]}
        for mode in MODES:
            row = self.find("rnea", mode)
            # Two joints: a sine and cosine each, and far below the published 192 and 146.
            self.assertEqual((row["mul"], row["add"], row["sincos"]), (72, 62, 2))
            pair = 26 if mode == "float" else 39  # operations of a sine with its cosine
            self.assertTrue(math.isclose(row["gflops"], (72 + 62 + 2 * pair) / row["ns"]))
            self.assertTrue(math.isclose(row["peak_share"], row["gflops"] / of[mode]))
        self.assertIsNone(self.find("jacobian", "batch")["gflops"])

    def test_csv_has_the_same_columns(self):
        done = run_limb("--no-peers", "--robots=2r", "--format=csv")
        rows = list(csv.reader(io.StringIO(done.stdout)))
        self.assertEqual((done.returncode, rows[0]), (0, COLUMNS))
        self.assertEqual(len(rows) - 1, len(self.rows))
        for got, row in zip(rows[1:], self.rows):
            self.assertEqual(len(got), len(COLUMNS))
            self.assertEqual((got[0], got[2], got[3]), (row["robot"], row["quantity"], row["mode"]))
            self.assertGreater(float(got[COLUMNS.index("ns")]), 0)
            self.assertEqual(got[COLUMNS.index("mul")], "" if row["mul"] is None else str(row["mul"]))

    def test_text_and_plot(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cost.svg"
            done = run_limb("--no-peers", "--robots", "panda,four_bar,chain10", "--plot", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            root = xml.etree.ElementTree.parse(path).getroot()
        for line in ("other libraries are not measured: left out", "panda ", "chain10 ", "four_bar ", "fd_loops ",
                     "batch lanes", "GFLOP/s"):
            self.assertIn(line, done.stdout)
        self.assertRegex(done.stdout, r"panda +rnea +batch +[0-9.]+ +\d+ +440 (yes|missed) ")
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, space + "svg")
        curves = [x.get("d") for x in root.iter(space + "path") if x.get("class", "").startswith("curve")]
        # Three panels of four curves, with a sample beside each name; one chain is one point of each.
        self.assertEqual(len(curves), 2 * 3 * len(MODES))
        self.assertTrue(all(curve.count("L") == 1 for curve in curves))
        words = {x.text for x in root.iter(space + "text")}
        self.assertLessEqual({"limb", "limb batch", "limb float", "limb threads", "10", "joints"}, words)
        self.assertNotIn("KDL", words)

    def test_complaints(self):
        self.assertIn("there is no 'pandas'; did you mean 'panda'?", self.fails("--robots", "2r,pandas"))
        self.assertIn("there is no 'zzzzzz'; there are 2r ur5 panda", self.fails("--robots", "zzzzzz"))
        self.assertIn("there is no ''", self.fails("--robots", "2r,"))
        self.assertIn("--format takes text|json|csv, not 'xml'", self.fails("--format", "xml"))
        for threads in ("1.5", "-1", "5000"):
            self.assertIn("--threads must be a whole number from 0 to 4096", self.fails("--threads", threads))
        self.assertIn("exclude each other", self.fails("--no-peers", "--peers", "x.so"))
        self.assertIn("--robots names none", self.fails("--robots", "2r", "--plot", "x.svg"))
        self.assertIn("no-such-folder", self.fails("--robots", "chain10", "--plot", "no-such-folder/x.svg"))

    def test_robots_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "legged.urdf"
            link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
            path.write_text('<robot name="r">' + link.format("a") + link.format("b") +
                            '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/>'
                            '<axis xyz="0 1 0"/><dynamics damping="1"/></joint></robot>', encoding="utf-8")
            for end, dof in (("", 1), ("+free", 7)):
                done = run_limb("--no-peers", "--robots", f"{path}{end}", "--format", "json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                rows = json.loads(done.stdout)["rows"]
                self.assertEqual({(r["robot"], r["dof"]) for r in rows}, {("legged.urdf", dof)})
            path.write_text("<robot>", encoding="utf-8")
            self.assertIn("legged.urdf", self.fails("--no-peers", "--robots", str(path)))
        self.assertIn("nowhere.urdf", self.fails("--no-peers", "--robots", "nowhere.urdf"))

    def test_module_of_peers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "peers.so"
            self.assertIn("peers.so", self.fails("--robots", "2r", "--peers", str(path)))
            path.write_text("no module")
            self.assertIn("peers.so", self.fails("--robots", "2r", "--peers", str(path)))

    def test_help_names_all_robots(self):
        words = re.split(r"[\s,.]+", run_limb("--help").stdout)
        complete = subprocess.run([LIMB, "completion", "words", "--", "bench", "--robots", ""], capture_output=True,
                                  text=True, check=True).stdout
        robots = complete.split()[1:]  # the first line is of the list
        self.assertGreater(len(robots), 15)
        for robot in robots:
            self.assertIn(robot, words)
        self.assertEqual(self.fails("--robots", "zzzzzz").split("there are ")[1].split(), robots)

    def test_program_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(LIMB, folder)
            done = subprocess.run([alone, "bench", "--quick"], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("limb-bench is not there; ", done.stderr)
            self.assertIn("`make bench`", done.stderr)
            self.assertEqual(subprocess.run([alone, "bench", "--help"], capture_output=True, check=False).returncode, 0)

    def test_exit_code_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(LIMB, folder)
            program = pathlib.Path(folder) / "limb-bench"
            program.write_text("#!/bin/sh\necho \"$@\"\nexit 3\n")
            program.chmod(0o755)
            done = subprocess.run([alone, "bench", "--robots", "a b", "--quick"], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (3, "--robots a b --quick\n"))


if __name__ == "__main__":
    LIMB = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
