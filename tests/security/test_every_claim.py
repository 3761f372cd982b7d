"""docs/security.md: each claim names a test, and each test that it names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/security.md"
TEST = re.compile(r"`(tests/[\w/.-]+\.py)::(\w+)`")
LEFT_OPEN = "## What cannot be prevented"


def claims(text: str) -> list[tuple[int, str]]:
    """(line, row) of every row of every table of claims: those whose last column is called so."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|") and line.rstrip("| ").endswith("held by"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not set(line) <= set("|- :"):
            found.append((number, line))
    return found


def problems(text: str, root: Path = ROOT) -> list[str]:
    """What is wrong with the document, in words."""
    found = []
    for number, row in claims(text):
        named = TEST.findall(row.rstrip("| ").rpartition("|")[2])
        if not named:
            found.append(f"line {number} names no test: {row}")
        for file, name in named:
            path = root / file
            if not path.is_file() or name not in names_in(path):
                found.append(f"line {number}: there is no {file}::{name}")
    return found


def names_in(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}  # fmt: skip


def test_every_claim_names_a_test_that_is_there() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert len(claims(text)) >= 40
    assert problems(text) == []


def test_every_test_of_security_stands_behind_a_claim() -> None:
    """What is tried and not told is no use to who reads."""
    named = set(TEST.findall(DOCUMENT.read_text(encoding="utf-8")))
    files = sorted(path for path in (ROOT / "tests/security").glob("test_*.py") if path.name != Path(__file__).name)
    silent = [str(path.relative_to(ROOT)) for path in files if not any(ROOT / file == path for file, _ in named)]
    assert silent == []


def test_what_cannot_be_prevented_is_said() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert LEFT_OPEN in text
    rest = text.partition(LEFT_OPEN)[2].partition("\n## ")[0]
    for words in ("claim", "shell", "editor", "model", ".git/config", "push"):
        assert words in rest, words


HEAD = "| what | held by |\n|---|---|\n"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| all is well | |", "names no test"),
        ("| `tests/security/test_every_claim.py::test_what_cannot_be_prevented_is_said` | trust us |", "names no test"),
        ("| all is well | `tests/security/test_nowhere.py::test_x` |", "there is no"),
        ("| all is well | `tests/security/test_every_claim.py::test_nothing` |", "there is no"),
        ("| all is well | `tests/security/test_every_claim.py::claims` |", "there is no"),
    ],
)
def test_a_claim_without_one_is_found(row: str, said: str) -> None:
    assert [said in problem for problem in problems(HEAD + row + "\n")] == [True]
    assert (
        problems(HEAD + "| all is well | `tests/security/test_every_claim.py::test_a_claim_without_one_is_found` |\n")
        == []
    )
