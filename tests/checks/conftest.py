from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

import pytest

from vaultgit.checks.change import Change
from vaultgit.checks.change import FileChange
from vaultgit.vault import Rules


class Memory:
    """A vault's files without a disk."""

    def __init__(self, files: Mapping[str, bytes] = {}) -> None:
        self.files = dict(files)

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def names(self, folder: str) -> list[str]:
        return sorted(path[len(folder) + 1 :] for path in self.files if path.startswith(folder + "/"))


@pytest.fixture(scope="session")
def plain_rules() -> Rules:
    return Rules(Memory())


@pytest.fixture
def rules_of() -> Callable[[Mapping[str, bytes]], Rules]:
    return lambda files: Rules(Memory(files))


@pytest.fixture
def change(plain_rules: Rules) -> Callable[..., Change]:
    """A change from keyword arguments and files: (path, before, after), before None for a new file."""

    def make(*files: tuple[str, bytes | None, bytes | None] | FileChange, **given: Any) -> Change:
        made = tuple(
            file if isinstance(file, FileChange) else FileChange(file[0], (file[1],), file[2]) for file in files
        )
        return Change(files=made, rules=given.pop("rules", plain_rules), **given)

    return make
