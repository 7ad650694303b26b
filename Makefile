# A thin cover over CMake: CMakePresets.json has the presets, scripts/setup the packages.
#
#   make           library and tool, optimised, into build/release
#   make demo      builds, then runs the demonstration
#   make test      builds everything, runs all tests on the optimised build
#   make web       limb in the browser, build/web/index.html; the page of limb view; build/wasm/limb-wasm-*.tgz for npm
#   make docs      the site, into build/site/html: pages, references, search; links are checked
#   make bench     measures, next to Pinocchio, MuJoCo and what Debian ships
#   make lint      format, clang-tidy and the checks in tools/
#   make format    rewrites the sources in house style
#   make setup     installs what is missing for all of these but bench; git checks commit messages
#   make clean     removes build/

.DEFAULT_GOAL := all
SHELL := /bin/sh
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PYTHON ?= python3
RELEASE := build/release

# Shown while it builds: how much is done, and since when.
export NINJA_STATUS = [%p, %es] $(empty)
FIRST := the first time takes a minute or two, most of it for a dozen kernels
BUILD = cmake --build --preset release -j $(JOBS)

.PHONY: all demo test web docs bench lint format setup clean configure

all: configure
	@echo "limb: building libraries and tool for this machine into $(RELEASE); $(FIRST)"
	@$(BUILD) --target limb_product

configure:
	@cmake --preset release --log-level=NOTICE >/dev/null

demo:
	@scripts/setup build
	@$(MAKE) --no-print-directory configure
	@echo "limb: building the tool for this machine into $(RELEASE); $(FIRST)"
	@$(BUILD) --target limb_cli
	@$(RELEASE)/limb demo

test:
	scripts/setup build test python
	$(MAKE) configure
	$(BUILD)
	ctest --preset release -j $(JOBS)

web:
	scripts/setup web
	cmake --preset wasm --log-level=NOTICE >/dev/null
	cmake --build --preset wasm -j $(JOBS)
	tools/npm_package build/wasm
	mkdir -p $(RELEASE)
	node web/build.mjs build/wasm/web/limb.wasm $(RELEASE)/limb-view.html
	web/node_modules/.bin/tsc --project web/site
	node web/site/build.mjs build/wasm/web/limb.wasm build/web

docs:
	scripts/setup build python docs
	$(MAKE) configure
	$(BUILD) --target limb_cli limb_python
	PYTHONPATH=$(RELEASE)/python .deps/python/bin/python tools/make_site.py $(RELEASE)/limb build/site/pages
	NO_MKDOCS_2_WARNING=1 .deps/docs/bin/mkdocs build --strict --config-file docs/mkdocs.yml

bench:
	scripts/setup build bench
	cmake --preset release -DLIMB_BENCH=ON
	$(BUILD) --target limb_cli limb_bench limb_bench_peers
	$(RELEASE)/limb bench
	bench/ratios.py $(RELEASE)/limb-bench

lint:
	scripts/setup build test python lint
	tools/lint

format:
	tools/format

setup:
	scripts/setup build test python lint
	@if [ -e .git ]; then git config core.hooksPath tools/hooks; fi

clean:
	rm -rf build
