# `make paper` sets up an environment of its own and makes the figures; `make test` the tests.
# Written for GNU make 3.81 and bash 3.2 too, those of macOS: a recipe of several commands says
# itself that it ends with the first that fails.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup setup-cluster setup-rank setup-explore setup-publish explore explorer-page explorer-pictures explorer-table paper rank rank-paper-size needle recall report docs test test-slow test-all test-faults test-report test-cluster test-rank test-fla test-cuda test-explore test-publish test-versions lint bench wheel check-macos keep gallery lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_FOR_CLUSTER := $(VENV)/ready-for-cluster
READY_FOR_RANK := $(VENV)/ready-for-rank
READY_TO_PUBLISH := $(VENV)/ready-to-publish
READY_FOR_EXPLORER := $(VENV)/ready-for-explorer
CORES ?= all
KILLS ?= 24
PYTEST = $(BIN)/python -m pytest --numprocesses logical --maxprocesses 4 --dist worksteal
SLOW := whole_run or kill or exhaustive
KEEP ?= paper kernels

# Of `make test-versions`: the newest versions that pyproject.toml allows, or lowest-direct, the oldest.
VERSIONS ?= highest
KEPT = $(if $(filter paper,$(KEEP)),all) $(if $(filter kernels,$(KEEP)),kernels kernels_elsewhere kernels_precision)
COMPILE := uv pip compile --quiet

# PyTorch without CUDA, of Python 3.11 on x86_64 Linux: it is in no index that uv knows.
TORCH_ON_CPU := 2.13.0+cpu 6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b

# Of `make explore`: a port of this machine (a free one if not given), and HEADLESS=1 for no browser.
PORT ?=
HEADLESS ?=

# Of `make explorer-page`: its folder, and OFFLINE=1 to put Python in too, which needs a network and Playwright.
PAGE ?= build/explorer
OFFLINE ?=

# What beats config.yaml, such as CONFIG="trials=20 seed=7".
CONFIG ?=

# A report of another scale stands beside that scale's results.
SCALE := $(filter-out paper,$(patsubst scale=%,%,$(filter scale=%,$(CONFIG))))
REPORT ?= results/$(if $(SCALE),$(SCALE)/)report.html

# Snakemake keeps what it reads below the home folder; where nothing can be written there, here.
ifneq ($(shell test -w "$$HOME" && echo writable),writable)
export XDG_CACHE_HOME ?= $(CURDIR)/.cache
endif

# A run of the workflow, with a line a job.
SNAKEMAKE = set -o pipefail; $(BIN)/snakemake --cores $(CORES) --quiet rules host reason $(if $(CONFIG),--config $(CONFIG))
SHORT = 2>&1 | $(BIN)/python workflow/short_output.py

help:
	@echo 'make paper   set up, then make all figures and tables into results/'
	@echo 'make explore set up with marimo, then open the explorer in the browser; PORT=2718, HEADLESS=1'
	@echo 'make explorer-page  the explorer as a folder that any static server serves, build/explorer or PAGE=...; OFFLINE=1 with all of Python'
	@echo 'make rank    set up with PyTorch, then make the second paper into results/head_rank/'
	@echo 'make rank-paper-size  the same with d and N of the paper, for an hour of one core'
	@echo 'make needle  set up with PyTorch, then make what one query can tell in noise into results/needle/'
	@echo 'make recall  set up, then make how many pairs a layer recalls into results/recall/'
	@echo 'make report  set up, then write results/report.html, one page of all that has been made'
	@echo 'make docs    set up, then build the documentation site into site/'
	@echo 'make test    set up, then run the tests that are quick'
	@echo 'make test-versions  the quick tests with the newest versions of libraries, or the oldest: VERSIONS=lowest-direct; needs uv'
	@echo 'make test-all  those, and then test-slow: whole runs, kills, all cases'
	@echo 'make test-faults  set up, then fill disks and kill runs at random; KILLS=24 is how often'
	@echo 'make test-report  set up, then look at reports with a headless Chromium'
	@echo 'make bench   set up, then measure speed and memory'
	@echo 'make lint    set up, then check style, types and the workflow'
	@echo 'make wheel   set up, then build dist/*.whl, the API and its commands for other environments'
	@echo 'make check-macos  set up, then ask the index for every locked package on macOS, arm64'
	@echo 'make gallery write the pages of docs/ and README.md from their templates and the tables kept there'
	@echo 'make keep    put a finished run into docs/, tables and pictures; KEEP="paper kernels", rank, needle or recall'
	@echo 'make setup-cluster  add to the environment what profiles/slurm and profiles/generic need'
	@echo 'make setup-rank     add PyTorch, which trains the networks of the paper on head rank and of the needle'
	@echo 'make setup-publish  add what builds the site, and looks at the files of .github'
	@echo 'make setup-explore  add marimo, in which the explorer is an app'
	@echo 'make test-explore   set up with marimo, then use the explorer in a headless Chromium'
	@echo 'make explorer-pictures  write the pictures of docs/explorer.md; make explorer-table the needle'"'"'s limits, in minutes'
	@echo 'make test-rank      set up with PyTorch, then run the tests of training'
	@echo 'make test-fla       call references of flash-linear-attention, in the folder FLA_CORE'
	@echo 'make test-cuda      run those of the device, and of going on after a stop, on a GPU'
	@echo 'make test-publish   look at the site with a headless Chromium, and check the files of .github'
	@echo 'make test-cluster   run the workflow on a throw-away SLURM cluster of this machine, as root'
	@echo 'make clean   remove results/ and the environment'
	@echo 'CORES=2 limits the cores; CONFIG="trials=20 seed=7" beats config.yaml'

