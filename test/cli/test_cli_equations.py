#!/usr/bin/env python3
"""The command equations of the tool: what it prints is evaluated and compared with limb eval.

    test_cli_equations.py <limb>
"""
import ctypes
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMB = None
SMALL = ("planar_2r", "point_mass_2r", "acrobot", "cart_pole", "elastic2r", "scara", "ur5", "stanford")
LOOPS = ("four_bar", "five_bar", "slider_crank")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def sign(x):
    return (x > 0) - (x < 0)


class Equations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_limb(self, *words, code=0):
        done = subprocess.run([LIMB, *words], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def equations(self, *words, code=0):
        return self.run_limb("equations", *words, code=code)

    def library(self, model, what, q, v, a):
        """Quantities of limb eval at a state."""
        joints = self.joints(model)
        table = self.folder / "states.csv"
        names = [f"{letter}.{joint}" for letter in "qva" for joint in joints]
        table.write_text(",".join(names) + "\n" + ",".join(repr(x) for x in (*q, *v, *a)) + "\n")
        done = self.run_limb("eval", model, "--states", str(table), "--format", "json", "--what", ",".join(what))
        return json.loads(done.stdout)["results"][0]

    def state(self, n, seed):
        draw = random.Random(seed)
        return [[draw.uniform(-1, 1) for _ in range(n)] for _ in range(3)]

    def read(self, text, q, v, a):
        """Evaluates the lines NAME = EXPRESSION; a table of names."""
        head, legend = text.split("\nwhere\n")
        names = {"sin": math.sin, "cos": math.cos, "sign": sign, "__builtins__": {}}
        for line in legend.splitlines():
            hit = re.match(r"  (\w+) = (\S+) ", line)
            if hit:
                names[hit[1]] = float(hit[2])
        for letter, x in (("q", q), ("v", v), ("a", a)):
            names.update({f"{letter}{i + 1}": y for i, y in enumerate(x)})
        for line in re.sub(r"\n {8}", " ", head).splitlines():
            if not re.match(r"\w+ = ", line):
                continue
            *entries, expression = line.split(" = ")
            value = eval(expression.replace("^", "**"), names)  # pylint: disable=eval-used
            names.update({entry: value for entry in entries})
        return names

    def matrix(self, names, letters, rows, columns):
        return [[names[f"{letters}{i + 1}{j + 1}"] for j in range(columns)] for i in range(rows)]

    def assert_near(self, got, want):
        size = max([abs(x) for x in want] + [1e-9])
        for x, y in zip(got, want):
            self.assertLess(abs(x - y), 1e-10 * size, (got, want))

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
        for model in SMALL:
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
                    self.assert_near([names[f"g{i + 1}"] for i in range(n)], flat(want["g"]))
                    self.assert_near([names[f"tau{i + 1}"] for i in range(n)], flat(want["tau"]))

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_c_is_the_library(self):
        for model in ("planar_2r", "scara", "cart_pole", "ur5"):
            n = len(self.joints(model))
            source, library = self.folder / f"{model}.c", self.folder / f"{model}.so"
            self.equations(model, "--what", "M,C,g,h,tau", "--format", "c", "--output", str(source))
            subprocess.run([COMPILER, "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror",
                            "-Wno-missing-prototypes", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"],
                           check=True, timeout=60)
            code = ctypes.CDLL(str(library))
            q, v, a = self.state(n, model)
            vector = ctypes.c_double * n
            inputs = [vector(*x) for x in (q, v, a)]
            want = self.library(model, ("M", "C", "g", "tau"), q, v, a)
            for name, used, size in (("M", 1, n * n), ("C", 2, n * n), ("g", 1, n), ("tau", 3, n)):
                out = (ctypes.c_double * size)()
                getattr(code, f"{model}_{name}")(*inputs[:used], out)
                with self.subTest(model=model, name=name):
                    self.assert_near(list(out), flat(want[name]))

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
        for words, code, message in ((("planar_2r", "--what", "M,mass"), 2, "there is no 'mass'"),
                                     (("planar_2r", "--what", "Psi"), 2, "no loops"),
                                     (("planar_2r", "--format", "tex"), 2, "tex"),
                                     (("planar_2r", "--most", "0"), 2, "--most"),
                                     (("planar_2r", "--most", "3"), 3, "limb codegen"),
                                     (("panda",), 3, "limb codegen"),
                                     (("quadruped",), 3, "ball and free joints"),
                                     (("sled",), 3, "edge"),
                                     (("nothing_like_it",), 2, "no such file"),
                                     ((), 2, "MODEL")):
            done = self.equations(*words, "--output", str(path), code=code)
            self.assertIn(message, done.stderr, words)
            self.assertEqual(done.stdout, "")
            self.assertFalse(path.exists(), words)


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
