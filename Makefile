# `make paper` sets up an environment of its own and makes the figures; `make test` adds what tests
# need, and runs them. Written for GNU make 3.81 and bash 3.2 too, those of macOS: a recipe of several
# commands says itself that it ends with the first that fails.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup paper wheel rank needle recall report explore docs test test-release test-cuda test-versions lint bench check-macos keep gallery lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
CORES ?= all

# What beats config.yaml and config/, such as CONFIG="trials=20 seed=7".
CONFIG ?=

# Of `make setup`: what is installed beside what running needs, each with a lock of its name.
WITH ?=
PARTS := test rank explore publish cluster
$(foreach part,$(filter-out $(PARTS),$(WITH)),$(error WITH=$(part): there is $(PARTS)))

# Of `make test`: what is tested, the options of pytest, and what that needs beside. The environment
# variable FLA_CORE names the folder of flash-linear-attention, of which OF=fla calls references.
OF ?= plain
PARALLEL := --numprocesses logical --maxprocesses 4 --dist
TESTS_plain := $(PARALLEL) worksteal
TESTS_faults := tests/faults
TESTS_report := tests/report
TESTS_explore := tests/explorer_app
TESTS_publish := tests/publish
TESTS_cluster := tests/cluster
TESTS_rank := tests/pytorch $(PARALLEL) loadfile
TESTS_fla := tests/fla
NEEDS_explore := $(VENV)/ready-explore
NEEDS_publish := docs
NEEDS_cluster := $(VENV)/ready-cluster
NEEDS_rank := $(VENV)/ready-rank
NEEDS_fla := $(VENV)/ready-rank
$(if $(TESTS_$(OF)),,$(error OF=$(OF): there is plain faults report explore publish cluster rank fla))

# Of `make test-release`: how often a run is killed, and how many breaks of the source are drawn.
KILLS ?= 100
BREAKS ?= 100
SEED ?= 1

# Of `make test-versions`: the newest versions that pyproject.toml allows, or lowest-direct, the oldest.
VERSIONS ?= highest

# Of `make keep`: the finished runs whose tables and pictures docs/ keeps.
KEEP ?= paper kernels
KEPT = $(if $(filter paper,$(KEEP)),all) $(if $(filter kernels,$(KEEP)),kernels kernels_elsewhere kernels_precision)

# Of `make explore`: a port of this machine (a free one if not given), and HEADLESS=1 for no browser; or
# the folder that a page is written to, and OFFLINE=1 to put Python in too, which needs a network and
# Playwright.
PORT ?=
HEADLESS ?=
PAGE ?=
OFFLINE ?=

# Of `make check-macos`.
MACOS_PYTHON ?= 3.11

# Of `make lock`. PyTorch without CUDA, of Python 3.11 on x86_64 Linux, is in no index that uv knows.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
BESIDE := --constraint locks/run.lock --constraint locks/test.lock
TORCH_ON_CPU := 2.13.0+cpu 6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b

# A report of another scale stands beside that scale's results.
SCALE := $(filter-out paper,$(patsubst scale=%,%,$(filter scale=%,$(CONFIG))))
REPORT ?= results/$(if $(SCALE),$(SCALE)/)report.html

# Snakemake keeps what it reads below the home folder; where nothing can be written there, here.
ifneq ($(shell test -w "$$HOME" && echo writable),writable)
export XDG_CACHE_HOME ?= $(CURDIR)/.cache
endif

# Jobs of a run import the same libraries: what is compiled once is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

# What pip would do: uv takes the certificates of the system, and the index that pip's variable names.
export UV_SYSTEM_CERTS ?= true
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif

# A run of the workflow. Targets stand before --config.
SNAKEMAKE = $(BIN)/snakemake --cores $(CORES)
OPTIONS = $(if $(CONFIG),--config $(CONFIG))

