"""What tests of the tool share: a folder that goes away, the tool with the exit code that it must have."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import unittest


class ToolTest(unittest.TestCase):
    tool = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def limb(self, *words, code=0):
        done = subprocess.run([self.tool, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def refused(self, sentence, *words, code=2):
        self.assertIn(sentence, self.limb(*words, code=code).stderr)

    def write(self, name, header, rows):
        """A table."""
        path = self.folder / name
        path.write_text("\n".join([",".join(header), *(",".join(map(repr, r)) for r in rows), ""]))
        return str(path)


def main():
    ToolTest.tool = sys.argv.pop(1)
    unittest.main()
