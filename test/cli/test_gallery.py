#!/usr/bin/env python3
"""The simulations of examples/gallery give the answers that docs/gallery.md states.

    test_gallery.py <limb>

The protein runs for half a second here, not for twelve.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIMB = None
TOP = pathlib.Path(__file__).resolve().parents[2]
GALLERY = TOP / "examples" / "gallery"

# t: theta1, theta2, tau1, tau2 on the circle. Closed form in 40 digits.
CIRCLE = {
    0.0: (0.31092685703559849, 0.79539883018414356, 238.43532575420273, 32.289399435226403),
    0.5: (0.38513935300678571, 0.70375518676394852, 233.16092188705334, 33.233108503494919),
    2.5: (0.464470639575, 0.795398830184, 213.834570582, 21.5773203777),
    5.0: (0.201567122449, 1.348981856298, 213.291306825, 1.06062083026),
    7.5: (0.020247348048, 1.348981856298, 232.886267142, 14.3891789654),
    10.0: (0.31092685703559849, 0.79539883018414356, 238.43532575420273, 32.289399435226403),
}
# t: theta1, theta2, their rates, place of the tip. Taylor series of order 34 in 36 digits.
FALL = {
    1: (-1.92775542671437, 0.440775862987974, -1.04302902332200, 2.26556465066838, -.265707981597165,
        -1.93345315667650),
    2: (-1.50390209757005, 0.200005590699019, -0.849005562989302, 4.27926007794052, .330586646599074,
        -1.96235659433788),
    5: (-1.19785412396135, -0.506001156946534, 0.212811181006394, -1.85158257904013, .231690285277485,
        -1.92242007614421),
    10: (-1.62889639534037, 0.477493006480734, -1.42990244445507, 2.56888649044476, .349138689511902,
         -1.91164897369919),
}
# t: theta1, phi1, rate of theta1, force of the pin in world axes. One-coordinate equation, tolerance 1e-13.
FOUR_BAR = {
    2: (.0821805432080826, .0835852925118894, .0721359064714402, 3.19868720872708, .175253759506237),
    5: (.459645857053209, .467646947893467, .179143558512822, .364426402794513, .082125446318324),
    10: (1.78550827218455, 1.82912330702570, .348124421762431, .285538845591098, -.677890776506733),
    12: (2.53451130909387, 2.67594165426296, .381993041667286, 7.53397097373375, -2.44725159698724),
    13: (2.3010656226213797, 3.057044161620987, -0.45203294216521517, 0.36839444958503537, -0.285330179626026),
}
# t: forces of the legs; and px, py, pz of the platform. Newton and Euler, leg by leg.
LEGS = {
    0.0: (13.060967833926, 52.504459736917, 34.386387037068, 38.819694917906, 23.475070242477, 63.615689151967),
    0.4: (46.533218788413826, 5.709729557252566, 22.531621717856016, 35.26840071912868, 9.916289847393465,
          59.571545534217094),
    0.8: (89.75306208845093, -6.720109634255065, 42.918880170961145, 89.49503842158525, 46.516848644495255,
          32.27436310900442),
    1.6: (28.23488091452927, 77.0382783200539, 27.225704717100665, 56.45834077788939, 69.52668642434821,
          12.368697198324055),
}
# t: q and v. Extrapolated midpoint rule in 30 digits.
ELASTIC = {
    1: (0.88369810982849092, -0.14022179511009589, 2.5526182347526603, -5.9507348394241765),
    2: (3.7699623765780802, 0.19148199344956252, 5.6063135317040885, 6.2449890052953279),
}
# By other methods, with tolerances of 1e-12 or quarters of the step.
SWIMS = 0.2904614626           # m/s, the eel between 5 and 10 s; examples/10_swimming_chain.c finds 0.290
TURNS = 59.5486492             # degrees, the hull of the free-floating arm
FOLDS = 4.77752, 7.75472       # m, y and z of the centre of mass of the protein at 0.5 s
CLOSES = 0.209795, -0.1862537, 0.000614033  # x, y and heading of the car after one figure of eight


def complete_elliptic(k2):
    """K, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k2)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


