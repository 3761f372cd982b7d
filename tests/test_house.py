"""The house: imports point downwards, and git's hook imports nothing heavy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import SKILL
from support import Folder

ROOT = Path(__file__).parent.parent
HEAVY = {
    "click", "git", "gitdb", "jsonschema", "detect_secrets", "pydantic", "rich", "mcp", "dataclasses",
    "inspect", "asyncio", "logging", "tempfile", "importlib.metadata", "pathlib", "argparse", "http", "ssl",
}  # fmt: skip


def imported(vault: Folder, *args: str) -> set[str]:
    command = [sys.executable, "-P", "-X", "importtime", "-m", "vaultgit", *args]
    done = subprocess.run(command, cwd=vault.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def bare() -> set[str]:
    """What Python imports by itself here: a virtual environment's site may import more than a plain one."""
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-c", "pass"], capture_output=True, text=True, check=True
    )
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines()}


def test_imports_point_downwards(tmp_path: Path) -> None:
    lint = Path(sys.executable).parent / "lint-imports"
    if not lint.exists():
        pytest.fail("import-linter is not installed: make test")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 kept, 0 broken" in done.stdout


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg"])
def test_the_hook_imports_nothing_heavy(vault: Folder, hook: str) -> None:
    vault.write("skills/review-a-pr.md", SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29"))
    vault.git("add", "-A")
    message = vault.root.parent / "message"
    message.write_text("a person's\n")
    names = imported(vault, "hook", hook, *([str(message)] if hook == "commit-msg" else [])) - bare()
    assert "vaultgit.cli.hook" in names and "vaultgit.checks.message" in names
    assert names & HEAVY == set()


def test_help_and_version_import_little(vault: Folder) -> None:
    assert "click" not in imported(vault, "--version")
    assert imported(vault, "--help") & {"git", "jsonschema", "detect_secrets", "pydantic", "yaml"} == set()


def test_this_file_sees_a_heavy_import() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import click"], capture_output=True, text=True, check=True
    )
    assert "click" in {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines()}
    assert os.environ["HOME"] not in ("/root", "/home")
