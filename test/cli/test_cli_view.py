#!/usr/bin/env python3
"""limb view: the page with a robot in it, its meshes, its server. The page itself is tested in a browser (web/test).

    test_cli_view.py <limb>
"""
import base64
import http.client
import json
import math
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

LIMB = None
PAGE = (pathlib.Path(__file__).resolve().parent / "limb-view.html").read_text(encoding="utf-8")
NAME = """a "b" <c> & 'd' </script><script>alert(1)</script><!--"""
LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial>{1}</link>"""


def ball(n, rough=0):
    """Triangles of a sphere of n x 2n cells."""
    def at(i, j):
        k = 1 + rough * math.sin(1e4 * i + 3e5 * (j % (2 * n) if 0 < i < n else 0))
        a, b, r = math.pi * i / n, math.pi * (j % (2 * n)) / n, math.sin(math.pi * i / n) if 0 < i < n else 0
        return k * r * math.cos(b), k * r * math.sin(b), k * math.cos(a)

    for i in range(n):
        for j in range(2 * n):
            yield at(i, j), at(i + 1, j), at(i + 1, j + 1)
            yield at(i, j), at(i + 1, j + 1), at(i, j + 1)


def stl(triangles):
    rows = [struct.pack("<12fH", 0, 0, 0, *(x for p in t for x in p), 0) for t in triangles]
    return bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def unpack(mesh):
    """Vertices and triangles, as web/view/pack.js reads them."""
    raw = base64.b64decode(mesh["bytes"], validate=True)
    raw = zlib.decompress(raw) if mesh["compressed"] else raw
    n, t = 3 * mesh["vertices"], 3 * mesh["triangles"]
    assert len(raw) == 2 * n + 4 * t
    steps = [raw[i] | raw[n + i] << 8 for i in range(n)]
    planes = []
    for k in range(3):
        total, size = 0, (mesh["high"][k] - mesh["low"][k]) / 65535
        plane = []
        for step in steps[k * n // 3:(k + 1) * n // 3]:
            total = (total + step) % 65536
            plane.append(mesh["low"][k] + size * total)
        planes.append(plane)
    corners, at, raw = [], 0, raw[2 * n:]
    for i in range(t):
        step = raw[i] | raw[t + i] << 8 | raw[2 * t + i] << 16 | raw[3 * t + i] << 24
        at += step >> 1 if step % 2 == 0 else -(step + 1 >> 1)
        corners.append(at)
    return list(zip(*planes)), [corners[i:i + 3] for i in range(0, t, 3)]


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
        self.page.write_text(PAGE, encoding="utf-8")
        self.environment = {k: x for k, x in os.environ.items() if k != "LIMB_VIEW_PAGE"}

    def run_limb(self, *words, code=0):
        done = subprocess.run([self.limb, *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
        return done

    def robot(self, text):
        head, tail = PAGE.split("null")
        self.assertTrue(text.startswith(head) and text.endswith(tail))
        return text[len(head):-len(tail)]

    def data(self, *words):
        return json.loads(self.robot(self.run_limb("view", *words, "--output", "-").stdout))

    def urdf(self, shapes, name="shape.urdf"):
        path = self.folder / name
        path.write_text('<robot name="shape"><link name="base"/>' + LINK.format("tip", shapes) + """<joint name="j"
            type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>""",
                        encoding="utf-8")
        return path

    # ---- the page

    def test_page(self):
        done = self.run_limb("view", "four_bar")
        self.assertRegex(done.stderr, r"view\.html: written, \d+\.\d MB; open it in a browser")
        data = json.loads(self.robot((self.folder / "view.html").read_text(encoding="utf-8")))
        self.assertEqual((data["schema"], data["title"], data["findings"], data["shapes"]), (2, None, [], []))
        # The same robot to the last bit.
        model = self.folder / "copy.limb.yaml"
        model.write_text(data["model"], encoding="utf-8")
        what = ("--what", "tau,M,position.coupler", "--q", "theta1=1", "--v", "theta1=2", "--a", "theta1=3",
                "--format", "csv")
        self.assertEqual(self.run_limb("eval", model, *what).stdout, self.run_limb("eval", "four_bar", *what).stdout)
        self.run_limb("view", "four_bar", "-o", "short.html")
        self.assertEqual((self.folder / "short.html").read_bytes(), (self.folder / "view.html").read_bytes())

    def test_places_of_the_page(self):
        self.page.unlink()
        share = self.folder / "share" / "limb"
        share.mkdir(parents=True)
        (share / "limb-view.html").write_text(PAGE, encoding="utf-8")
        self.assertIn("ur5", self.data("ur5")["model"])
        (share / "limb-view.html").rename(self.folder / "other.html")
        self.run_limb("view", "ur5", code=2)
        self.environment["LIMB_VIEW_PAGE"] = str(self.folder / "other.html")
        self.assertIn("ur5", self.data("ur5")["model"])

    def test_names_cannot_leave_the_data(self):
        model = self.folder / "sly.limb.yaml"
        name = json.dumps(NAME)
        model.write_text(f"limb: 1\nname: {name}\nbodies:\n"
                         f"  - {{name: {name}, mass: 1, inertia: [1, 0, 0, 1, 0, 1]}}\njoints:\n"
                         f"  - {{name: {name}, type: revolute, parent: world, child: {name}}}\n", encoding="utf-8")
        text = self.robot(self.run_limb("view", model, "--output", "-").stdout)
        self.assertNotIn("<", text)
        self.assertIn("alert(1)", json.loads(text)["model"])

    def test_findings(self):
        sick = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sick_arm.urdf"
        checked = json.loads(self.run_limb("check", sick, "--format", "json", code=1).stdout)
        checked = (checked.get("files") or checked.get("models") or [checked])[0]
        found, expected = (sorted((f["line"], f["rule"], f["where"], f["text"]) for f in x["findings"])
                           for x in (self.data(sick), checked))
        self.assertEqual([f for f in found if f in expected], expected)

    def test_mistakes(self):
        for content, why in ((None, "limb-view.html; run `make web`"),
                             ("<html></html>", "limb-view.html is not the page of this version"),
                             ("", "limb-view.html is not the page of this version")):
            self.page.unlink()
            if content is not None:
                self.page.write_text(content, encoding="utf-8")
            done = self.run_limb("view", "panda", code=2)
            self.assertIn(why, done.stderr)
            self.assertIn("`make web` in the sources of limb", done.stderr)
            self.assertFalse((self.folder / "view.html").exists())
            if content is None:
                self.assertIn(why, self.run_limb("sim", "ur5", "--duration", "1", "--animate", "a.html",
                                                 code=2).stderr)
            self.page.write_text(PAGE, encoding="utf-8")
        self.page.unlink()  # what is wrong with the words and the model comes first
        self.assertIn("no built-in robot", self.run_limb("view", "nothing", code=2).stderr)
        self.assertIn("--size-limit", self.run_limb("view", "ur5", "--size-limit", "1", code=2).stderr)
        self.assertIn("--port", self.run_limb("view", "ur5", "--serve", "--port", "-1", code=2).stderr)
        self.page.write_text(PAGE, encoding="utf-8")
        self.assertIn(".html", self.run_limb("view", "panda", "--output", "x.png", code=2).stderr)
        for limit in ("2", "0", "-1", "x", "nan", "1e9"):
            self.assertIn("--size-limit", self.run_limb("view", "panda", "--size-limit", limit, code=2).stderr)
        self.assertIn("exclude", self.run_limb("view", "panda", "--serve", "--output", "x.html", code=2).stderr)
        self.assertIn("--serve", self.run_limb("view", "panda", "--port", "80", code=2).stderr)
        model = self.folder / "model.html"
        model.write_text("limb: 1", encoding="utf-8")
        self.run_limb("view", model, "--output", model, code=2)
        self.assertEqual(model.read_text(encoding="utf-8"), "limb: 1")

    # ---- shapes

    def test_shapes(self):
        (self.folder / "ball.stl").write_bytes(stl(ball(6)))
        data = self.data(self.urdf("""
            <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="1 2 3"/></geometry>
              <material name="red"><color rgba="1 0 0 0.5"/></material></visual>
            <visual><geometry><mesh filename="ball.stl" scale="1 1 -2"/></geometry></visual>
            <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>"""))
        box, mesh, cylinder = data["shapes"]
        self.assertEqual((box["body"], box["kind"], box["size"], box["colour"], box["p"]),
                         ("tip", "box", [1, 2, 3], [1, 0, 0, 0.5], [1, 2, 3]))
        for x, y in zip(box["R"], [0, -1, 0, 1, 0, 0, 0, 0, 1]):
            self.assertAlmostEqual(x, y, delta=1e-9)
        self.assertEqual((mesh["kind"], mesh["mesh"], mesh["scale"]), ("mesh", 0, [1, 1, -2]))
        self.assertEqual((cylinder["size"], cylinder["collision"]), ([0.1, 0.5], True))
        vertices, triangles = unpack(data["meshes"][0])
        self.assertEqual((len(vertices), len(triangles)), (6 * 12 - 12 + 2, 2 * 6 * 12 - 24))
        for p in vertices:
            self.assertAlmostEqual(math.hypot(*p), 1, delta=1e-4)
        shown = {tuple(sorted(tuple(round(x, 3) + 0 for x in vertices[k]) for k in t)) for t in triangles}
        exact = {tuple(sorted(tuple(round(x, 3) + 0 for x in p) for p in t)) for t in ball(6) if len(set(t)) == 3}
        self.assertLess(len(shown ^ exact), 30)  # rounding of coordinates that end in 5

    def test_meshes_fit(self):
        """Four large spheres and a small one: the large ones are simplified, alike, until the page fits."""
        for k, n in enumerate((150, 150, 150, 150, 8)):
            (self.folder / f"ball{k}.stl").write_bytes(stl(ball(n, 1e-3)))
        meshes = "".join(f'<visual><geometry><mesh filename="ball{k}.stl"/></geometry></visual>' for k in range(5))
        full = self.data(self.urdf(meshes))["meshes"]
        self.assertEqual([m["triangles"] for m in full[:4]], 4 * [4 * 150 * 150 - 4 * 150])
        self.page.write_text(PAGE + " " * 2_600_000, encoding="utf-8")
        done = self.run_limb("view", self.urdf(meshes), "--size-limit", "3", "-o", "small.html")
        self.assertLess((self.folder / "small.html").stat().st_size, 3e6)
        for k in range(4):
            self.assertRegex(done.stderr, rf"note: mesh 'ball{k}\.stl' is simplified from 89400 triangles to \d+")
        self.assertNotIn("ball4", done.stderr)
        text = (self.folder / "small.html").read_text(encoding="utf-8").strip()
        small = json.loads(self.robot(text + "\n"))["meshes"]
        self.assertEqual(small[4], full[4])
        vertices, triangles = unpack(small[0])
        self.assertGreater(len(triangles), 10000)
        for p in vertices:  # still a sphere, and closed: each edge has two triangles
            self.assertAlmostEqual(math.hypot(*p), 1, delta=5e-3)
        edges = {}
        for t in triangles:
            for a, b in zip(t, t[1:] + t[:1]):
                edges[min(a, b), max(a, b)] = edges.get((min(a, b), max(a, b)), 0) + 1
        self.assertLess(sum(n != 2 for n in edges.values()), 0.02 * len(edges))

    def test_coordinates_that_are_too_large(self):
        """What is farther than a page can have is left out, in words."""
        far = "".join(f"v {x} {y} 0\n" for x, y in (("1e308", 0), ("-1e308", 0), (0, "1e308"), (0, "2e30"), (1, 1)))
        (self.folder / "far.obj").write_text(f"{far}v 0 0 1\nv 0 1 0\nf 1 2 3\nf 4 5 6\nf 5 6 7\n", encoding="utf-8")
        model = self.urdf('<visual><geometry><mesh filename="far.obj"/></geometry></visual>')
        done = self.run_limb("view", model, "-o", "far.html")
        self.assertIn("mesh 'far.obj': 2 of its triangles are not shown", done.stderr)
        (mesh,) = json.loads(self.robot((self.folder / "far.html").read_text(encoding="utf-8")))["meshes"]
        self.assertEqual((mesh["triangles"], mesh["high"]), (1, [1, 1, 1]))

    def test_meshes_that_are_not_shown(self):
        outside = self.folder / "outside.stl"
        outside.write_bytes(stl(ball(4)))
        inner = self.folder / "inner"
        inner.mkdir()
        (inner / "broken.stl").write_bytes(stl(ball(4))[:-70])
        (inner / "empty.stl").write_bytes(b"")
        (inner / "nan.stl").write_bytes(stl([((math.nan, 0, 0), (1, 0, 0), (0, 1, 0))]))
        for name in ("../outside.stl", str(outside), "broken.stl", "empty.stl", "nan.stl", "missing.stl",
                     "package://nowhere/x.stl"):
            with self.subTest(name=name):
                model = self.urdf(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>', "inner/a.urdf")
                done = self.run_limb("view", model, "-o", "a.html")
                data = json.loads(self.robot((self.folder / "a.html").read_text(encoding="utf-8")))
                self.assertEqual([s for s in data["shapes"] if s["kind"] == "mesh"], [])
                self.assertIn(name, done.stderr)
        self.assertEqual(len(self.data(model, "--package-path", self.folder)["shapes"]), 0)

    def test_copied_out_of_its_package(self):
        meshes = self.folder / "robots" / "arm" / "meshes"
        meshes.mkdir(parents=True)
        (meshes / "ball.stl").write_bytes(stl(ball(4)))
        (self.folder / "outside.stl").write_bytes(stl(ball(4)))
        visual = '<visual><geometry><mesh filename="package://nowhere/data/{}"/></geometry></visual>'
        model = self.urdf("".join(map(visual.format, ("arm/meshes/ball.stl", "arm/ball.stl", "../outside.stl"))))
        for folder, shown in (("robots", 1), ("robots/arm", 1), ("robots/arm/meshes", 2)):
            data = self.data(model, "--package-path", self.folder / folder)
            self.assertEqual([s["kind"] for s in data["shapes"]], shown * ["mesh"])
        self.assertEqual(self.data(model)["shapes"], [])

    # ---- the server

    def serve(self, *words):
        running = subprocess.Popen([self.limb, "view", "planar_2r", "--serve", "--port", "0", *words],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(running.stderr.close)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        address = running.stdout.readline()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/$")
        return running, int(address.split(":")[2].strip("/\n"))

    def get(self, port, path="/", method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.addCleanup(connection.close)
        connection.request(method, path, headers={k.replace("_", "-"): x for k, x in headers.items()})
        return connection.getresponse()

    def event(self, stream):
        """The next event: its kind and its data."""
        kind = None
        while True:
            line = stream.readline().decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("data: ") and kind:
                return kind, json.loads(line[6:])

    def test_server(self):
        running, port = self.serve()
        page = self.get(port)
        self.assertEqual(page.status, 200)
        text = page.read().decode()
        self.assertIn("connect-src 'self'", text)
        self.assertIn('"live":"events"', text)
        stream = self.get(port, "/events", Sec_Fetch_Site="same-origin")
        self.assertEqual(stream.getheader("Content-Type"), "text/event-stream")
        stream.readline()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
            program.connect(("127.0.0.1", port))
            program.send(b"limbpose" + struct.pack("<3d", 1.5, 0.25, -3))
            self.assertEqual(self.event(stream), ("pose", {"time": 1.5, "q": [0.25, -3]}))
            for bad, why in ((b"limbpose" + struct.pack("<2d", 0, 1), "a pose of 1 numbers arrived; this robot has 2"),
                             (b"limbpose" + struct.pack("<3d", 0, math.nan, 1), "that is no configuration")):
                program.send(bad)
                kind, data = self.event(stream)
                self.assertEqual(kind, "refused")
                self.assertIn(why, data)
                self.get(port, "/nothing").read()
                program.send(b"limbpose" + struct.pack("<3d", 2, 0, 0))
                self.assertEqual(self.event(stream)[0], "pose")
                time.sleep(1.1)  # complaints are a second apart
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(10), 0)

    def test_server_refuses(self):
        _, port = self.serve()
        self.assertEqual(self.get(port, "/../etc/passwd").status, 404)
        self.assertEqual(self.get(port, method="POST").status, 405)
        self.assertEqual(self.get(port, Host="evil.example").status, 403)
        self.assertEqual(self.get(port, "/events", Sec_Fetch_Site="cross-site").status, 403)
        for request in (b"\0" * 100, b"GET / HTTP/1.1\r\nHost: " + 9000 * b"x", b"GET /\r\n\r\n", b"\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
                client.sendall(request)
                self.assertRegex(client.recv(100), rb"^HTTP/1\.1 4\d\d ")
        own, other = (self.get(port, "/events", Origin=f"http://{x}") for x in (f"localhost:{port}", "evil.example"))
        self.assertEqual((own.status, other.status), (200, 403))
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        self.assertEqual(self.get(port).status, 200)
        for client in idle:
            client.close()
        # A client that has closed its side still takes the page.
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
            client.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"</html>\n"), answer[-40:])
        done = self.run_limb("view", "planar_2r", "--serve", "--port", port, code=2)
        self.assertIn(f"cannot listen on 127.0.0.1:{port}", done.stderr)


if __name__ == "__main__":
    LIMB = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
