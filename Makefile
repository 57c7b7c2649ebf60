# Everything that a new machine needs comes with the first of these commands.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
VENV := .venv
PY := $(VENV)/bin/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

help:  ## What can be asked for
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

setup:  ## The environment in .venv, the page, a model and a browser
	@tools/setup.sh

demo: setup  ## Rank sentences by meaning, in a real browser
	@$(VENV)/bin/ipfs-accelerate demo

test: setup  ## All tests with their small counts; what CI runs
	npm --prefix js test --silent
	$(PY) tools/coverage_pure.py
	$(PY) -m pytest -m "not soak" -q

soak: setup  ## The full counts of faults, rounds and sizes
	$(PY) -m pytest -m soak -q -s

lint: setup  ## Every checker, none of them loosened
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	npm --prefix js run check --silent

bench: setup  ## Measure against peers in the same run, and print ratios with their spread
	$(PY) -m benchmarks

docs: setup  ## Check that the documents tell the truth
	$(PY) -m pytest -q tests/docs

.PHONY: help setup demo test soak lint bench docs
