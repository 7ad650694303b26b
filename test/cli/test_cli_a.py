"""The tool limb, seen from outside: framework, info, check, verify, convert, models, completion, help.

    python3 test_cli_a.py PATH-TO-LIMB
"""
import json
import math
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIMB = "limb"  # replaced by main
FEW = os.environ.get("LIMB_TEST_EFFORT") == "few"  # instrumented: states differ in their numbers only
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}

PENDULUM = """<robot name="pendulum">
  <link name="stand"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.25"/>
      <mass value="2"/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.001"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="stand"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/>
  </joint>
</robot>
"""
# Principal moments that no body has.
IMPOSSIBLE = PENDULUM.replace('ixx="0.05"', 'ixx="0.01"')
# A joint that moves no mass.
MASSLESS = re.sub(r"<inertial>.*</inertial>", "", PENDULUM, flags=re.S)


def limb(*arguments, stdin=None, text=True):
    return subprocess.run([LIMB, *arguments], input=stdin, capture_output=True, text=text,
                          env=ENVIRONMENT, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def fine(self, *arguments, **more):
        run = limb(*arguments, **more)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def refused(self, code, *arguments, says):
        run = limb(*arguments)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        for piece in [says] if isinstance(says, str) else says:
            self.assertIn(piece, run.stderr)
        return run


class Framework(Case):
    def test_no_command_shows_the_overview_and_fails(self):
        self.refused(2, says=["usage: limb", "check", "verify"])

    def test_help_of_every_command_shows_usage_options_and_exit_codes(self):
        overview = self.fine("--help").stdout
        for name in ("info check eval id fd verify convert models demo completion help").split():
            self.assertRegex(overview, rf"(?m)^  {name} ")
            text = self.fine(name, "--help").stdout
            self.assertTrue(text.startswith(f"usage: limb {name}"), text)
            self.assertIn("exit codes", text)
            self.assertEqual(self.fine("help", name).stdout, text)
            for line in text.splitlines():
                self.assertEqual(line, line.rstrip())

    def test_help_goes_before_mistakes(self):
        self.assertIn("usage: limb info", self.fine("info", "--nonsense", "--help").stdout)

    def test_mistakes_are_answered_with_a_suggestion(self):
        self.refused(2, "chekc", says="did you mean 'check'?")
        self.refused(2, "info", "--fomat", "json", "ur5", says="did you mean --format?")
        self.refused(2, "info", "panada", says="did you mean 'panda'?")
        self.refused(2, "models", "panada", says="did you mean 'panda'?")
        self.refused(2, "--vesion", says="limb --help")
        self.refused(2, "CHECK", says="did you mean 'check'?")
        self.refused(2, "info", "UR5", says="did you mean 'ur5'?")
        self.refused(2, "info", "u5r", says="did you mean 'ur5'?")  # letters changed places

    def test_short_words_are_not_guessed_at(self):
        for words in (["fo"], ["x"], ["info", "--fo", "ur5"], ["info", "ux"]):
            run = limb(*words)
            self.assertEqual(run.returncode, 2)
            self.assertNotIn("did you mean", run.stderr)
        self.refused(2, "ID", says="did you mean 'id'?")

    def test_empty_words_are_mistakes(self):
        self.refused(2, "info", "", says=["an operand is empty", "usage: limb info"])
        self.refused(2, "convert", "ur5", "", says=["an operand is empty", "usage: limb convert"])
        self.refused(2, "info", "ur5", "--format", "", says="--format needs a value")
        self.refused(2, "info", "ur5", "--format=", says="--format needs a value")

    def test_errors_carry_their_remedy_once_per_rule(self):
        text = PENDULUM.replace('value="2"', 'value="two"').replace('"0.05"', '"x"')
        path = self.path("p.urdf", text)
        for words in (["info", path], ["verify", path], ["convert", path, self.path("x.urdf")]):
            run = self.refused(3, *words, says=[f"limb check {path} reports more"])
            self.assertGreater(run.stderr.count("[bad-number]"), 2)
            self.assertEqual(run.stderr.count("    fix: write numbers like 0.5"), 1)
        run = self.refused(2, "info", self.path("none.urdf"), says=["[unreadable]", "    fix: "])
        self.assertNotIn("reports more", run.stderr)

    def test_one_vocabulary(self):
        for text, rule in ((IMPOSSIBLE, "inertia-triangle"), (MASSLESS, "massless-subtree")):
            path = self.path("p.urdf", text)
            told = re.search(rf":(\d+):\d+: error: (.*) \[{rule}\]", limb("check", path).stdout)
            for words in (["verify", path, "--states", "1"], ["info", path, "--tree"],
                          ["convert", path, self.path("x.limb.yaml")]):
                run = self.fine(*words)
                self.assertRegex(run.stderr, rf"p\.urdf:{told[1]}:\d+: warning: ")
                self.assertEqual(run.stderr.count(f"{told[2]} [{rule}]"), 1)
                self.assertIn(f"limb check {path} reports more", run.stderr)
                self.assertNotIn("[non-physical]", run.stderr)
                self.assertNotIn("[massless]", run.stderr)
            run = self.fine("info", path)
            self.assertIn(f"1 {rule} (error)", run.stdout)
            self.assertEqual((run.stdout + run.stderr).count(told[2]), 1)
            answer = json.loads(self.fine("info", path, "--format", "json").stdout)
            self.assertIn(rule, [f["rule"] for f in answer["findings"]])
            self.assertFalse({n["kind"] for n in answer["notes"]} & {"massless", "non-physical"})

    def test_many_errors_of_one_rule_are_counted(self):
        link = re.search(r'  <link name="rod">.*?</link>\n', IMPOSSIBLE, flags=re.S)[0]
        more = "".join(link.replace("rod", f"rod{k}") + f"""<joint name="j{k}" type="fixed">
            <parent link="rod"/><child link="rod{k}"/></joint>\n""" for k in range(5))
        run = self.fine("verify", self.path("p.urdf", IMPOSSIBLE.replace("</robot>", more + "</robot>")),
                        "--states", "1")
        self.assertEqual(run.stderr.count("warning: link"), 3)
        self.assertIn("warning: 3 more of these [inertia-triangle]", run.stderr)

    def test_options_are_checked(self):
        self.refused(2, "info", "--format", "xml", "ur5", says="text|json")
        self.refused(2, "info", "--format=xml", "ur5", says="text|json")
        self.refused(2, "info", "ur5", "--format", says="needs a value")
        self.refused(2, "info", "ur5", "--tree=1", says="takes no value")
        self.refused(2, "info", "ur5", "--tree", "--tree", says="twice")
        self.refused(2, "info", "ur5", "-t", says="unknown option -t")
        self.refused(2, "verify", "ur5", "--states", "many", says="takes a number")
        self.refused(2, "verify", "ur5", "--states", "0x10", says="takes a number")
        self.refused(2, "verify", "ur5", "--gravity", "0,0", says="3 numbers")
        self.refused(2, "verify", "ur5", "--gravity", "0,0,inf", says="3 numbers")
        self.refused(2, "info", says="nothing to work on")
        self.refused(2, "info", "ur5", "panda", says="unexpected argument 'panda'")

    def test_options_may_stand_anywhere_and_double_dash_ends_them(self):
        first = self.fine("info", "--format=json", "ur5").stdout
        self.assertEqual(self.fine("info", "ur5", "--format", "json").stdout, first)
        run = limb("info", "--", "--tree")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--tree: error: the file cannot be read: no such file", run.stderr)

    def test_negative_numbers_are_values(self):
        answer = json.loads(self.fine("verify", "ur5", "--states", "1", "--gravity", "-1,2,-3",
                                      "--format", "json").stdout)
        self.assertEqual(answer["gravity"], [-1, 2, -3])

    def test_a_closed_pipe_ends_quietly(self):
        with subprocess.Popen([LIMB, "info", "--format", "json", "protein"], env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.read(10)
            run.stdout.close()
            self.assertEqual(run.stderr.read(), b"")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_an_error(self):
        for arguments in (["info", "ur5"], ["models"], ["--help"], ["info", "ur5", "--format", "json"]):
            with open("/dev/full", "w", encoding="utf-8") as out:
                run = subprocess.run([LIMB, *arguments], stdout=out, stderr=subprocess.PIPE,
                                     env=ENVIRONMENT, check=False)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(b"written: No space left on device", run.stderr)
        for name in ("ur5", "protein"):
            run = self.refused(2, "convert", name, "/dev/full", "--to", "urdf",
                               says="No space left on device")

    def test_version_and_conventions(self):
        self.assertRegex(self.fine("--version").stdout,
                         r"^limb \d+\.\d+\.\d+\ninstruction set: (base|v3|v4)\n$")
        self.assertIn("SI units", self.fine("--conventions").stdout)

    def test_the_instruction_set_by_name(self):
        def version(name):
            return subprocess.run([LIMB, "--version"], capture_output=True, text=True, check=True,
                                  env={**ENVIRONMENT, "LIMB_ISA": name})
        usual = self.fine("--version").stdout
        run = version(usual.split()[-1])
        self.assertEqual((run.stdout, run.stderr), (usual, ""))
        run = version("base")  # a build for this machine has one set only, and says so
        self.assertEqual(run.stderr == "", run.stdout.endswith("instruction set: base\n"))
        run = version("sse9")
        self.assertEqual(run.stdout, usual)
        self.assertRegex(run.stderr, r"^limb: warning: .*'sse9'.*\n$")

    def test_standard_input_is_a_model(self):
        answer = json.loads(self.fine("info", "-", "--format", "json", stdin=PENDULUM).stdout)
        self.assertEqual(answer["model"], "pendulum")


class Colours(Case):
    def seen_on_terminal(self, more):
        """What a terminal gets to see."""
        child, terminal = pty.fork()
        if child == 0:
            os.execve(LIMB, [LIMB, "check", "ur5"], {**ENVIRONMENT, "TERM": "xterm", **more})
        seen = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        os.waitpid(child, 0)
        os.close(terminal)
        return seen

    def test_only_on_terminals_without_no_color(self):
        self.assertIn(b"\033[", self.seen_on_terminal({}))
        self.assertNotIn(b"\033[", self.seen_on_terminal({"NO_COLOR": "1"}))
        self.assertNotIn(b"\033[", self.seen_on_terminal({"TERM": "dumb"}))
        self.assertNotIn("\033[", self.fine("check", "ur5").stdout)


class Info(Case):
    def test_text_names_joints_bodies_findings_and_notes(self):
        text = self.fine("info", self.path("p.urdf", PENDULUM)).stdout
        for piece in ("pendulum", "hinge", "stand -> rod", "nq 1, nv 1", "mass 2 kg", "merged",
                      "reach", "gravity 0 0 -9.81"):
            self.assertIn(piece, text)

    def test_json_has_the_same_in_full(self):
        answer = json.loads(self.fine("info", self.path("p.urdf", PENDULUM), "--format", "json").stdout)
        self.assertEqual((answer["schema"], answer["nq"], answer["nv"]), (1, 1, 1))
        self.assertEqual(answer["format"], "urdf")
        hinge = next(j for j in answer["joints"] if j["name"] == "hinge")
        self.assertEqual((hinge["type"], hinge["q_max"], hinge["effort_max"]), ("revolute", 1, 5))
        self.assertEqual(hinge["rotor_inertia"], 0)
        self.assertEqual(answer["whole"]["com"], [0, 0, -0.25])
        self.assertTrue(any(n["kind"] == "merged" for n in answer["notes"]))

    def test_what_was_not_written_is_not_shown(self):
        """Bodies of the UR5 are placed away from the axes of their joints: the reader adds two bodies for that."""
        for flags, count in (([], 6), (["--compiled"], 8)):
            text = self.fine("info", "ur5", *flags).stdout
            self.assertIn(f"{count} bodies, {count} joints", text)
            self.assertEqual(("link2.axis" in text, "link2.offset" in text), (count == 8, count == 8))
        self.assertIn("link2, 8.393 kg   (revolute shoulder_lift)", self.fine("info", "ur5", "--tree").stdout)
        answer = json.loads(self.fine("info", "ur5", "--format", "json").stdout)
        self.assertEqual([b["name"] for b in answer["bodies"] if b["auxiliary"]], ["link2.axis", "link3.axis"])
        self.assertEqual([j["name"] for j in answer["joints"] if j["auxiliary"]], ["link2.offset", "link3.offset"])

    def test_one_is_not_many(self):
        text = self.fine("info", self.path("p.urdf", """<robot name="p"><link name="a"/></robot>""")).stdout
        self.assertIn("1 body, 1 joint, 0 added frames", text)
        self.assertIn("1 random state,", self.fine("verify", "ur5", "--states", "1").stdout)

    def test_no_limit_is_null(self):
        text = PENDULUM.replace('type="revolute"', 'type="continuous"')
        answer = json.loads(self.fine("info", self.path("p.urdf", text), "--format", "json").stdout)
        hinge = next(j for j in answer["joints"] if j["name"] == "hinge")
        self.assertIsNone(hinge["q_max"])

    def test_base_is_what_is_asked_for(self):
        path = self.path("p.urdf", PENDULUM)
        for base, nv in (("fixed", 1), ("floating", 7), ("planar", 4)):
            answer = json.loads(self.fine("info", path, "--base", base, "--format", "json").stdout)
            self.assertEqual(answer["nv"], nv)
            types = [j["type"] for j in answer["joints"] if j["name"] == "base"]
            self.assertEqual(types, [{"floating": "free"}.get(base, base)])

    def test_tree(self):
        text = self.fine("info", "quadruped", "--tree").stdout
        self.assertEqual(len(re.findall("[├└]─", text)), 17)
        self.assertTrue(text.startswith("world\n"))

    def test_tree_of_a_long_chain_is_not_indented(self):
        lines = self.fine("info", "protein", "--tree").stdout.splitlines()
        self.assertGreater(len(lines), 1000)
        self.assertLess(max(map(len, lines)), 100)

    def test_principal(self):
        path = self.path("turned.limb.yaml", """limb: 1
bodies:
  - {name: foot, mass: 2, solid: {box: [0.1, 0.2, 0.3]}, inertia_axes: {rpy: [0, 0, 0.5235987755982988]}}
  - {name: rod, mass: 1, solid: {rod: 1}}
joints:
  - {name: j, type: revolute, parent: foot, child: rod, axis: [0, 0, 1]}
""")
        text = self.fine("info", path).stdout
        part = text[text.index("principal axes"):text.index("found:")]
        self.assertIn("0.00833333  0.0166667  0.0216667", part)  # 2 / 12 of 0.01 + 0.04, 0.01 + 0.09, 0.04 + 0.09
        self.assertNotIn("rod", part)
        bodies = {b["name"]: b for b in json.loads(self.fine("info", path, "--format", "json").stdout)["bodies"]}
        axes = bodies["foot"]["principal_axes"]
        self.assertAlmostEqual(abs(axes[2][0]), 0.75 ** 0.5, 12)
        self.assertAlmostEqual(abs(axes[0][2]), 1, 12)
        self.assertEqual(bodies["rod"]["principal_moments"], [0, 1 / 12, 1 / 12])

    def test_mdh(self):
        text = self.fine("info", "tree5", "--mdh").stdout
        self.assertRegex(text, r"link +ant +sigma +gamma +b +alpha +d +theta +r +joint")
        answer = json.loads(self.fine("info", "tree5", "--mdh", "--format", "json").stdout)
        rows = answer["mdh"]
        self.assertEqual([r["antecedent"] for r in rows], [0, 1, 2, 1, 4])
        self.assertEqual([r["sigma"] for r in rows], [0, 0, 1, 0, 0])
        self.assertEqual(len(rows[0]["regrouped"]), 10)
        self.assertNotIn("mdh", json.loads(self.fine("info", "tree5", "--format", "json").stdout))

    def test_notations(self):
        rows = json.loads(self.fine("info", "panda", "--mdh", "--format", "json").stdout)["mdh_rows"]
        self.assertEqual([r["alpha"] for r in rows[:2]], [0, -math.pi / 2])
        self.assertEqual([r["d"] for r in rows], [0, 0, 0, 0.0825, -0.0825, 0, 0.088])
        self.assertRegex(self.fine("info", "panda", "--mdh").stdout, r"joint5 +link4 +link5 +0 +0 +0 +-pi/2 +-0.0825")
        self.assertRegex(self.fine("info", "puma560", "--dh").stdout, r"joint3 .* q2 +0.15005 +0.0203 +-pi/2")
        answer = json.loads(self.fine("info", "ur5", "--poe", "--format", "json").stdout)["poe"]
        self.assertEqual(answer["frame"], "tip")
        for got, wanted in zip(answer["screws"][1]["B"], [0, 0, 1, 0.09465, -0.81725, 0]):
            self.assertAlmostEqual(got, wanted, 14)
        self.assertRegex(self.fine("info", "ur5", "--poe", "--frame", "link1").stdout, r"axes of 'link1'")
        self.refused(2, "info", "ur5", "--poe", "--frame", "hand", says=["hand"])
        chain = json.loads(self.fine("info", "iiwa", "--dh", "--format", "json").stdout)["dh"]["chain"]
        for got, wanted in zip([r["d"] for r in chain], [0.36, 0, 0.42, 0, 0.4, 0, 0.081]):
            self.assertAlmostEqual(got, wanted, 14)
        self.refused(2, "info", "tree5", "--dh", says=["not a chain"])

    def test_forms_give_the_same_robot(self):
        for form in ("poses", "mdh", "poe"):
            out = self.path(f"{form}.limb.yaml")
            self.fine("convert", "iiwa", out, "--as", form)
            self.assertIn("iiwa", self.fine("info", out).stdout)
        self.assertIn("dh: {sigma: 0, alpha: -pi/2, d: -0.0825, r: 0.384}",
                      self.fine("convert", "panda", "-", "--to", "yaml", "--as", "mdh").stdout)
        self.assertIn("screw: [0, 0, -1, -0.10915, 0.81725, 0]",
                      self.fine("convert", "ur5", "-", "--to", "yaml", "--as", "poe").stdout)
        self.refused(2, "convert", "ur5", "-", "--to", "urdf", "--as", "poe", says=["--as is for limb YAML"])

    def test_json_numbers_read_back_to_the_same_bits(self):
        text = PENDULUM.replace('value="2"', 'value="0.1000000000000000055511151231257827"')
        path = self.path("p.urdf", text)
        answer = json.loads(self.fine("info", path, "--format", "json").stdout)
        self.assertEqual(answer["mass"], 0.1)

    def test_faulty_files_give_no_model(self):
        run = self.refused(3, "info", self.path("p.urdf", PENDULUM[:300]), says="p.urdf:")
        self.assertRegex(run.stderr, r"p\.urdf:\d+:\d+: error: ")
        self.assertEqual(run.stdout, "")


class Check(Case):
    def test_a_good_file(self):
        run = self.fine("check", self.path("p.urdf", PENDULUM))
        self.assertIn("0 errors", run.stdout)

    def test_a_finding_names_file_line_rule_why_and_fix(self):
        run = limb("check", self.path("p.urdf", IMPOSSIBLE))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"p\.urdf:3:3: error: link 'rod': .* \[inertia-triangle\]")
        self.assertIn("    why: no mass distribution", run.stdout)
        self.assertIn("    fix: ", run.stdout)
        self.assertIn("1 error", run.stdout)

    def test_why_is_said_once_per_run(self):
        run = limb("check", self.path("a.urdf", IMPOSSIBLE), self.path("b.urdf", IMPOSSIBLE))
        self.assertEqual(run.stdout.count("[inertia-triangle]"), 2)
        self.assertEqual(run.stdout.count("why: no mass distribution"), 1)

    def test_strict_counts_warnings(self):
        text = PENDULUM.replace('velocity="3"', 'velocity="0"')
        path = self.path("p.urdf", text)
        self.assertEqual(limb("check", path).returncode, 0)
        self.assertEqual(limb("check", path, "--strict").returncode, 1)
        self.assertEqual(limb("check", self.path("g.urdf", PENDULUM), "--strict").returncode, 0)

    def test_swapped_limits_are_an_error_that_dynamics_survives(self):
        wrong = self.path("wrong.urdf", PENDULUM.replace('lower="-1" upper="1"', 'lower="1" upper="-1"'))
        good = self.path("good.urdf", PENDULUM)
        states = self.path("x.csv", "q.hinge,v.hinge,a.hinge\n2,0.3,0.1\n")
        run = limb("check", wrong)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"wrong\.urdf:\d+:\d+: error: joint 'hinge': .*read without.*\[limit-swapped\]")
        run = self.fine("id", wrong, states)
        self.assertEqual(run.stdout, self.fine("id", good, states).stdout)
        self.assertRegex(run.stderr, r"wrong\.urdf:\d+:\d+: warning: joint 'hinge': .*\[limit-swapped\]")
        self.assertEqual(run.stderr.count("limit-swapped"), 1)
        run = self.fine("ik", wrong, "--frame", "rod", "--target", "0,0,0,0,0,0,1")
        self.assertIn("[limit-swapped]", run.stderr)

    def test_the_worst_file_counts(self):
        good, bad = self.path("good.urdf", PENDULUM), self.path("bad.urdf", IMPOSSIBLE)
        broken, missing = self.path("broken.urdf", "<robot"), self.path("missing.urdf")
        self.assertEqual(limb("check", good, good).returncode, 0)
        self.assertEqual(limb("check", good, bad).returncode, 1)
        self.assertEqual(limb("check", broken, bad, good).returncode, 3)
        run = limb("check", broken, missing, bad, good)
        self.assertEqual(run.returncode, 2)
        table = run.stdout[run.stdout.rindex("\nfile "):]
        self.assertRegex(table, r"good\.urdf +0 .* fine")
        self.assertRegex(table, r"bad\.urdf +1 .* errors")
        self.assertRegex(table, r"broken\.urdf +1 .* no model")
        self.assertRegex(table, r"missing\.urdf +- +- +- +cannot be read")
        self.assertRegex(table, r"4 files .* 1 passed")

    def test_standard_input_has_one_name(self):
        run = limb("check", "-", stdin=IMPOSSIBLE)
        self.assertEqual(run.returncode, 1)
        self.assertIn("standard input:3:3: error", run.stdout)
        self.assertIn("\nstandard input: errors: 1 error,", run.stdout)
        self.refused(2, "check", "-", "ur5", "-", says="standard input can be read only once")

    def test_of_an_unreadable_file_nothing_is_counted(self):
        run = limb("check", self.path("missing.urdf"))
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stdout, r"missing\.urdf: cannot be read\n$")
        self.assertNotIn("0 errors", run.stdout)
        self.assertIn("did you mean 'panda'?", limb("check", "panada").stdout)

    def test_quiet_is_the_summary_alone(self):
        run = limb("check", "--quiet", self.path("p.urdf", IMPOSSIBLE))
        self.assertEqual(len(run.stdout.splitlines()), 1)

    def test_json(self):
        bad, missing = self.path("bad.urdf", IMPOSSIBLE), self.path("missing.urdf")
        run = limb("check", "--format", "json", bad, missing)
        self.assertEqual(run.returncode, 2)
        answer = json.loads(run.stdout)
        self.assertEqual(answer["schema"], 1)
        first, second = answer["files"]
        finding = next(f for f in first["findings"] if f["rule"] == "inertia-triangle")
        self.assertEqual((finding["severity"], finding["line"], finding["column"]), ("error", 3, 3))
        for key in ("where", "text", "why", "fix"):
            self.assertTrue(finding[key])
        self.assertIn("hint", finding)
        self.assertEqual((first["verdict"], first["errors"]), ("errors", 1))
        self.assertEqual(second["verdict"], "cannot be read")
        self.assertEqual([f["rule"] for f in second["findings"]], ["unreadable"])

    def test_rules(self):
        text = self.fine("check", "--rules").stdout
        self.assertIn("inertia-triangle (error)", text)
        rules = json.loads(self.fine("check", "--rules", "--format", "json").stdout)["rules"]
        names = [r["rule"] for r in rules]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(text.count("    why: "), len(names))

    def test_file_names_need_not_be_utf8(self):
        path = os.path.join(os.fsencode(self.folder), b"caf\xe9.urdf")
        with open(path, "w", encoding="utf-8") as out:
            out.write(PENDULUM)
        run = limb("check", os.fsdecode(path), "--format", "json", text=False)
        self.assertEqual(run.returncode, 0)
        self.assertIn("caf?.urdf", json.loads(run.stdout)["files"][0]["file"])

    def test_repair(self):
        bad, out = self.path("bad.urdf", IMPOSSIBLE), self.path("fixed.urdf")
        run = self.fine("check", bad, "--repair", out)
        self.assertIn("[repaired]", run.stdout)
        self.assertIn("1 inertia changed", run.stdout)
        with open(out, encoding="utf-8") as file:
            fixed = file.read()
        lines = zip(IMPOSSIBLE.splitlines(), fixed.splitlines())
        changed = [a for a, b in lines if a != b]
        self.assertEqual(len(changed), 1)
        self.assertIn("<inertia ", changed[0])
        self.assertEqual(limb("check", out).returncode, 0)
        answer = json.loads(limb("check", bad, "--repair", out, "--format", "json").stdout)
        self.assertEqual(answer["files"][0]["repair"]["changed"], 1)

    def test_repair_to_yaml_and_to_standard_output(self):
        bad, out = self.path("bad.urdf", IMPOSSIBLE), self.path("fixed.limb.yaml")
        self.fine("check", bad, "--repair", out)
        self.assertEqual(limb("check", out).returncode, 0)
        run = self.fine("check", bad, "--repair", "-")
        self.assertTrue(run.stdout.startswith("<robot"))
        self.assertIn("[repaired]", run.stderr)

    def test_repair_is_refused_where_it_cannot_be(self):
        bad = self.path("bad.urdf", IMPOSSIBLE)
        self.refused(2, "check", bad, bad, "--repair", "x.urdf", says="one model")
        self.refused(2, "check", bad, "--repair", self.path("x.par"), says="*.limb.yaml")
        self.refused(2, "check", bad, "--repair", "-", "--format", "json", says="standard output")
        broken, out = self.path("broken.urdf", "<robot"), self.path("out.urdf")
        self.refused(3, "check", broken, "--repair", out, says="cannot be repaired")
        self.assertFalse(os.path.exists(out))


