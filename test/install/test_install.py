#!/usr/bin/env python3
"""Installs a build into an empty prefix and uses it as strangers would; then moves the prefix.

    test_install.py --build <build folder> [--config <type>] [--cmake <cmake>] [--cc <compiler>]

Each time: a CMake project through find_package, and plain compiler calls through pkg-config; shared
and static; C and C++. Plain Makefile generators only, so that nothing of this build leaks in. Programs
have the folder of the libraries in their RUNPATH and run without LD_LIBRARY_PATH: libraries must find
each other. Examples and documents are installed: an example is compiled, links are followed.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = ["bin/limb", "include/limb/limb.h", "share/doc/limb/LICENSE", "share/doc/limb/README.md",
            "share/doc/limb/docs/conventions.md", "share/doc/limb/docs/pictures/torques.svg",
            "share/doc/limb/examples/01_hello.c", "share/doc/limb/examples/gallery/car.run.yaml",
            "share/man/man1/limb.1", "share/bash-completion/completions/limb"]
SHARED = ["liblimb.so", "liblimb_io.so", "liblimb_sim.so", "liblimb_study.so"]
NOT_INSTALLED = ("CONTRIBUTING.md", "bench/", "include/limb")  # that pages link to
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


def runpath_of(file):
    found = re.findall(r"\((?:RUNPATH|RPATH)\)[^[]*\[(.*)\]", run("readelf", "-d", file))
    return found[0] if found else ""


def check_runpaths(prefix):
    """Relative to the file itself, and nothing else: no folder of the build, none of the prefix."""
    libdir = libdir_of(prefix)
    wanted = {libdir / name: "$ORIGIN" for name in SHARED}
    wanted[prefix / "bin" / "limb"] = "$ORIGIN/" + os.path.relpath(libdir, prefix / "bin")
    for path, want in wanted.items():
        if runpath_of(path) != want:
            sys.exit(f"test_install: RUNPATH of {path} is '{runpath_of(path)}', not '{want}'")


def check_documents(prefix):
    """Pages link to each other and to examples as they do in the sources."""
    top = prefix / "share/doc/limb"
    for page in [top / "README.md", *(top / "docs").glob("*.md")]:
        for name in re.findall(r"\]\((?!https:)([^)#:]+)[^)]*\)", page.read_text(encoding="utf-8")):
            to = pathlib.Path(os.path.normpath(page.parent / name))
            if not to.exists() and not str(to.relative_to(top)).startswith(NOT_INSTALLED):
                sys.exit(f"test_install: {page} links to '{name}', which is not installed")


def use_cmake(prefix, folder, args):
    run(args.cmake, "-S", HERE, "-B", folder, "-G", "Unix Makefiles", f"-Dlimb_ROOT={prefix}",
        f"-DCMAKE_C_COMPILER={args.cc}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
    run(args.cmake, "--build", folder)
    for program in ("c_limb", "cxx_limb", "c_limb_static", "cxx_limb_static", "c_io", "c_io_static", "c_sim",
                    "c_sim_static", "c_study", "c_study_static"):
        run(folder / program)


def use_pkg_config(prefix, folder, args):
    libdir = libdir_of(prefix)
    examples = prefix / "share/doc/limb/examples"
    environment = {**os.environ, "PKG_CONFIG_PATH": str(libdir / "pkgconfig")}
    folder.mkdir()

    def flags(*what):
        return shlex.split(run("pkg-config", *what, package, env=environment))

    for compiler, source, package in ((args.cc, HERE / "consumer.c", "limb"),
                                      (args.cc, examples / "01_hello.c", "limb"),
                                      (args.cxx, HERE / "consumer.cc", "limb"),
                                      (args.cc, HERE / "consumer_io.c", "limb-io"),
                                      (args.cc, HERE / "consumer_sim.c", "limb-sim"),
                                      (args.cc, HERE / "consumer_study.c", "limb-study")):
        program = folder / (source.name.replace(".", "_"))
        run(compiler, source, "-o", program, *flags("--cflags", "--libs"), f"-Wl,-rpath,{libdir},--enable-new-dtags")
        run(program)
        if package in ("limb-sim", "limb-study"):  # SUNDIALS is a shared library
            continue
        run(compiler, "-static", source, "-o", program, *flags("--static", "--cflags", "--libs"))
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
    os.environ.pop("LD_LIBRARY_PATH", None)
    with tempfile.TemporaryDirectory(prefix="limb_install_") as name:
        top = pathlib.Path(name)
        first, second = top / "first", top / "else where" / "second"
        run(args.cmake, "--install", args.build, "--prefix", first,
            *(["--config", args.config] if args.config else []))
        check_files(first)
        check_runpaths(first)
        check_documents(first)
        use_cmake(first, top / "cmake1", args)
        use_pkg_config(first, top / "pc1", args)
        second.parent.mkdir()
        shutil.move(first, second)
        use_cmake(second, top / "cmake2", args)
        use_pkg_config(second, top / "pc2", args)
    print("test_install: find_package and pkg-config, shared and static, C and C++, also moved")


main()
