# Every target works alone on a fresh clone; Python 3.11 and make are all it needs.
PYTHON ?= python3
BIN := .venv/bin
NODE := tests/e2e/node/node_modules

.PHONY: run test check tools bench torture docs shots clean

run: .venv/installed        ## start cmdr; `make run ARGS="serve --port 0"` runs it without a terminal
	$(BIN)/cmdr $(ARGS)

test: .venv/dev tools       ## format, lint, types, import contracts, all tests
	$(MAKE) check
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tools:                      ## programs of others that the end-to-end tests use; without npm those tests are skipped
	@if command -v npm >/dev/null 2>&1 && [ ! -e $(NODE)/.done ]; then \
	  (cd tests/e2e/node && npm install --no-package-lock --no-audit --no-fund --force --loglevel=error) && touch $(NODE)/.done; fi || true

bench: .venv/dev            ## ratios within one run
	for bench in tests/bench/bench_*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

torture: .venv/dev          ## kill, fail and race everything that changes files; minutes
	for run in tests/hostile/torture*.py; do echo "== $$run"; $(BIN)/python $$run || exit 1; done

docs: .venv/dev             ## write the generated parts of docs/
	$(BIN)/python tools/docs.py

shots: .venv/dev            ## pictures of the main screens for the README
	$(BIN)/python tools/shots.py

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ .venv/installed

clean:
	rm -rf .venv $(NODE)
