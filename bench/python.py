#!/usr/bin/env python3
"""Python packages for robot dynamics beside each other: limb, Pinocchio (wheel pin), MuJoCo (wheel mujoco), and adam
with CasADi (wheel adam-robotics[casadi]).

    PYTHONPATH=build/release/python python3 bench/python.py [--robots panda,ur5] [--tool build/release/limb]

All packages get the same robots (the URDF that limb writes) and the same states; results are compared before anything
is timed, and what differs is an error. A time is the best of many short slices, so that a busy machine matters little.
With --tool, `limb bench` of the same build says what a call takes in C. Packages that are not installed are left out.
"""
import argparse
import csv
import io
import subprocess
import sys
import time

import numpy

import limb

SLICES, CALLS = 40, 2000
TOLERANCE = 1e-8
GRAVITY = numpy.array([0, 0, -9.81, 0, 0, 0])


def best(function, calls=CALLS, slices=SLICES):
    """Seconds of one call: the best of many slices."""
    least = float("inf")
    for _ in range(slices):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        least = min(least, (time.perf_counter() - start) / calls)
    return least


class Limb:
    """limb, arrays in and arrays out."""

    name = "limb"

    def __init__(self, model, text):
        self.model = model

    @staticmethod
    def load(text):
        """A robot from the text of its URDF, as every package reads it."""
        return limb.loads(text, check=False)

    def calls(self, q, v, a):
        m = self.model
        tau = numpy.empty(m.nv)
        return {
            "inverse dynamics": lambda: m.inverse_dynamics(q, v, a),
            "inverse dynamics, out=": lambda: m.inverse_dynamics(q, v, a, out=tau),
            "mass matrix": lambda: m.mass_matrix(q),
            "forward dynamics": lambda: m.forward_dynamics(q, v, a),
            "derivatives": lambda: m.inverse_dynamics_derivatives(q, v, a).dq,
        }

    def batch(self, q, v, a):
        return self.model.inverse_dynamics(q, v, a)


class Pinocchio:
    """pin, one state after the other."""

    name = "pin"

    def __init__(self, model, text):
        import pinocchio

        self.pin = pinocchio
        self.model = self.load(text)
        self.model.armature = numpy.zeros(self.model.nv)
        self.data = self.model.createData()

    @staticmethod
    def load(text):
        import pinocchio

        return pinocchio.buildModelFromXML(text)

    def calls(self, q, v, a):
        p, m, d = self.pin, self.model, self.data
        return {
            "inverse dynamics": lambda: p.rnea(m, d, q, v, a),
            "mass matrix": lambda: p.crba(m, d, q),
            "forward dynamics": lambda: p.aba(m, d, q, v, a),
            "derivatives": lambda: p.computeRNEADerivatives(m, d, q, v, a)[0],
        }

    def batch(self, q, v, a):
        return numpy.array([self.pin.rnea(self.model, self.data, *row) for row in zip(q, v, a, strict=True)])


class Mujoco:
    """mujoco, one state after the other."""

    name = "mujoco"

    def __init__(self, model, text):
        import mujoco

        self.mj = mujoco
        self.model = self.load(text)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.data = mujoco.MjData(self.model)

    @staticmethod
    def load(text):
        import mujoco

        return mujoco.MjModel.from_xml_string(text)

    def put(self, q, v):
        self.data.qpos[:], self.data.qvel[:] = q, v

    def inverse(self, q, v, a):
        self.put(q, v)
        self.data.qacc[:] = a
        self.mj.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse

    def forward(self, q, v, tau):
        self.put(q, v)
        self.data.qfrc_applied[:] = tau
        self.mj.mj_forward(self.model, self.data)
        return self.data.qacc

    def calls(self, q, v, a):
        return {"inverse dynamics": lambda: self.inverse(q, v, a), "forward dynamics": lambda: self.forward(q, v, a)}

    def batch(self, q, v, a):
        return numpy.array([self.inverse(*row).copy() for row in zip(q, v, a, strict=True)])


class Adam:
    """adam with CasADi: one function of CasADi for each quantity, one state after the other.

    Its robots float; this one stands: the rows and columns of the joints, with a base at rest.
    """

    name = "adam, CasADi"

    def __init__(self, model, text):
        import casadi
        from adam.casadi import KinDynComputations

        robot = KinDynComputations(text, list(model.joints), gravity=GRAVITY)
        q, v, a = (casadi.SX.sym(name, model.nv) for name in "qva")
        M = robot.mass_matrix_fun()(numpy.eye(4), q)[6:, 6:]
        tau = M @ a + robot.bias_force_fun()(numpy.eye(4), q, numpy.zeros(6), v)[6:]
        slopes = [casadi.jacobian(tau, x) for x in (q, v, a)]
        self.M, self.id, self.d = (
            casadi.Function(name, inputs, outputs, {"cse": True})
            for name, inputs, outputs in (("M", [q], [M]), ("id", [q, v, a], [tau]), ("d", [q, v, a], slopes))
        )

    def calls(self, q, v, a):
        return {
            "inverse dynamics": lambda: self.id(q, v, a).toarray()[:, 0],
            "mass matrix": lambda: self.M(q).toarray(),
            "derivatives": lambda: self.d(q, v, a)[0].toarray(),
        }

    def batch(self, q, v, a):
        return self.id(q.T, v.T, a.T).toarray().T


