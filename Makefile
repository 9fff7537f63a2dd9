# One command each: `make demo` shows the tool on an embedded example, `make test` proves it.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PYTEST  = $(BIN)/python -m pytest

.PHONY: demo test lint types contracts check slow browser contract postgresql wheel-check bench fuzz clean setup

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m compileall -q watcher
	touch $@

demo: setup
	$(BIN)/watcher demo

test: setup
	$(PYTEST) -n auto

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

check: lint types contracts test

slow: setup
	$(PYTEST) -m slow

browser: setup
	$(PYTEST) -m browser

contract: setup
	$(PYTEST) -m contract

postgresql: setup
	PYTHON=$(BIN)/python tests/store/with_postgresql.sh

wheel-check: setup
	PYTHON=$(BIN)/python tests/wheel/check.sh

bench: setup
	$(BIN)/python -m tests.benchmarks

FUZZ_SECONDS ?= 20
fuzz: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	$(BIN)/python -m tests.fuzz.atheris_targets $(FUZZ_SECONDS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