setup: $(READY)

$(READY): requirements.lock locks/build.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo 'This needs Python 3.11 or later, found as $(PYTHON) (or set PYTHON=...).' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "This needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version) (set PYTHON=... to another)." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This needs Python's venv module; on Debian, install the package python3-venv." >&2; exit 1; }
	@echo 'setting up $(VENV): once, about a minute'
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/build.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

setup-cluster: $(READY_FOR_CLUSTER)

$(READY_FOR_CLUSTER): $(READY) locks/cluster.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/cluster.lock
	@touch $@

setup-rank: $(READY_FOR_RANK)

# On Linux the build without CUDA is some GB smaller; pip finds it only where PIP_FIND_LINKS or
# PIP_EXTRA_INDEX_URL lead to it. Elsewhere there is one build.
$(READY_FOR_RANK): $(READY) locks/rank.lock locks/rank-cpu.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/rank-cpu.lock 2>$(VENV)/cpu-build.log \
		|| { echo "no CPU build of PyTorch: $$(tail -n 1 $(VENV)/cpu-build.log)"; \
		echo 'taking the usual build, on Linux some GB'; \
		$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/rank.lock; }
	@touch $@

setup-publish: $(READY_TO_PUBLISH)

$(READY_TO_PUBLISH): $(READY) locks/publish.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/publish.lock
	@touch $@

setup-explore: $(READY_FOR_EXPLORER)

$(READY_FOR_EXPLORER): $(READY) locks/explore.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r locks/explore.lock
	@touch $@

explore: setup-explore
	@$(BIN)/python -m attention_separation explore $(if $(PORT),--port $(PORT)) $(if $(HEADLESS),--headless)

