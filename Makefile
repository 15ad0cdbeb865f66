# Set-up and daily work. Everything happens in .venv; `make` alone lists the targets.

PYTHON ?= python3
# Tests at a time: many wait for processes, so more than there are processors.
JOBS ?= 4
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
BUILD_INPUTS := pyproject.toml setup.py $(wildcard rules/acey_rules/kernel*.p*) \
	grammar/acey_grammar/scan.py $(wildcard daemon/acey_daemon/discard.p*)
COMPILED := rules/acey_rules/kernel*.so grammar/acey_grammar/scan*.so \
	daemon/acey_daemon/discard*.so

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-slow test-reference test-kernel lint checks check bench soak clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

# One stamp for each set of extras. The compiled kernel is removed first, so that one that no
# longer compiles cannot live on from an earlier build.
INSTALL = test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
	rm -f $(COMPILED); \
	$(PIP) install --quiet --editable

$(VENV)/.core: $(BUILD_INPUTS)
	$(INSTALL) .
	@touch $@

$(VENV)/.dev: $(BUILD_INPUTS)
	$(INSTALL) '.[dev]'
	@touch $(VENV)/.core $@

$(VENV)/.bench: $(BUILD_INPUTS)
	$(INSTALL) '.[dev,bench]'
	@touch $(VENV)/.core $(VENV)/.dev $@

venv: $(VENV)/.dev ## create or refresh .venv with everything for development

demo: $(VENV)/.core ## two bots play a match over ZeroMQ; the record is saved and validated
	$(BIN)/acey demo

# What tests take from npm: axe-core judges the pages, zeromq carries the JavaScript client. Without
# npm the tests that need them are skipped and say so; CI has it.
NPM_PACKAGES := tests/viewer/node_modules/axe-core/package.json \
	clients/javascript/node_modules/zeromq/package.json
NPM_INSTALL = npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
tests/viewer/node_modules/axe-core/package.json: tests/viewer/package.json
clients/javascript/node_modules/zeromq/package.json: clients/javascript/package.json
$(NPM_PACKAGES):
	@if command -v npm >/dev/null; then $(NPM_INSTALL) --prefix $(dir $<) && touch $@; \
	else echo "npm is not there; the tests that need $(notdir $(@D)) are skipped"; fi

test: $(VENV)/.dev $(NPM_PACKAGES) ## run the quick tests
	$(PYTEST) -n $(JOBS)

test-slow: $(VENV)/.dev ## run the slow tests
	$(PYTEST) -m slow -o faulthandler_timeout=3600

# Bots, pages and clients use no generator themselves: their tests would only take longer.
REFERENCE_TESTS := $(addprefix tests/,rules grammar formats archive protocol daemon cli)
test-reference: $(VENV)/.dev ## run the tests that need the rules on the reference move generator
	ACEY_KERNEL=reference $(PYTEST) -n $(JOBS) $(REFERENCE_TESTS)

test-kernel: $(VENV)/.dev ## hold the kernel and the reference equal on 200,000 positions
	ACEY_KERNEL=kernel $(PYTEST) -n $(JOBS) -m slow tests/rules/test_kernel.py -o faulthandler_timeout=3600

lint: $(VENV)/.dev ## run ruff, basedpyright and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-logo

checks: ## everything CI runs before `make test`
	$(MAKE) lint
	$(MAKE) test-reference
	$(MAKE) test-kernel

check: ## run what CI runs
	$(MAKE) checks
	$(MAKE) test

bench: $(VENV)/.bench ## run the benchmarks
	$(BIN)/python -m bench

soak: $(VENV)/.dev ## run the long tests under load
	$(PYTEST) -m soak -o faulthandler_timeout=0

clean: ## remove everything that was built, .venv included
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf tests/viewer/node_modules clients/javascript/node_modules
	rm -f $(COMPILED)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
