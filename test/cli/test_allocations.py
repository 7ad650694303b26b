#!/usr/bin/env python3
"""Every allocation of every command fails once, whoever asks, libraries of others included: alone, or with all that
follow. The tool then ends with exit code 2 and one sentence, without half a result and without a temporary file, or
with the same answer as ever.

    test_allocations.py <limb> <failing_allocator.so>
"""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import test_cli_b as tool
from test_cli_b import ARM, table

ALLOCATOR = None
ALL = os.environ.get("LIMB_TEST_EFFORT") == "all"
FOREVER = (1 << 63) - 1
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
WALL = re.compile(rb"^.*(?:wall|real_time).*", re.MULTILINE)  # differs from run to run

STATES = [[0.1 * i, 0.1 * i, 0.2 * i, 0.3, 0.4, 0.5, 0.6 * i] for i in range(8)]
FILES = {
    "arm.urdf": ARM,
    "sick.urdf": ARM.replace('ixx="0.1"', 'ixx="0.9"'),
    "s.csv": table("time,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2", STATES),
    "t.csv": table("time,q.joint1,q.joint2,v.joint1,v.joint2,tau.joint1,tau.joint2", STATES),
    "p.csv": table("pose.position.x,pose.position.y,pose.position.z", [[1, 1, 0], [1.1, 1, 0]]),
    "u.csv": table("time,tau.joint1", [[0, 1], [1, 2], [2, 3], [3, 1]]),
    "run.yaml": """schema: 1
model: four_bar.limb.yaml
duration: 0.02 s
solver: {method: rk4, step: 1 ms}
inputs:
  torques: {theta1: 2 Nm * sin(t)}
outputs:
  - file: out.csv
    channels: [q, v, energy]
    rate: 100 Hz
""",
}


class Server:
    """The tool, ready before main: every run is a fork of it (test/robust/failing_allocator.c)."""

    def __init__(self, folder, words):
        self.folder = folder
        self.inputs = set(os.listdir(folder))
        self.answers, answers = os.pipe()
        env = os.environ | {"LD_PRELOAD": ALLOCATOR, "FAILING_ALLOCATOR": str(answers)}
        self.tool = subprocess.Popen([tool.LIMB, *words], cwd=folder, env=env, stdin=subprocess.PIPE,
                                     pass_fds=[answers])
        os.close(answers)

    def close(self):
        self.tool.stdin.close()
        self.tool.wait()
        os.close(self.answers)

    def run(self, first, last):
        """Exit code (negative: a signal), number of allocations, and all files that were written."""
        self.tool.stdin.write(struct.pack("ll", first, last))
        self.tool.stdin.flush()
        status, asked = struct.unpack("ll", os.read(self.answers, 16))
        files = {}
        for name in set(os.listdir(self.folder)) - self.inputs:
            path = self.folder / name
            files[name] = WALL.sub(b"", path.read_bytes())
            path.unlink()
        return os.waitstatus_to_exitcode(status), asked, files


def complaint(whole, code, files):
    """What is wrong with a run, compared with an undisturbed one; None: nothing."""
    said = files.pop("stderr").decode("utf-8", "replace")
    usual = whole["stderr"].decode("utf-8", "replace")
    if code == 0:
        if said != usual or files != {name: data for name, data in whole.items() if name != "stderr"}:
            return "exit 0 with another answer " + said
        return None
    lines = [line for line in said.splitlines() if line not in usual.splitlines()]
    if code != 2 or len(lines) != 1 or "memory" not in lines[0]:
        return f"exit {code}: {said}"
    if files.pop("stdout") not in (b"", whole["stdout"]):
        return "half an output"
    parts = [name for name, data in files.items() if data != whole.get(name)]
    return f"left: {parts}" if parts else None