explorer-page: setup-explore wheel
	@$(BIN)/python docs/site/explorer_page.py dist/*.whl $(PAGE) $(if $(OFFLINE),--offline)
	@echo "$(PAGE): python3 -m http.server --directory $(PAGE) shows it on this machine"

paper: setup
	@set -e; start=$$SECONDS; $(SNAKEMAKE) $(SHORT); \
	$(BIN)/python -m attention_separation summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

rank: setup-rank
	@$(BIN)/python -m attention_separation rank-time $(CONFIG)
	@set -e; start=$$SECONDS; $(SNAKEMAKE) -- rank $(SHORT); \
	$(BIN)/python -m attention_separation rank-summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

# The paper's d and N with fewer steps: about an hour of one core; what is stopped goes on.
rank-paper-size:
	@$(MAKE) --no-print-directory rank CONFIG="'head_rank={scale: paper_size}'"

needle: setup-rank
	@set -e; start=$$SECONDS; $(SNAKEMAKE) -- needle $(SHORT); \
	$(BIN)/python -m attention_separation needle-summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

recall: setup
	@set -e; start=$$SECONDS; $(SNAKEMAKE) -- recall $(SHORT); \
	$(BIN)/python -m attention_separation recall-summary $(CONFIG); \
	echo "wall time: $$((SECONDS - start)) s"

# With nothing made yet, everything is made first.
report: setup
	@$(BIN)/snakemake report --cores $(CORES) --quiet rules host reason --report-after-run \
		--report $(REPORT) $(if $(CONFIG),--config $(CONFIG)) \
		|| { echo 'no report: the message above says why' >&2; exit 1; }
	@echo "$(REPORT): $$(du -h $(REPORT) | cut -f1), opens in any browser, offline"

docs: setup-publish
	@$(BIN)/python docs/site/build.py

test: setup
	@$(PYTEST) -m 'not ($(SLOW))'

test-slow: setup
	@$(PYTEST) -m '$(SLOW)'

test-all: test test-slow

test-faults: setup
	@$(BIN)/python -m pytest tests/faults
	@$(BIN)/python tests/faults/campaign.py --kills $(KILLS)

test-report: setup
	@$(BIN)/python -m pytest tests/report

test-cluster: setup-cluster
	@$(BIN)/python -m pytest tests/cluster

test-rank: setup-rank
	@$(BIN)/python -m pytest tests/pytorch --numprocesses logical --maxprocesses 4 --dist loadfile

# References of flash-linear-attention, in a folder that FLA_CORE names.
test-fla: setup-rank
	@$(BIN)/python -m pytest tests/fla

test-cuda: setup-rank
	@TEST_DEVICE=cuda $(BIN)/python -m pytest tests/pytorch/test_device.py tests/pytorch/test_training.py tests/pytorch/test_needle_training.py -k 'device or resumed'

test-publish: docs
	@$(BIN)/python -m pytest tests/publish
test-explore: setup-explore
	@$(BIN)/python -m pytest tests/explorer_app

test-versions:
	@command -v uv >/dev/null || { echo 'This needs uv.' >&2; exit 1; }
	@set -e; uv venv --quiet --clear --seed --python $(PYTHON) $(VENV)-$(VERSIONS); \
		uv pip install --quiet --python $(VENV)-$(VERSIONS) --resolution $(VERSIONS) --group build --group dev --editable '.[workflow]'; \
		$(VENV)-$(VERSIONS)/bin/python -m pytest --numprocesses logical --maxprocesses 4 --dist worksteal -m 'not ($(SLOW))'

explorer-pictures: setup-explore
	@$(BIN)/python -m pytest tests/explorer_app --quiet -k pictures --pictures docs/explorer

explorer-table: setup
	@$(BIN)/python tests/helpers/needle_table.py

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/snakefmt --check Snakefile workflow
	@$(BIN)/snakemake --lint

# Of finished runs: `make keep KEEP=rank` after `make rank`, with cells at the paper's size that have
# been trained, whole parts of scale `reference` or not.
keep: setup
	@$(if $(filter paper kernels,$(KEEP)),$(BIN)/snakemake $(KEPT) --cores $(CORES) --quiet rules host reason)
	@$(BIN)/python -m attention_separation keep $(KEEP)

gallery: setup
	@$(BIN)/python docs/site/readme_pictures.py docs/readme
	@$(BIN)/python docs/site/rule_graph.py docs/run/fig4_rules.svg
	@$(BIN)/python docs/site/notebook_outputs.py docs/notebook.ipynb
	@$(BIN)/python -m attention_separation gallery
	@$(BIN)/python -m attention_separation settings --docs docs

# What an earlier build has left would be packed too.
wheel: setup
	@rm -rf build dist
	@$(BIN)/pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --wheel-dir dist .
	@rm -rf build
	@echo dist/*.whl

check-macos: setup
	@$(BIN)/python tests/portability/macos_wheels.py

bench: setup
	@$(BIN)/python tests/bench/bench.py

lock:
	@command -v uv >/dev/null || { echo 'This needs uv.' >&2; exit 1; }
	@$(COMPILE) --group build --output-file locks/build.lock
	@$(COMPILE) pyproject.toml --extra workflow --group dev --output-file requirements.lock
	@$(COMPILE) --group cluster --constraint requirements.lock --output-file locks/cluster.lock
	@$(COMPILE) --group rank --constraint requirements.lock --output-file locks/rank.lock
	@$(COMPILE) pyproject.toml --extra explore --constraint requirements.lock --output-file locks/explore.lock
	@$(COMPILE) --group publish --constraint requirements.lock --constraint locks/explore.lock --output-file locks/publish.lock
	@set -e; { $(COMPILE) --group rank --constraint requirements.lock --constraint locks/rank.lock --no-emit-package torch \
		$$(sed -nE 's/^((cuda|nvidia|triton)[^=]*)==.*/--no-emit-package \1/p' locks/rank.lock); \
		printf 'torch==%s \\\n    --hash=sha256:%s\n' $(TORCH_ON_CPU); } > locks/rank-cpu.lock

clean:
	@find results -mindepth 1 ! -name .gitignore -delete
	@rm -rf $(VENV) .snakemake .cache build dist site
