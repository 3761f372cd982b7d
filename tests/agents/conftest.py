"""What the tests with real clients share: a scripted model, and the home in which their settings lie."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakemodel import FakeModel
from support import Folder


@pytest.fixture
def model() -> Iterator[FakeModel]:
    """Answers "Understood." to whatever it has no script for."""
    made = FakeModel("Understood.")
    yield made
    made.close()


@pytest.fixture
def home(vault: Folder) -> Path:
    return vault.root.parent / "home"