class Verify(Case):
    def test_built_in_robots_agree(self):
        for name in ("ur5", "tree5", "hand", "quadruped"):
            answer = json.loads(self.fine("verify", name, "--states", "5", "--format", "json").stdout)
            self.assertTrue(answer["agree"])
            self.assertGreater(len(answer["checks"]), 20)
            for check in answer["checks"]:
                if check["verdict"] == "ok":
                    self.assertLessEqual(check["disagreement"], check["tolerance"])
                    self.assertEqual(check["states"], 5)
                elif check["quantity"] == "base_acc":
                    self.assertEqual(check["verdict"], "not applicable")
                    self.assertNotEqual(name, "quadruped")
                else:
                    self.assertEqual(name, "hand")
                    self.assertIn((check["by"], check["and_by"]), {
                        ("ABA", "L'DL factors of M"), ("ABA", "divide and conquer"),
                        ("articulated bodies", "Khalil's recursion")})

    def test_all_built_in_robots_agree(self):
        for model in json.loads(self.fine("models", "--format", "json").stdout)["models"]:
            self.fine("verify", model["name"], "--states", "1" if FEW else "2")

    def simple(self, kind, more=""):
        return self.path(f"{kind}.urdf", PENDULUM.replace('"revolute"', f'"{kind}"').replace(
            '<axis xyz="0 1 0"/>', f'<axis xyz="1 2 3"/>{more}'))

    def test_quantities_that_are_zero_agree(self):
        place = '<origin xyz="0.3 0.2 0.1" rpy="0.3 1 2"/>'
        point = re.sub(r'i(..)="[0-9.]+"', r'i\1="0"', PENDULUM)
        robots = [[self.simple(kind, place)] for kind in ("revolute", "prismatic", "ball", "floating", "planar")]
        robots += [[self.path("pendulum.urdf", PENDULUM)], [self.path("point.urdf", point)]]
        robots += [[self.path("axis.urdf", point.replace('"0 1 0"', '"0 0 1"'))]]  # all mass on the axis
        robots += [["cart_pole"], [self.path("body.urdf", PENDULUM), "--base", "floating"]]
        for robot in robots:
            for gravity in ("0,0,-9.81", "0,0,0"):
                run = limb("verify", *robot, "--states", "15" if FEW else "300", "--gravity", gravity)
                self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_tolerance_that_nothing_meets_fails(self):
        for robot in ("panda", self.simple("revolute"), self.simple("ball")):
            run = limb("verify", robot, "--states", "20", "--tolerance", "1e-18")
            self.assertEqual(run.returncode, 1)
            self.assertIn("FAILED", run.stdout)
            self.assertIn("FORMULATIONS DISAGREE", run.stdout)

    def test_the_seed_decides(self):
        first = self.fine("verify", "ur5", "--states", "3").stdout
        self.assertEqual(self.fine("verify", "ur5", "--states", "3").stdout, first)
        self.assertNotEqual(self.fine("verify", "ur5", "--states", "3", "--seed", "2").stdout, first)

    def test_singular_mass_matrices_are_not_applicable(self):
        run = self.fine("verify", self.path("m.urdf", MASSLESS), "--states", "3")
        self.assertIn("not applicable: M is singular", run.stdout)
        self.assertIn("warning: ", run.stderr)

    def test_large_robots_are_done_in_part(self):
        run = self.fine("verify", "protein", "--states", "2", "--format", "json")
        checks = json.loads(run.stdout)["checks"]
        skipped = [c for c in checks if c["verdict"] == "skipped"]
        self.assertTrue(skipped)
        self.assertTrue(all("too large" in c["why"] or "velocities" in c["why"] for c in skipped))
        # its base is fixed, and M too badly conditioned for joins of parts
        without = [c for c in checks if c["quantity"] == "base_acc" or c["and_by"] == "divide and conquer"]
        self.assertTrue(all(c["states"] > 0 for c in checks if c not in skipped + without))

    def test_arguments(self):
        for option, value in (("--states", "0"), ("--states", "1.5"), ("--seed", "-1"),
                              ("--tolerance", "0")):
            self.refused(2, "verify", "ur5", option, value, says=option)