def places(asked):
    """Which allocations fail: with all effort every one, or 1000. Else a sample, as commands begin alike, and the last
    ones, where they differ."""
    if ALL:
        return [(n, last) for n in range(1, asked + 1, 1 + asked // 1000) for last in (n, FOREVER)]
    chosen = sorted({1 + k * asked // 20 for k in range(20)} | set(range(max(1, asked - 20), asked + 1)))
    return [(n, n if k % 2 else FOREVER) for k, n in enumerate(chosen)]


class Allocations(tool.Case):
    def check(self, *commands):
        for name, text in FILES.items():
            self.file(name, text)
        for name in ("four_bar", "gripper"):
            shutil.copy(MODELS / f"{name}.limb.yaml", self.folder)
        for command in commands:
            server = Server(self.folder, command.split() if isinstance(command, str) else command)
            self.addCleanup(server.close)
            code, asked, whole = server.run(0, 0)
            self.assertEqual(code, 0, f"{command}: {whole['stderr']}")
            for first, last in places(asked):
                code, _, files = server.run(first, last)
                wrong = complaint(whole, code, files)
                self.assertIsNone(wrong, f"{command}, allocation {first} of {asked}{' and later' * (last > first)}")

    def test_models(self):
        self.check("info planar_2r", "info panda --format json", "info four_bar", "check arm.urdf",
                   "check arm.urdf --format json", "check four_bar.limb.yaml", "check sick.urdf --repair out.urdf",
                   "convert arm.urdf out.limb.yaml", "convert four_bar - --to urdf",
                   "convert gripper.limb.yaml out.urdf", "models", "models --format json", "help sim", "help --man",
                   "completion bash")

    def test_states(self):
        self.check("eval planar_2r --a joint1=1 --v joint2=1 --what tau,M --format text",
                   "eval planar_2r --states s.csv --what tau,M,energy --format json",
                   "eval planar_2r --states s.csv --what tau,M --output out.csv",
                   "eval planar_2r --states s.csv --what tau,M --output out.npy",
                   "eval four_bar --q theta1=1 --what Psi,M --format json",
                   "eval four_bar --q theta1=1 --branch start --what q", "eval --list", "eval --list --format json",
                   "id planar_2r s.csv", "id planar_2r s.csv --size --format json --output out.csv",
                   "id planar_2r s.csv --size --plot out.svg --animate out.html --differentiate --output out.csv",
                   "fd planar_2r t.csv --output out.csv", "base planar_2r", "base puma560 --format json",
                   "base planar_2r --format csv", "ik planar_2r p.csv --frame tip --output out.csv",
                   "ik planar_2r --frame tip --target 1,1,0 --branches 2 --reference joint2=1",
                   "ik four_bar --frame coupler --target 0.2,0.3,0 --directions vx --format json",
                   "assemble four_bar --format json",
                   "assemble four_bar --hold theta1=2 --branches 4",
                   "assemble five_bar --map left_shoulder:-1:3:5 --map2 right_shoulder:-1:3:5 --plot out.svg",
                   "verify planar_2r --states 1", "verify four_bar --states 1 --format json")

    def test_code(self):
        self.check("codegen planar_2r --what tau --output -", "codegen planar_2r --what M --output .",
                   "codegen planar_2r --lang python --output -", "equations planar_2r",
                   "equations four_bar --format latex --output out.tex")

    QUIET = ["--duration", "0.02", "--summary", "none", "--no-progress"]

    def test_simulation(self):
        self.check(["sim", "planar_2r", "--method", "rk4", "--output", "out.csv", "--plot", "out.svg", "--animate",
                    "out.html", *self.QUIET],
                   "sim planar_2r --duration 0.01 --method rk4 --summary json --no-progress",
                   "sim planar_2r --duration 0.01 --method rk4", "sim run.yaml --summary none --no-progress",
                   *(["sim", robot, "--method", method, "--output", "out.npy", *self.QUIET]
                     for robot, method in (("planar_2r", "euler"), ("planar_2r", "variational"),
                                           ("planar_2r", "implicit"), ("four_bar", "semi-implicit"))),
                   ["sim", "planar_2r", "--method", "rk4", "--controller",
                    "computed_torque,kp=100,kd=20,q.joint1=1,rate=1kHz", "--event",
                    "q.joint1 > 90deg; low: energy < 1", "--output", "out.csv", *self.QUIET],
                   ["sim", "four_bar", "--method", "rk4", "--torque", "theta1=2Nm*sin(t)", *self.QUIET],
                   ["sim", "planar_2r", "--method", "rk4", "--torques", "u.csv:spline", "--stops", "impact",
                    *self.QUIET])

    def test_adaptive(self):
        """SUNDIALS does not look at the results of all its allocations."""
        if "SUNDIALS" in self.run_limb_freely("sim", "planar_2r", "--method", "erk", *self.QUIET):
            self.skipTest("without SUNDIALS")
        self.check(*(["sim", robot, "--method", method, "--output", "out.csv", *self.QUIET]
                     for robot, method in (("planar_2r", "erk"), ("planar_2r", "adams"), ("planar_2r", "bdf"),
                                           ("planar_2r", "ida"), ("four_bar", "ida"), ("four_bar", "auto"))))

    def test_hdf5(self):
        """HDF5 looks at the results of few."""
        words = ["sim", "planar_2r", "--method", "rk4", "--output", "out.h5", *self.QUIET]
        if "HDF5" in self.run_limb_freely(*words):
            self.skipTest("without HDF5")
        self.check(words, ["sim", "four_bar", "--method", "rk4", "--plot", "out.svg", *words[4:]])

    def run_limb_freely(self, *words):
        done = subprocess.run([tool.LIMB, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        for path in self.folder.iterdir():
            path.unlink()
        return done.stderr if done.returncode else ""


if __name__ == "__main__":
    if len(sys.argv) > 2:
        ALLOCATOR = str(pathlib.Path(sys.argv.pop(2)).resolve())
    tool.main(__doc__)
