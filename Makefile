# Everything from a plain clone: each target sets up what it needs, once.
#   make demo    the main job, in a temporary folder       make test ARGS="-k name"    make bench
#   make lint    ruff, mypy --strict, import-linter        make clean
#   make soak    bad days of all kinds (docs/faults.md) for ten minutes, or SECONDS=3600; prints what came of them
#   make test-long    the tests with ten times the examples, and Python started for every command (an hour)
#   make test-system    cron's daemon, systemd's check of units and sshd for real, once they are installed (two minutes)
#   make test-agents    Claude Code and Codex for real (700 MB by npm, no key, no model)

PYTHON ?= python3
ARGS ?=
SECONDS ?= 600
BIN := .venv/bin
PYTEST = TMPDIR=$$(.ci/room) $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: demo test soak test-long test-agents test-system lint bench clean
.DELETE_ON_ERROR:

demo: .venv/.installed
	@$(BIN)/vaultgit demo $(ARGS)

test: .venv/.ready
	@$(PYTEST) $(ARGS)
	@echo "not run here: cron's daemon, systemd and sshd (make test-system)"

soak: .venv/.ready
	@TMPDIR=$$(.ci/room) $(BIN)/python tests/faults/soak.py --seconds $(SECONDS) $(ARGS)

test-long: .venv/.ready
	@VAULTGIT_TEST_EXAMPLES=10 VAULTGIT_TEST_COLD=1 $(PYTEST) $(ARGS)

test-agents: .venv/.clients
	@$(BIN)/python -m pytest -m clients $(ARGS)

test-system: .venv/.ready
	@PATH=$$PATH:/usr/sbin command -v cron >/dev/null || echo "cron is missing: apt-get install cron" >&2
	@command -v systemd-analyze >/dev/null || echo "systemd-analyze is missing: apt-get install systemd" >&2
	@PATH=$$PATH:/usr/sbin command -v sshd >/dev/null || echo "sshd is missing: apt-get install openssh-server" >&2
	@VAULTGIT_TEST_SYSTEM=1 $(BIN)/python -m pytest -m system -rs $(ARGS)

lint: .venv/.ready
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: .venv/.ready
	@$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis benchmarks/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.made:
	@command -v git >/dev/null || { echo "git is missing: apt-get install git" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V); make PYTHON=python3.12 names another" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) -m venv is missing: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# Debian's pip knows no dependency groups; they came with 25.1.
.venv/.installed: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.ready: .venv/.installed
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

# Newer npm runs no script of a package, and Claude Code's fetches nothing: it puts the program in its place.
.venv/.clients: .venv/.ready
	@command -v npm >/dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 1; }
	npm install --silent --no-audit --no-fund --prefix .venv/clients @anthropic-ai/claude-code@latest @openai/codex@latest
	node .venv/clients/node_modules/@anthropic-ai/claude-code/install.cjs
	@touch $@
