#!/usr/bin/env python3
"""How fast `limb id` is along a long trajectory, and that its memory does not grow with it.

    id_throughput.py <limb> [--rows N] [--perf]

Writes a CSV of N rows (default 1000000) and one of a tenth of that, for an arm of six joints: time, and
position, velocity and acceleration of each, 19 columns of full precision. Prints for each: seconds (the best
of three), MB/s read and written, by the clock and by processor time, peak memory. --perf also says where the
time goes, by the samples of perf.
"""
import argparse
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

JOINTS = 6
BLOCK = 10000  # rows that differ; then they come again
PARTS = [
    ("reading CSV", r"limb_csv_next|scan_|nearest|from_decimal|take_line|find_lines|memchr|cli_states_next"),
    ("writing CSV", r"limb_csv_(number|text|end|rows)|print_|write_digits"),
    ("dynamics", r"^set_|limb_(inverse|environment|model|sized)"),
]


def robot():
    parts = ['<robot name="arm6"><link name="l0"/>']
    for k in range(1, JOINTS + 1):
        axis = "0 0 1" if k % 3 == 1 else "0 1 0"
        parts.append(f"""<link name="l{k}"><inertial><origin xyz="0.1 0.02 {0.1 / k}"/><mass value="{7 - k}"/>
<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.12" iyz="0.005" izz="0.08"/></inertial></link>
<joint name="joint{k}" type="revolute"><origin xyz="0.3 0 0.05" rpy="0 0 0"/><parent link="l{k - 1}"/>
<child link="l{k}"/><axis xyz="{axis}"/><limit lower="-3" upper="3" effort="200" velocity="3"/></joint>""")
    return "\n".join([*parts, "</robot>"])


def trajectory(path, rows):
    names = [f"{x}.joint{k}" for x in "qva" for k in range(1, JOINTS + 1)]
    block = []
    for i in range(min(rows, BLOCK)):
        t = i / 1000
        waves = [(0.5 + 0.1 * k, 0.7 + 0.3 * k) for k in range(JOINTS)]
        q = [a * math.sin(f * t) for a, f in waves]
        v = [a * f * math.cos(f * t) for a, f in waves]
        a = [-a * f * f * math.sin(f * t) for a, f in waves]
        block.append(",".join(map(repr, [t, *q, *v, *a])))
    text = "\n".join(block) + "\n"
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(["time", *names]) + "\n")
        for _ in range(rows // len(block)):
            file.write(text)


def high_water(pid):
    """Peak memory of a running process in kB; what wait4 says begins with that of the caller."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s*(\d+)", text)
    return int(found.group(1)) if found else 0


def run(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    peak, pid = 0, 0
    while pid == 0:
        time.sleep(0.002)
        peak = max(peak, high_water(process.pid))
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if status:
        sys.exit(f"id_throughput: {' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_utime, usage.ru_stime, peak


def measure(limb, folder, rows):
    table, out = folder / f"{rows}.csv", folder / f"{rows}.out.csv"
    trajectory(table, rows)
    command = [limb, "id", str(folder / "arm.urdf"), str(table), "--output", str(out)]
    seconds, user, system, peak = min(run(command) for _ in range(3))
    read, written, busy = table.stat().st_size / 1e6, out.stat().st_size / 1e6, user + system
    print(f"{rows} rows: {seconds:.2f} s (user {user:.2f}, system {system:.2f}); in {read:.0f} MB at "
          f"{read / seconds:.0f} MB/s, out {written:.0f} MB at {written / seconds:.0f} MB/s; per second of "
          f"processor time in {read / busy:.0f} MB, out {written / busy:.0f} MB; peak memory {peak} kB", flush=True)
    return command


def split(command, folder):
    data = str(folder / "perf.data")
    subprocess.run(["perf", "record", "-o", data, *command], check=True, capture_output=True)
    text = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "dso,symbol"], check=True,
                          capture_output=True, text=True).stdout
    shares = {name: 0.0 for name, _ in PARTS} | {"kernel: files": 0.0, "rest": 0.0}
    for line in text.splitlines():
        found = re.match(r"\s*([\d.]+)%\s+(\S+)\s+\[(.)\] (\S+)", line)
        if not found:
            continue
        share, _, where, symbol = found.groups()
        part = "kernel: files" if where == "k" else next(
            (name for name, words in PARTS if re.search(words, symbol)), "rest")
        shares[part] += float(share)
    print("time: " + ", ".join(f"{name} {share:.0f} %" for name, share in shares.items()))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("limb")
    options.add_argument("--rows", type=int, default=1000000)
    options.add_argument("--perf", action="store_true")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "arm.urdf").write_text(robot())
        measure(options.limb, folder, max(options.rows // 10, 1))
        command = measure(options.limb, folder, options.rows)
        if options.perf and shutil.which("perf"):
            split(command, folder)


if __name__ == "__main__":
    main()
