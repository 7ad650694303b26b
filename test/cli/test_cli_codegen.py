#!/usr/bin/env python3
"""The command codegen of the tool: files, the table of counts, formats, complaints. What the sources compute is tested
by test/codegen/test_generated.py.

    test_cli_codegen.py <limb>
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMB = None
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
EXAMPLES = TOOLS.parent / "examples"
ENDINGS = {"python": "py", "matlab": "m", "julia": "jl", "rust": "rs", "latex": "tex"}
COUNTS = ("mul", "add", "div", "sines", "other", "statements", "stack")

EFFORT = os.environ.get("LIMB_TEST_EFFORT", "normal")
FEW, ALL = EFFORT == "few", EFFORT == "all"  # few, instrumented: little effort, and counts are not looked at
# With the effort that users have.
COUNTED = () if FEW else ("panda", "ur5", "puma560", "stanford", "general_6r")

TWO_BODIES = """limb: 1
name: two
bodies:
  - {name: crane, mass: 2.0e+5, com: [10, 0, 0], inertia: [1.0e+6, 0, 0, 1.0e+8, 0, 1.0e+8]}
  - {name: probe, mass: 1.0e-9, com: [1.0e-4, 0, 0], inertia: [1.0e-17, 0, 0, 1.0e-17, 0, 1.0e-17]}
joints:
  - {name: roll, type: revolute, parent: world, child: crane, axis: [0, 0, 1]}
  - {name: turn, type: revolute, parent: world, child: probe, axis: [0, 1, 0]}
