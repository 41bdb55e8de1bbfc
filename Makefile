# Rose for Python. `make help` says what there is; nothing needs to be set up first.

.DEFAULT_GOAL := help
.NOTPARALLEL:

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTHONS := $(PYTHON) python3.15 python3.14 python3.13 python3.12 python3.11 python3 python
RECENT := import sys; v = sys.version_info; sys.exit(v < (3, 11) or v.releaselevel != "final")
NODE := $(shell command -v node 2>/dev/null)
JS_TESTS := $(wildcard tests/js/*.test.*js)

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/rose  ## a function, its gradient, and a module that has both
	@$(BIN)/python examples/demo.py

venv: .venv/dev  ## .venv, with the tools that the tests need (PYTHON=... chooses the Python)

test: lint types floors test-js test-py  ## everything that must pass before a commit, in twenty minutes on two cores

quick: lint floors  ## style, types, rooms and a sample of the tests, in a minute
	@$(MAKE) --no-print-directory types & types=$$!; \
	$(BIN)/python -m pytest -n auto --quick; tests=$$?; wait $$types && exit $$tests

mutants: .venv/dev  ## planted faults: does the fast part of the tests find them?
	@$(BIN)/python -m tests.mutants

lint: .venv/dev  ## style
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: .venv/dev  ## pyright, strict
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python

floors: .venv/dev  ## who imports whom
	@$(BIN)/lint-imports

test-js:  ## the browser runtime, where node is
ifeq ($(JS_TESTS),)
	@echo "test-js: skipped, as tests/js has no tests"
else ifeq ($(NODE),)
	@echo "test-js: skipped, as node is not installed"
else
	@if $(NODE) -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'; \
	then $(NODE) --test $(JS_TESTS); \
	else echo "test-js: skipped, as node is $$($(NODE) --version), and the tests need 18"; fi
endif

test-py: .venv/dev .venv/bundlers  ## the tests in Python, also of bundlers and browsers, where those are
	@command -v wasm-validate >/dev/null && echo "test-py: wasm-validate is here, and asked too" || \
	    echo "test-py: wasm-validate (wabt) is not installed, so its second opinion is skipped"
	@$(BIN)/python -m pytest -n auto

format: .venv/dev  ## put the style right
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

web: .venv/dev  ## the demo site, into web/dist
	@$(BIN)/python web/build.py

bench: .venv/dev  ## programs and times, beside other tools (which go into benchmarks/.peers)
	@$(BIN)/python -m benchmarks

fuzz: .venv/dev  ## more cases of laws, then random programs: HOURS=0.1 of them, in JOBS=1 processes, from where the ledger ends
	@$(BIN)/python -m pytest -n $(or $(JOBS),1) --fuzz
	@PYTHONPATH=tests/support $(BIN)/python -m tests.fuzz --hours $(or $(HOURS),0.1) --jobs $(or $(JOBS),1)

clean:  ## remove all that make made, and can make again
	[ ! -e .venv/made ] && [ ! -e .venv/making ] || rm -rf .venv
	rm -f dist/rose-*.whl dist/rose-*.tar.gz
	rm -rf benchmarks/.peers build web/dist tests/bundlers/node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The newest Python that can make an environment: a Debian without python3-venv cannot, unless it has virtualenv.
# An environment of the user is never replaced: ours has .venv/making from the first.
.venv/made:
	@if [ -e .venv ] && [ ! -e .venv/making ]; then \
	    echo "make did not make the .venv that is here: move it away, or remove it" >&2; exit 1; \
	fi
	@for p in $(PYTHONS); do \
	    if $$p -c '$(RECENT)' >/dev/null 2>&1; then \
	        rm -rf .venv; mkdir .venv; touch .venv/making; \
	        $$p -m venv .venv >/dev/null 2>&1 && break; \
	        rm -rf .venv; mkdir .venv; touch .venv/making; \
	        $$p -m virtualenv --quiet .venv >/dev/null 2>&1 && break; \
	        rm -rf .venv; none="$$none $$p"; \
	    fi; \
	done; \
	if [ ! -x $(BIN)/python ]; then \
	    if [ -n "$$none" ]; then echo "cannot make .venv with$$none: install its venv module" \
	        "(Debian, Ubuntu: apt install python3-venv), or virtualenv"; \
	    else echo "there is no Python 3.11 or newer here: install one, or say where it is: make PYTHON=/path/to/python3"; \
	    fi >&2; exit 1; \
	fi
	@echo ".venv has $$($(BIN)/python --version)"
	@touch $@

.venv/rose: .venv/made pyproject.toml
	@echo "installing rose into .venv"
	@$(PIP) -e .
	@touch $@

.venv/dev: .venv/made pyproject.toml
	@echo "installing rose and its tools into .venv"
	@$(PIP) -e '.[dev]'
	@touch $@ .venv/rose

# The bundlers that packages are tried with; without them their tests are skipped, and say so.
.venv/bundlers: .venv/made tests/bundlers/package.json
ifeq ($(shell command -v npm 2>/dev/null),)
	@echo "npm is not installed: the tests with bundlers are skipped"
else
	@if $(NODE) -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; \
	then echo "installing the bundlers into tests/bundlers"; npm install --silent --prefix tests/bundlers && touch $@; \
	else echo "node is $$($(NODE) --version), and the bundlers need 20: their tests are skipped"; fi
endif

.PHONY: help demo venv test quick mutants lint types floors test-js test-py format web bench fuzz clean
