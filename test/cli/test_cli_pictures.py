#!/usr/bin/env python3
"""Pictures that move: what limb id --animate writes plays by itself, loads nothing and shows what it should.

    test_cli_pictures.py <limb>
"""
import base64
import collections
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree
import zlib

LIMB = None
SVG = "{http://www.w3.org/2000/svg}"
Q = {"free": ["px", "py", "pz", "qx", "qy", "qz", "qw"], "spherical": ["qx", "qy", "qz", "qw"],
     "planar": ["px", "py", "rz"], "cylindrical": ["rz", "pz"], "universal": ["r1", "r2"]}
V = {"free": ["wx", "wy", "wz", "vx", "vy", "vz"], "spherical": ["wx", "wy", "wz"],
     "planar": ["vx", "vy", "wz"], "cylindrical": ["wz", "vz"], "universal": ["w1", "w2"]}
PLANE = ["planar_2r", "point_mass_2r", "four_bar", "five_bar", "slider_crank", "cart_pole", "acrobot", "elastic2r",
         "watt_six_bar", "stephenson_six_bar", "planar_3rrr", "gripper", "sled"]
SPACE = ["panda", "gough_stewart", "delta", "quadruped", "scara", "stanford", "car", "rolling_disc", "bennett"]
NAME = """a "b" <c> & 'd' </script><script>alert(1)</script>"""


