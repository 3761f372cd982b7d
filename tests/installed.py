"""What tests of system packages need: `make test-system` runs them, where the packages are."""

from __future__ import annotations

import os
import shutil

import pytest

SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

SYSTEM = [
    pytest.mark.system,
    pytest.mark.skipif("VAULTGIT_TEST_SYSTEM" not in os.environ, reason="make test-system runs it"),
]


def tool(name: str) -> str:
    """The path of a program of the system; the test is skipped where it is not installed."""
    found = shutil.which(name, path=SBIN)
    if not found:
        pytest.skip(f"{name} is not installed here: apt-get install cron systemd openssh-server git")
    return found
