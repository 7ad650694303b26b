#!/usr/bin/env python3
"""Installs a build into an empty prefix and uses it as strangers would; then moves the prefix.

    test_install.py --build <build folder> [--config <type>] [--cmake <cmake>] [--cc <compiler>]

Each time: a CMake project through find_package, and plain compiler calls through pkg-config; shared
and static; C and C++. Plain Makefile generators only, so that nothing of this build leaks in.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = ["bin/limb", "include/limb/limb.h", "share/doc/limb/LICENSE", "share/man/man1/limb.1",
            "share/bash-completion/completions/limb"]
IN_LIBDIR = ["liblimb.a", "liblimb.so", "liblimb_io.a", "liblimb_io.so", "liblimb_sim.a", "liblimb_sim.so",
             "liblimb_study.a", "liblimb_study.so",
             "cmake/limb/limbConfig.cmake", "cmake/limb/limbConfigVersion.cmake",
             "pkgconfig/limb.pc", "pkgconfig/limb-io.pc", "pkgconfig/limb-sim.pc",
             "pkgconfig/limb-study.pc"]


def run(*command, **options):
    print("+", *command, flush=True)
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False, **options)
    if result.returncode:
        print(result.stdout, result.stderr)
        sys.exit(f"test_install: exit code {result.returncode} of: {' '.join(map(str, command))}")
    return result.stdout


def libdir_of(prefix):
    found = list(prefix.rglob("limb.pc"))
    if len(found) != 1:
        sys.exit(f"test_install: {len(found)} files limb.pc in {prefix}")
    return found[0].parent.parent


def check_files(prefix):
    libdir = libdir_of(prefix)
    wanted = [prefix / name for name in EXPECTED] + [libdir / name for name in IN_LIBDIR]
    for path in wanted:
        if not path.exists():
            sys.exit(f"test_install: {path} was not installed")
    for path in [*libdir.rglob("*.cmake"), *libdir.rglob("*.pc")]:
        if str(prefix) in path.read_text(encoding="utf-8"):
            sys.exit(f"test_install: {path} contains the prefix, it cannot be moved")


def use_cmake(prefix, folder, args):
    run(args.cmake, "-S", HERE, "-B", folder, "-G", "Unix Makefiles", f"-Dlimb_ROOT={prefix}",
        f"-DCMAKE_C_COMPILER={args.cc}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
    run(args.cmake, "--build", folder)
    for program in ("c_limb", "cxx_limb", "c_limb_static", "cxx_limb_static", "c_io", "c_io_static", "c_sim",
                    "c_sim_static", "c_study", "c_study_static"):
        run(folder / program)


def use_pkg_config(prefix, folder, args):
    libdir = libdir_of(prefix)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(libdir / "pkgconfig")}
    folder.mkdir()

    def flags(*what):
        return shlex.split(run("pkg-config", *what, package, env=environment))

    for compiler, source, package in ((args.cc, "consumer.c", "limb"),
                                      (args.cxx, "consumer.cc", "limb"),
                                      (args.cc, "consumer_io.c", "limb-io"),
                                      (args.cc, "consumer_sim.c", "limb-sim"),
                                      (args.cc, "consumer_study.c", "limb-study")):
        program = folder / (source.replace(".", "_"))
        run(compiler, HERE / source, "-o", program, *flags("--cflags", "--libs"))
        run(program, env={**os.environ, "LD_LIBRARY_PATH": str(libdir)})
        if package in ("limb-sim", "limb-study"):  # SUNDIALS is a shared library
            continue
        run(compiler, "-static", HERE / source, "-o", program,
            *flags("--static", "--cflags", "--libs"))
        run(program)
    run(prefix / "bin" / "limb", "--version")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--config")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    args = parser.parse_args()
    os.environ.pop("MAKEFLAGS", None)
    with tempfile.TemporaryDirectory(prefix="limb_install_") as name:
        top = pathlib.Path(name)
        first, second = top / "first", top / "else where" / "second"
        run(args.cmake, "--install", args.build, "--prefix", first,
            *(["--config", args.config] if args.config else []))
        check_files(first)
        use_cmake(first, top / "cmake1", args)
        use_pkg_config(first, top / "pc1", args)
        second.parent.mkdir()
        shutil.move(first, second)
        use_cmake(second, top / "cmake2", args)
        use_pkg_config(second, top / "pc2", args)
    print("test_install: find_package and pkg-config, shared and static, C and C++, also moved")


main()
