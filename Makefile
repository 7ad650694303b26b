# A thin cover over CMake: CMakePresets.json has the presets, scripts/setup the packages.
#
#   make           library and tool, optimised, into build/release
#   make demo      builds, then runs the demonstration
#   make test      builds everything, runs all tests on the optimised build
#   make bench     measures, next to the libraries that Debian ships
#   make lint      format, clang-tidy and the checks in tools/
#   make format    rewrites the sources in house style
#   make setup     installs what is missing for all of these but bench
#   make clean     removes build/

.DEFAULT_GOAL := all
SHELL := /bin/sh
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PYTHON ?= python3
RELEASE := build/release

.PHONY: all demo test bench lint format setup clean configure

all: configure
	cmake --build --preset release --target limb_product -j $(JOBS)

configure:
	cmake --preset release --log-level=NOTICE

demo:
	scripts/setup build
	$(MAKE) all
	$(RELEASE)/limb demo

test:
	scripts/setup build test
	$(MAKE) configure
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

bench:
	scripts/setup build bench
	cmake --preset release -DLIMB_BENCH=ON
	cmake --build --preset release -j $(JOBS) --target limb_cli limb_bench_peers
	$(RELEASE)/limb bench

lint:
	scripts/setup build test lint
	tools/lint

format:
	tools/format

setup:
	scripts/setup build test lint

clean:
	rm -rf build
