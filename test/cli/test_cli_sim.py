#!/usr/bin/env python3
"""`limb sim`: run files and options, inputs, events, channels, files, and what is said when something is wrong.

    test_cli_sim.py <limb>
"""
import ast
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import time

import test_cli_b as tool
from test_cli_b import PENDULUM, read_csv, table

# Free fall of the planar 2R of Ghosal 2010 from (-90, 45) degrees, at rest: t, angles, rates.
FALL = {1: (-1.92775542671436711, 0.440775862987974216, -1.04302902332199668, 2.26556465066838117),
        10: (-1.62889639534036989, 0.477493006480734381, -1.42990244445507278, 2.56888649044476188)}
T150 = 12.23608290446545  # when the spring has opened the four-bar of Ghosal 2010 to 150 degrees

FREE_FALL = """schema: 1
title: Free fall
model: planar_2r
start:
  q: {joint1: -90deg, joint2: 45 deg}
duration: 10 s
solver: {method: rk4, step: 1 ms}
outputs:
  - file: OUT
    channels: [q, v, energy]
    rate: 1 Hz
"""

# A mass of 2 kg on a slide along x, nothing else.
BLOCK = """limb: 1
name: block
gravity: [0, 0, 0]
bodies:
  - {name: block, mass: 2, inertia: [1, 0, 0, 1, 0, 1]}
joints:
  - {name: slide, type: prismatic, parent: world, child: block, axis: [1, 0, 0], limits: {lower: -5, upper: 5}}
"""


def read_npy(path):
    """Names and rows of a structured array of 8-byte floats."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x03\x00", data[:8]
    length = struct.unpack("<I", data[8:12])[0]
    assert (12 + length) % 64 == 0
    head = ast.literal_eval(data[12:12 + length].decode("utf-8"))
    assert not head["fortran_order"] and all(kind == "<f8" for _, kind in head["descr"])
    names = [name for name, _ in head["descr"]]
    (count,), width = head["shape"], len(names)
    body = data[12 + length:]
    assert len(body) == 8 * width * count, (len(body), width, count)
    numbers = struct.unpack(f"<{width * count}d", body)
    return names, [list(numbers[i * width:(i + 1) * width]) for i in range(count)]


class Sim(tool.Case):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.csv"

    def sim(self, *words, code=0):
        return self.run_limb("sim", *words, code=code)

    def rows(self, path=None):
        return read_csv((path or self.out).read_text())

    def block(self, *words, code=0, duration="1"):
        done = self.sim(self.file("block.yaml", BLOCK), "--duration", duration, "--method", "rk4", "--output", self.out,
                        *words, code=code)
        return done

    def last(self):
        head, rows = self.rows()
        return dict(zip(head, rows[-1]))

    # ---- runs --------------------------------------------------------------------------------------------

    def test_free_fall(self):
        run = self.file("fall.yaml", FREE_FALL.replace("OUT", str(self.out)))
        text = self.sim(run).stderr
        self.assertIn("planar_2r: 0 to 10 s, the end was reached\n  method       rk4\n  steps        10000, 0.001 to "
                      "0.001 s\n", text)
        head, rows = self.rows()
        self.assertEqual(head, ["time", "q.joint1", "q.joint2", "v.joint1", "v.joint2", "energy.kinetic",
                                "energy.potential", "energy.gravity", "energy.springs"])
        self.assertEqual([row[0] for row in rows], list(range(11)))
        for t, expected in FALL.items():
            self.close(rows[t][1:5], expected, 1e-8)
        first = self.out.read_bytes()
        self.sim(run)
        self.assertEqual(self.out.read_bytes(), first)  # the same bits

    def test_options_instead_of_a_file(self):
        self.sim("planar_2r", "--q", "joint1=-pi/2,joint2=45deg", "--duration", "1s", "--method", "rk4", "--step",
                 "1e-3", "--rate", "1Hz", "--output", self.out)
        self.close(self.rows()[1][1][1:], FALL[1], 1e-8)

    def test_adaptive_methods(self):
        for method in ("erk", "adams", "implicit"):
            words = ("sim", "planar_2r", "--q", "joint1=-pi/2,joint2=45deg", "--duration", "1s", "--method", method,
                     "--rtol", "1e-13", "--atol", "1e-14", "--output", str(self.out), "--step", "1e-3")
            done = subprocess.run([tool.LIMB, *words], capture_output=True, text=True, check=False)
            if done.returncode == 2:
                self.assertIn("requires SUNDIALS", done.stderr)
                continue
            self.close(list(self.last().values())[1:], FALL[1], 1e-9)

    def test_ida_and_variational(self):
        for robot, start in (("planar_2r", "joint1=-pi/2,joint2=45deg"), ("four_bar", "theta1=1")):
            ends = []
            for method, words in (("rk4", ()), ("variational", ("--step", "0.5ms")),
                                  ("ida", ("--rtol", "1e-11", "--atol", "1e-12"))):
                words = ("sim", robot, "--q", start, "--duration", "1", "--method", method, "--output", str(self.out),
                         "--interval", "0.5", *words)
                done = subprocess.run([tool.LIMB, *words], capture_output=True, text=True, check=False)
                if done.returncode == 2:
                    self.assertIn("requires SUNDIALS", done.stderr)
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"method       {method}\n", done.stderr)
                ends.append(list(self.last().values()))
            for end, within in zip(ends[1:], (2e-5, 1e-7)):
                self.close(end, ends[0], within)

    def test_multipliers_in_world_axes(self):
        """Figure 15 of Ghosal 2010 at 5 s."""
        self.sim("four_bar_spring", "--q", "theta1=0.01", "--duration", "5", "--interval", "5", "--method", "rk4",
                 "--channels", "lambda,loop_loads,loop_loads@body", "--output", self.out)
        x = self.last()
        self.close([x["loop_loads.pin.fx"], x["loop_loads.pin.fy"]], [0.3644, 0.0821], 5e-5)
        self.close([x["loop_loads@body.pin.fx"], x["loop_loads@body.pin.fy"]],
                   [x["lambda.pin.move_x"], x["lambda.pin.move_y"]])

    def test_passing_a_singular_configuration(self):
        bars = "mass: 1, com: [0.5, 0, 0], inertia: [0, 0, 0, 0.0833333333333333, 0, 0.0833333333333333]"
        joints = "type: revolute, axis: [0, 0, 1]"
        model = self.file("folding.yaml", f"""limb: 1