class Gallery(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def limb(self, *words):
        done = subprocess.run([LIMB, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def simulate(self, name, *options):
        """How it went; rows by time, rounded to microseconds. All files that a run promises are there."""
        run = GALLERY / f"{name}.run.yaml"
        told = json.loads(self.limb("sim", run, "--summary", "json", "--no-progress", *options, *self.instead(run)))
        self.assertEqual(told["ending"], "reached")
        for suffix in (".svg", "_plot.svg"):
            self.assertGreater((self.folder / (name + suffix)).stat().st_size, 3000)
        return told, self.read(f"{name}.csv")

    def instead(self, run):
        """Options for a build without SUNDIALS: short steps in place of adaptive ones."""
        if "method: erk" not in run.read_text(encoding="utf-8"):
            return []
        done = subprocess.run([LIMB, "sim", "planar_2r", "--duration", "0", "--method", "erk", "--quiet"],
                              capture_output=True, text=True, check=False)
        return ["--method", "rk4", "--step", "0.25ms"] if "requires SUNDIALS" in done.stderr else []

    def read(self, name):
        with open(self.folder / name, encoding="utf-8", newline="") as stream:
            rows = [{k: float(x) for k, x in row.items()} for row in csv.DictReader(stream)]
        return {round(row["time"], 6): row for row in rows}

    def near(self, found, wanted, within):
        self.assertEqual(len(found), len(wanted))
        for x, y in zip(found, wanted):
            self.assertLessEqual(abs(x - y), within, f"{found} for {wanted}")

    def test_all_are_tested_and_shown(self):
        text = (TOP / "docs" / "gallery.md").read_text(encoding="utf-8")
        for run in GALLERY.glob("*.run.yaml"):
            name = run.name.split(".")[0]
            self.assertTrue(hasattr(self, f"test_{name}"), name)
            self.assertIn(f"examples/gallery/{run.name}", text)
            for picture in (f"{name}.svg", f"{name}_plot.svg"):
                self.assertIn(f"pictures/{picture}", text)
                self.assertLess((TOP / "docs" / "pictures" / picture).stat().st_size, 150_000, picture)

    # ---- those of textbooks and papers

    def test_circle(self):
        told, rows = self.simulate("circle")
        self.assertLess(abs(told["energy"]["drift"]), 1e-9)
        columns = ("q.joint1", "q.joint2", "tau.joint1", "tau.joint2")
        for t, wanted in CIRCLE.items():
            self.near([rows[t][c] for c in columns[:2]], wanted[:2], 1e-11)
            self.near([rows[t][c] for c in columns[2:]], wanted[2:], 2e-9)
        self.assertAlmostEqual(max(r["tau.joint1"] for r in rows.values()), 242.272603, delta=1e-6)
        self.assertAlmostEqual(min(r["tau.joint1"] for r in rows.values()), 210.418448, delta=1e-6)
        self.assertAlmostEqual(max(r["tau.joint2"] for r in rows.values()), 33.254240, delta=1e-6)
        self.assertAlmostEqual(min(r["tau.joint2"] for r in rows.values()), 0.824959, delta=1e-6)
        self.limb("id", "planar_2r", "circle.csv", "--output", "id.csv")
        for t, row in self.read("id.csv").items():
            self.near([row["tau.joint1"], row["tau.joint2"]], [rows[t]["tau.joint1"], rows[t]["tau.joint2"]], 1e-10)

    def test_free_fall(self):
        told, rows = self.simulate("free_fall")
        self.assertLess(abs(told["energy"]["drift"]), 1e-9)
        columns = ("q.joint1", "q.joint2", "v.joint1", "v.joint2", "pos.tip.x", "pos.tip.y")
        for t, wanted in FALL.items():
            self.near([rows[t][c] for c in columns], wanted, 1e-9)

    def test_four_bar(self):
        told, rows = self.simulate("four_bar")
        self.assertLess(told["loops"]["position"], 1e-11)
        first, line = told["events"]
        self.assertEqual((first["name"], line["name"]), ("150 degrees", "in line"))
        self.assertAlmostEqual(first["time"], 12.23608290446545, delta=1e-8)
        self.assertAlmostEqual(line["time"], 12.28299560962995, delta=1e-8)
        for t, wanted in FOUR_BAR.items():
            row = rows[t]
            self.near([row["q.theta1"], row["q.phi1"], row["v.theta1"]], wanted[:3], 1e-9)
            x, y, c, s = row["lambda.pin.move_x"], row["lambda.pin.move_y"], math.cos(wanted[1]), math.sin(wanted[1])
            self.near([c * x - s * y, s * x + c * y], wanted[3:], 1e-7)
        run = GALLERY / "four_bar.run.yaml"
        self.limb("sim", run, "--output", "pin.csv", "--channels", "lambda", "--rate", 1000, "--quiet",
                  *self.instead(run))
        force, when = max((math.hypot(r["lambda.pin.move_x"], r["lambda.pin.move_y"]), t)
                          for t, r in self.read("pin.csv").items())
        self.near([force], [2007.31], 2)
        self.near([when], [12.29545], 2e-3)

    def test_eel(self):
        told, rows = self.simulate("eel")
        self.assertLess(abs(told["energy"]["drift"]), 1e-8)
        far = [rows[t]["com.x"] for t in (5, 10)]
        self.assertAlmostEqual((far[1] - far[0]) / 5, SWIMS, delta=1e-7)
        self.limb("sim", GALLERY / "eel.run.yaml", "--method", "rk4", "--step", "4ms", "--output", "rk4.csv",
                  "--channels", "com", "--rate", 1, "--quiet")
        other = self.read("rk4.csv")[10]
        self.near([other["com.x"], other["com.y"]], [rows[10]["com.x"], rows[10]["com.y"]], 1e-5)

    def test_space_arm(self):
        told, rows = self.simulate("space_arm")
        self.assertTrue(told["momentum"]["conserved"])
        self.assertLess(told["momentum"]["linear_drift"], 1e-9)
        self.assertLess(told["momentum"]["angular_drift"], 1e-10)
        end = rows[8]
        self.near([end["q.joint1"], end["q.joint2"], end["q.joint3"]], [0, 0, 0], 1e-12)
        self.assertAlmostEqual(math.degrees(2 * math.acos(end["q.base.qw"])), TURNS, delta=1e-6)

    def test_gough_stewart(self):
        told, rows = self.simulate("gough_stewart")
        self.assertLess(told["loops"]["position"], 1e-12)
        self.assertLess(abs(told["energy"]["drift"]), 1e-6)
        for t, wanted in LEGS.items():
            w = math.pi * t
            self.near([rows[t][f"q.platform.p{c}"] for c in "xy"], [.08 * math.sin(w), .06 * math.cos(w) - .06], 1e-12)
            self.near([rows[t][f"tau.leg{i}_slide"] for i in range(1, 7)], wanted, 1e-5)

    def test_elastic(self):
        told, rows = self.simulate("elastic")
        self.assertLess(abs(told["energy"]["drift"]), 1e-8)
        self.near([rows[0]["a.joint1"], rows[0]["a.joint2"]], [23.78269036932267, -79.94148733282181], 1e-11)
        for t, wanted in ELASTIC.items():
            self.near([rows[t][c] for c in ("q.joint1", "q.joint2", "v.joint1", "v.joint2")], wanted, 1e-9)

    def test_series_elastic(self):
        told, rows = self.simulate("series_elastic")
        self.assertEqual(told["method"]["name"], "implicit")
        self.assertLess(abs(told["energy"]["drift"]), 1e-3)
        self.assertLess(min(r["q.shoulder"] for r in rows.values()), -0.605)  # beyond, and back
        self.near([rows[2]["q.shoulder"], rows[2]["q.elbow"]], [-0.6, -0.9], 1e-11)
        # What gravity asks of the joints, divided by the springs, is what the rotors are further by.
        self.near([rows[2]["q.shoulder_motor"] / 100 + 0.6, rows[2]["q.elbow_motor"] / 50 + 0.9],
                  [-9.475372299820053 / 5000, -0.1360106618785926 / 1800], 1e-11)

    def test_protein(self):
        told, rows = self.simulate("protein", "--duration", "0.5s")
        self.assertLess(abs(told["energy"]["drift"]), 2e-3)
        last = rows[0.5]
        self.near([last["q.phi500"], last["q.psi500"]], [-0.9948, -0.8203], 0.6)  # the end is a helix
        self.near([last["q.phi250"], last["q.psi250"]], [3.1416, 3.1416], 0.1)    # the middle does not know yet
        self.near([last["com.y"], last["com.z"]], FOLDS, 1e-3)

    def test_car(self):
        told, rows = self.simulate("car")
        self.assertLess(told["loops"]["velocity"], 1e-11)
        self.assertLess(abs(told["energy"]["drift"]), 1e-8)
        for row in rows.values():
            # The rear axle goes where the car points, and turns as the wheelbase of 0.6 m has it.
            c, s = math.cos(row["q.base.rz"]), math.sin(row["q.base.rz"])
            ahead = c * row["v.base.vx"] + s * row["v.base.vy"]
            self.near([c * row["v.base.vy"] - s * row["v.base.vx"], row["v.base.wz"], row["v.drive"]],
                      [0, ahead * math.tan(row["q.steer"]) / 0.6, ahead / 0.12], 1e-9)
        self.near([rows[20]["q.base.px"], rows[20]["q.base.py"], rows[20]["q.base.rz"]], CLOSES, 1e-6)

    # ---- others

    def test_tumble(self):
        told, rows = self.simulate("tumble")
        self.assertLess(told["momentum"]["angular_drift"], 1e-10)
        self.assertLess(abs(told["energy"]["drift"]), 1e-10)
        end = rows[8]
        self.assertAlmostEqual(sum(end[f"q.base.q{c}"] ** 2 for c in "xyzw"), 1, delta=1e-14)
        # Landau and Lifshitz, Mechanics, section 37: M^2 > 2 E I2.
        I = [2 / 12 * (b * b + c * c) for b, c in ((.3, .1), (.6, .1), (.6, .3))]
        v = (0, 6, 0.02)
        E2, M2 = sum(i * x * x for i, x in zip(I, v)), sum((i * x) ** 2 for i, x in zip(I, v))
        self.assertGreater(M2, E2 * I[1])
        k2 = (I[1] - I[0]) * (E2 * I[2] - M2) / ((I[2] - I[1]) * (M2 - E2 * I[0]))
        half = 2 * complete_elliptic(k2) * math.sqrt(I[0] * I[1] * I[2] / ((I[2] - I[1]) * (M2 - E2 * I[0])))
        times = [e["time"] for e in told["events"]]
        self.assertGreaterEqual(len(times), 2)
        for a, b in zip(times, times[1:]):
            self.assertAlmostEqual(b - a, half, delta=1e-8)

    def test_friction(self):
        told, rows = self.simulate("friction")
        self.near([e["time"] for e in told["events"]], [k * math.pi / 10 for k in (1, 2, 3, 4)], 1e-9)
        self.assertEqual([e["kind"] for e in told["events"]], ["slip", "slip", "slip", "stick"])
        for t in (1.26, 1.5, 2):
            self.near([rows[t]["q.slide"], rows[t]["v.slide"], rows[t]["a.slide"]], [-0.02, 0, 0], 1e-10)
            self.assertEqual(rows[t]["v.slide"], 0)

    def test_bounce(self):
        told, rows = self.simulate("bounce")
        fall = math.sqrt(2 * 1.5 / 9.81)
        wanted = [fall * (1 + 2 * sum(0.8 ** i for i in range(1, k + 1))) for k in range(8)]
        self.near([e["time"] for e in told["events"]][:8], wanted, 1e-9)
        self.assertLess(abs(max(e["time"] for e in told["events"]) - fall * 1.8 / 0.2), 1e-3)
        self.near([rows[5.5]["q.height"], rows[5.5]["v.height"]], [0.1, 0], 1e-9)

    def test_panda(self):
        told, rows = self.simulate("panda")
        self.assertLess(abs(told["energy"]["drift"]), 1e-6)
        self.assertAlmostEqual(rows[0]["q.joint1"], 0.3, delta=1e-12)
        for t, row in rows.items():
            if t >= 1:
                self.near([row["q.joint1"], row["q.joint2"], row["q.joint4"]],
                          [0.8 * math.sin(math.pi * t), -0.5 + 0.4 * math.sin(math.pi * t),
                           -2 + 0.4 * math.sin(2 * math.pi * t)], 5e-4)


if __name__ == "__main__":
    LIMB = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
