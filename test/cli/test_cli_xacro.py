"""limb xacro against the real xacro (PyPI), element by element, and as its users type it."""

import pathlib
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

LIMB, SOURCE = sys.argv[1], pathlib.Path(__file__).resolve().parents[2]
ARM = SOURCE / "test/io/xacro/arm.urdf.xacro"
REAL = SOURCE / ".deps/python/bin/xacro"
ARGUMENTS = [[], ["prefix:=left_"], ["joints:=1"], ["joints:=2", "prefix:=a_"]]


def limb(*words):
    return subprocess.run([LIMB, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


def normal(e):
    children = [normal(c) for c in e if isinstance(c.tag, str)]
    return e.tag, sorted(e.attrib.items()), (e.text or "").strip(), children


class Xacro(unittest.TestCase):
    @unittest.skipUnless(REAL.exists(), "scripts/setup python installs xacro")
    def test_equals_the_real_one(self):
        for words in ARGUMENTS:
            real = subprocess.run([REAL, ARM, *words], capture_output=True, text=True, timeout=60, check=True)
            ours = limb("xacro", ARM, *words)
            self.assertEqual(ours.returncode, 0, ours.stderr)
            self.assertEqual(normal(ET.fromstring(ours.stdout)), normal(ET.fromstring(real.stdout)), words)

    def test_every_command_reads_it(self):
        for command in (["info"], ["check"], ["eval", "--what", "M", "--q", "left_link1_joint=1"], ["verify"]):
            run = limb(command[0], ARM, *command[1:], "--args", "prefix:=left_ joints:=2")
            self.assertIn(run.returncode, (0, 1), run.stderr)
            self.assertNotIn("error", run.stderr)
        self.assertIn("left_link2_joint", limb("info", ARM, "--args", "prefix:=left_ joints:=2").stdout)

    def test_output_is_read_again(self):
        expanded = SOURCE / "build" / "expanded.urdf"
        self.assertEqual(limb("xacro", ARM, "--output", expanded).returncode, 0)
        self.assertEqual(limb("info", expanded).returncode, 0)
        expanded.unlink()

    def test_arguments_are_checked(self):
        run = limb("info", ARM, "--args", "joints=2")
        self.assertEqual(run.returncode, 2)
        self.assertIn("NAME:=VALUE", run.stderr)
        run = limb("xacro", ARM, "joints")
        self.assertEqual(run.returncode, 3)
        self.assertIn("name:=value", run.stderr)

    def test_what_is_not_xacro(self):
        run = limb("xacro", SOURCE / "examples/sick_arm.urdf")
        self.assertEqual(run.returncode, 2)
        self.assertIn("not a xacro file", run.stderr)
        run = limb("xacro", "no-such-file.xacro")
        self.assertEqual(run.returncode, 3)
        self.assertIn("no such file", run.stderr)

    def test_input_is_never_overwritten(self):
        copy = SOURCE / "build" / "xacro-test"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(ARM.parent, copy)
        run = limb("xacro", copy / "arm.urdf.xacro", "--output", copy / "arm.urdf.xacro")
        self.assertEqual(run.returncode, 2)
        self.assertIn(".urdf", run.stderr)  # the ending
        link = copy / "link.urdf"
        link.symlink_to(copy / "arm.urdf.xacro")
        run = limb("xacro", copy / "arm.urdf.xacro", "--output", link)
        self.assertEqual(run.returncode, 2)
        self.assertIn("input", run.stderr)
        self.assertEqual((copy / "arm.urdf.xacro").read_text(), ARM.read_text())
        shutil.rmtree(copy)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
