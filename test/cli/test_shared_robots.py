#!/usr/bin/env python3
"""Compares `limb eval` with what another library computes for real robots.

    test_shared_robots.py <limb> <folder of robots>

The folder holds <robot>/<robot>.urdf and <robot>/vectors.json; its README.md says what they mean. There,
spatial vectors are linear first, a continuous joint is (cos, sin), mimic joints are free, friction is left
out, and bodies fixed to the world are not counted. Every quantity must agree to 1e-10 of its size, those
that take an inverse, derivatives and regressors to 1e-9. Exit code 77 when the folder is not there: a test
to be skipped.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

LIMB = ROBOTS = None
WHAT = ("tau,acc,M,Minv,h,g,C,J,Jdotv,pose,velocity,acceleration,energy,com,vcom,acom,momentum,"
        "momentum_rate,dtau_dq,dtau_dv,dacc_dq,dacc_dv,dacc_dtau,Y,theta")
LOOSE = {"acc", "Minv", "dtau_dq", "dtau_dv", "dacc_dq", "dacc_dv", "dacc_dtau"}
TEN = "m mx my mz Ixx Ixy Iyy Ixz Iyz Izz".split()  # as the other library orders the parameters of a body
FREE_V = ["wx", "wy", "wz", "vx", "vy", "vz"]
FREE_Q = ["px", "py", "pz", "qx", "qy", "qz", "qw"]
BALL_Q, BALL_V = FREE_Q[3:], FREE_V[:3]
G = 9.81


def numbers(text):
    return [float(word) for word in text.split()]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def angular_first(six):
    return list(six[3:]) + list(six[:3])


def rotation(rpy):
    (cr, cp, cy), (sr, sp, sy) = map(math.cos, rpy), map(math.sin, rpy)
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def times(A, x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


class Urdf:
    """The little of a URDF that the comparison needs."""

    def __init__(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        self.joints = root.findall("joint")
        self.links = {link.get("name"): link for link in root.findall("link")}
        children = {j.find("child").get("link") for j in self.joints}
        self.root = next(name for name in self.links if name not in children)
        self.child = {j.get("name"): j.find("child").get("link") for j in self.joints}

    def fixed_mass(self):
        """Mass and first moment of everything that is fixed to the world."""
        mass, moment = 0.0, [0.0, 0.0, 0.0]
        unit = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        todo = [(self.root, unit, [0, 0, 0])]
        while todo:
            name, R, p = todo.pop()
            inertial = self.links[name].find("inertial")
            if inertial is not None:
                m = float(inertial.find("mass").get("value"))
                origin = inertial.find("origin")
                c = numbers(origin.get("xyz", "0 0 0")) if origin is not None else [0, 0, 0]
                c = [a + b for a, b in zip(times(R, c), p)]
                mass += m
                moment = [a + m * b for a, b in zip(moment, c)]
            for joint in self.joints:
                if joint.get("type") != "fixed" or joint.find("parent").get("link") != name:
                    continue
                origin = joint.find("origin")
                xyz = numbers(origin.get("xyz", "0 0 0")) if origin is not None else [0, 0, 0]
                rpy = numbers(origin.get("rpy", "0 0 0")) if origin is not None else [0, 0, 0]
                Q = [times(list(zip(*rotation(rpy))), row) for row in R]  # R times the joint's rotation
                todo.append((self.child[joint.get("name")], Q,
                             [a + b for a, b in zip(times(R, xyz), p)]))
        return mass, moment


class Robot:
    def __init__(self, folder):
        self.name = folder.name
        self.path = folder / f"{folder.name}.urdf"
        self.data = json.loads((folder / "vectors.json").read_text())
        self.urdf = Urdf(self.path)
        self.floating = self.data["root_joint"] == "free-flyer"
        self.place = {}  # of a degree of freedom in the other library's v
        for joint in self.data["joints"]:
            name, at = self.joint_name(joint), joint["idx_v"]
            if joint["type"] == "free_flyer":
                for k, part in enumerate(FREE_V):
                    self.place[f"{name}.{part}"] = at + (k + 3) % 6
            elif joint["type"] == "spherical":
                for k, part in enumerate(BALL_V):
                    self.place[f"{name}.{part}"] = at + k
            else:
                self.place[name] = at

    def link(self, joint):
        """The link that a joint carries."""
        return self.urdf.root if joint["type"] == "free_flyer" else self.urdf.child[joint["name"]]

    def joint_name(self, joint):
        return "base" if self.floating and joint["type"] == "free_flyer" else joint["name"]

    def positions(self, q):
        for joint in self.data["joints"]:
            name, at = self.joint_name(joint), joint["idx_q"]
            if joint["type"] == "free_flyer":
                for k, part in enumerate(FREE_Q):
                    yield f"q.{name}.{part}", q[at + k]
            elif joint["type"] == "spherical":
                for k, part in enumerate(BALL_Q):
                    yield f"q.{name}.{part}", q[at + k]
            elif joint["type"] == "continuous":
                yield f"q.{name}", math.atan2(q[at + 1], q[at])
            else:
                yield f"q.{name}", q[at]

    def row(self, state, forces=(), local=False):
        row = dict(self.positions(state["q"]))
        for key in ("v", "a", "tau"):
            for dof, at in self.place.items():
                row[f"{key}.{dof}"] = state[key][at]
        row["time"] = float(state["index"])
        for force in forces:
            joint = self.data["joints"][force["joint"] - 1]
            link = self.link(joint)
            wrench = angular_first(force["f_local" if local else "f_world_aligned_at_joint_origin"])
            for part, value in zip(("mx", "my", "mz", "fx", "fy", "fz"), wrench):
                row[f"wrench.{link}.{part}"] = value
        return row

    def evaluate(self, rows, *options):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "states.csv"
            with table.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows({k: repr(float(v)) for k, v in row.items()} for row in rows)
            command = [LIMB, "eval", str(self.path), "--no-mimic", "--no-friction", "--states", str(table),
                       "--format", "json", *options]
            if self.floating:
                command += ["--base", "floating"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{self.name}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


class Shared(unittest.TestCase):
    def close(self, what, got, expected, tolerance):
        got, expected = flat(got), flat(expected)
        self.assertEqual(len(got), len(expected), what)
        size = max(map(abs, expected), default=0) or 1
        worst = max((abs(a - b) for a, b in zip(got, expected)), default=0) / size
        self.assertLess(worst, tolerance, what)
        Shared.worst[what.split()[-1]] = max(worst, Shared.worst.get(what.split()[-1], 0))

    worst = {}

    def compare(self, robot, state, result, order, ref):
        n = robot.data["nv"]

        def vector(x):
            return [x[i] for i in order]

        def matrix(x):
            return [[x[i * n + j] for j in order] for i in order]

        def six_by_n(x):
            return [[x[i * n + j] for j in order] for i in (3, 4, 5, 0, 1, 2)]

        body = ref == "body"
        R = state["frame_R"]
        expected = {
            "tau": vector(state["tau_rnea"]), "acc": vector(state["ddq_aba"]), "M": matrix(state["M"]),
            "C": matrix(state["C"]), "Minv": matrix(state["Minv"]), "h": vector(state["nle"]),
            "g": vector(state["gravity"]),
            "dtau_dq": matrix(state["dtau_dq"]), "dtau_dv": matrix(state["dtau_dv"]),
            "dacc_dq": matrix(state["ddq_dq"]), "dacc_dv": matrix(state["ddq_dv"]),
            "dacc_dtau": matrix(state["Minv"]),
            "J": six_by_n(state["frame_J_LOCAL" if body else "frame_J_LWA"]),
            "Jdotv": angular_first(state["frame_dJ_LOCAL_v" if body else "frame_dJ_LWA_v"]),
            "acceleration": angular_first(
                state["frame_a_spatial_LOCAL" if body else "frame_a_classical_LWA"]),
        }
        if body:
            expected["velocity"] = angular_first(state["frame_v_LOCAL"])
        expected.update(self.whole_robot(robot, state))
        for key, value in expected.items():
            self.close(f"{robot.name} {ref} {key}", result[key], value, 1e-9 if key in LOOSE else 1e-10)
        self.close(f"{robot.name} position", result["pose"]["position"], state["frame_p"], 1e-10)
        self.close(f"{robot.name} rotation", result["pose"]["rotation"], R, 1e-10)
        self.close(f"{robot.name} kinetic", result["energy"]["kinetic"], state["kinetic_energy"], 1e-10)

    def whole_robot(self, robot, state):
        """Centre of mass, energy and momentum, with the bodies that are fixed to the world put in."""
        moving = sum(joint["mass"] for joint in robot.data["joints"])
        fixed, moment = (0.0, [0.0] * 3) if robot.floating else robot.urdf.fixed_mass()
        share = moving / (moving + fixed)
        com = [share * c + m / (moving + fixed) for c, m in zip(state["com"], moment)]
        vcom, acom = ([share * x for x in state[k]] for k in ("vcom", "acom"))
        h, dh = state["centroidal_momentum"], state["centroidal_momentum_rate"]

        def minus(a, b):
            return [x - y for x, y in zip(a, b)]

        def plus(*many):
            return [sum(x) for x in zip(*many)]

        arm, rate = minus(state["com"], com), minus(state["vcom"], vcom)
        return {
            "com": com, "vcom": vcom, "acom": acom,
            "momentum": plus(h[3:], cross(arm, h[:3])) + h[:3],
            "momentum_rate": plus(dh[3:], cross(rate, h[:3]), cross(arm, dh[:3])) + dh[:3],
        }

    def potential(self, robot, state, result):
        fixed = 0.0 if robot.floating else robot.urdf.fixed_mass()[1][2]
        self.close(f"{robot.name} potential", result["energy"]["potential"],
                   state["potential_energy"] + G * fixed, 1e-10)

    def parameters(self, robot, names, state, result, order):
        """Regressor and parameters; ours has columns for actuators behind those of the bodies."""
        place = {name: k for k, name in enumerate(names)}
        ours = [place[f"{robot.link(j)}.{symbol}"] for j in robot.data["joints"] for symbol in TEN]
        self.assertEqual(sorted(ours), list(range(len(ours))))
        self.close(f"{robot.name} theta", [result["theta"][k] for k in ours], robot.data["dynamic_parameters"], 1e-9)
        if "regressor" not in state:  # of large robots in some states only
            return 0
        Y = state["regressor"]
        self.close(f"{robot.name} Y", [[row[k] for k in ours] for row in result["Y"]],
                   [Y[i * len(ours):(i + 1) * len(ours)] for i in order], 1e-9)
        return 1

    def order(self, robot, answer):
        self.assertEqual(answer["schema"], 1)
        self.assertEqual(answer["nv"], robot.data["nv"])
        self.assertEqual(sorted(answer["dofs"]), sorted(robot.place))
        self.assertEqual(answer["gravity"], robot.data["gravity_vector"])
        return [robot.place[dof] for dof in answer["dofs"]]

    def states(self, robot):
        rows, regressors = [robot.row(state) for state in robot.data["states"]], 0
        for ref in ("body", "aligned"):
            answer = robot.evaluate(rows, "--what", WHAT, "--frame", robot.data["frame"]["name"], "--ref", ref)
            order = self.order(robot, answer)
            self.assertEqual(len(answer["results"]), len(rows))
            for state, result in zip(robot.data["states"], answer["results"]):
                self.compare(robot, state, result, order, ref)
                self.potential(robot, state, result)
                regressors += self.parameters(robot, answer["parameters"], state, result, order)
        self.assertGreater(regressors, 0)

    def wrenches(self, robot):
        for local in (False, True):
            for state in robot.data["states"]:
                case = state["rnea_fext"]
                rows = [robot.row(state, case["forces"], local)]
                answer = robot.evaluate(rows, "--what", "tau,acc", "--wrench-ref", "body" if local else "aligned")
                order = self.order(robot, answer)
                result = answer["results"][0]
                self.close(f"{robot.name} wrench.tau", result["tau"], [case["tau_rnea"][i] for i in order], 1e-10)
                self.close(f"{robot.name} wrench.acc", result["acc"], [case["ddq_aba"][i] for i in order], 1e-9)

    def test_rounded_loops(self):
        """Loops whose poses have eight digits: their constraints depend on each other, but for the digits."""
        path = ROBOTS.parent / "menagerie" / "toddlerbot_2xc" / "toddlerbot_2xc_pos.xml"
        if not path.is_file():
            self.skipTest(f"{path} is not there")
        run = subprocess.run([LIMB, "verify", path, "--states", "10", "--format", "json"],
                             capture_output=True, text=True)
        answer = json.loads(run.stdout)
        self.assertTrue(answer["agree"] and 1e-9 < answer["open"] < answer["loop_tolerance"])
        methods = [x["verdict"] for x in answer["checks"] if x["quantity"].startswith("acc") and x["by"] == "KKT"]
        self.assertEqual(methods.count("ok"), 3)
        run = subprocess.run([LIMB, "sim", path, "--duration", "0.002", "--step", "1ms", "--method", "rk4",
                              "--no-friction"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_all(self):
        folders = sorted(path.parent for path in ROBOTS.glob("*/vectors.json"))
        self.assertTrue(folders, f"no robots in {ROBOTS}")
        for folder in folders:
            robot = Robot(folder)
            with self.subTest(robot.name):
                self.states(robot)
                self.wrenches(robot)
        print("largest differences, relative:",
              ", ".join(f"{k} {v:.1e}" for k, v in sorted(Shared.worst.items())))


def main():
    global LIMB, ROBOTS
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    LIMB, ROBOTS = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    if not ROBOTS.is_dir():
        print(f"{ROBOTS} is not there: skipped")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