help:
	@echo 'make    paper: set up, and all figures and tables into results/; wheel; setup WITH="$(PARTS)"'
	@echo 'study   rank, needle, recall: into a folder of results/ each; rank and needle train with PyTorch'
	@echo 'look    report: a page of all that has been made; docs: the site; explore (PORT=2718 HEADLESS=1, or PAGE=build/explorer OFFLINE=1)'
	@echo 'check   test (OF=faults, report, explore, publish, cluster, rank, fla), test-release, test-cuda, test-versions (VERSIONS=lowest-direct), lint, bench, check-macos'
	@echo 'keep    keep: finished runs into docs/ (KEEP="paper kernels", rank, needle, recall); gallery: pages from templates; lock; clean'
	@echo 'CORES=2 limits the cores; CONFIG="trials=20 seed=7" beats config.yaml'

setup: $(READY) $(addprefix $(VENV)/ready-,$(WITH))

$(READY): locks/run.lock locks/build.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo 'This needs Python 3.11 or later, found as $(PYTHON) (or set PYTHON=...).' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version) (set PYTHON=... to another)." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This needs Python's venv module; on Debian, install the package python3-venv." >&2; exit 1; }
	@echo 'setting up $(VENV): once, less than a minute'
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r locks/build.lock
	@$(UV) --compile-bytecode --require-hashes --no-build-isolation -r locks/run.lock
	@$(UV) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/ready-%: locks/%.lock $(READY)
	@$(UV) --require-hashes -r $<
	@touch $@

# On Linux the build without CUDA is some GB smaller. It is found only where pip's variables of these
# names lead to it; the hashes say that it is the right one. Elsewhere there is one build.
CPU_BUILD = $(addprefix --find-links ,$(PIP_FIND_LINKS)) $(addprefix --index ,$(PIP_EXTRA_INDEX_URL))
$(VENV)/ready-rank: locks/rank.lock locks/rank-cpu.lock $(READY)
	@$(UV) --require-hashes $(CPU_BUILD) --index-strategy unsafe-best-match -r locks/rank-cpu.lock 2>$(VENV)/cpu-build.log \
		|| { echo "no CPU build of PyTorch: $$(tail -n 1 $(VENV)/cpu-build.log)"; \
		echo 'taking the usual build, on Linux some GB'; \
		$(UV) --require-hashes -r locks/rank.lock; }
	@touch $@

paper: $(READY)
	@set -e; start=$$SECONDS; $(SNAKEMAKE) $(OPTIONS); \
	$(BIN)/python -m attention_separation summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

rank needle: $(VENV)/ready-rank
recall: $(READY)

# With the paper's d and N, for an hour of one core: make rank CONFIG="'head_rank={scale: paper_size}'".
rank needle recall:
	@$(if $(filter rank,$@),$(BIN)/python -m attention_separation rank-time $(CONFIG))
	@set -e; start=$$SECONDS; $(SNAKEMAKE) $(OPTIONS) -- $@; \
	$(BIN)/python -m attention_separation $@-summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

# With nothing made yet, everything is made first. The page of versions carries no digest: it is made
# each time.
report: $(READY)
	@$(SNAKEMAKE) report --forcerun provenance --report-after-run --report $(REPORT) $(OPTIONS) \
		|| { echo 'no report: the message above says why' >&2; exit 1; }
	@echo "$(REPORT): $$(du -h $(REPORT) | cut -f1), opens in any browser, offline"

