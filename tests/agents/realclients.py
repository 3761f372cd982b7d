"""Where the real clients lie that `make test-agents` installs, and what is skipped without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

BIN = Path(__file__).parent.parent.parent / ".venv" / "clients" / "node_modules" / ".bin"
BIN = Path(os.environ.get("VAULTGIT_TEST_CLIENTS") or BIN)
KEY = "sk-" + "test-not-a-key"


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (BIN / name).exists(), reason=f"{name} is not installed here: make test-agents")
