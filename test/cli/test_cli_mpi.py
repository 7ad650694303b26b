#!/usr/bin/env python3
"""`limb sweep` under MPI: the same table on 1, 2 and 4 ranks, and after a rank was killed. Skipped without mpirun or
limb-mpi.so (scripts/setup mpi).

    test_cli_mpi.py <limb>
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import test_cli_b as tool
from test_cli_sweep import STUDY


def mpirun(ranks):
    """As root, and with more ranks than processors, Open MPI needs to be asked twice."""
    words = ["mpirun", "-n", str(ranks)]
    if b"Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, check=False).stdout:
        words += ["--oversubscribe", "--allow-run-as-root"]
    return words


def children(pid):
    """Processes below one."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) if entry.name.isdigit() else 0
        except OSError:
            continue
        if parent == pid:
            found += [int(entry.name), *children(int(entry.name))]
    return found


class Mpi(tool.Case):
    def study(self, samples, duration):
        return self.file("study.yaml", STUDY.replace("SAMPLES", str(samples)).replace("DURATION", duration))

    def test_ranks(self):
        study = self.study(10, "20ms")
        self.run_limb("sweep", study, "--output", self.folder / "alone.csv")
        for ranks in (1, 2, 4):
            out = self.folder / f"{ranks}.csv"
            words = [*mpirun(ranks), tool.LIMB, "sweep", study, "--engine", "mpi", "--output", str(out)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("40 cases, 40 now"), 1, done.stderr)
            self.assertEqual(out.read_bytes(), (self.folder / "alone.csv").read_bytes())
            self.assertFalse(pathlib.Path(f"{out}.rows").exists())

    def test_wrong_study(self):
        study = self.file("bad.yaml", STUDY.replace("rms", "").replace("SAMPLES", "0").replace("DURATION", "1"))
        done = subprocess.run([*mpirun(3), tool.LIMB, "sweep", study], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("must be at least 1"), 1, done.stderr)  # by rank 0 alone

    def test_a_rank_dies(self):
        """MPI ends the job; rows of all ranks are kept, and --resume makes the table that it would have been."""
        study = self.study(200, "1s")
        out = self.folder / "out.csv"
        words = [*mpirun(2), tool.LIMB, "sweep", study, "--quiet", "--output", str(out)]
        job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        rows = pathlib.Path(f"{out}.rows")
        while job.poll() is None and sum(p.stat().st_size > 2000 for p in rows.glob("*.rows")) < 2:
            time.sleep(0.02)
        ranks = [pid for pid in children(job.pid) if os.readlink(f"/proc/{pid}/exe") == tool.LIMB]
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[1], signal.SIGKILL)
        job.communicate()
        self.assertNotEqual(job.returncode, 0)
        self.assertFalse(out.exists())
        kept = sum(p.stat().st_size for p in rows.glob("*.rows"))
        self.assertGreater(kept, 4000)
        done = subprocess.run([*words, "--resume"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_limb("sweep", study, "--output", self.folder / "alone.csv")
        self.assertEqual(out.read_bytes(), (self.folder / "alone.csv").read_bytes())


if __name__ == "__main__":
    beside = pathlib.Path(sys.argv[1]).resolve().parent / "limb-mpi.so" if len(sys.argv) > 1 else None
    if beside and not (shutil.which("mpirun") and beside.exists()):
        print("skipped: no mpirun, or limb was built without MPI; scripts/setup mpi installs it")
        sys.exit(77)
    tool.main(__doc__)
