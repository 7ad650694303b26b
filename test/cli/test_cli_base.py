#!/usr/bin/env python3
"""The command base of the tool: answers, complaints, exit codes.

    test_cli_base.py <limb>
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIMB = None

# Two links on parallel horizontal axes, so that gravity is in their plane; the second joint may be turned by
# {tilt} about x, or follow the first.
ARM = """<robot name="arm">
  <link name="stand"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0.1"/><mass value="3"/>
    <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0.02" izz="0.15"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.1 0.05 0"/><mass value="2"/>
    <inertia ixx="0.05" ixy="0" ixz="0.01" iyy="0.06" iyz="0" izz="0.04"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="stand"/><child link="upper"/><axis xyz="0 1 0"/>
    <dynamics damping="0.3" friction="0.2"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0.4 0 0" rpy="{tilt} 0 0"/><parent link="upper"/>
    <child link="fore"/><axis xyz="0 1 0"/>{mimic}</joint>
</robot>
"""
MIMIC = '<mimic joint="shoulder" multiplier="2"/>'
ONLY_BODIES = ("--no-friction", "--no-rotors", "--no-springs")


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def arm(self, tilt=0, mimic=""):
        path = self.folder / "arm.urdf"
        path.write_text(ARM.format(tilt=tilt, mimic=mimic))
        return str(path)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, "base", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def json(self, *words):
        return json.loads(self.run_limb(*words, "--format", "json").stdout)

    def test_text(self):
        text = self.run_limb(self.arm(), *ONLY_BODIES).stdout
        self.assertIn("arm: 6 base parameters of 20", text)
        self.assertIn("they agree", text)
        self.assertRegex(text, r"ZZR1 +[0-9.]+  ZZ1 \+ d2\^2 M2\n")
        self.assertRegex(text, r"no influence on the torques: \d+\n(  .*\n)*.*upper\.m\b")
        self.assertRegex(text, r"known only in combination with others: \d+\n(  .*\n)*.*fore\.m\b")

    def test_values_are_the_matrix_times_the_parameters(self):
        for words in ((), ONLY_BODIES, ("--gravity", "0,0,0")):
            x = self.json(self.arm(), *words)
            theta = [p["value"] for p in x["parameters"]]
            self.assertEqual(len(x["base"]), len(x["matrix"]))
            for base, row in zip(x["base"], x["matrix"]):
                self.assertAlmostEqual(base["value"], sum(k * t for k, t in zip(row, theta)), 12)
            for k, p in enumerate(x["parameters"]):
                column = [row[k] for row in x["matrix"]]
                self.assertEqual(p["effect"] in ("none", "left out"), not any(column))

    def test_counts(self):
        for model, words, count in (("puma560", ONLY_BODIES, 36), ("stanford", ONLY_BODIES, 33),
                                    ("planar_2r", ONLY_BODIES, 6), ("scara", ONLY_BODIES, 8),
                                    ("planar_2r", (*ONLY_BODIES, "--gravity", "0,0,-9.81"), 4),
                                    ("puma560", ("--no-friction",), 40), ("puma560", (), 52),
                                    ("puma560", ("--springs",), 64)):
            x = self.json(model, *words)
            kinds = [x["count"][kind] for kind in ("bodies", "rotors", "friction", "springs")]
            self.assertEqual(sum(kinds), count)
            if model == "puma560":
                self.assertEqual(kinds[0], 36)
            self.assertEqual((len(x["base"]), x["count"]["structure"], x["count"]["numeric"], x["count"]["agree"]),
                             (count, count, count, True))
            self.assertLess(x["count"]["dropped"], 1e-12 * x["count"]["kept"])

    def test_what_a_user_did_not_write_is_shown_on_request(self):
        text, compiled = self.run_limb("ur5").stdout, self.run_limb("ur5", "--compiled").stdout
        self.assertRegex(text, r"(?m)^ +2  shoulder_lift  link2$")
        self.assertNotRegex(text, r"(?m)^ +link +ant|\.axis")
        self.assertRegex(compiled, r"(?m)^ +link +ant +gamma .*\n.*\n +2 +1 +0 +0 +1\.5708 .* link2$")
        self.assertEqual([p["value"] for p in self.json("ur5")["parameters"] if p["of"] == "link2"],
                         [8.393, 0, 0, 0, 0.22689067591, 0, 0, 0.22689067591, 0, 0.0151074])  # the numbers of the file

    def test_csv(self):
        rows = list(csv.reader(io.StringIO(self.run_limb(self.arm(), "--format", "csv").stdout)))
        self.assertEqual(rows[0], ["name", "value", "formula"])
        self.assertEqual([r[0] for r in rows[1:]], [b["name"] for b in self.json(self.arm())["base"]])
        self.assertIn("Fv1", [r[0] for r in rows])

    def test_mimic_joints_have_more_combinations(self):
        x = self.json(self.arm(mimic=MIMIC))
        self.assertLess(x["count"]["numeric"], x["count"]["structure"])
        self.assertEqual(len(x["base"]), x["count"]["numeric"])
        self.assertIn("more can be combined", self.run_limb(self.arm(mimic=MIMIC)).stdout)

    def test_nearly_parallel_axes_are_told(self):
        done = self.run_limb(self.arm(tilt=1e-4), code=1)
        self.assertIn("NOT agree", done.stdout)
        self.assertIn("nearly", done.stderr)

    def test_a_rank_that_is_not_clear_is_no_contradiction(self):
        # The counts are the same then: it is the pivots that are told.
        done = self.run_limb(self.arm(tilt=1e-3), code=1)
        self.assertRegex(done.stderr, r"the rank is not clear: the last pivot that counts is \d\.\de-0[6-9], the first "
                                      r"that does not \d\.\de-1\d;")
        self.assertIn("the same number, but the rank is NOT clear", done.stdout)
        for text in (done.stdout, done.stderr):
            self.assertNotIn("agree", text)

    def test_formulas_have_no_dust(self):
        """A right angle in twelve digits, mimic joints: no tiny factors, no 1, no brackets about one term."""
        right = self.arm(tilt="1.57079632679")
        for model in (right, "hand", "humanoid", "panda", "quadruped"):
            for b in self.json(model)["base"]:
                for bad in (r"(^| )[0-9.]+e-(0[7-9]|[1-9]\d) ", r"(^|[-+(] )1 [A-Za-z(]", r"\(-?[A-Za-z]+\d+\)"):
                    self.assertNotRegex(b["formula"], bad)
        x = self.json(right, *ONLY_BODIES)
        self.assertEqual([b["formula"] for b in x["base"] if b["name"] == "ZZR1"], ["ZZ1 + d2^2 M2 + YY2"])
        self.assertLess(x["count"]["residual"], 1e-10)
        self.assertTrue(x["count"]["agree"])

    def test_long_formulas_are_wrapped(self):
        formulas = [b["formula"] for b in self.json("hand")["base"]]
        self.assertGreater(max(map(len, formulas)), 300)
        text = self.run_limb("hand").stdout
        lines = text[text.index("  name "):text.index("\n\n", text.index("  name "))].splitlines()[1:]
        self.assertLess(max(map(len, lines)), 110)
        whole = []
        for line in lines:
            name = line[:10].split()
            part = line.split(None, 2)[2] if name else " " + line.strip()
            whole = [*whole, part] if name else [*whole[:-1], whole[-1] + part]
        self.assertEqual(whole, formulas)

    def test_complaints(self):
        self.assertIn("nothing to work on", self.run_limb(code=2).stderr)
        self.assertIn("more than 2048: make joints fixed", self.run_limb("protein", code=2).stderr)
        self.assertIn("exclude each other", self.run_limb("ur5", "--springs", "--no-springs", code=2).stderr)
        self.assertIn("--no-rotors", self.run_limb("--help").stdout)
        self.assertIn("mimic joints are the exception", " ".join(self.run_limb("--help").stdout.split()))
        self.run_limb("no such model", code=2)


if __name__ == "__main__":
    LIMB = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