explore: $(VENV)/ready-explore $(if $(PAGE),wheel)
	@$(if $(PAGE), \
		$(BIN)/python docs/site/explorer_page.py dist/*.whl $(PAGE) $(if $(OFFLINE),--offline), \
		$(BIN)/python -m attention_separation explore $(if $(PORT),--port $(PORT)) $(if $(HEADLESS),--headless))
	@$(if $(PAGE),echo "$(PAGE): python3 -m http.server --directory $(PAGE) shows it on this machine")

docs: $(VENV)/ready-publish
	@$(BIN)/python docs/site/build.py

test: $(VENV)/ready-test $(NEEDS_$(OF))
	@$(BIN)/python -m pytest $(TESTS_$(OF))

# Hours: tests/release/README.md says what of.
test-release: $(VENV)/ready-test $(VENV)/ready-rank $(VENV)/ready-explore
	@$(BIN)/python -m pytest tests/release
	@$(BIN)/python tests/faults/campaign.py --kills $(KILLS) --seed $(SEED)
	@$(BIN)/python tests/breaks/run.py --count $(BREAKS) --seed $(SEED)

test-cuda: $(VENV)/ready-test $(VENV)/ready-rank
	@TEST_DEVICE=cuda $(BIN)/python -m pytest tests/pytorch/test_device.py tests/pytorch/test_training.py tests/pytorch/test_needle_training.py -k 'device or resumed'

test-versions: $(READY)
	@set -e; $(BIN)/uv venv --quiet --clear --seed --python $(PYTHON) $(VENV)-$(VERSIONS); \
		$(BIN)/uv pip install --quiet --python $(VENV)-$(VERSIONS) --resolution $(VERSIONS) --group build --group dev --editable '.[workflow]'; \
		$(VENV)-$(VERSIONS)/bin/python -m pytest $(TESTS_plain)

lint: $(VENV)/ready-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check Snakefile workflow
	@$(BIN)/snakemake --lint

bench: $(VENV)/ready-test
	@$(BIN)/python tests/bench/bench.py

# With what each lock names, and its hashes. Of connection-pool there is no wheel; it is pure Python.
check-macos: $(READY)
	@set -e; rm -rf build/macos; for lock in $(filter-out locks/rank-cpu.lock,$(wildcard locks/*.lock)); do \
		echo "$$lock: installing what it names for Python $(MACOS_PYTHON) on macOS, arm64"; \
		MACOSX_DEPLOYMENT_TARGET=14.0 $(UV) --require-hashes --no-deps --no-build-isolation \
			--only-binary :all: --no-binary connection-pool --target build/macos/$$lock \
			--python-platform aarch64-apple-darwin --python-version $(MACOS_PYTHON) -r $$lock; \
	done; rm -rf build/macos

# What an earlier build has left would be packed too.
wheel: $(READY)
	@rm -rf build dist
	@$(BIN)/pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --wheel-dir dist .
	@rm -rf build
	@echo dist/*.whl

# Of finished runs: `make keep KEEP=rank` after `make rank`, with cells at the paper's size that have
# been trained, whole parts of scale `reference` or not.
keep: $(READY)
	@$(if $(strip $(KEPT)),$(SNAKEMAKE) $(KEPT))
	@$(BIN)/python -m attention_separation keep $(KEEP)

gallery: $(READY)
	@$(BIN)/python docs/site/readme_pictures.py docs/readme
	@$(BIN)/python docs/site/notebook_outputs.py docs/notebook.ipynb
	@$(BIN)/python -m attention_separation gallery
	@$(BIN)/python -m attention_separation settings --docs docs

lock: $(READY)
	@$(COMPILE) --group build --output-file locks/build.lock
	@$(COMPILE) pyproject.toml --extra workflow --output-file locks/run.lock
	@$(COMPILE) --group dev --constraint locks/run.lock --output-file locks/test.lock
	@$(COMPILE) --group cluster $(BESIDE) --output-file locks/cluster.lock
	@$(COMPILE) --group rank $(BESIDE) --output-file locks/rank.lock
	@$(COMPILE) pyproject.toml --extra explore $(BESIDE) --output-file locks/explore.lock
	@$(COMPILE) --group publish $(BESIDE) --constraint locks/explore.lock --output-file locks/publish.lock
	@set -e; { $(COMPILE) --group rank $(BESIDE) --constraint locks/rank.lock --no-emit-package torch \
		$$(sed -nE 's/^((cuda|nvidia|triton)[^=]*)==.*/--no-emit-package \1/p' locks/rank.lock); \
		printf 'torch==%s \\\n    --hash=sha256:%s\n' $(TORCH_ON_CPU); } > locks/rank-cpu.lock

clean:
	@find results -mindepth 1 ! -name .gitignore -delete
	@rm -rf $(VENV) .snakemake .cache build dist site
