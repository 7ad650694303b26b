#!/usr/bin/env python3
"""The command equations of the tool: what it prints is evaluated and compared with limb eval.

    test_cli_equations.py <limb>
"""
import ctypes
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMB = None
FEW = os.environ.get("LIMB_TEST_EFFORT") == "few"  # instrumented: arms of six joints are left out
SMALL = ("planar_2r", "point_mass_2r", "acrobot", "cart_pole", "elastic2r", "scara")
SMALL += () if FEW else ("ur5", "stanford")
LOOPS = ("four_bar", "five_bar", "slider_crank", "planar_3rrr")
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wpedantic", "-Werror", "-Wno-missing-prototypes",
         "-shared", "-fPIC")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

# Joints that turn and slide, some of which follow others; compound joints; names that no comment should hold.
FOLLOWERS = """
limb: 1
name: followers
gravity: [0, -9.81, 0]
bodies:
  - {name: a, mass: 2, com: [0.1, 0.02, 0.03], inertia: [0.1, 0.001, 0.002, 0.12, 0.003, 0.11]}
  - {name: "b */ end", mass: 1, com: [0.1, 0, 0.03], inertia: [0.01, 0, 0, 0.012, 0, 0.011]}
  - {name: glued_on, mass: 1, com: [0, 0.1, 0.2], inertia: [0.01, 0, 0, 0.012, 0, 0.011]}
  - {name: d, mass: 1, com: [0, 0.1, 0.2], inertia: [0.01, 0, 0, 0.012, 0, 0.011]}
joints:
  - {name: slide, type: prismatic, parent: world, child: a, axis: [1, 0, 0],
     mimic: {joint: turn, multiplier: 0.3, offset: 0.1}}
  - {name: turn, type: revolute, parent: a, child: "b */ end", pose: {xyz: [0.4, 0.1, 0.2]}, axis: [0, 0, 1]}
  - {name: glue, type: fixed, parent: "b */ end", child: glued_on, pose: {xyz: [0.4, 0.1, 0.2]}}
  - {name: lift, type: prismatic, parent: glued_on, child: d, pose: {xyz: [0.4, 0.1, 0.2]}, axis: [0, 1, 0],
     rotor: {inertia: 0.001, gear: 10}, friction: {coulomb: 0.1, viscous: 2e-6}, spring: {stiffness: 7, rest: 0.2}}
"""
COMPOUND = """
limb: 1
name: compound
bodies:
  - {name: a, mass: 2, com: [0.1, 0.02, 0.03], inertia: [0.1, 0, 0, 0.12, 0, 0.11]}
  - {name: b, mass: 1, com: [0.1, 0, 0.03], inertia: [0.01, 0, 0, 0.012, 0, 0.011]}
joints:
  - {name: hook, type: universal, parent: world, child: a, axis: [0, 0, 1], axis2: [0, 1, 0]}
  - {name: rod, type: cylindrical, parent: a, child: b, pose: {xyz: [0.4, 0.1, 0.2]}, axis: [1, 0, 0]}
"""
# A closure that nothing moves; a robot of springs alone; one that stands; one that is long.
HINGE = """
limb: 1
name: hinge
bodies: [{name: a, mass: 2, com: [0.1, 0, 0], inertia: [0.1, 0, 0, 0.12, 0, 0.11]}]
joints: [{name: j, type: revolute, parent: world, child: a, axis: [0, 0, 1]}]
"""
TABLE = HINGE + "loops: [{name: table, type: point_on_plane, a: {body: world}, b: {body: a, xyz: [0.3, 0, 0]}}]\n"
# Its closure is not still: Psi v is no zero.
SHAKEN = HINGE + ("loops: [{name: shaker, type: distance, length: 1, a: {body: world, xyz: [1, 1, 0]}, "
                  "b: {body: a, xyz: [0.3, 0, 0]}, law: {row: 0, amplitude: 0.01, frequency: 2}}]\n")
LIGHT = """
limb: 1
name: light
bodies: [{name: a, mass: 0}]
joints: [{name: j, type: revolute, parent: world, child: a, axis: [0, 0, 1], spring: {stiffness: 3}}]
"""
STILL = HINGE.replace("revolute", "fixed").replace(", axis: [0, 0, 1]", "")
LONG = "limb: 1\nname: long\nbodies:\n" + "".join(f"  - {{name: b{i}, mass: 1}}\n" for i in range(45)) + "joints:\n" + (
    "".join(f"  - {{name: j{i}, type: prismatic, parent: {f'b{i - 1}' if i else 'world'}, child: b{i}, "
            f"axis: [1, 0, 0]}}\n" for i in range(45)))


