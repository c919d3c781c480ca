# Every target works alone on a fresh clone; Python 3.11 and make are all it needs.
PYTHON ?= python3
BIN := .venv/bin
NODE := tests/e2e/node/node_modules tests/e2e/language_servers/node_modules
COMPILED := $(wildcard src/cmdr/index/scan/*.c src/cmdr/index/contents/*.[ch])  # installed again when it changes; a C compiler is not required

# What proves the parts that must not be wrong: changing files, the walls around agents, approval, the journal.
PROOF := tests/engine tests/files tests/model/plans $(patsubst %,tests/core/%,audit changes proposals rules dispatch/test_policy.py) \
  $(patsubst %,tests/model/test_%.py,rules rule_entries) $(patsubst %,tests/core/agents/test_%.py,grants trust) \
  $(patsubst %,tests/commands/changes/test_%.py,after_the_answer proposals inbox) \
  $(patsubst %,tests/commands/agents/test_%.py,fs_diff turns) \
  $(patsubst %,tests/hostile/test_%.py,escapes fidelity graveyard killed_trees only_a_person_approves operation_faults operation_names)

# Tests start hundreds of programs; without compiled modules each start would compile all of them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check tools bench coverage torture docs shots dist clean

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
	@for tools in node language_servers; do \
	  if command -v npm >/dev/null 2>&1 && [ ! tests/e2e/$$tools/node_modules/.done -nt tests/e2e/$$tools/package.json ]; then \
	    (cd tests/e2e/$$tools && npm install --no-package-lock --no-audit --no-fund --force --loglevel=error) && touch tests/e2e/$$tools/node_modules/.done; fi; done || true

bench: .venv/dev            ## ratios within one run
	for bench in tests/bench/bench_*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

coverage: .venv/dev         ## every branch of what changes files, holds agents in, approves and remembers is tested, or this fails
	$(BIN)/coverage erase
	TEST_EXAMPLES=usual $(BIN)/coverage run -m pytest -o timeout=300 -n 2 --dist loadgroup $(PROOF)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

torture: .venv/dev          ## kill, fail and race everything that changes files; minutes
	for run in tests/hostile/torture*.py; do echo "== $$run"; $(BIN)/python $$run || exit 1; done
	TEST_EXAMPLES=many $(BIN)/python -m pytest -o timeout=3600 -n 2 --dist loadgroup -m hypothesis

docs: .venv/dev             ## write the generated parts of docs/
	$(BIN)/python tools/docs.py

shots: .venv/dev            ## the pictures of the README: screens, and a minute with an agent that moves
	$(BIN)/python tools/shots.py $(ARGS)

dist: .venv/release         ## wheel and source archive as PyPI takes them, built and checked in dist/
	rm -rf build dist
	$(BIN)/python -m build --outdir dist .
	if [ "$$(uname)" = Linux ]; then PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist dist/*-linux_*.whl && rm dist/*-linux_*.whl; fi
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tools/dist.py dist

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt setup.py $(COMPILED)
	@echo "Installing cmdr and its libraries into .venv, once; this takes a minute or two …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt setup.py $(COMPILED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ .venv/installed

.venv/release: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[release]'
	@touch $@

clean:
	rm -rf .venv build dist $(NODE)
