from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from past import Past


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    made = Past(tmp_path / "past")
    yield made
    made.close()