# What stands for limb-view.html: the page itself is tested in a browser (web/test).
EMPTY = pathlib.Path(__file__).resolve().parent / "limb-view.html"


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, *map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    # ---- tables

    def table(self, columns, rows, name="move.csv"):
        path = self.folder / name
        path.write_text("\n".join([",".join(columns)] + [",".join(map(str, r)) for r in rows]) + "\n")
        return path

    def standing(self, robot, rows=1):
        """A table in which a built-in robot stands still where it starts."""
        info = json.loads(self.run_limb("info", robot, "--format", "json").stdout)
        joints = [j for j in info["joints"] if j["nq"]]
        q = info["mobility"]["q"] if info["loops"] else None
        columns, values = ["time"], [0]
        for j in joints:
            kind, at = j["type"], j["q"]
            neutral = [float(s == "qw") for s in Q.get(kind, [""])]
            columns += [f"q.{j['name']}" + (f".{s}" if s else "") for s in Q.get(kind, [""])]
            values += q[at:at + j["nq"]] if q else neutral
        for letter in "va":
            for j in joints:
                columns += [f"{letter}.{j['name']}" + (f".{s}" if s else "") for s in V.get(j["type"], [""])]
                values += [0] * j["nv"]
        return self.table(columns, [[0.1 * k] + values[1:] for k in range(rows)])

    def swing(self, rows=61, length=2.0):
        """The planar arm: angles 0.3 + t and -0.4 t."""
        t = [length * k / (rows - 1) for k in range(rows)]
        return self.table(["time", "q.joint1", "q.joint2", "v.joint1", "v.joint2", "a.joint1", "a.joint2"],
                          [[x, 0.3 + x, -0.4 * x, 1, -0.4, 0, 0] for x in t])

    # ---- files

    def no_odd_numbers(self, text):
        self.assertIsNone(re.search(r"(?<![A-Za-z])-?(nan|inf)(?![A-Za-z])", text, re.I))

    def read_svg(self, path):
        """The root and the frames: how many values every motion has."""
        text = path.read_text(encoding="utf-8")
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(re.findall(r"https?:", text), ["http:"], "the name space alone")
        self.assertEqual({e.tag.replace(SVG, "") for e in root.iter()}
                         - {"svg", "title", "style", "rect", "g", "path", "defs", "use", "line", "text", "animate",
                            "animateTransform"}, set())
        names = {e.get("id") for e in root.iter()}
        for use in root.iter(SVG + "use"):
            self.assertIn(use.get("href")[1:], names)
        frames = set()
        for motion in root.iter(SVG + "animate"):
            self.assertEqual(motion.get("repeatCount"), "indefinite")
            self.assertGreater(float(motion.get("dur")[:-1]), 0)
            if motion.get("attributeName") != "d":
                continue
            values = motion.get("values").split(";")
            frames.add(len(values))
            # Frames that do not have the same commands would jump instead of moving.
            self.assertEqual(len({re.sub(r"[^A-Za-z]", "", v) for v in values}), 1)
        for path_element in root.iter(SVG + "path"):
            self.assertRegex(path_element.get("d"), r"^[-MmLlHhVvCcZz0-9. ]+$")
        self.no_odd_numbers(re.sub(r"<(style|title|text)[^>]*>[^<]*", "", text))
        return root, frames

    def read_html(self, path):
        """The data of a page, with the numbers of its motion."""
        head, tail = EMPTY.read_text(encoding="utf-8").split("null")
        text = path.read_text(encoding="utf-8")
        self.assertTrue(text.startswith(head) and text.endswith(tail))
        text = text[len(head):-len(tail)]
        self.assertNotIn("<", text)
        data = json.loads(text, parse_constant=lambda word: self.fail(word))
        for name, array in data["motion"]["arrays"].items():
            raw = base64.b64decode(array["bytes"], validate=True)
            raw = zlib.decompress(raw) if array["compressed"] else raw
            data[name] = struct.unpack(f"<{len(raw) // 8}d", raw)
        return data

    def animate(self, robot, table, name, *words, code=0):
        done = self.run_limb("id", robot, table, "--animate", self.folder / name, *words, code=code)
        return done, self.folder / name

    def motion(self, robot, table, *words):
        return self.read_html(self.animate(robot, table, "out.html", *words)[1])

    def kinds(self, robot):
        """How many paths of each kind the picture of a robot has; equal ones may share a path."""
        root, _ = self.read_svg(self.animate(robot, self.standing(robot), "out.svg")[1])
        return collections.Counter(e.get("class").split()[0] for e in root.iter() if e.get("class"))

    # ---- what is shown

    @unittest.mock.patch.dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # of what fontconfig keeps
    def test_paper(self):
        """Where it begins, and the path of the tool."""
        for name, head in (("out.png", b"\x89PNG\r\n"), ("out.pdf", b"%PDF-")):
            _, path = self.animate("planar_2r", self.swing(), name)
            self.assertTrue(path.read_bytes().startswith(head))
            self.run_limb("sim", "planar_2r", "--duration", "1", "--animate", path, "--quiet")
            self.assertTrue(path.read_bytes().startswith(head))

    def test_frames(self):
        done, path = self.animate("planar_2r", self.swing(), "out.svg")
        self.assertEqual(done.stdout, "")
        root, frames = self.read_svg(path)
        self.assertEqual(frames, {61})
        self.assertEqual(root.find(SVG + "title").text, "planar_2r")
        self.assertEqual({m.get("dur") for m in root.iter(SVG + "animate")}, {"2s"})
        times = [t.text for t in root.iter(SVG + "text") if t.get("class") == "time"]
        self.assertEqual((times[0], len(times)), ("0.00 s", 61))

    def test_pages_have_the_motion(self):
        data = self.motion("planar_2r", self.swing())
        self.assertEqual(len(data["time"]), 61)
        for k, t in enumerate(data["time"]):
            for name, at in (("q", [0.3 + t, -0.4 * t]), ("v", [1, -0.4]), ("a", [0, 0])):
                self.assertEqual(list(data[name][2 * k:2 * k + 2]), at)
        done = self.run_limb("id", "planar_2r", self.swing())
        last = [float(x) for x in done.stdout.splitlines()[-1].split(",")[1:]]
        self.assertEqual(list(data["tau"][-2:]), last)

    def test_links_are_rigid(self):
        """Link lengths in pixels, in all frames: what moves is rigid, to a tenth of a pixel."""
        root, _ = self.read_svg(self.animate("planar_2r", self.swing(), "out.svg")[1])
        paths = [p for p in root.iter(SVG + "path") if p.get("class", "").startswith("link")]
        self.assertEqual(len(paths), 2)
        lengths = []
        for path in paths:
            for value in path.find(SVG + "animate").get("values").split(";"):
                x, y = map(int, re.fullmatch(r"M-?\d+ ?-?\d+l(-?\d+) ?(-?\d+)", value).groups())
                lengths.append(math.hypot(x, y))
        self.assertLess(max(lengths) - min(lengths), 3)
        self.assertGreater(min(lengths), 500)

    def test_planes(self):
        for robot in PLANE + SPACE:
            with self.subTest(robot=robot):
                self.assertEqual(self.kinds(robot)["axis"], 3 if robot in SPACE else 2)

    def test_shapes(self):
        for robot, expected in (("four_bar", {"frame", "ground", "link", "closure"}),
                                ("gough_stewart", {"plate", "closure", "ground", "rod"}),
                                ("car", {"disc", "box"}), ("slider_crank", {"guide", "block", "closure"}),
                                ("stephenson_six_bar", {"plate"})):
            with self.subTest(robot=robot):
                self.assertLessEqual(expected, set(self.kinds(robot)))
        # The rotor of a series-elastic drive is no link of its own.
        self.assertEqual(self.kinds("series_elastic_arm")["link"], 2)

    def test_every_built_in_robot(self):
        names = [line.split()[0] for line in self.run_limb("models").stdout.splitlines()
                 if line.strip() and line.split()[0] in self.built_in()]
        self.assertGreater(len(names), 30)
        for robot in names:
            with self.subTest(robot=robot):
                table = self.standing(robot, rows=3)
                self.assertEqual(len(self.motion(robot, table)["time"]), 3)
                _, frames = self.read_svg(self.animate(robot, table, "out.svg")[1])
                self.assertLessEqual(frames, {3})

    def built_in(self):
        folder = pathlib.Path(__file__).resolve().parents[2] / "models"
        return {p.name.split(".")[0] for p in folder.glob("*.limb.yaml")}

    # ---- size

    def chain(self, joints, rows):
        robot = self.folder / "chain.limb.yaml"
        bodies = "".join(f"  - {{name: b{i}, mass: 0.01, com: [0.005, 0, 0], solid: {{sphere: 0.002}}}}\n"
                         for i in range(joints))
        lines = "".join(
            f"  - {{name: j{i}, type: revolute, parent: {f'b{i - 1}' if i else 'world'}, child: b{i}, "
            f"axis: [0, {i % 2}, {1 - i % 2}], pose: {{xyz: [{0.01 if i else 0}, 0, 0]}}}}\n" for i in range(joints))
        robot.write_text(f"limb: 1\nname: chain\nbodies:\n{bodies}joints:\n{lines}")
        columns = ["time"] + [f"q.j{i}" for i in range(joints)]
        return robot, self.table(columns, [[k / 30] + [round(0.3 * math.sin(k / 50 + i / 9), 5) for i in range(joints)]
                                           for k in range(rows)])

    def test_long_chain(self):
        """More than a file may hold: fewer frames, and enough of them."""
        robot, table = self.chain(1000, 510)
        data = self.motion(robot, table, "--differentiate")
        self.assertIn(len(data["time"]), range(100, 260))
        self.assertEqual((data["time"][0], data["time"][-1]), (0, 509 / 30))
        self.assertLess((self.folder / "out.html").stat().st_size, 8e6)
        _, path = self.animate(robot, table, "out.svg", "--differentiate")
        self.assertIn(min(self.read_svg(path)[1]), range(150, 510))
        self.assertLess(path.stat().st_size, 5e6)

    def test_many_rows(self):
        """A thousand rows per second: no more frames than are seen, evenly."""
        _, frames = self.read_svg(self.animate("planar_2r", self.swing(rows=6001, length=6.0), "out.svg")[1])
        self.assertEqual(frames, {181})

    def test_one_state(self):
        table = self.standing("panda")
        root, frames = self.read_svg(self.animate("panda", table, "out.svg")[1])
        self.assertEqual(frames, set())
        self.assertEqual(list(root.iter(SVG + "animate")), [])
        self.assertEqual(len(self.motion("panda", table)["time"]), 1)

    def test_same_bytes(self):
        for name in ("one.svg", "one.html"):
            first = self.animate("panda", self.standing("panda", 5), name)[1].read_bytes()
            self.assertEqual(first, self.animate("panda", self.standing("panda", 5), name)[1].read_bytes())

    # ---- words

    def test_names_are_escaped(self):
        robot = self.folder / "odd.limb.yaml"
        quoted = NAME.replace("'", "''")
        robot.write_text(f"limb: 1\nname: '{quoted}'\nbodies:\n  - {{name: '<&>', mass: 1, com: [0.1, 0, 0], "
                         "solid: {sphere: 0.1}}\njoints:\n  - {name: j, type: revolute, parent: world, child: '<&>'}\n"
                         "frames:\n  - {name: '\"</svg>', body: '<&>', xyz: [1, 0, 0]}\n")
        table = self.table(["time", "q.j", "v.j", "a.j"], [[0, 0, 0, 0], [1, 1, 0, 0]], "a <b> & \"c\".csv")
        root, frames = self.read_svg(self.animate(robot, table, "out.svg")[1])
        self.assertEqual(root.find(SVG + "title").text, NAME)
        self.assertIn(table.name, [t.text for t in root.iter(SVG + "text")])
        self.assertEqual(frames, {2})
        self.assertIn(json.dumps(NAME)[1:-1], self.motion(robot, table)["model"])

    # ---- what goes wrong

    def left(self):
        return sorted(p.name for p in self.folder.iterdir())

    def test_bad_paths(self):
        table = self.swing()
        done = self.run_limb("id", "planar_2r", table, "--animate", self.folder / "no" / "such.svg", code=2)
        self.assertIn("such.svg", done.stderr)
        for name in ("film.mp4", "film"):
            done, _ = self.animate("planar_2r", table, name, code=2)
            self.assertIn("ends in none of .svg, .png, .pdf, .html and .htm", done.stderr)
        done = self.run_limb("id", "planar_2r", table, "--animate", "-", code=2)
        done, _ = self.animate("planar_2r", table, "a.svg", "--plot", self.folder / "a.svg", code=2)
        self.assertIn("same file", done.stderr)
        self.assertEqual(self.left(), ["move.csv"])

    def test_bad_rows(self):
        head = ["time", "q.joint1", "q.joint2", "v.joint1", "v.joint2", "a.joint1", "a.joint2"]
        (self.folder / "a.svg").write_text("old")
        for row in (["1", "nan", 0, 0, 0, 0, 0], ["1", "inf", 0, 0, 0, 0, 0], ["1", "x", 0, 0, 0, 0, 0],
                    ["-1", 0, 0, 0, 0, 0, 0], ["nan", 0, 0, 0, 0, 0, 0]):
            table = self.table(head, [[0] * 7, row])
            done = subprocess.run([LIMB, "id", "planar_2r", str(table), "--animate", str(self.folder / "a.svg")],
                                  capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (2, 4), row)
            self.assertIn("move.csv:3", done.stderr)
            self.assertEqual((self.folder / "a.svg").read_text(), "old")
        self.assertEqual(self.left(), ["a.svg", "move.csv"])
        done, _ = self.animate("planar_2r", self.table(head, []), "b.svg", code=2)
        done, _ = self.animate("planar_2r", self.table(head[1:], [[0] * 6]), "b.svg", code=2)
        self.assertIn("time", done.stderr)
        self.assertEqual(self.left(), ["a.svg", "move.csv"])

    def test_beside_other_outputs(self):
        done, path = self.animate("planar_2r", self.swing(), "a.html", "--plot", self.folder / "b.svg", "--size",
                                  "--output", self.folder / "tau.csv")
        self.assertIn("joint2", done.stdout)
        self.assertEqual(self.left(), ["a.html", "b.svg", "move.csv", "tau.csv"])
        self.read_html(path)
        self.assertEqual(len((self.folder / "tau.csv").read_text().splitlines()), 62)


if __name__ == "__main__":
    LIMB = sys.argv.pop(1)
    unittest.main()