def sign(x):
    return (x > 0) - (x < 0)


class Equations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def equations(self, *words, code=0):
        return self.run_limb("equations", *words, code=code)

    def library(self, model, what, q, v, a):
        """Quantities of limb eval at a state."""
        joints = self.joints(model)
        table = self.folder / "states.csv"
        rates = [re.sub(r"\.p(.)$", r".v\1", re.sub(r"\.r(.)$", r".w\1", joint)) for joint in joints]
        names = [f"q.{joint}" for joint in joints] + [f"{letter}.{rate}" for letter in "va" for rate in rates]
        table.write_text(",".join(names) + "\n" + ",".join(repr(x) for x in (*q, *v, *a)) + "\n")
        tree = ("--tree",) if model in LOOPS or model in ("planar_3rrr", "bennett") else ()
        done = self.run_limb("eval", model, "--states", str(table), "--format", "json", "--what", ",".join(what), *tree)
        return json.loads(done.stdout)["results"][0]

    def state(self, n, seed):
        draw = random.Random(seed)
        return [[draw.uniform(-1, 1) for _ in range(n)] for _ in range(3)]

    def read(self, text, q, v, a):
        """Evaluates the lines NAME = EXPRESSION; a table of names, and of matrices whose other entries are zero."""
        head, legend = text.split("\nwhere\n")
        names = {"sin": math.sin, "cos": math.cos, "sign": sign, "__builtins__": {}}
        for line in legend.splitlines():
            hit = re.match(r"  (\w+) = (\S+) ", line)
            if hit:
                names[hit[1]] = float(hit[2])
        for letter, x in (("q", q), ("v", v), ("a", a)):
            names.update({f"{letter}{i + 1}": y for i, y in enumerate(x)})
        for line in re.sub(r"\n {8}", " ", head).splitlines():
            if not re.match(r"\w+( \+ \(Psi\^T lambda\)\d+)? = ", line):
                continue
            *entries, expression = line.replace(" + (Psi^T lambda)", "+").split(" = ")
            entries = [entry.split("+")[0] for entry in entries]
            value = eval(expression.replace("^", "**"), names)  # pylint: disable=eval-used
            names.update({entry: value for entry in entries})
        names["zeros"] = re.findall(r"\nall (?:other )?entries of (\w+)", head)
        return names

    def entry(self, names, letters, place):
        return 0 if letters in names["zeros"] and letters + place not in names else names[letters + place]

    def matrix(self, names, letters, rows, columns):
        return [[self.entry(names, letters, f"{i + 1}{j + 1}") for j in range(columns)] for i in range(rows)]

    def assert_near(self, got, want, share=1e-10):
        size = max([abs(x) for x in want] + [1e-9])
        self.assertEqual(len(got), len(want))
        for x, y in zip(got, want):
            self.assertLess(abs(x - y), share * size, (got, want))

    def model(self, text):
        """A file that holds it."""
        path = self.folder / "robot.limb.yaml"
        path.write_text(text)
        return str(path)

    def joints(self, model):
        """Those that move, in the order of q."""
        text = self.equations(model, "--what", "g").stdout
        return re.findall(r"\n  q\d+ \[\w+\], .*: (\S+)", text)

    def test_textbook(self):
        text = self.equations("planar_2r").stdout
        for line in ("M11 = I1 + I2 + m1*r1^2 + m2*l1^2 + m2*r2^2 + 2*m2*l1*r2*cos(q2)",
                     "M12 = M21 = I2 + m2*r2^2 + m2*l1*r2*cos(q2)", "C12 = -m2*l1*r2*sin(q2)*(v1 + v2)",
                     "g1 = m1*g*r1*cos(q1) + m2*g*(l1*cos(q1) + r2*cos(q1 + q2))"):
            self.assertIn(f"\n{line}\n", text)
        self.assertRegex(text, r"\n  m1 = 12.456 kg +mass of link1\n")
        text = self.equations("four_bar").stdout
        for line in ("Psi11 = -l1*sin(q1) - l2*sin(q1 + q2)", "Psi12 = -l2*sin(q1 + q2)", "Psi13 = l3*sin(q3)",
                     "Psi21 = l1*cos(q1) + l2*cos(q1 + q2)", "Psi22 = l2*cos(q1 + q2)", "Psi23 = -l3*cos(q3)"):
            self.assertIn(f"\n{line}\n", text)

    def test_text_is_the_library(self):
        for model in (*SMALL, *LOOPS, FOLLOWERS, COMPOUND):
            model = self.model(model) if "\n" in model else model
            n = len(self.joints(model))
            for words in ((), ("--numbers",)):
                text = self.equations(model, "--what", "M,C,g,tau", *words).stdout
                q, v, a = self.state(n, model)
                names = self.read(text, q, v, a)
                want = self.library(model, ("M", "C", "g", "tau"), q, v, a)
                with self.subTest(model=model, words=words):
                    for letter in "MC":
                        ours = [x for row in self.matrix(names, letter, n, n) for x in row]
                        self.assert_near(ours, flat(want[letter]))
                    for letters in ("g", "tau"):
                        ours = [self.entry(names, letters, f"{i + 1}") for i in range(n)]
                        self.assert_near(ours, flat(want[letters]))

    def test_energies_are_the_library(self):
        """T, U, L and the symbols; U and L but for a constant."""
        for model in (*SMALL, *LOOPS, FOLLOWERS, COMPOUND, LIGHT):
            model = self.model(model) if "\n" in model else model
            n = len(self.joints(model))
            text, constant = self.equations(model, "--what", "T,U,L,christoffel").stdout, {}
            for seed in range(3):
                q, v, a = self.state(n, f"{model} {seed}")
                names = self.read(text, q, v, a)
                want = self.library(model, ("T", "U", "L", "christoffel"), q, v, a)
                with self.subTest(model=model):
                    self.assert_near([names["T"]], [want["T"]])
                    for letter in "UL":
                        apart = constant.setdefault(letter, want[letter] - names[letter])
                        self.assertAlmostEqual(names[letter] + apart, want[letter], delta=1e-9 * max(1, abs(apart)))
                    wide = "_" if n > 9 else ""
                    ours = [self.entry(names, "christoffel", wide.join(str(x + 1) for x in (i, j, k)))
                            for i in range(n) for j in range(n) for k in range(n)]
                    self.assert_near(ours, flat(want["christoffel"]))

    def test_books(self):
        """The Lagrangian of Ghosal's 2R, (3), and the rate of Psi of his four-bar, differentiated by hand."""
        text = self.equations("planar_2r", "--what", "U,christoffel").stdout
        for line in ("U = m1*g*r1*sin(q1) + m2*g*(l1*sin(q1) + r2*sin(q1 + q2))", "christoffel211 = m2*l1*r2*sin(q2)",
                     "christoffel112 = christoffel121 = -m2*l1*r2*sin(q2)"):
            self.assertIn(f"\n{line}\n", text)
        text = self.equations("four_bar", "--what", "Psidot").stdout
        for line in ("Psidot11 = -l1*cos(q1)*v1 - l2*cos(q1 + q2)*(v1 + v2)", "Psidot13 = l3*cos(q3)*v3",
                     "Psidot22 = -l2*sin(q1 + q2)*(v1 + v2)"):
            self.assertIn(f"\n{line}\n", text)
        self.assertIn("U &= m_1 g r_1 s_1", self.equations("planar_2r", "--what", "U", "--format", "latex").stdout)
        self.assertIn("there is no Psidot", self.equations("planar_2r", "--what", "Psidot", code=2).stderr)

    def compiled(self, model, *words):
        """The C of a robot: functions by quantity."""
        source, library = self.folder / "equations.c", self.folder / f"{len(list(self.folder.iterdir()))}.so"
        self.equations(model, "--format", "c", *words, "--output", str(source))
        subprocess.run([COMPILER, *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
        names = re.findall(r"^void (\w+)\(", source.read_text(), re.M)
        code = ctypes.CDLL(str(library))
        quantity = re.compile(r"_([MCghTUL]|christoffel|tau|tau_and_loops|Psi|Psidot)$")
        return {quantity.search(name)[1]: getattr(code, name) for name in names}

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_c_is_the_library(self):
        """To the last digits, with numbers as with symbols; every entry is assigned."""
        for model in ("planar_2r", "scara", "cart_pole", "ur5", "planar_3rrr", "tree5", "bennett", FOLLOWERS):
            model = self.model(model) if "\n" in model else model
            n = len(self.joints(model))
            q, v, a = self.state(n, model)
            want = self.library(model, ("M", "C", "g", "h", "tau", "T", "christoffel"), q, v, a)
            for words in ((), ("--numbers",)):
                code = self.compiled(model, "--what", "M,C,g,h,tau,T,U,L,christoffel", *words)
                inputs = [(ctypes.c_double * n)(*x) for x in (q, v, a)]
                for name, used, size in (("M", 1, n * n), ("C", 2, n * n), ("g", 1, n), ("h", 2, n), ("tau", 3, n),
                                         ("T", 2, 1), ("christoffel", 1, n ** 3)):
                    out = (ctypes.c_double * size)(*[math.nan] * size)
                    code.get(name, code.get(f"{name}_and_loops"))(*inputs[:used], out)
                    with self.subTest(model=model, name=name, words=words):
                        self.assert_near(list(out), flat([want[name]]), 1e-13)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_c_of_odd_robots(self):
        """Without masses nothing asks for accelerations; without rows there is no Psi."""
        for text in (LIGHT, TABLE, COMPOUND):
            self.compiled(self.model(text), *(("--what", "M,C,g,h,tau") if text != TABLE else ()))

    def test_forces_of_loops(self):
        """M a + C v + g is more than tau."""
        text = self.equations("four_bar", "--what", "tau").stdout
        self.assertRegex(text, r"\ntau1 \+ \(Psi\^T lambda\)1 = \(I1")
        self.assertNotRegex(text, r"\ntau\d = ")
        self.assertIn("\n  lambda: forces in the loops, one for each row of Psi\n", text)
        for model in ("four_bar", "watt_six_bar"):  # a matrix; entry by entry
            text = self.equations(model, "--what", "tau", "--format", "latex").stdout
            self.assertRegex(text, r"\n(\\tau \+ \\Psi\^T \\lambda|\(\\tau \+ \\Psi\^T \\lambda\)_\{1\}) &= ")
        text = self.equations("four_bar", "--what", "tau", "--format", "c").stdout
        self.assertIn("/* tau + Psi^T lambda: ", text)
        self.assertIn("void four_bar_tau_and_loops(", text)
        self.assertNotIn("lambda", self.equations("planar_2r", "--what", "tau").stdout)

    def test_zeros_are_one_line(self):
        text = self.equations("planar_3rrr").stdout
        for name in ("M", "C", "Psi"):
            self.assertIn(f"\nall other entries of {name} are 0\n", text)
            self.assertNotRegex(text, rf"\n{name}\d.* = 0\n")
        self.assertIn("\ng1 = 0\n", text)
        self.assertIn("\nall entries of g are 0\n", self.equations("gripper").stdout)
        text = self.equations("planar_3rrr", "--format", "c").stdout
        self.assertEqual(text.count("] = 0;"), 3 + 2)  # M, C, Psi; two of g
        self.assertIn("\nC22 = 0\n", self.equations("planar_2r").stdout)

    def test_meanings(self):
        """Components, units of what turns, slides or follows, whose axes; nothing is cut or ends a comment."""
        for words in ((), ("--format", "latex"), ("--format", "c")):
            text = self.equations("planar_3rrr", *words).stdout
            for component in ("px", "py", "rz"):
                self.assertRegex(text, rf"(: |of )platform\.{component}( \\\\)?\n")
            self.assertEqual(text.count("axes of the compiled links"), 1)
            self.assertNotIn("axes", self.equations("planar_3rrr", "--numbers", *words).stdout)
        text = self.equations(self.model(FOLLOWERS)).stdout
        self.assertIn("  q1 [rad], velocity v1, acceleration a1: turn\n", text)
        self.assertRegex(text, r"\n  J2 = 0.1 kg +inertia of the rotor at q2\n")
        text = self.equations(self.model(FOLLOWERS), "--format", "c").stdout
        self.assertIn("/* [kg m^2] inertia zz of b *_ end and what is fixed to it about its centre of mass */", text)
        text = self.equations(self.model(COMPOUND)).stdout
        self.assertIn("from hook.r2 to rod.rz, along x\n", text)

    def test_numbers(self):
        """Friction and springs as people write them; powers of ten in LaTeX, where 2e-06 is a product."""
        model = self.model(FOLLOWERS)
        text = self.equations(model, "--what", "tau").stdout
        self.assertIn(" + 0.1*sign(v2) + 2e-06*v2 + 7*q2 - 1.4\n", text)
        text = self.equations(model, "--what", "tau", "--format", "latex").stdout
        self.assertIn(r" + 2 \cdot 10^{-6} \dot{q}_2", text)
        self.assertNotRegex(text, r"\de-\d")
        text = self.equations("cart_pole", "--what", "M", "--numbers", "--format", "c").stdout
        self.assertIn("  M[3] = 0.03333333333333333;\n", text)
        self.assertIn("\nM22 = 0.03333333333333\n", self.equations("cart_pole", "--numbers").stdout)

    def test_closure_without_rows(self):
        model = self.model(TABLE)
        for words, mark in (((), "("), (("--format", "latex"), "% "), (("--format", "c"), "   ")):
            text = self.equations(model, *words).stdout
            self.assertIn(f"\n{mark}Psi has no rows: no joint moves what the loops constrain", text)
            self.assertNotIn("[0]", text.replace("q[0]", "").replace("v[0]", "").replace("[0] =", ""))
        done = self.equations(model, "--what", "Psi", code=3)
        self.assertIn("Psi has no rows", done.stderr)

    def test_laws_in_time(self):
        model = self.model(SHAKEN)
        self.assertIn("has a prescribed motion", self.equations(model, code=3).stderr)
        self.assertNotIn("v = 0", self.equations(model, "--what", "M,C,g").stdout)

    def test_rows_of_loops(self):
        for model in LOOPS:
            text = self.equations(model, "--what", "Psi").stdout
            self.assertRegex(text, r"\nPsi11 = ")
            self.assertIn("Psi(q)^T lambda", text)

    def test_latex(self):
        text = self.equations("planar_2r", "--format", "latex").stdout
        self.assertIn(r"m_1 g r_1 c_1 + m_2 g (l_1 c_1 + r_2 c_{12})", text)
        for word in ("align*", "bmatrix", "tabular"):
            self.assertEqual(text.count(f"\\begin{{{word}}}"), text.count(f"\\end{{{word}}}"))

    def test_output(self):
        path = self.folder / "arm.txt"
        self.assertEqual(self.equations("planar_2r", "--output", str(path)).stdout, "")
        self.assertEqual(path.read_text(), self.equations("planar_2r").stdout)

    def test_bad_requests(self):
        path = self.folder / "none.txt"
        for words, code, message in ((("planar_2r", "--what", "M,mass"), 2,
                                       "--what: no quantity is called 'mass'; use M, C, g, h, tau, T, U, L, "
                                      "christoffel, Psi or Psidot"),
                                     (("planar_2r", "--what", "M,M"), 2, "--what: 'M' is named twice"),
                                     (("planar_2r", "--what", "M,C, M"), 2, "--what: 'M' is named twice"),
                                     (("planar_2r", "--what", "M,,C"), 2, "--what: an empty word"),
                                     (("planar_2r", "--what", "M,"), 2, "--what: an empty word"),
                                     (("planar_2r", "--what", " "), 2, "--what: an empty word"),
                                     (("planar_2r", "--what", ""), 2, "--what needs a value"),
                                     (("planar_2r", "--what", "m"), 2, "did you mean 'M'?"),
                                     (("planar_2r", "--what", "Tau"), 2, "did you mean 'tau'?"),
                                     (("planar_2r", "--what", "Psi"), 2, "no loops"),
                                     (("planar_2r", "--format", "tex"), 2, "tex"),
                                     (("planar_2r", "--max-terms", "0"), 2, "--max-terms"),
                                     (("planar_2r", "--max-terms", "3"), 3, "limb codegen"),
                                     (("panda",), 3, "more than 2000 terms, too many to read; g alone may fit"),
                                     ((self.model(LONG),), 3, "it has 45 links"),
                                     (("quadruped",), 3, "more than 2000 terms"),
                                     (("quadruped", "--what", "C"), 3, "ball and free joints"),
                                     (("sled",), 3, "edge"),
                                     (("nothing_like_it",), 2, "no such file"),
                                     ((), 2, "MODEL")):
            done = self.equations(*words, "--output", str(path), code=code)
            self.assertIn(message, done.stderr, words)
            self.assertEqual(done.stdout, "")
            self.assertFalse(path.exists(), words)
        self.assertIn("no joint moves", self.equations(self.model(STILL), code=3).stderr)


def flat(x):
    """All numbers of nested lists and tables."""
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, list):
        return [y for part in x for y in flat(part)]
    return [x]


if __name__ == "__main__":
    LIMB = sys.argv.pop(1)
    unittest.main()
