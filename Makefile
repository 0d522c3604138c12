# `make` lists the targets. Everything runs in .venv, which is made when it is first needed.
#
#   PYTHON=python3.12        the Python that .venv is made with; 3.11 to 3.13
#   PIP_ARGS="..."           passed on to pip, for instance another index with CPU-only wheels of torch
#   WORKERS=4                how many processes run the tests
#   KILLS=200                how often endurance kills

VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 3
KILLS ?= 20
IS_TESTED := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3 python; do \
	"$$python" -c "$(IS_TESTED)" 2>/dev/null && echo "$$python" && break; done)

.DEFAULT_GOAL := help
.PHONY: help venv chromium demo test lint lint-page format docs strength bench endurance fuzz proofs wheel zip clean
.DELETE_ON_ERROR:

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

venv: $(VENV)/installed  ## make .venv and install what running needs

# A stamp is written last, so an installation that was broken off is taken up again.
$(VENV)/installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" && "$(PYTHON)" -c "$(IS_TESTED)" || { \
		echo "expected Python 3.11 to 3.13, got $(or $(PYTHON),none); choose one with make PYTHON=/path/to/python3.11" >&2; \
		exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install -q $(PIP_ARGS) -c constraints.txt -e .
	@touch $@

# with-dev, with-bench: an optional group of dependencies on top.
$(VENV)/with-%: $(VENV)/installed
	$(BIN)/python -m pip install -q $(PIP_ARGS) -c constraints.txt -e ".[$*]"
	@touch $@

demo: $(VENV)/installed  ## in two minutes: train on 5x5, play the TOPP, and open the page on this run
	$(BIN)/python main.py demo
	$(BIN)/python main.py serve --watch "$$(ls -td runs/demo-* | head -1)"

chromium:  ## install the browser that tests of the page need, on Debian; without it they are skipped
	command -v chromium || apt-get install -y --no-install-recommends chromium

test: lint  ## everything that CI checks
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
	@command -v chromium >/dev/null || echo "The page's tests in a browser were skipped: make chromium installs one."

lint: $(VENV)/with-dev lint-page  ## format, lint, types, layers
	@! git grep -nIE '^(<{7}|[|]{7}|>{7}) ' || { echo "expected no conflict marks of a merge" >&2; exit 1; }
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports

# Linter and types of the page's JavaScript, where npm can install them.
lint-page:
	@if command -v npm >/dev/null && { test node_modules/.package-lock.json -nt package-lock.json || \
		npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 1 --fetch-timeout 30000; }; \
	then npm run --silent lint; \
	else echo "The page's JavaScript was not checked: that needs npm (Node.js 20.19 or newer) and its registry."; fi

format: $(VENV)/with-dev  ## reformat the code and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/with-docs  ## the site of the docs: build/site/index.html
	$(BIN)/mkdocs build

strength: $(VENV)/installed  ## the strength figures; takes many minutes
	$(BIN)/python -m benchmarks.strength

bench: $(VENV)/with-bench  ## the speed figures, beside OpenSpiel
	$(BIN)/python -m benchmarks.speed

endurance: $(VENV)/installed  ## kill training runs at random moments; each must go on as if nothing had been, and stay small
	$(BIN)/python -m tests.long.endurance --kills $(KILLS)
	$(BIN)/python -m tests.long.flatness

fuzz: $(VENV)/with-dev  ## 10,000 broken inputs for each function that reads from outside; takes half an hour
	$(BIN)/python -m tests.long.fuzz

proofs: $(VENV)/with-dev  ## the whole of what tests show in part; takes minutes
	$(BIN)/python -m pytest tests/long/proofs.py

wheel: $(VENV)/installed  ## a wheel, which brings the command hex-mcts to any folder: dist/
	$(BIN)/python -m pip wheel --no-deps -w dist .

zip:  ## the commented code, as committed, as one file: dist/hex-mcts.zip
	@test -z "$$(git status --porcelain)" || echo "what is not committed is left out" >&2
	@mkdir -p dist
	git archive --format=zip --prefix=hex-mcts/ --output=dist/hex-mcts.zip HEAD

clean:  ## remove everything that can be made again; runs/ stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache \
		.hypothesis node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
