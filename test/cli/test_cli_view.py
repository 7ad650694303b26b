#!/usr/bin/env python3
"""limb view: the page with a robot in it. The page itself is tested in a browser (web/test).

    test_cli_view.py <limb>
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMB = None
PAGE = '<html><script type="application/json" id="robot">null</script></html>\n'
NAME = """a "b" <c> & 'd' </script><script>alert(1)</script><!--"""


class View(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.limb = self.bin / "limb"
        shutil.copy(LIMB, self.limb)
        self.page = self.bin / "limb-view.html"

    def run_limb(self, *words, code=0):
        done = subprocess.run([self.limb, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def robot(self, text):
        head, tail = PAGE.split("null")
        self.assertTrue(text.startswith(head) and text.endswith(tail))
        return text[len(head):-len(tail)]

    def test_page(self):
        self.page.write_text(PAGE, encoding="utf-8")
        done = self.run_limb("view", "four_bar")
        self.assertRegex(done.stderr, r"view\.html: written, \d+\.\d MB; open it in a browser")
        data = json.loads(self.robot((self.folder / "view.html").read_text(encoding="utf-8")))
        self.assertEqual((data["schema"], data["source"], data["findings"]), (1, "four_bar", []))
        # The same robot to the last bit.
        model = self.folder / "copy.limb.yaml"
        model.write_text(data["model"], encoding="utf-8")
        what = ("--what", "tau,M,position.coupler", "--q", "theta1=1", "--v", "theta1=2", "--a", "theta1=3",
                "--format", "csv")
        self.assertEqual(self.run_limb("eval", model, *what).stdout, self.run_limb("eval", "four_bar", *what).stdout)

    def test_installed(self):
        share = self.folder / "share" / "limb"
        share.mkdir(parents=True)
        (share / "limb-view.html").write_text(PAGE, encoding="utf-8")
        self.assertIn("ur5", self.robot(self.run_limb("view", "ur5", "--output", "-").stdout))

    def test_names_cannot_leave_the_data(self):
        self.page.write_text(PAGE, encoding="utf-8")
        model = self.folder / "sly.limb.yaml"
        name = json.dumps(NAME)
        model.write_text(f"limb: 1\nname: {name}\nbodies:\n"
                         f"  - {{name: {name}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}}\njoints:\n"
                         f"  - {{name: {name}, type: revolute, parent: world, child: {name}}}\n", encoding="utf-8")
        text = self.robot(self.run_limb("view", model, "--output", "-").stdout)
        self.assertNotIn("<", text)
        self.assertIn("alert(1)", json.loads(text)["model"])

    def test_findings(self):
        self.page.write_text(PAGE, encoding="utf-8")
        sick = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sick_arm.urdf"
        data = json.loads(self.robot(self.run_limb("view", sick, "--output", "-").stdout))
        checked = json.loads(self.run_limb("check", sick, "--format", "json", code=1).stdout)
        checked = (checked.get("files") or checked.get("models") or [checked])[0]
        found, expected = (sorted((f["line"], f["rule"], f["where"], f["text"]) for f in x["findings"])
                           for x in (data, checked))
        self.assertEqual(found, expected)

    def test_mistakes(self):
        for content, why in ((None, "limb-view.html is not there; `make web` in the sources of limb builds it"),
                             ("<html></html>", "limb-view.html is not the page of this version"),
                             ("", "limb-view.html is not the page of this version")):
            if content is not None:
                self.page.write_text(content, encoding="utf-8")
            self.assertIn(why, self.run_limb("view", "panda", code=2).stderr)
            self.assertFalse((self.folder / "view.html").exists())
        self.page.write_text(PAGE, encoding="utf-8")
        self.assertIn("no built-in robot", self.run_limb("view", "nothing", code=2).stderr)
        self.assertIn(".html", self.run_limb("view", "panda", "--output", "x.png", code=2).stderr)
        model = self.folder / "model.html"
        model.write_text("limb: 1", encoding="utf-8")
        self.run_limb("view", model, "--output", model, code=2)
        self.assertEqual(model.read_text(encoding="utf-8"), "limb: 1")


if __name__ == "__main__":
    LIMB = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
