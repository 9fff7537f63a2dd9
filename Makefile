# One command each: `make demo` shows the tool on an embedded example, `make test` proves it.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin

.PHONY: demo test lint types contracts check browser clean setup

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: setup
	$(BIN)/watcher demo

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

check: lint types contracts test

browser: setup
	$(BIN)/python -m pytest -m browser

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache dist build