class Convert(Case):
    def test_there_and_back(self):
        for name in ("ur5", "hand", "tree5", "stanford"):
            for ending in ("urdf", "limb.yaml"):
                out = self.path(f"{name}.{ending}")
                run = self.fine("convert", name, out)
                self.assertRegex(run.stderr, r"M differs by \S+ and tau differs by \S+ \(relative\)")
                again = json.loads(self.fine("info", out, "--format", "json").stdout)
                first = json.loads(self.fine("info", name, "--format", "json").stdout)
                self.assertEqual(again["nv"], first["nv"])
                self.assertAlmostEqual(again["mass"], first["mass"], delta=1e-12 * first["mass"])
        self.assertEqual(sorted(os.listdir(self.folder))[0], "hand.limb.yaml")  # nothing temporary

    def test_standard_output_needs_a_language(self):
        self.refused(2, "convert", "ur5", "-", says="--to yaml|urdf")
        self.assertIn("<robot", self.fine("convert", "ur5", "-", "--to", "urdf").stdout)
        self.assertIn("limb: 1", self.fine("convert", "ur5", "-", "--to", "yaml").stdout)

    def test_what_cannot_be_written_is_refused(self):
        self.refused(2, "convert", "four_bar", self.path("x.par"), "--to", "urdf", says="contradicts")
        self.refused(2, "convert", "ur5", self.path("x"), says="--to")
        self.refused(2, "convert", "ur5", self.path("no/x.urdf"), says="cannot be written")
        self.refused(2, "convert", "ur5", self.folder, "--to", "urdf", says="cannot be written")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_is_replaced_with_its_permissions_and_links(self):
        target, link = self.path("target.urdf", "old"), self.path("link.urdf")
        os.chmod(target, 0o640)
        os.symlink(target, link)
        self.fine("convert", "ur5", link)
        self.assertTrue(os.path.islink(link))
        with open(target, encoding="utf-8") as file:
            self.assertIn("<robot", file.read())
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o640)

    def test_a_link_to_nothing_is_written_through(self):
        link, middle = self.path("link.urdf"), self.path("middle.urdf")
        os.mkdir(self.path("sub"))
        os.symlink("middle.urdf", link)
        os.symlink("sub/target.urdf", middle)
        self.fine("convert", "ur5", link)
        self.assertTrue(os.path.islink(link) and os.path.islink(middle))
        with open(self.path("sub/target.urdf"), encoding="utf-8") as file:
            self.assertIn("<robot", file.read())
        circle = self.path("circle.urdf")
        os.symlink("circle.urdf", circle)
        self.refused(2, "convert", "ur5", circle, says="cannot be written")
        self.assertTrue(os.path.islink(circle))

    def test_the_model_itself_is_not_overwritten(self):
        path, link, hard = self.path("p.urdf", PENDULUM), self.path("link.urdf"), self.path("hard.urdf")
        os.symlink(path, link)
        os.link(path, hard)
        for source in (path, link):
            for out in (path, link, hard, os.path.join(self.folder, ".", "p.urdf")):
                self.refused(2, "convert", source, out, says="is an input of this run")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), PENDULUM)
        self.fine("convert", path, self.path("other.urdf"))

    def test_what_is_left_behind_is_said(self):
        more = "<visual><geometry><sphere radius='2'/></geometry></visual><sensor/></link><gazebo/>"
        path = self.path("p.urdf", PENDULUM.replace("  </link>", more, 1))
        run = self.fine("convert", path, self.path("x.limb.yaml"))
        self.assertIn("x.limb.yaml: not written: sensor, gazebo\n", run.stderr)
        with open(self.path("x.limb.yaml"), encoding="utf-8") as file:
            self.assertIn("  - {body: rod, sphere: 2}\n", file.read())
        self.fine("convert", path, self.path("x.par"))
        run = self.fine("convert", self.path("plain.urdf", PENDULUM), self.path("x.limb.yaml"))
        self.assertNotIn("not written", run.stderr)
        name = "a_fixed_joint_whose_name_is_longer_than_forty-eight_bytes"
        text = (f'<robot name="r"><link name="a"/><link name="b"/><joint name="{name}" type="fixed"><parent link="a"/>'
                '<child link="b"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>')
        run = self.fine("convert", self.path("fixed.urdf", text), self.path("x.limb.yaml"))
        self.assertIn(f"x.limb.yaml: not written: details of joint '{name}'\n", run.stderr)

    def test_a_joint_is_no_frame(self):
        self.refused(2, "eval", "panda", "--q", "joint1=1", "--what", "pose", "--frame", "joint4",
                     says="has no frame 'joint4'; the joint of that name carries 'link4'")

    def test_devices_are_written_directly(self):
        self.fine("convert", "ur5", "/dev/null", "--to", "urdf")
        self.assertFalse(os.path.isfile("/dev/null"))


