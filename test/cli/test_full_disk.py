#!/usr/bin/env python3
"""Tables on a full disk: rows are whole, and none is made up. A small preloaded library is the disk for HDF5, a limit
on the size of files for CSV.

    test_full_disk.py <limb>
"""
import ctypes
import os
import pathlib
import resource
import signal
import subprocess

import test_cli_b as tool

# What was written once can be written again, but files do not grow beyond FULL_DISK bytes.
DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static long room(int file, long at)
{
  const char* text = getenv("FULL_DISK");
  return file < 3 || at < 0 || !text ? 1L << 40 : atol(text) - at;
}

static int refuse(void)
{
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int file, const void* data, size_t n, off_t at)
{
  ssize_t (*real)(int, const void*, size_t, off_t);
  const long left = room(file, (long)at);
  *(void**)&real = dlsym(RTLD_NEXT, "pwrite");
  return left <= 0 ? refuse() : real(file, data, (long)n < left ? n : (size_t)left, at);
}

ssize_t pwrite64(int file, const void* data, size_t n, off_t at) { return pwrite(file, data, n, at); }
"""
RUN = ["sim", "planar_2r", "--duration", "3", "--rate", "1000", "--method", "rk4", "--step", "1ms", "--output"]
COLUMNS = ["time", "q.joint1", "q.joint2", "v.joint1", "v.joint2"]


def small_files(room):
    """Files cannot grow beyond so many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def hdf5():
    """libhdf5, or None."""
    for name in ("libhdf5_serial.so.103", "libhdf5_serial.so", "libhdf5.so.103", "libhdf5.so"):
        try:
            lib = ctypes.CDLL(name)
        except OSError:
            continue
        for function in ("H5Fopen", "H5Dopen2", "H5Dget_space", "H5Sget_simple_extent_npoints"):
            getattr(lib, function).restype = ctypes.c_int64
        lib.H5open()
        lib.H5Eset_auto2(ctypes.c_int64(0), None, None)
        return lib
    return None


def columns_of(lib, path):
    """The columns of a file as lists; None when it cannot be opened."""
    whole = ctypes.c_int64
    file = lib.H5Fopen(os.fsencode(path), 0, whole(0))
    found = {}
    for name in COLUMNS if file >= 0 else []:
        data = lib.H5Dopen2(whole(file), name.encode(), whole(0))
        if data < 0:
            return None
        rows = lib.H5Sget_simple_extent_npoints(whole(lib.H5Dget_space(whole(data))))
        numbers = (ctypes.c_double * max(rows, 1))()
        real = whole.in_dll(lib, "H5T_NATIVE_DOUBLE_g")
        assert lib.H5Dread(whole(data), real, whole(0), whole(0), whole(0), numbers) >= 0
        found[name] = list(numbers)[:rows]
        lib.H5Dclose(whole(data))
    lib.H5Fclose(whole(file))
    return found or None


class FullDisk(tool.Case):
    def setUp(self):
        super().setUp()
        if b"__asan" in pathlib.Path(tool.LIMB).read_bytes():
            self.skipTest("a sanitizer wants to be the first library")
        source, self.disk = self.folder / "disk.c", self.folder / "disk.so"
        source.write_text(DISK, encoding="ascii")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.disk, source, "-ldl"], check=True)

    def test_cut_row(self):
        """A last row without its end is used, with a warning: who knows whether -1. was -1.7688."""
        names = "time,q.joint1,q.joint2,v.joint1,v.joint2,a.joint1,a.joint2\n"
        for end, warnings in (("\n", 0), ("", 1)):
            path = self.file("states.csv", names + "0,1,2,3,4,5,6\n1,1,2,3,4,5,-1." + end)
            done = self.run_limb("id", "planar_2r", path)
            self.assertEqual(done.stderr.count(":3: warning: the last line does not end"), warnings, done.stderr)
            self.assertEqual(done.stdout.count("\n"), 3)
            done = self.run_limb("sim", "planar_2r", "--duration", "1", "--torques",
                                 self.file("torques.csv", "time,tau.joint1\n0,1\n2,2" + end))
            self.assertEqual(done.stderr.count(":3: warning: the last line does not end"), warnings, done.stderr)

    def write(self, path, room):
        """Simulates onto a disk of that size. Returns the exit code, which is 0 when everything fits."""
        path.unlink(missing_ok=True)
        env = os.environ | {"LD_PRELOAD": str(self.disk), "FULL_DISK": str(room)}
        done = subprocess.run([tool.LIMB, *RUN, str(path)], env=env, capture_output=True, text=True, check=False)
        self.assertEqual("No space left" in done.stderr, done.returncode != 0, done.stderr)
        return done.returncode

    def test_hdf5(self):
        lib, path = hdf5(), self.folder / "o.h5"
        if not lib:
            self.skipTest("libhdf5 is not installed")
        self.assertEqual(self.write(path, 1 << 30), 0)
        whole, opened = columns_of(lib, path), 0
        self.assertEqual(len(whole["time"]), 3001)
        for room in range(3000, 130000, 9973):
            self.assertNotEqual(self.write(path, room), 0)
            found = columns_of(lib, path)
            opened += bool(found and found["time"])
            for name in COLUMNS if found else []:
                rows = len(found["time"])
                self.assertEqual(found[name], whole[name][:rows], f"{name} with {room} bytes")
        self.assertGreater(opened, 8)

    def test_csv(self):
        path = self.folder / "o.csv"
        self.assertEqual(self.write(path, 1 << 30), 0)
        whole = path.read_text(encoding="utf-8")
        for room in range(0, len(whole), 9973):
            path.unlink()
            done = subprocess.run([tool.LIMB, *RUN, str(path)], capture_output=True, text=True, check=False,
                                  preexec_fn=lambda: small_files(room))
            self.assertIn("could not be written", done.stderr)
            found = path.read_text(encoding="utf-8")
            self.assertTrue(whole.startswith(found) and found.endswith("\n" if found else ""), f"{room} bytes")
            self.assertGreater(len(found), room - 200)


if __name__ == "__main__":
    tool.main(__doc__)