def packages(model):
    """Those that are installed, with this robot."""
    text = model.to_text("urdf")
    found = [Limb(model, text)]
    for package in (Pinocchio, Mujoco, Adam):
        try:
            found.append(package(model, text))
        except ImportError as error:
            print(f"{package.name} is left out: {error}")
    return found


def full(what, x):
    """A result to compare: pin fills the upper triangle of the mass matrix."""
    x = numpy.array(x)
    return numpy.triu(x) + numpy.triu(x, 1).T if what == "mass matrix" else x


def check(found, q, v, a):
    """All packages compute the same."""
    for k in range(20):
        reference = found[0].calls(q[k], v[k], a[k])
        for other in found[1:]:
            for what, call in other.calls(q[k], v[k], a[k]).items():
                x, y = full(what, reference[what]()), full(what, call())
                difference = abs(x - y).max() / (1 + abs(x).max())
                if not difference < TOLERANCE:
                    sys.exit(f"{other.name} and limb differ in {what} by {difference:.2g}, state {k}")


def in_c(tool, robot):
    """Seconds of calls in C, by `limb bench`."""
    command = [tool, "bench", "--robots", robot, "--no-peers", "--quick", "--format", "csv"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {"rnea": "inverse dynamics", "crba": "mass matrix", "fd": "forward dynamics"}
    names["id_derivatives"] = "derivatives"
    rows = csv.DictReader(line for line in io.StringIO(out) if not line.startswith("#"))
    times = {}
    for row in rows:
        if row["library"] == "limb" and row["quantity"] in names and row["layout"] in ("", "rows"):
            times[(names[row["quantity"]], row["mode"])] = float(row["ns"]) * 1e-9
    return times


def measure(robot, n, tool):
    """One robot: single calls, a batch of inverse dynamics, and the five quantities of many states."""
    model = limb.load(robot, check=False)
    model = model.with_(joints={name: {"viscous": 0.0, "coulomb": 0.0, "rotor_inertia": 0.0} for name in model.joints})
    random = numpy.random.default_rng(1)
    q = model.random(n, seed=1)
    v, a = random.uniform(-1, 1, (n, model.nv)), random.uniform(-1, 1, (n, model.nv))
    found = packages(model)
    check(found, q, v, a)
    print(f"\n{robot}: {len(found)} packages agree to {TOLERANCE:g} in 20 states")
    loop, c = best(lambda: None), in_c(tool, robot) if tool else {}
    print("| one call | " + " | ".join(package.name for package in found) + " | in C | overhead of limb |")
    print("|---|" + "---|" * (len(found) + 2))
    calls = [package.calls(q[0].copy(), v[0].copy(), a[0].copy()) for package in found]
    for what in calls[0]:
        times = [best(call[what]) - loop if what in call else None for call in calls]
        native = c.get((what.split(",")[0], "single"))
        cells = ["-" if t is None else f"{1e9 * t:.0f} ns" for t in [*times, native]]
        more = "-" if native is None else f"{1e9 * (times[0] - native):.0f} ns"
        print(f"| {what} | " + " | ".join([*cells, more]) + " |")
    rows = slice(0, 2000)
    times = [best(lambda p=p: p.batch(q[rows], v[rows], a[rows]), 1, 30) / 2000 for p in found]
    out = numpy.empty((2000, model.nv))
    inside = best(lambda: model.inverse_dynamics(q[rows], v[rows], a[rows], out=out), 1, 200) / 2000
    native = c.get(("inverse dynamics", "batch"))
    print(
        "2000 states of inverse dynamics, per state: "
        + ", ".join(f"{p.name} {1e9 * t:.1f} ns" for p, t in zip(found, times, strict=True))
        + f"; limb with out= {1e9 * inside:.1f} ns" + ("" if native is None else f", in C {1e9 * native:.1f} ns")
    )
    text, readers = model.to_text("urdf"), [package for package in found if hasattr(package, "load")]
    loads = [best(lambda p=p: p.load(text), 5, 20) for p in readers]
    print(
        f"load of its URDF, {len(text) / 1e3:.0f} kB: "
        + ", ".join(f"{p.name} {1e3 * t:.2f} ms" for p, t in zip(readers, loads, strict=True))
    )
    names = ["M", "C", "g", "dtau_dq", "dtau_dv"]
    whole = best(lambda: model.eval(names, q, v, a), 1, 5)
    print(f"{n} states of {', '.join(names)}, one thread, results in new arrays: limb {whole:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default="panda,ur5")
    parser.add_argument("--states", type=int, default=100000)
    parser.add_argument("--tool")
    given = parser.parse_args()
    print(f"limb {limb.__version__} ({limb.ISA}), Python {sys.version.split()[0]}, NumPy {numpy.__version__}")
    for robot in given.robots.split(","):
        measure(robot, given.states, given.tool)


if __name__ == "__main__":
    main()