name: folding
gravity: [0, -9.81, 0]
bodies: [{{name: one, {bars}}}, {{name: two, {bars}}}, {{name: coupler, {bars}}}]
joints:
  - {{name: a, parent: world, child: one, {joints}}}
  - {{name: b, parent: world, child: two, pose: {{xyz: [1, 0, 0]}}, {joints}}}
  - {{name: c, parent: one, child: coupler, pose: {{xyz: [1, 0, 0]}}, {joints}}}
loops: [{{name: pin, type: point_on_line, a: {{body: two, xyz: [1, 0, 0]}}, b: {{body: coupler, xyz: [1, 0, 0]}}}}]
""")
        for step in ("1ms", "0.25ms"):
            done = self.sim(model, "--q", "a=pi/2,b=pi/2,c=-pi/2", "--v", "a=-1,b=-1,c=1", "--duration", "1",
                            "--method", "rk4", "--step", step, "--summary", "json", "--output", self.out)
            told = json.loads(done.stdout)
            self.assertEqual(told["loops"]["singular"], 1)
            self.assertLess(abs(told["energy"]["drift"]), 1e-6)
            self.assertLess(told["loops"]["singular_energy"], 1e-6)
            x = self.last()
            self.close([x["q.a"], -x["q.a"]], [x["q.b"], x["q.c"]], 1e-7)

    def test_drift_past_singular_configurations(self):
        """Above 2e-8 of the kinetic energy it is a warning, which names the option."""
        bars = pathlib.Path(__file__).parents[2] / "examples/gallery/benchmarks/four_bars_2.limb.yaml"
        words = (bars, "--q", "post0=0", "--v", "post0=-1", "--duration", "3", "--rate", "1", "--summary", "none",
                 "--output", self.out)
        self.assertEqual(self.sim(*words, "--quiet").stderr, "")
        self.assertRegex(self.sim(*words, "--quiet", "--method", "variational").stderr,
                         r"^limb sim: warning: the energy drifted by .* in a motion past 3 singular configurations: "
                         r"use a shorter --step or a --method of higher order\n$")
        loose = self.sim(*words, "--quiet", "--method", "erk", "--rtol", "1e-5", "--atol", "1e-7").stderr
        self.assertRegex(loose, r"past 3 singular configurations: use a smaller --rtol and --atol\n$")

    def test_options_go_before_the_file(self):
        other = self.folder / "other.csv"
        run = self.file("fall.yaml", FREE_FALL.replace("OUT", str(self.out)))
        self.sim(run, "--duration", "1", "--output", other, "--channels", "q.joint2", "--rate", "2",
                 "--q", "joint1=-90deg", "--summary", "none")
        self.assertFalse(self.out.exists())
        head, rows = self.rows(other)
        self.assertEqual((head, len(rows)), (["time", "q.joint2"], 3))
        self.close([rows[-1][1]], [FALL[1][1]], 1e-8)

    def test_paths_beside_the_run_file(self):
        (self.folder / "sub").mkdir()
        self.file("sub/block.yaml", BLOCK)
        self.file("sub/push.csv", "time,tau.slide\n0,4\n9,4\n")
        run = self.file("sub/run.yaml", "schema: 1\nmodel: block.yaml\nduration: 1\nsolver: {method: rk4}\n"
                                        f"inputs: {{tables: [push.csv]}}\noutputs: [{{file: {self.out}}}]\n")
        self.sim(run)
        self.close([self.last()["q.slide"]], [1])

    # ---- inputs ------------------------------------------------------------------------------------------

    def test_forces_by_formulas(self):
        self.block("--torque", "slide = 2 kN*0.002 - 0*v.slide")
        self.close([self.last()["q.slide"], self.last()["v.slide"]], [1, 2])
        self.block("--torque", "slide=-8*q.slide", "--q", "slide=1", duration="1")
        self.close([self.last()["q.slide"]], [math.cos(2)], 1e-10)
        self.block("--wrench", "block.fx=if(t < 0.5, 4, clamp(8, 0, 4))")
        self.close([self.last()["q.slide"]], [1])

    def test_forces_from_tables(self):
        samples = "time,tau.slide\n0,0\n1,4\n"
        for kind, v in (("hold", 0), ("linear", 1), ("spline", 1)):
            self.block("--torques", self.file("f.csv", samples) + ":" + kind)
            self.close([self.last()["v.slide"]], [v])
        self.block("--torques", self.file("f.csv", "time,wrench.block.fx,q.slide\n0,4,1\n1,4,1\n"))
        self.close([self.last()["v.slide"]], [2])

    def test_wrench_in_body_axes(self):
        # Drag along the body's own axis: v' = -v/2.
        self.block("--wrench", "block.fx=-body.block.vx", "--wrench-ref", "body", "--v", "slide=1")
        self.close([self.last()["v.slide"]], [math.exp(-0.5)], 1e-10)

    def test_given_motion(self):
        common = ("--duration", "2", "--channels", "q,v,a,tau", "--output", self.out)
        self.block("--motion", "slide.constant=0.1,slide.rate=0.5,slide.amplitude=0.2,slide.frequency=1Hz,"
                               "slide.phase=30deg", "--channels", "q,v,a,tau", "--rate", "7")
        for t, q, v, a, tau in self.rows()[1]:
            phi = 2 * math.pi * t + math.pi / 6
            expected = [0.1 + 0.5 * t + 0.2 * math.sin(phi), 0.5 + 0.4 * math.pi * math.cos(phi),
                        -0.8 * math.pi**2 * math.sin(phi), -1.6 * math.pi**2 * math.sin(phi)]
            self.close([q, v, a, tau], expected)
        self.block("--motion", "slide.q=t^3,slide.v=3*t^2,slide.a=6*t", "--channels", "tau")
        self.close([self.last()["tau.slide"]], [12])
        rows = [[k / 20, (k / 20)**3] for k in range(41)]
        path = self.file("m.csv", table("time,q.slide", rows))
        self.block("--motion", f"slide.file={path}", "--channels", "tau,v")
        self.close([self.last()["tau.slide"], self.last()["v.slide"]], [12, 3], 1e-9)
        done = self.sim(self.file("block.yaml", BLOCK), "--motion", "slide.q=t", *common, code=2)
        self.assertIn("all of q, v and a are required", done.stderr)

    def test_given_motion_closes_the_loops(self):
        self.sim("four_bar", "--duration", "2", "--motion", "theta1.constant=1,theta1.rate=30rpm", "--output", self.out,
                 "--channels", "q.theta1,loop_residual,tau", "--rate", "5")
        head, rows = self.rows()
        for row in rows:
            x = dict(zip(head, row))
            self.assertLess(abs(x["q.theta1"] - 1 - math.pi * x["time"]), 1e-12)
            self.assertLess(max(abs(x[k]) for k in head if k.startswith("loop_")), 1e-11)
            self.assertEqual((x["tau.phi1"], x["tau.phi2"]), (0, 0))

    def test_controller_of_a_run_file(self):
        reference = self.file("ref.csv", table("time,q.joint1,q.joint2", [[t / 10, 0.3 * math.sin(t / 10), 0.2]
                                                                         for t in range(31)]))
        run = self.file("track.yaml", f"""schema: 1
