"""limb mass: masses of shapes and meshes, by hand; what cannot be weighed."""

import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

LIMB = sys.argv[1]
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]


def limb(*words):
    return subprocess.run([LIMB, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


def cube(path, turned=(), missing=()):
    faces = [(a, c, b) if i in turned else (a, b, c) for i, (a, b, c) in enumerate(TRIANGLES) if i not in missing]
    with open(path, "wb") as out:
        out.write(bytes(80) + struct.pack("<I", len(faces)))
        for face in faces:
            out.write(struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in CORNERS[k]), 0))


def robot(**shapes):
    links = "".join(
        f'<link name="{name}"><collision><origin xyz="1 0 0"/><geometry>{shape}</geometry></collision></link>'
        f'<joint name="to_{name}" type="continuous"><parent link="base"/><child link="{name}"/></joint>'
        for name, shape in shapes.items()
    )
    return f'<robot name="r"><link name="base"/>{links}</robot>'


class Mass(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-r", self.folder], check=True))
        self.file = self.folder / "r.urdf"

    def masses(self, *words, **shapes):
        self.file.write_text(robot(**shapes))
        run = limb("mass", self.file, "--format", "json", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return {b["body"]: b for b in json.loads(run.stdout)["bodies"]}, run.stderr

    def test_primitives(self):
        body, _ = self.masses(
            "--density",
            "1000",
            box='<box size="1 2 3"/>',
            ball='<sphere radius="0.5"/>',
            rod='<cylinder radius="0.1" length="2"/>',
            pill='<capsule radius="0.1" length="2"/>',
        )
        ball, rod = math.pi / 6, math.pi * 0.02
        for name, volume in (("box", 6), ("ball", ball), ("rod", rod), ("pill", rod + math.pi * 0.004 / 3)):
            self.assertAlmostEqual(body[name]["mass"], 1000 * volume)
            self.assertEqual([body[name][c] for c in ("cx", "cy", "cz")], [1, 0, 0])
        self.assertAlmostEqual(body["box"]["Ixx"], 6000 * (4 + 9) / 12)
        self.assertEqual(body["base"]["mass"], 0)

    def test_meshes(self):
        for name, turned, missing in (
            ("whole", (), ()),
            ("mixed", (1, 4, 10), ()),
            ("inside", range(12), ()),
            ("open", (), (3,)),
        ):
            cube(self.folder / f"{name}.stl", turned, missing)
        body, warnings = self.masses(
            "--density",
            "1000",
            **{n: f'<mesh filename="{n}.stl" scale="0.1 0.2 -0.3"/>' for n in ("whole", "mixed", "inside", "open")},
        )
        for name in ("whole", "mixed", "inside"):
            self.assertAlmostEqual(body[name]["mass"], 6)
            self.assertAlmostEqual(body[name]["cx"], 1.05)
            self.assertAlmostEqual(body[name]["cz"], -0.15)
            self.assertAlmostEqual(body[name]["Izz"], 6 * (0.01 + 0.04) / 12)
        self.assertIn("'open.stl' is not closed: 3 of its 33 edges have no neighbour", warnings)
        self.assertEqual(warnings.count("not closed"), 1)

    def test_without_density_there_is_none(self):
        body, _ = self.masses(box='<box size="1 2 3"/>')
        self.assertEqual(body["box"]["mass"], 0)

    def test_saved_by_convert(self):
        self.masses(box='<box size="1 2 3"/>')
        out = self.folder / "r.limb.yaml"
        self.assertEqual(limb("convert", self.file, out, "--density", "10").returncode, 0)
        self.assertIn("mass: 60", out.read_text())

    def test_what_cannot_be_weighed(self):
        (self.folder / "nan.obj").write_text("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        (self.folder / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        (self.folder / "scene.dae").write_text("<COLLADA/>")
        (self.folder / "scene.3ds").write_text("3DS")
        for shape, sentence in (
            ('<mesh filename="nan.obj"/>', "a vertex has not three numbers"),
            ('<mesh filename="flat.obj"/>', "encloses no volume"),
            ('<mesh filename="scene.dae"/>', "the mesh has no vertices"),
            ('<mesh filename="scene.3ds"/>', "convert it to STL, OBJ, DAE or glTF"),
            ('<mesh filename="none.stl"/>', "no such file"),
            ('<mesh filename="/etc/passwd"/>', "outside the folder of the model"),
            ('<box size="1 -1 1"/>', "size of <box> must be positive"),
            ('<cylinder radius="1"/>', "needs the attribute 'length'"),
            ('<sphere radius="nan"/>', "is not a finite number"),
        ):
            self.file.write_text(robot(a=shape))
            run = limb("mass", self.file, "--density", "1")
            self.assertEqual(run.returncode, 3, shape)
            self.assertIn(sentence, run.stderr)
        self.assertIn("--density must be above zero", limb("mass", self.file, "--density", "0").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