class Interrupt(Case):
    def interrupted(self, number):
        """A command that waits for input with its output file open, ended by a signal."""
        out = self.path("out.csv")
        with subprocess.Popen([LIMB, "id", "planar_2r", "-", "--output", out], env=ENVIRONMENT,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as run:
            joints = [j["name"] for j in json.loads(
                self.fine("info", "planar_2r", "--format", "json").stdout)["joints"] if j["nv"] == 1]
            header = ["time"] + [f"{x}.{j}" for x in "qva" for j in joints]
            row = ",".join("0" * len(header)) + "\n"
            run.stdin.write((",".join(header) + "\n" + 100000 * row).encode())
            run.stdin.flush()
            end = time.monotonic() + 600
            while not os.listdir(self.folder) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(len(os.listdir(self.folder)), 1)
            self.assertFalse(os.path.exists(out))
            run.send_signal(number)
            run.wait()
        return run.returncode

    def test_no_file_is_left_half_written(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.interrupted(number), -number)
            self.assertEqual(os.listdir(self.folder), [])


class Models(Case):
    def test_table_and_json_list_the_same(self):
        table = self.fine("models").stdout.splitlines()
        models = json.loads(self.fine("models", "--format", "json").stdout)["models"]
        self.assertEqual([line.split()[0] for line in table[1:]], [m["name"] for m in models])
        for model in models:
            self.assertGreater(model["mass"], 0)
            self.assertTrue(model["title"] and model["origin"])

    def test_files_of_the_same_name_do_not_hide_the_robots(self):
        self.path("ur5", "not a model")
        run = subprocess.run([LIMB, "models", "ur5"], cwd=self.folder, capture_output=True, text=True,
                             env=ENVIRONMENT, check=False)
        self.assertEqual(run.returncode, 0)
        self.assertIn("shoulder_pan", run.stdout)

    def test_the_text_of_a_robot_is_a_model_file(self):
        for name in ("puma560", "protein"):
            text = self.fine("models", name).stdout
            self.assertIn("origin: ", text)
            answer = json.loads(self.fine("info", "-", "--from", "yaml", "--format", "json",
                                          stdin=text).stdout)
            again = json.loads(self.fine("info", name, "--format", "json").stdout)
            self.assertEqual((answer["nv"], answer["mass"]), (again["nv"], again["mass"]))


class Texts(Case):
    def test_bash_completes(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        script = self.path("limb.bash", self.fine("completion", "bash").stdout)
        self.path("arm.urdf", PENDULUM)
        self.path("notes.txt", "")

        def complete(*words):
            line = " ".join(f"'{w}'" for w in (LIMB, *words))
            run = subprocess.run(
                ["bash", "-c", f"compopt() {{ :; }}; source {script}; COMP_WORDS=({line}); "
                 f"COMP_CWORD={len(words)}; _limb; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
                capture_output=True, text=True, cwd=self.folder, check=False)
            self.assertEqual(run.stderr, "")
            return run.stdout.split()

        self.assertEqual(complete("ver"), ["verify"])
        self.assertEqual(complete("--ver"), ["--version"])
        self.assertIn("--mdh", complete("info", "--"))
        self.assertEqual(complete("info", "--base", "fl"), ["floating"])
        self.assertEqual(complete("info", "--base", "=", "fl"), ["floating"])
        self.assertEqual(complete("info", "a"), ["acrobot", "ankle_leg", "arm.urdf"])
        self.assertNotIn("notes.txt", complete("info", ""))
        self.assertIn("notes.txt", complete("check", "--repair", ""))
        self.assertEqual(complete("eval", "--what", "Mi"), ["Minv"])
        self.assertEqual(complete("eval", "--what", "tau,M"), ["tau,M", "tau,Minv", "tau,Mdot"])
        self.assertEqual(complete("eval", "--what", "=", "tau,Mi"), ["tau,Minv"])
        self.assertNotIn("tau,tau", complete("eval", "--what", "tau,"))
        self.assertEqual(complete("completion", "z"), ["zsh"])
        self.assertEqual(complete("help", "che"), ["check"])

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        script = self.path("limb.fish", self.fine("completion", "fish").stdout)
        run = subprocess.run(["fish", "-N", "-c", f"source {script}; complete -C 'limb eval --what tau,Mi'"],
                             capture_output=True, text=True, env={**ENVIRONMENT, "HOME": self.folder}, check=False)
        self.assertEqual(run.stdout.split("\t")[0].strip(), "tau,Minv")

    def test_scripts_of_other_shells_parse(self):
        for shell in ("zsh", "fish"):
            script = self.path(f"limb.{shell}", self.fine("completion", shell).stdout)
            if shutil.which(shell):
                run = subprocess.run([shell, "-n", script], capture_output=True, text=True,
                                     check=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.refused(2, "completion", "tcsh", says="bash, zsh or fish")

    def test_the_manual_page_is_clean(self):
        page = self.path("limb.1", self.fine("help", "--man").stdout)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for name in ("info", "check", "eval", "verify", "completion"):
            self.assertIn(f".SS limb {name}", text)
        self.assertNotRegex(text, r"(?m)^'")
        if shutil.which("groff"):
            run = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True,
                                 text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        if shutil.which("mandoc"):
            run = subprocess.run(["mandoc", "-Tlint", "-Werror", page], capture_output=True,
                                 text=True, check=False)
            self.assertEqual((run.returncode, run.stdout), (0, ""))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    if len(sys.argv) > 1:
        LIMB = os.path.abspath(sys.argv.pop(1))
    unittest.main()