model: planar_2r
start: {{q: {{joint2: 0.2}}, v: {{joint1: 0.3}}}}
duration: 2 s
solver: {{method: rk4}}
controller:
  type: computed_torque
  kp: {{joint1: 100, joint2: 100}}
  kd: 20
  reference: {{file: {os.path.basename(reference)}}}
outputs:
  - {{file: {self.out}, channels: [q, tau], rate: 10}}
""")
        self.sim(run)
        for t, q1, q2, *_ in self.rows()[1]:  # from there on it stays on the reference
            self.close([q1, q2], [0.3 * math.sin(t), 0.2], 1e-6)

    def test_controllers(self):
        for kind in ("pd_gravity", "computed_torque", "feedforward"):
            self.sim("planar_2r", "--duration", "3", "--controller", f"{kind},kp=400,kd=80,q.joint1=0.5,rate=1kHz,"
                     "delay=1ms", "--channels", "q", "--output", self.out, "--rate", "1")
            self.close(list(self.last().values())[1:], [0.5, 0], 5e-2)
        self.sim("five_bar", "--duration", "1", "--controller", "computed_torque,kp=100,kd=20", "--output", self.out)
        head, rows = self.rows()
        self.close(rows[-1][1:5], rows[0][1:5], 1e-6)
        done = self.sim("five_bar", "--duration", "1", "--controller", "impedance,frame=x", code=2)
        self.assertIn("impedance does not support robots with loops", done.stderr)
        done = self.sim("ur5", "--duration", "1", "--controller", "pd_gravty", code=2)
        self.assertIn("--controller: unknown value 'pd_gravty'; did you mean 'pd_gravity'?", done.stderr)

    def test_impedance(self):
        self.sim("panda", "--duration", "2", "--q", "joint2=0.3,joint4=-1.5,joint6=1.2", "--method", "rk4",
                 "--controller", "impedance,frame=link7,kp.linear=500,kd.linear=80,kp.angular=20,kd.angular=2,"
                 "position.z=0.5,posture_kd=0.1", "--channels", "pos.link7", "--output", self.out)
        self.close([self.last()["pos.link7.z"]], [0.5], 1e-2)

    # ---- events ------------------------------------------------------------------------------------------

    def test_event_time(self):
        done = self.sim("four_bar_spring", "--duration", "12.5", "--method", "rk4", "--stop-at", "q.theta1 = 150deg",
                        "--event", "v.theta1 > 0.1; lambda.pin.fx < -100; energy < -1", "--summary", "json",
                        "--output", self.out, "--channels", "q,lambda")
        told = json.loads(done.stdout)
        self.assertEqual(told["ending"], "event")
        last = told["events"][-1]
        self.assertEqual((last["kind"], last["name"], last["ends"]), ("condition", "q.theta1 = 150deg", True))
        self.assertLess(abs(last["time"] - T150), 1e-8)
        self.assertEqual(told["end"], last["time"])
        self.assertEqual({e["name"] for e in told["events"][:-1]}, {"v.theta1 > 0.1", "lambda.pin.fx < -100"})
        self.assertLess(told["loops"]["position"], 1e-11)
        self.assertEqual(self.last()["time"], last["time"])  # the state there is a row
        self.assertLess(abs(self.last()["q.theta1"] - math.radians(150)), 1e-9)

    def test_event_exactly(self):
        # x = t^2: 0.25 at 0.5 s.
        done = self.block("--torque", "slide=4", "--event", "q.slide >= 0.25; tau.slide > 5")
        self.assertIn("  event 0.500000000 s: q.slide >= 0.25\n", done.stderr)
        self.assertEqual(done.stderr.count("  event "), 1)

    def test_stops(self):
        done = self.block("--v", "slide=10", "--stops", "impact", "--restitution", "0.5", duration="1.2")
        self.assertIn("event 0.500000000 s: impact: 'slide', its upper limit, velocity 10 to -5", done.stderr)
        done = self.block("--v", "slide=10", "--stops", "end")
        self.assertIn("stopped by an event", done.stderr)
        self.close([self.last()["time"]], [0.5], 1e-9)

    # ---- channels and files ------------------------------------------------------------------------------

    def test_channels(self):
        what = "q.base,M.joint1,pos.link1,vel.link1.wx,body.link1.vx,velocity@body.link1.vx,energy.kinetic,total_energy"
        self.sim("space_arm", "--gravity", "0,0,0", "--duration", "1", "--v", "base.wx=0.3,joint1=0.2", "--rate", "4",
                 "--output", self.out, "--channels", what, "--torque", "joint2=0.1*sin(5*t)")
        head, rows = self.rows()
        self.assertEqual(head[:8], ["time"] + [f"q.base.{k}" for k in "px py pz qx qy qz qw".split()])
        self.assertIn("M.joint1.base.wx", head)
        for row in rows:
            x = dict(zip(head, row))
            self.assertEqual(x["body.link1.vx"], x["velocity@body.link1.vx"])
        self.assertIn("pos.link1.z", head)

    def test_every_quantity_of_eval(self):
        known = json.loads(self.run_limb("eval", "--list", "--format", "json").stdout)["quantities"]
        self.assertGreater(len(known), 60)
        robots = (("elastic2r", "link2"), ("four_bar", "coupler"), ("space_arm", "link3"))
        few = os.environ.get("LIMB_TEST_EFFORT") == "few"  # instrumented: every quantity of one robot
        for k, (robot, frame) in enumerate(robots):
            for one in known[k::3] if few else known:
                name = one["name"] + ("." + frame if one["frame"] else "")
                done = subprocess.run([tool.LIMB, "sim", robot, "--duration", "2e-3", "--method", "rk4", "--channels",
                                       name, "--output", str(self.out)], capture_output=True, text=True, check=False)
                if done.returncode == 0:
                    head, rows = self.rows()
                    self.assertTrue(all(k.startswith(one["name"]) for k in head[1:]), head)
                    self.assertEqual(len(rows), 3)
                    continue
                # Of trees, of loops, of moving bases; singular tasks: it is said.
                self.assertIn(done.returncode, (2, 3, 4), (robot, name, done.stderr))
                self.assertRegex(done.stderr, "is of robots with loops|of a moving base|singular|does not support|"
                                              "no entries|cannot|for its spanning tree|follows from the forces",
                                 (robot, name))

    def test_directions(self):
        self.sim("planar_2r", "--duration", "0", "--q", "joint2=1", "--channels", "Lambda.link2", "--directions", "wz",
                 "--output", self.out)
        self.assertEqual(self.rows()[0], ["time", "Lambda.link2.wz.wz"])
        self.refuse(2, "--directions: 'vw' is none of wx", "planar_2r", "--duration", "0", "--directions", "vw")

    def test_names_with_dots_and_blanks(self):
        self.sim(self.file("arm.urdf", tool.ARM), "--duration", "0.1", "--torque", "slide & grip='q.slide & grip'*2",
                 "--output", self.out, "--channels", "pos.grip.tool,q.slide & grip")
        self.assertEqual(self.rows()[0], ["time", "pos.grip.tool.x", "pos.grip.tool.y", "pos.grip.tool.z",
                                          "q.slide & grip"])

    def test_loops_are_closed_in_channels(self):
        self.sim("four_bar", "--duration", "0.1", "--channels", "M,tau,energy", "--output", self.out)
        head, rows = self.rows()
        for row in rows:
            x = dict(zip(head, row))
            self.assertGreater(x["M.theta1.theta1"], 0)
            self.assertEqual((x["M.phi2.phi2"], x["M.theta1.phi1"]), (0, 0))

    def test_momentum_is_told_where_it_is_conserved(self):
        words = ("space_arm", "--duration", "1", "--v", "base.wx=0.3,joint1=0.2", "--torque", "joint2=0.1*sin(5*t)",
                 "--output", self.out)
        self.assertNotIn("momentum", self.sim(*words).stderr)
        text = self.sim(*words, "--gravity", "0,0,0").stderr
        self.assertRegex(text, r"momentum     drift \S+e-1\d kg m/s, \S+e-1\d kg m\^2/s about")

    def test_tables_agree(self):
        npy = self.folder / "out.npy"
        self.sim("ur5", "--duration", "0.5", "--output", f"{self.out},{npy}", "--channels", "q,v,a,energy", "--rate",
                 "20")
        head, rows = self.rows()
        self.assertEqual(read_npy(npy), (head, rows))
        self.assertEqual(len(rows), 11)

    def test_hdf5(self):
        path = self.folder / "out.h5"
        done = subprocess.run([tool.LIMB, "sim", "planar_2r", "--duration", "1", "--rate", "100", "--output",
                               f"{self.out},{path}"], capture_output=True, text=True, check=False)
        if done.returncode == 2:
            self.assertIn("HDF5 cannot be loaded", done.stderr)
            return
        head, rows = self.rows()
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x89HDF\r\n\x1a\n")
        for k, name in enumerate(head):  # a chunk holds a column as it is
            self.assertIn(struct.pack(f"<{len(rows)}d", *(row[k] for row in rows)), data)
            self.assertIn(name.encode(), data)

    def test_pictures(self):
        svg, html = self.folder / "p.svg", self.folder / "a.html"
        self.sim("planar_2r", "--duration", "1", "--plot", svg, "--channels", "q,energy.kinetic", "--animate", html)
        self.assertIn("energy.kinetic", svg.read_text())
        self.assertIn("<html", html.read_text())
        self.assertEqual(self.names(), ["a.html", "p.svg"])

    def test_default_goes_to_standard_output(self):
        done = self.sim("planar_2r", "--duration", "1", "--quiet")
        head, rows = read_csv(done.stdout)
        self.assertEqual((len(rows), done.stderr), (501, ""))
        self.assertEqual(rows[-1][0], 1)

    def test_loops_close_at_the_start(self):
        self.sim("four_bar", "--duration", "0.1", "--q", "theta1=60deg", "--v", "theta1=1", "--output", self.out,
                 "--channels", "q,v,loop_residual,loop_rate")
        head, rows = self.rows()
        x = dict(zip(head, rows[0]))
        self.close([x["q.theta1"], x["v.theta1"]], [math.pi / 3, 1])
        self.assertLess(max(abs(x[k]) for k in head if k.startswith("loop_")), 1e-9)

    def test_rounded_start(self):
        given = ("four_bar_spring", "--q", "theta1=0.01,phi2=-0.0102,phi1=0.0102", "--duration", "0.1", "--output",
                 self.out)
        done = self.sim(*given)
        self.assertIn("note: to close the loops, these changed: q.theta1 by 1.9e-05, q.phi2 by 9.5e-06", done.stderr)
        self.assertEqual(self.sim(*given, "--quiet").stderr, "")
        self.refuse(4, "more than the tolerance of the start, 1e-05", *given, "--start-tolerance", "1e-5")
        self.refuse(4, "is open by 7", *given, "--assemble", "false")
        run = self.file("run.yaml", "schema: 1\nmodel: four_bar_spring\nduration: 0.1\nstart: {tolerance: 1e-5, q: "
                        "{theta1: 0.01, phi2: -0.0102, phi1: 0.0102}}\n")
        self.refuse(4, "more than the tolerance of the start", run)

    def test_clock(self):
        at = ("planar_2r", "--q", "joint1=1", "--duration", "1", "--interval", "1", "--output", self.out)
        self.sim(*at)
        first = list(self.last().values())[1:]
        self.sim(*at, "--start-time", "1.7e9")
        self.close(list(self.last().values())[1:], first, 1e-9)
        for time_ in ("1e12", "1e15", "1.7e18", "1e300"):
            self.refuse(2, "steps of 0.001 s are too short", *at, "--start-time", time_)
        self.refuse(4, "are too short: numbers near", "planar_2r", "--end", "1e300", "--output", self.out)

    def test_drift(self):
        rough = ("planar_2r", "--q", "joint1=1", "--duration", "5", "--method", "euler", "--step", "10ms", "--output",
                 self.out)
        self.assertIn("warning: the energy drifted by", self.sim(*rough, "--quiet").stderr)
        self.assertIn("error: the energy drifted by", self.sim(*rough, "--max-drift", "1%", code=4).stderr)
        fine = ("planar_2r", "--q", "joint1=1", "--duration", "5", "--output", self.out)
        self.assertEqual(self.sim(*fine, "--max-drift", "1e-6", "--quiet").stderr, "")
        run = self.file("run.yaml", "schema: 1\nmodel: planar_2r\nstart: {q: {joint1: 1}}\nduration: 5\nsolver: "
                        "{method: euler, step: 10ms, max_drift: 0.01}\n")
        self.refuse(4, "error: the energy drifted by", run)

    def test_start_of_all_joints(self):
        self.sim("planar_2r", "--duration", "0", "--q", "*=0.3,joint2=0.1", "--v", "*=2", "--output", self.out)
        self.assertEqual(self.rows()[1], [[0, 0.3, 0.1, 2, 2]])

    def test_start_from_a_table(self):
        path = self.file("s.csv", "time,q.slide,v.slide\n3,1,2\n4,2,1\n")
        self.block("--start", path + ":2")
        head, rows = self.rows()
        self.close(rows[0], [4, 2, 1])
        self.close([rows[-1][0], rows[-1][1]], [5, 3])
        done = self.block("--start", path + ":3", code=2)
        self.assertIn("has 2 rows", done.stderr)

    # ---- what is wrong -----------------------------------------------------------------------------------

    def refuse(self, code, text, *words):
        done = self.sim(*words, code=code)
        self.assertIn(text, done.stderr)
        return done

    def test_mistakes_in_options(self):
        sim = ("ur5", "--duration", "1")
        self.refuse(2, "the duration is missing: --duration T", "ur5")
        self.refuse(2, "--duration: must not be negative", "ur5", "--duration", "-1")
        self.refuse(2, "--step: '1parsec' is not a number: unknown unit 'parsec'", *sim, "--step", "1parsec")
        self.refuse(2, "--duration: '1kg' is not a number: the unit 'kg' does not fit; expected is a time: s", "ur5",
                    "--duration", "1kg")
        self.refuse(2, "expected is an angle: rad, deg", *sim, "--q", "elbow=1kg")
        self.refuse(2, "expected is an angle: rad, deg", *sim, "--q", "*=1m")
        self.refuse(2, "expected is a frequency: Hz", *sim, "--motion", "elbow.amplitude=1,elbow.frequency=60rpm")
        self.refuse(2, "--step: must be positive", *sim, "--step", "0")
        self.refuse(2, "--method: unknown value 'rk5'; did you mean 'rk4'?", *sim, "--method", "rk5")
        self.refuse(2, "--torque elbw: the model has no joint 'elbw'; did you mean 'elbow'?", *sim, "--torque",
                    "elbw=1")
        self.refuse(2, "a value is missing", *sim, "--torque", "elbow=2*")
        self.refuse(2, "did you mean 'q.elbow'?", *sim, "--torque", "elbow=q.elbo")
        self.refuse(2, "not known while they are computed", *sim, "--torque", "elbow=tau.elbow")
        self.refuse(2, "--torque takes name=formula", *sim, "--torque", "5")
        self.refuse(2, "there is no quantity 'vellocity'; did you mean 'velocity'?", *sim, "--channels", "vellocity.x")
        self.refuse(2, "there is no 'shoulder' in 'q'", *sim, "--channels", "q.shoulder")
        self.refuse(2, "name it, as in pose.<frame>", *sim, "--channels", "pose")
        self.refuse(2, "the model has no frame 'tol'", *sim, "--channels", "pose.tol.px")
        self.refuse(2, "'lambda' is of robots with loops", *sim, "--channels", "lambda")
        self.refuse(2, "'q.elbow' is listed twice", *sim, "--channels", "q,q.elbow")
        self.refuse(2, "ends in none of .csv, .npy, .arrow, .feather, .parquet, .h5 and .hdf5", *sim, "--output",
                    self.folder / "x.txt")
        self.refuse(2, "x.csv: No such file", *sim, "--torques", self.folder / "x.csv")
        self.refuse(2, "No such file or directory", *sim, "--output", self.folder / "no" / "x.csv")
        self.refuse(2, "--event", *sim, "--event", "q.elbow + 1")
        self.refuse(2, "more than 1e9 rows", *sim, "--rate", "1e300")
        self.refuse(2, "cannot share standard output", *sim, "--output", "-", "--summary", "json")
        self.refuse(2, "are the same file", *sim, "--output", "a.csv,a.csv")
        self.refuse(2, "curves are too many", "protein", "--duration", "1", "--plot", self.folder / "p.svg")
        self.refuse(2, "ends in none of .svg, .png, .pdf, .html and .htm", *sim, "--animate", self.folder / "p.gif")
        self.assertEqual(self.names(), [])  # nothing was begun

    def test_mistakes_in_tables(self):
        def push(text):
            return "--torques", self.file("t.csv", text)

        for text, says in (("time,tau.slid\n0,1\n", "has no suitable column, only others such as 'tau.slid'"),
                           ("tau.slide\n1\n", "has no column time"), ("time,tau.slide\n", "has no rows"),
                           ("time,tau.slide\n1,1\n0,1\n", "t.csv:3: error: time 0 does not come after 1"),
                           ("time,tau.slide\n0,nan\n", "t.csv:2"), ("", "t.csv")):
            done = self.block(*push(text), code=2)
            self.assertIn(says, done.stderr)

    def test_mistakes_in_run_files(self):
        def run(text, code=2):
            return self.sim(self.file("r.yaml", "schema: 1\n" + text), code=code).stderr

        for text, says in (
            ("", "r.yaml:1:1: error: the key 'model' is missing"),
            ("model: ur5\nsolvr: {}\n", "r.yaml:3:1: error: unknown key 'solvr'; did you mean 'solver'?"),
            ("model: ur5\nsolver: {stp: 1}\n", "r.yaml:3:10: error: unknown key 'stp'; did you mean 'step'?"),
            ("model: ur5\nduration: 1\nend: 2\n", "r.yaml:4:1: error: duration and end exclude each other"),
            ("model: ur5\nduration: soon\n", "r.yaml:3:11: error: duration: 'soon' is not a number"),
            ("model: ur5\nduration: 1\nstart: {q: {elbow: 1kg}}\n", "r.yaml:4:20: error: start.q.elbow: '1kg' is not a "
             "number: the unit 'kg' does not fit; expected is an angle: rad, deg"),
            ("model: ur5\nduration: 1\nstart: {v: {elbow: 3mm/s}}\n", "expected is an angular velocity: rad/s"),
            ("model: ur5\nduration: 1\nstart: {q: {elbw: 1}}\n", "r.yaml:4:19: error: start.q.elbw: the model has no"),
            ("model: ur5\nduration: 1\ninputs: {torques: {elbow: 2*}}\n", "r.yaml:4:27: error: inputs.torques.elbow: "),
            ("model: ur5\nduration: 1\nevents:\n  - when: q.elbow\n", "r.yaml:5:11: error: events.when"),
            ("model: ur5\nduration: 1\noutputs:\n  - channels: [q]\n",
             "r.yaml:5:5: error: the key 'file', 'plot' or 'animation'"),
            ("model: ur5\nduration: 1\nenvironment: {gravity: [0, 0]}\n", "gravity has 3 entries: x y z; found 2"),
            ("model: ur5\nduration: 1\nsolver: {method: rk5}\n", "r.yaml:4:18: error: solver.method: unknown value"),
            ("model: ur5\nduration: [1\n", "r.yaml:"),
            ("model: ur5\nduration: .nan\n", "r.yaml:3:11"),
        ):
            self.assertIn(says, run(text))
        self.assertIn("no such file", run("model: no.urdf\nduration: 1\n"))
        self.file("bad.yaml", "limb: 1\n")
        self.assertIn("bad.yaml", run("model: bad.yaml\nduration: 1\n", code=3))
        self.assertIn("no such file", self.sim(self.folder / "none.yaml", "--duration", "1", code=2).stderr)

    def test_inconsistent_start(self):
        self.refuse(4, "loop 'pin' open by 0.134", "four_bar", "--duration", "1", "--q", "theta1=1,phi1=-2")
        self.refuse(4, "loop 'pin' stays 1.53 apart", "four_bar", "--duration", "1", "--q", "theta1=1,phi1=-2,phi2=0.1")
        self.refuse(2, "the quaternion of 'base'", "space_arm", "--duration", "1", "--q", "base.qw=3")

    def test_exploding_state(self):
        done = self.sim(self.file("block.yaml", BLOCK), "--duration", "100", "--method", "euler", "--torque",
                        "slide=1e5*q.slide^3", "--q", "slide=1", "--rate", "1000", "--output", self.out, code=4)
        self.assertIn("limb sim: the simulation ended at ", done.stderr)
        self.assertIn("block: 0 to ", done.stderr)
        head, rows = self.rows()
        self.assertGreater(len(rows), 3)  # up to there, all is on disk
        self.assertEqual(rows[0], [0, 1, 0])

    def test_formula_without_value(self):
        done = self.sim(self.file("block.yaml", BLOCK), "--duration", "1", "--method", "rk4", "--torque",
                        "slide=log(0.5-t)", "--output", self.out, "--rate", "100", code=4)
        self.assertIn("--torque slide: 'log(0.5-t)' is -inf at 0.5 s", done.stderr)
        self.close([self.last()["time"]], [0.499])

    def test_too_many_steps(self):
        done = self.block("--max-steps", "10", code=4)
        self.assertIn("the limit of 10 steps is reached", done.stderr)
        done = self.block("--most-steps", "10", code=2)  # the name of 0.1
        self.assertIn("--most-steps is now --max-steps", done.stderr)
        for former, now in (("--closed", "--loop-method"), ("--keep", "--hold"), ("--longest", "--max-step")):
            self.assertIn(f"{former} is now {now}", self.block(former, "1", code=2).stderr)

    def interrupt(self, number):
        with subprocess.Popen([tool.LIMB, "sim", "planar_2r", "--duration", "1e5", "--step", "1e-4", "--rate", "1000",
                               "--output", str(self.out), "--summary", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            end = time.monotonic() + 600
            while not any(os.path.getsize(path) for path in self.folder.glob(".limb.*")) and time.monotonic() < end:
                time.sleep(0.05)
            process.send_signal(number)
            out, _ = process.communicate()
        told = json.loads(out)
        self.assertEqual(told["ending"], "interrupted")
        self.assertEqual(self.last()["time"], told["end"])
        return process.returncode

    def test_interrupted(self):
        self.assertEqual(self.interrupt(signal.SIGINT), 130)
        self.out.unlink()
        self.assertEqual(self.interrupt(signal.SIGTERM), 143)

    def test_pendulum_from_urdf(self):
        # Energy and work agree, friction and all.
        done = self.sim(self.file("p.urdf", PENDULUM), "--duration", "2", "--q", "hinge=1", "--method", "rk4",
                        "--summary", "json", "--output", self.out)
        told = json.loads(done.stdout)["energy"]
        self.assertLess(abs(told["drift"]), 1e-6)
        self.assertLess(told["work"], 0)


class Baumgarte(tool.Case):
    def gap(self, gains):
        """Residual of the four-bar at the start, which is open by some 1e-7 m, and half a second later."""
        start = "theta1=1,phi2=-0.5326795317106642,phi1=1.5813590869580111"
        done = self.run_limb("sim", "four_bar", "--duration", "0.5", "--assemble", "false", "--q", start, "--project",
                             "off", "--baumgarte", gains, "--channels", "loop_residual", "--quiet", "--interval", "0.5")
        rows = read_csv(done.stdout)[1]
        return [max(abs(x) for x in row[1:]) for row in (rows[0], rows[-1])]

    def test_gains_decide_the_decay(self):
        """eta'' + 2 alpha eta' + beta^2 eta = 0 with alpha = beta: eta = (1 + alpha t) exp(-alpha t) eta_0."""
        for alpha in (5, 12):
            first, last = self.gap(f"{alpha},{alpha}")
            self.assertGreater(first, 1e-7)
            self.assertAlmostEqual(last / first, (1 + alpha / 2) * math.exp(-alpha / 2), delta=0.02)

    def test_gains_are_numbers(self):
        for gains in ("5,x", "5,", "-1,2", "5"):
            self.assertIn("baumgarte", self.run_limb("sim", "four_bar", "--duration", "0.1", f"--baumgarte={gains}",
                                                     code=2).stderr)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
    tool.main(__doc__)