"""


STILL = """limb: 1
name: still
bodies: [{name: stone, mass: 1}]
joints: [{name: glue, type: fixed, parent: world, child: stone}]
"""


LIGHT = """limb: 1
name: light
bodies:
  - {name: arm, mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
  - {name: tool}
joints:
  - {name: shoulder, type: revolute, parent: world, child: arm, axis: [0, 0, 1]}
  - {name: wrist, type: revolute, parent: arm, child: tool, pose: {xyz: [0.5, 0, 0]}, axis: [0, 0, 1]}
"""

# A point on two joints with a body without mass between them: M is singular where the arm is stretched.
POINT = """limb: 1
name: point
bodies:
  - {name: upper}
  - {name: stone, mass: 1, com: [0.7, 0, 0]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, axis: [0, 0, 1]}
  - {name: elbow, type: revolute, parent: upper, child: stone, pose: {xyz: [1, 0, 0]}, axis: [0, 0, 1]}
"""

# Where the elbow is at 1 rad there is a result, at 1e-9 rad there is none.
ASKS = """#include "point.h"
#include <stdio.h>
int main(void)
{
  const double tau[2] = {1, 2}, v[2] = {0, 0};
  const double angle[] = {1, 1e-2, 1e-9, 0};
  for (int i = 0; i < 4; i++) {
    const double q[2] = {0.3, angle[i]};
    double a[2], Minv[4], dq[4], dv[4], dtau[4];
    printf("%d%d%d ", point_acc(q, v, tau, a), point_Minv(q, Minv), point_dacc(q, v, tau, dq, dv, dtau));
  }
  return 0;
}
"""

# No motion of the arm changes accelerations: those slopes are zero, but for rounding.
BALANCED = """limb: 1
name: balanced
bodies:
  - {name: arm, mass: 2, com: [0, 0, 0.125], solid: {box: [0.1, 0.2, 0.3]}}
  - {name: flywheel, mass: 3, inertia: [0.3, 0, 0, 0.25, 0, 0.28]}
joints:
  - {name: j1, type: revolute, parent: world, child: arm, axis: [0, 0, 1]}
  - {name: j2, type: revolute, parent: arm, child: flywheel, pose: {xyz: [0.24, 0.14, 0]}, axis: [0, 0, 1]}
"""


def chain(n):
    """Rotations one after the other, about axes that are neither parallel nor at right angles."""
    bodies = [f"  - {{name: link{i}, mass: 1, com: [0.1, 0.02, 0.03], inertia: [0.1, 0.01, 0, 0.2, 0, 0.15]}}"
              for i in range(n)]
    joints = [f"  - {{name: joint{i}, type: revolute, parent: {f'link{i - 1}' if i else 'world'}, child: link{i}, "
              f"pose: {{xyz: [0.2, 0.1, 0.05], rpy: [0.3, 0.2, 0.1]}}, axis: [0, 0, 1]}}" for i in range(n)]
    return "\n".join(["limb: 1", "name: long", "bodies:", *bodies, "joints:", *joints, ""])


def general_7r():
    """Seven rotations at general angles and distances, every inertia full."""
    bodies = [f"  - {{name: link{i}, mass: {7 - 0.9 * i:.1f}, com: [0.0{i + 1}, -0.02, 0.1{i}], "
              f"inertia: [0.0{9 - i}, 0.004, -0.006, 0.07, 0.002, 0.05]}}" for i in range(7)]
    joints = [f"  - {{name: joint{i}, antecedent: {f'link{i - 1}' if i else 'world'}, child: link{i}, "
              f"dh: {{sigma: 0{f', alpha: {1.3 - 0.37 * i:.2f}, d: 0.1{i}, r: 0.2{i}' if i else ''}}}}}"
              for i in range(7)]
    return "\n".join(["limb: 1", "name: general_7r", "dh: modified", "bodies:", *bodies, "joints:", *joints, ""])


class Codegen(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_limb(self, *words):
        if words and not {"--list", "--effort", *COUNTED} & set(words):
            words += ("--effort", "0.02")
        return subprocess.run([LIMB, "codegen", *words], capture_output=True, text=True, check=False,
                              cwd=self.folder)

    def files(self):
        return sorted(x.name for x in self.folder.iterdir())

    def makes(self, *words):
        done = self.run_limb(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def answer(self, *words):
        return json.loads(self.makes(*words, "--format", "json").stdout)

    def fails(self, code, *words):
        """One sentence, no file."""
        done = self.run_limb(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.files(), [])
        mine = [x for x in done.stderr.splitlines() if x.startswith("limb codegen: ")]
        self.assertEqual(len(mine), 1, done.stderr)
        return mine[0]

    def compile(self, *words):
        program = self.folder / "program"
        done = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", *words,
                               "-o", str(program), "-lm"], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([program], capture_output=True, text=True, check=False)

    # ---- files -----------------------------------------------------------------------------------

    def test_c_has_three_files_and_passes_its_test(self):
        done = self.makes("planar_2r", "--what", "tau,M,h")
        self.assertEqual(self.files(), ["planar_2r.c", "planar_2r.h", "planar_2r_test.c"])
        for name in ("planar_2r_tau", "planar_2r_M", "planar_2r_h", "planar_2r.c: written"):
            self.assertIn(name, done.stdout)
        if shutil.which("cc"):
            tested = self.compile("planar_2r.c", "planar_2r_test.c")
            self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_output_and_prefix(self):
        (self.folder / "src").mkdir()
        answer = self.answer("ur5", "--output", "src", "--prefix", "arm")
        self.assertEqual(answer["files"], ["src/arm.c", "src/arm.h", "src/arm_test.c"])
        self.assertEqual(sorted(os.listdir(self.folder / "src")), ["arm.c", "arm.h", "arm_test.c"])
        self.assertEqual(answer["prefix"], "arm")
        self.assertIn("void arm_tau(", (self.folder / "src/arm.h").read_text())

    def test_files_are_replaced(self):
        self.makes("planar_2r")
        first = (self.folder / "planar_2r.c").read_text()
        self.makes("planar_2r", "--what", "M")
        self.assertNotEqual(first, (self.folder / "planar_2r.c").read_text())
        self.makes("planar_2r")
        self.assertEqual(first, (self.folder / "planar_2r.c").read_text())

    def test_files_of_others_are_not(self):
        (self.folder / "planar_2r.c").write_text("/* my own work */\n")
        done = self.run_limb("planar_2r")
        self.assertEqual(done.returncode, 2)
        self.assertIn("planar_2r.c exists and was not written by limb", done.stderr)
        self.assertEqual(self.files(), ["planar_2r.c"])
        self.assertEqual((self.folder / "planar_2r.c").read_text(), "/* my own work */\n")

    def test_an_empty_file_is_somebodys(self):
        (self.folder / "planar_2r.h").write_text("")
        self.assertIn("planar_2r.h exists", self.run_limb("planar_2r").stderr)
        self.assertEqual(self.files(), ["planar_2r.h"])

    def test_any_prefix_compiles(self):
        """Names of the test program are none of the functions'."""
        for prefix in ("test", "given", "difference", "main", "want", "tau", "M"):
            self.makes("planar_2r", "--what", "tau,M,g", "--prefix", prefix, "--given-gravity")
            if shutil.which("cc"):
                tested = self.compile(f"{prefix}.c", f"{prefix}_test.c")
                self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_all_that_a_robot_has(self):
        made = self.answer("planar_2r", "--what", " all ")
        self.assertEqual([x["quantity"] for x in made["functions"]],
                         "tau acc M Minv C g h J pose dtau dacc Y hybrid".split())
        self.assertEqual(made["not_written"], [])
        made = self.answer("four_bar", "--what", "all")
        self.assertEqual([x["quantity"] for x in made["functions"]][:7],
                         "pose tau acc reduced_M reduced_h Psi gamma".split())
        self.assertIn("tree_tau", [x["quantity"] for x in made["functions"]])
        (self.folder / "light.limb.yaml").write_text(LIGHT)
        self.assertEqual(self.answer("light.limb.yaml", "--what", "tau,M")["not_written"], [])
        self.assertIn("not written: acc, Minv, dacc;", self.makes("light.limb.yaml", "--what", "all").stdout)

    def test_former_names(self):
        """Names of before and of other libraries are errors that suggest a name."""
        for old, new in (("id", "tau"), ("fd", "acc"), ("tau_active", "tau"), ("closed_acc", "acc"), ("psi", "Psi")):
            done = self.run_limb("four_bar", "--what", old)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn(f"no quantity is called '{old}'; did you mean '{new}'?", done.stderr)

    def test_all_with_a_frame_that_is_no_platform(self):
        for robot, frame in (("planar_2r", "tip"), ("delta", "tool")):
            made = self.answer(robot, "--what", "all", "--frame", frame)
            there = [x["quantity"] for x in made["functions"]]
            self.assertIn("pose", there)
            self.assertNotIn("platform_tau", there)
            self.assertEqual("platform_tau" in made["not_written"], robot == "delta")

    def test_all_but_what_has_no_closed_form(self):
        """Of a robot with a link without mass."""
        (self.folder / "light.limb.yaml").write_text(LIGHT)
        there = [x["quantity"] for x in self.answer("light.limb.yaml", "--what", "all")["functions"]]
        self.assertEqual(there, "tau M C g h J pose dtau Y hybrid".split())

    def test_slopes_that_vanish(self):
        (self.folder / "balanced.limb.yaml").write_text(BALANCED)
        self.makes("balanced.limb.yaml", "--what", "dacc")
        self.assertIn("relative to the largest entry or acceleration,", (self.folder / "balanced.h").read_text())
        if shutil.which("cc"):
            tested = self.compile("balanced.c", "balanced_test.c")
            self.assertEqual(tested.returncode, 0, tested.stdout)

    def test_headers_of_loops_tell_what_callers_must_know(self):
        self.makes("five_bar", "--what", "tau,acc")
        header = " ".join((self.folder / "five_bar.h").read_text().replace("*", " ").split())
        self.assertIn("v and a satisfy them. Not valid where these do not determine the others: ", header)
        self.makes("delta", "--what", "platform_tau")
        header = " ".join((self.folder / "delta.h").read_text().replace("*", " ").split())
        self.assertRegex(header, r"Twists are those of this body at its origin: \w+\.")

    @unittest.skipUnless(ALL, "takes long")
    def test_all_but_what_is_too_large(self):
        (self.folder / "long.limb.yaml").write_text(chain(90))
        made = self.answer("long.limb.yaml", "--what", "all", "--effort", "0")
        self.assertIn("tau", [x["quantity"] for x in made["functions"]])
        self.assertIn("dacc", made["not_written"])

    def test_headers_of_names_that_differ_in_capitals(self):
        for prefix in ("arm", "Arm", "ARM"):
            self.makes("planar_2r", "--prefix", prefix)
        guards = {(self.folder / f"{x}.h").read_text().split("#ifndef ")[1].split()[0] for x in ("arm", "Arm", "ARM")}
        self.assertEqual(len(guards), 3)

    def test_smooth_friction(self):
        self.makes("puma560", "--coulomb-width", "0.1", "--effort", "0")
        source = (self.folder / "puma560.c").read_text()
        self.assertIn("tanh(", source)
        self.assertNotIn("_sign(", source)
        if shutil.which("cc"):
            self.assertEqual(self.compile("puma560.c", "puma560_test.c").returncode, 0)

    def test_robots_without_weight(self):
        """Where an answer is nothing but rounding, nothing is compared with nothing."""
        for robot in ("sled", "car", "diff_drive"):
            self.makes(robot, "--what", "tree_g,tree_h,tree_C", "--prefix", robot)
            if shutil.which("cc"):
                tested = self.compile(f"{robot}.c", f"{robot}_test.c")
                self.assertEqual(tested.returncode, 0, tested.stdout)

    def test_what_callers_must_know(self):
        self.makes("acrobot", "--what", "hybrid,Y", "--no-friction")
        header = (self.folder / "acrobot.h").read_text()
        self.assertRegex(header, r"forces of the joints without motor:\s+\*\s+shoulder\.")
        self.assertRegex(header, r"columns:\s+\*\s+upper\.m, upper\.mx,")
        self.assertIn("Joint friction is left out", header)
        self.makes("four_bar", "--what", "Psi,G,passive,pose")
        header = (self.folder / "four_bar.h").read_text()
        for text in ("pin.move_x, pin.move_y", "q must close the loops", "columns:"):
            self.assertIn(text, header)
        self.assertNotIn("p[0] = 1.0; /* theta1", (self.folder / "four_bar.c").read_text())
        self.makes("quadruped", "--what", "tau", "--sines", "own", "--effort", "0")
        header = (self.folder / "quadruped.h").read_text()
        self.assertIn("in axes of the body", header)
        self.assertIn("within +-1e5 rad", header)

    def test_symbols(self):
        """One symbol for each length, and a function that knows this robot's numbers."""
        self.makes("puma560", "--symbols", "all", "--no-friction", "--what", "tau,M")
        source = (self.folder / "puma560.c").read_text()
        self.assertIn("void puma560_parameters(double p[", source)
        self.assertRegex(source, r"= 0\.4318; /\* joint3\.d \*/")
        self.assertNotIn(".px */", source)
        done = self.run_limb("scara", "--symbols", "all", "--what", "pose")
        self.assertIn("that position is not a symbol", done.stderr)

    def test_standard_output_is_the_source(self):
        self.makes("scara", "--what", "g")
        source = (self.folder / "scara.c").read_text()
        done = self.makes("scara", "--what", "g", "--output", "-")
        self.assertEqual(done.stdout, source)
        self.assertIn("scara_g", done.stderr)
        self.assertNotIn("written", done.stderr)

    def test_languages(self):
        for language, ending in ENDINGS.items():
            answer = self.answer("planar_2r", "--lang", language, "--what", "M,g")
            self.assertEqual(answer["language"], language)
            self.assertEqual([pathlib.Path(x).name for x in answer["files"]], ["planar_2r." + ending])
            self.assertGreater((self.folder / ("planar_2r." + ending)).stat().st_size, 100)

    # ---- the status ------------------------------------------------------------------------------

    def test_status(self):
        (self.folder / "point.limb.yaml").write_text(POINT)
        (self.folder / "ask.c").write_text(ASKS)
        for words in ((), ("--float",), ("--split", "12"), ("--sines", "own")):
            self.makes("point.limb.yaml", "--what", "acc,Minv,dacc", *words)
            self.assertIn("Returns 0, or 1 where", (self.folder / "point.h").read_text())
            if shutil.which("cc"):
                self.assertEqual(self.compile("point.c", "point_test.c").returncode, 0)
            if shutil.which("cc") and "--float" not in words:
                self.assertEqual(self.compile("point.c", "ask.c").stdout, "000 000 111 111 ", words)
        self.makes("point.limb.yaml", "--what", "acc", "--lang", "python")
        names = {}
        exec((self.folder / "point.py").read_text(), names)  # pylint: disable=exec-used
        self.assertEqual(len(names["point_acc"]([0.3, 1], [0, 0], [1, 2])), 2)
        with self.assertRaises(ArithmeticError):
            names["point_acc"]([0.3, 1e-9], [0, 0], [1, 2])

    def test_status_of_lanes(self):
        (self.folder / "point.limb.yaml").write_text(POINT)
        self.makes("point.limb.yaml", "--what", "acc", "--lanes", "2")
        (self.folder / "ask.c").write_text(
            '#include "point.h"\n#include <stdio.h>\n'
            "int main(void)\n{\n  const point_lanes q[2] = {{0.3, 0.3}, {0, 1}}, v[2] = {{0}};\n"
            "  const point_lanes tau[2] = {{1, 1}, {2, 2}};\n"
            "  point_lanes a[2];\n  const int status = point_acc(q, v, tau, a);\n"
            '  printf("%d", status);\n  return 0;\n}\n')
        if shutil.which("cc"):
            done = self.compile("point.c", "ask.c")
            self.assertEqual(done.stdout, "1", done.stderr)

    def test_no_status(self):
        """Numbers that stay symbols cannot be compared with rounding; torques are not solved for."""
        (self.folder / "point.limb.yaml").write_text(POINT)
        self.makes("point.limb.yaml", "--what", "tau,acc", "--symbols", "inertia")
        header = (self.folder / "point.h").read_text()
        self.assertIn("void point_tau(", header)
        self.assertIn("void point_acc(", header)
        self.assertIn("which is not judged", header)

    def test_status_of_loops(self):
        """Two four-bars that lie flat: no single coordinate determines the others."""
        bars = EXAMPLES / "gallery/benchmarks/four_bars_2.limb.yaml"
        self.makes(str(bars), "--what", "acc,G", "--lang", "python")
        names = {}
        exec((self.folder / "four_bars_2.py").read_text(), names)  # pylint: disable=exec-used
        for name, others in (("acc", ([0.0] * 5, [0.0] * 5)), ("G", ())):
            function = names[f"four_bars_2_{name}"]
            function([0.3, 0.3, 0.3, -0.3, -0.3], *others)
            flat = math.pi / 2
            with self.assertRaises(ArithmeticError):
                function([flat, flat, flat, -flat, -flat], *others)

    # ---- the table -------------------------------------------------------------------------------

    @unittest.skipIf(FEW, "needs effort")
    def test_counts(self):
        answer = self.answer("panda", "--what", "tau,M,acc")
        self.assertEqual((answer["schema"], answer["model"], answer["language"]), (1, "panda", "c"))
        self.assertEqual([x["quantity"] for x in answer["functions"]], ["tau", "M", "acc"])
        # Multiplications and additions together: what prototypes reached is not to be exceeded. The status of acc
        # takes two for each joint at most.
        most = {"tau": 309 + 289, "M": 205 + 173, "acc": 632 + 550 + 14}
        ur5 = self.answer("ur5", "--what", "tau,M")["functions"]
        for function, limit in zip(ur5, (181 + 153, 108 + 88)):
            self.assertLess(function["mul"] + function["add"], limit, function["name"])
        (self.folder / "general_7r.limb.yaml").write_text(general_7r())
        general = self.answer("general_7r.limb.yaml", "--effort", "1")["functions"][0]
        self.assertLess(general["mul"] + general["add"], 488 + 412)
        self.assertGreater(general["mul"] + general["add"], 800)  # nothing is zero
        for function in answer["functions"]:
            self.assertEqual(function["name"], "panda_" + function["quantity"])
            for count in COUNTS:
                self.assertIsInstance(function[count], int)
            self.assertLessEqual(function["mul"] + function["add"], most[function["quantity"]], function["name"])
            self.assertLess(function["differs"], 1e-12)
            self.assertLessEqual(function["sines"], 7)
        text = self.makes("panda", "--what", "tau,M,acc").stdout
        for function in answer["functions"]:
            self.assertRegex(text, rf"{function['name']} +{function['mul']} +{function['add']} ")

    def test_published_counts(self):
        rows = self.answer("panda")["functions"][0]["published"]
        self.assertEqual([(x["mul"], x["add"]) for x in rows], [(842, 651), (517, 450)])
        self.assertIn("Khalil", rows[1]["source"])
        self.assertEqual(self.answer("panda", "--what", "M")["functions"][0]["published"], [])
        self.assertEqual(self.answer("quadruped", "--what", "tau")["functions"][0]["published"], [])
        self.assertEqual(self.answer("hand", "--what", "tau")["functions"][0]["published"], [])

    @unittest.skipIf(FEW, "needs effort")
    def test_counted_method(self):
        sys.path.insert(0, str(TOOLS))
        import count_customised  # pylint: disable=import-outside-toplevel
        for robot in ("puma560", "stanford", "general_6r") if ALL else ("puma560",):
            mul, add, difference = count_customised.count(LIMB, robot)
            self.assertLess(difference, 1e-11)
            function = self.answer(robot, "--no-friction")["functions"][0]
            row = function["published"][2]
            self.assertEqual((row["mul"], row["add"]), (mul, add), robot)
            self.assertIn(f"{mul}", self.makes(robot, "--no-friction").stdout)
            # its rotors included, the text takes less
            self.assertLess(function["mul"] + function["add"], mul + add, robot)

    @unittest.skipIf(FEW, "needs effort")
    def test_counts_of_symoro(self):
        """Its example, as docs/codegen.md has it: 325 + 276 in the text that it wrote."""
        function = self.answer(str(EXAMPLES / "rx90.limb.yaml"), "--effort", "1")["functions"][0]
        self.assertLess(function["mul"] + function["add"], 247 + 228)

    def test_counts_are_not_told_of_another_robot(self):
        """One that is called like a built-in one."""
        (self.folder / "two.limb.yaml").write_text(TWO_BODIES.replace("name: two", "name: stanford"))
        self.assertEqual(len(self.answer("two.limb.yaml")["functions"][0]["published"]), 2)

    def test_options_change_the_text(self):
        texts = set()
        for words in ((), ("--float",), ("--lanes", "4"), ("--sines", "given"), ("--sines", "own"),
                      ("--symbols", "inertia"), ("--symbols", "all"), ("--split", "20"), ("--given-gravity",),
                      ("--no-friction",)):
            self.makes("tree5", *words)
            texts.add((self.folder / "tree5.c").read_text())
        self.assertEqual(len(texts), 10)
        self.makes("tree5", "--sines", "own")
        self.assertNotIn("#include <", (self.folder / "tree5.c").read_text())

    def test_frame(self):
        self.makes("panda", "--what", "J,pose", "--frame", "link3")
        first = (self.folder / "panda.c").read_text()
        self.makes("panda", "--what", "J,pose", "--frame", "flange")
        self.assertNotEqual(first, (self.folder / "panda.c").read_text())

    def test_list(self):
        text = self.makes("--list").stdout
        for name in ("tau", "acc", "M", "C", "g", "h", "J", "dtau", "dacc", "Y"):
            self.assertRegex(text, rf"(?m)^{name} +\w")
        names = [x["name"] for x in json.loads(self.makes("--list", "--format", "json").stdout)["quantities"]]
        self.assertEqual(names, [x.split()[0] for x in text.splitlines()[1:]])
        complete = subprocess.run([LIMB, "completion", "words", "--", "codegen", "--what", ""], capture_output=True,
                                  text=True, check=True).stdout
        self.assertEqual([line.split("\t")[0] for line in complete.splitlines()[1:]], names)

    # ---- complaints ------------------------------------------------------------------------------

    def test_bad_requests(self):
        self.assertIn("no quantity is called 'xy'", self.fails(2, "panda", "--what", "xy"))
        self.assertIn("did you mean 'acc'?", self.fails(2, "panda", "--what", "tau,accc"))
        self.assertIn("did you mean 'tau'?", self.fails(2, "panda", "--what", "rnea"))
        self.fails(2, "panda", "--what", "tau,,M")
        self.assertIn("twice", self.fails(2, "panda", "--what", "tau,tau"))
        self.assertIn("stands alone", self.fails(2, "panda", "--what", "all,tau"))
        self.assertIn("no quantity is called", self.fails(2, "panda", "--what", "tau" + 70 * " " + "nonsense"))
        self.assertIn("--coulomb-width: 1e-40", self.fails(2, "puma560", "--float", "--coulomb-width", "1e-40"))
        self.assertIn("--coulomb-width: 1e+10", self.fails(2, "puma560", "--coulomb-width", "1e10"))
        self.assertIn("no frame 'nowhere'", self.fails(2, "panda", "--what", "J", "--frame", "nowhere"))
        self.assertIn("--lang takes c|python|", self.fails(2, "panda", "--lang", "fortran"))
        self.assertIn("--lanes takes 1|2|4|8|16, not '3'", self.fails(2, "panda", "--lanes", "3"))
        for split in ("0", "9", "-1", "1.5"):
            self.assertIn("--split must be a whole number", self.fails(2, "panda", "--split", split))
        self.assertIn("--split takes a number, not 'x'", self.fails(2, "panda", "--split", "x"))
        self.assertIn("use one of them", self.fails(2, "panda", "--output", "-", "--format", "json"))
        self.assertIn("no model", self.fails(2))
        self.assertIn("--coulomb-width must be above zero", self.fails(2, "panda", "--coulomb-width", "-1"))
        complaint = self.fails(2, "delta", "--what", "platform_J", "--frame", "tool")
        self.assertIn("--frame: 'tool' is not a body", complaint)

    def test_options_that_do_not_go_together(self):
        for words in (("--lang", "python", "--lanes", "4"), ("--lang", "latex", "--sines", "own"),
                      ("--lang", "matlab", "--float"), ("--lang", "julia", "--split", "10")):
            self.fails(2, "panda", *words)

    def test_prefix_is_a_name(self):
        for prefix in ("1arm", "my arm", "../arm", "a/b", "double", "None", "Self", "zeros"):
            self.fails(2, "panda", "--prefix", prefix)

    def test_what_the_robot_has_not(self):
        self.assertIn("Psi: the robot has no loops", self.fails(3, "panda", "--what", "tau,Psi"))
        self.assertIn("too large", self.fails(3, "protein", "--what", "M"))
        (self.folder / "still.limb.yaml").write_text(STILL)
        done = self.run_limb("still.limb.yaml")
        self.assertEqual((done.returncode, self.files()), (3, ["still.limb.yaml"]))
        self.assertIn("no joint that moves", done.stderr)
        (self.folder / "still.limb.yaml").unlink()
        self.assertIn("too many for LaTeX", self.fails(3, "quadruped", "--what", "dacc", "--lang", "latex"))

    def test_small_links_beside_large_ones(self):
        """Nothing is rounded away because another body is heavy."""
        (self.folder / "two.limb.yaml").write_text(TWO_BODIES)
        self.makes("two.limb.yaml", "--what", "tau", "--output", ".")
        text = (self.folder / "two.c").read_text()
        self.assertNotIn("tau[1] = 0.0", text)

    def test_unwritable_folder(self):
        self.assertIn("no-such-folder", self.fails(2, "planar_2r", "--output", "no-such-folder"))
        if os.geteuid() != 0:
            self.folder.chmod(0o500)
            self.assertIn("cannot be written", self.fails(2, "planar_2r"))
            self.folder.chmod(0o700)
        (self.folder / "planar_2r.h").mkdir()
        done = self.run_limb("planar_2r")
        self.assertEqual(done.returncode, 2)
        self.assertIn("planar_2r.h", done.stderr)
        self.assertEqual(self.files(), ["planar_2r.h"])

    def test_unknown_model(self):
        done = self.run_limb("no_such_robot")
        self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []))


if __name__ == "__main__":
    LIMB = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
