#!/usr/bin/env python3
"""limb report: the page, its tables as JSON and CSV, motors, comparison, bad input.

test_cli_report.py <limb>
"""

import csv
import html.parser
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIMB = None
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NAME = """a "b" <c> & 'd' </script><script>alert(1)</script>"""


class Page(html.parser.HTMLParser):
    """Elements, the text in each kind, and everything that could be loaded."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.loads, self.text, self.open = [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href", "srcset", "action", "style")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if data.strip():
            self.text.setdefault(self.open[-1], []).append(data)


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, *map(str, words)], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def arm(self, name="arm", more=""):
        return self.file(
            "arm.limb.yaml",
            f"""limb: 1
name: {json.dumps(name)}
bodies:
  - {{name: {json.dumps(name + " body")}, mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}}
joints:
  - {{name: {json.dumps(name + " hinge")}, type: revolute, parent: world, child: {json.dumps(name + " body")},
     axis: [0, 1, 0]{more}}}
""",
        )

    def sine(self, name="arm", rows=101, period=1.0):
        """A turn back and forth: q = sin(w t)."""
        w, j = 2 * math.pi / period, f'"q.{name} hinge","v.{name} hinge","a.{name} hinge"'.replace('"b"', '""b""')
        lines = [
            f"{period * i / (rows - 1)},{math.sin(w * period * i / (rows - 1))},"
            f"{w * math.cos(w * period * i / (rows - 1))},{-w * w * math.sin(w * period * i / (rows - 1))}"
            for i in range(rows)
        ]
        return self.file("sine.csv", f"time,{j}\n" + "\n".join(lines) + "\n")

    def page(self, *words):
        self.run_limb("report", *words, "-o", "x.html")
        text = (self.folder / "x.html").read_text(encoding="utf-8")
        page = Page(text)
        for at in page.loads:
            self.assertTrue(at.startswith(("data:image/svg+xml;base64,", "--left:")), at[:80])
        self.assertNotIn("script", page.tags)
        self.assertEqual(page.open, [])
        return page, text

    def test_whole_page(self):
        page, text = self.page(
            "panda", EXAMPLES / "pick_and_place.csv", "--differentiate", "--motors", EXAMPLES / "panda_motors.yaml"
        )
        self.assertEqual(page.text["h1"], ["panda"])
        self.assertEqual(page.text["h2"], ["The robot", "The motion", "Joints", "Tables"])
        self.assertEqual(page.text["h3"][1:], [f"joint{k}" for k in range(1, 8)])
        self.assertIn('<p class="bad">2 of 70 limits are exceeded</p>', text)
        self.assertEqual(page.tags.count("img"), 1 + 1 + 7 * 2)  # robot, motion, curves and diagram of each joint
        self.assertIn("motors of panda_motors.yaml", text)
        self.assertNotIn(str(EXAMPLES), text)  # names, not paths
        self.assertLess(len(text), 1.5e6)

    def test_same_twice(self):
        words = ("ur5", "-o")
        for name in ("a.html", "b.html"):
            self.run_limb("report", *words, name)
        self.assertEqual((self.folder / "a.html").read_bytes(), (self.folder / "b.html").read_bytes())

    def test_hostile_names(self):
        model, states = self.arm(NAME, ", limits: {effort: 1}"), self.sine(NAME)
        _, text = self.page(model, states)
        self.assertNotIn("<script>", text)
        self.assertNotIn('alt="a "', text)
        self.assertIn("&lt;/script&gt;&lt;script&gt;alert(1)", text)
        self.page(model)

    # tau = I a + m g l cos(q) about y: known in closed form
    def test_numbers(self):
        model, states = self.arm(more=", limits: {effort: 20, velocity: 5}"), self.sine()
        motors = self.file(
            "m.yaml",
            "schema: 1\nmotors: {m: {rated_torque: 0.05, peak_torque: 0.5, inertia: 1e-4}}\n"
            "gearboxes: {g: {ratio: 50, efficiency: 0.8}}\n"
            "joints: {arm hinge: {motor: m, gearbox: g}}\n",
        )
        self.run_limb("report", model, states, "--motors", motors, "--safety", 2, "-o", "x.json")
        data = json.loads((self.folder / "x.json").read_text(encoding="utf-8"))
        self.assertEqual((data["schema"], data["safety"], data["robot"]["mass"]), (1, 2, 2))
        w, inertia, tau, power, motor = 2 * math.pi, 0.01 + 2 * 0.25, [], [], []
        for i in range(101):
            q, v, a = math.sin(w * i / 100), w * math.cos(w * i / 100), -w * w * math.sin(w * i / 100)
            tau.append(inertia * a - 2 * 9.81 * 0.5 * math.cos(q))
            power.append(tau[-1] * v)
            motor.append((tau[-1] / 40 if power[-1] >= 0 else tau[-1] * 0.8 / 50) + 1e-4 * 50 * a)
        dof = data["dofs"][0]
        close = lambda x, y: self.assertLess(abs(x - y), 1e-9 * max(1, abs(y)), f"{x} is not {y}")
        close(dof["peak_torque"]["value"], max(tau, key=abs))
        rms = math.sqrt(sum(x * x + y * y for x, y in zip(tau, tau[1:])) / 200)
        close(dof["rms_torque"], rms)
        close(dof["motor"]["peak_torque"]["value"], max(motor, key=abs))
        rms = math.sqrt(sum(x * x + y * y for x, y in zip(motor, motor[1:])) / 200)
        close(dof["motor"]["rms_torque"], rms)
        used = {x["limit"]: x for x in data["limits"]}
        close(used["motor: RMS torque"]["used"], 2 * rms / 0.05)
        self.assertTrue(used["motor: RMS torque"]["over"])
        close(used["peak speed"]["used"], w / 5)
        close(data["foundation"]["min"][5], min(-2 * 9.81 - 2 * 0.5 * s for s in self.lifts()))
        table = list(
            csv.DictReader(
                io.StringIO(
                    self.run_limb("report", model, states, "--motors", motors, "-o", "-", "--format", "csv").stdout
                )
            )
        )
        close(float(table[0]["motor_rms_torque"]), rms)
        text = self.run_limb("report", model, states, "--motors", motors, "-o", "-", "--format", "text").stdout
        self.assertEqual(text, self.run_limb("id", model, states, "--size", "--motors", motors).stdout)

    @staticmethod
    def lifts():
        """Upward acceleration of the tip of the arm by its length."""
        w = 2 * math.pi
        for i in range(101):
            q, v, a = math.sin(w * i / 100), w * math.cos(w * i / 100), -w * w * math.sin(w * i / 100)
            yield -(a * math.cos(q) - v * v * math.sin(q))

    def test_model_alone(self):
        self.run_limb("report", self.arm(more=", limits: {effort: 5}"), "-o", "x.json")
        data = json.loads((self.folder / "x.json").read_text(encoding="utf-8"))
        (torque,) = data["gravity_torques"]
        self.assertAlmostEqual(abs(torque["torque"]), 9.81, places=9)
        self.assertAlmostEqual(torque["used"], 9.81 / 5, places=9)
        page, text = self.page("arm.limb.yaml")
        self.assertIn('<p class="bad">1 of 1 torque limits cannot hold the robot everywhere</p>', text)
        self.assertEqual(page.tags.count("img"), 1)
        done = self.run_limb("report", "arm.limb.yaml", "--payload", "1kg", "-o", "-", "--format", "csv")
        self.assertIn("gravity_torque", done.stdout)

    def test_faulty_model(self):
        """Errors of the doctor stand on top; a limit of zero is exceeded, not divided by."""
        page, text = self.page(EXAMPLES / "sick_arm.urdf")
        self.assertIn('<p class="bad">the model has 2 errors: see the findings</p>', text)
        self.assertIn('<td class="l over">error</td>', text)
        self.assertNotIn("inf", " ".join(page.text["td"]).split())
        self.assertIn("OVER", page.text["td"])

    def test_all_robots(self):
        for name in ("panda", "quadruped", "four_bar", "hand", "series_elastic_arm", "delta", "car"):
            with self.subTest(robot=name):
                self.page(name)

    def test_motions_of_all_kinds(self):
        """Loops, floating bases, followers, joints without limits; one row; joints without motor have no curves."""
        for name, curves in (("four_bar", 1), ("hand", 9), ("space_arm", 12), ("acrobot", 1)):
            with self.subTest(robot=name):
                self.run_limb(
                    "sim", name, "--duration", "0.2", "--step", "0.01", "--channels", "q,v,a", "--output", "all.csv"
                )
                page, text = self.page(name, "all.csv")
                self.assertLessEqual(page.tags.count("img"), 2 + 2 * curves)
                self.assertNotRegex(text, r">-?\d\.?\d*e-(1[2-9]|[2-9]\d)")  # rounding is not data
                head, row = (self.folder / "all.csv").read_text(encoding="utf-8").splitlines()[:2]
                self.file("one.csv", f"{head}\n{row}\n")
                self.page(name, "one.csv")
                data = json.loads(self.run_limb("report", name, "one.csv", "-o", "-", "--format", "json").stdout)
                self.assertEqual((data["rows"], data["duration"]), (1, 0))

    def test_comparison(self):
        model = self.arm(more=", limits: {effort: 20}")
        slow = self.sine(period=2.0)
        (self.folder / slow).rename(self.folder / "slow.csv")
        fast = self.sine()
        page, text = self.page(model, fast, "--compare", "slow.csv")
        self.assertIn("Comparison", page.text["h2"])
        self.assertIn("sine.csv: 1 of 1 limits is exceeded", text)
        self.assertIn("slow.csv: all 1 limits are kept", text)
        data = json.loads(self.run_limb("report", model, fast, "--compare", "slow.csv", "--format", "json").stdout)
        self.assertEqual(data["compared_with"]["duration"], 2)
        self.page("panda", EXAMPLES / "pick_and_place.csv", "--differentiate", "--compare-model", "panda")

    def test_refusals(self):
        model, states = self.arm(), self.sine()
        bad = "schema: 1\nmotors: {m: {rated_torque: 1}}\njoints: {arm hing: m}\n"
        cases = [
            ((model, states, "-o", "x.docx"), ".html"),
            ((model, "--motors", "m.yaml"), "is for a motion"),
            ((model, states, "--safety", "0.5"), "at least 1"),
            ((model, states, "--motors", self.file("bad.yaml", bad)), "did you mean 'arm hinge'"),
            ((model, states, "--motors", "none.yaml"), "none.yaml"),
            ((model, self.file("empty.csv", "time,q.arm hinge,v.arm hinge,a.arm hinge\n")), "no rows"),
            ((model, self.file("nan.csv", "time,q.arm hinge,v.arm hinge,a.arm hinge\n0,nan,0,0\n")), "nan.csv"),
            ((model, self.file("still.csv", "q.arm hinge,v.arm hinge,a.arm hinge\n0,0,0\n")), "time"),
            ((model, states, "--format", "csv", "--compare", states), "one motion"),
            ((model, "--format", "text"), "limb info"),
            ((model, states, "-o", "x.html", "--format", "json"), "contradicts"),
        ]
        for words, reason in cases:
            with self.subTest(words=words):
                done = self.run_limb("report", *words, code=2)
                self.assertIn(reason, done.stderr)
                self.assertFalse((self.folder / "report.html").exists())

    def test_motors_of_other_joints(self):
        head = "schema: 1\nmotors: {m: {rated_torque: 1}}\ngearboxes: {s: {lead: 5mm}}\n"
        states = self.sine()
        for joints, reason in (("{arm hinge: {motor: m, gearbox: s}}", "turns: its gearbox has a ratio"),):
            done = self.run_limb(
                "report", self.arm(), states, "--motors", self.file("m.yaml", head + f"joints: {joints}\n"), code=2
            )
            self.assertIn(f"m.yaml:4: error: joint 'arm hinge' {reason}", done.stderr)
        done = self.run_limb(
            "report",
            self.arm(more=", drive: passive"),
            states,
            "--motors",
            self.file("m.yaml", head + "joints: {arm hinge: m}\n"),
            code=2,
        )
        self.assertIn("has no motor in the model", done.stderr)


if __name__ == "__main__":
    LIMB = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
