# SPDX-License-Identifier: Apache-2.0
# Everything there is to do here, each in one word; `make` alone lists them. Each word brings what it needs.

VENV   ?= .venv
PYTHON ?=
VAR    ?= var
PLAYERS ?=
LANG_  ?=
PRESET ?=
ARGS   ?=
BENCH  ?= $(wildcard bench/bench_*.py)

BIN    := $(VENV)/bin
PROTOS := $(wildcard proto/hokm/v1/*.proto)
STUBS  := verifier/hokm/v1/.made

.DEFAULT_GOAL := help
.PHONY: help run serve test soak bench proto lint format pins clean environment

help: ## Say what there is
	@echo 'hokm: a card game that deals itself in the open. What there is to make:'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'
	@echo
	@echo 'Said with a word: PLAYERS=bots, LANG_=fa (or en), PRESET=house (run), VAR=directory (run, serve);'
	@echo 'ARGS="-k deal -x" (test, soak); BENCH=bench/one.py (bench); PYTHON=python3.12 VENV=.venv312 (all).'

run: $(STUBS) ## A server and a table on this machine, and your seat at it
	@$(BIN)/hokm local $(if $(PLAYERS),--players $(PLAYERS)) $(if $(LANG_),--lang $(LANG_)) $(if $(PRESET),--preset $(PRESET)) --var $(VAR)

serve: $(STUBS) ## The server alone, until it is stopped
	@$(BIN)/hokm-server serve --var $(VAR)

test: $(STUBS) ## All tests but the long ones
	$(BIN)/python -m pytest -n auto $(ARGS)

soak: $(STUBS) ## The long tests, one after the other
	$(BIN)/python -m pytest -m soak --timeout 0 $(ARGS)

bench: $(STUBS) ## The measurements, each one a program in bench/
	@set -e; for bench in $(BENCH); do echo "== $$bench"; PYTHONPATH=. $(BIN)/python $$bench $(ARGS); done

proto: environment ## Compile the .proto files into the package hokm.v1
	@$(BIN)/python proto/generate.py
	@touch $(STUBS)

lint: $(STUBS) ## Style, types, arrows between the modules, and the contract
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf lint proto

format: environment ## Put the code into its one layout
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

pins: ## Pin the packages of the [dev] extra anew (ARGS=--upgrade takes the newest)
	@.ci/pins $(ARGS)

clean: ## Remove what was built and the environments; never the games and keys in var
	rm -rf $(VENV) $(wildcard .venv*) verifier/hokm/v1 dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find client proto server tests verifier -name __pycache__ -type d -prune -exec rm -rf {} +

environment:
	@.ci/environment $(VENV) $(PYTHON)

$(STUBS): $(PROTOS) proto/generate.py | environment
	@$(BIN)/python proto/generate.py >/dev/null
	@touch $@
