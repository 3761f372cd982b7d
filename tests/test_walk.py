"""The walk that takes the place of os.walk: the same answers, at any depth."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from deep import make_deep

from vaultgit.walk import walk


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with folders 1,500 deep, which pytest could not take away by itself."""
    top = tmp_path / "deep"
    make_deep(top)
    yield top
    subprocess.run(["rm", "-rf", str(top)], check=True)


def test_folders_of_any_depth(deep: Path) -> None:
    *_, (here, folders, names) = walk(str(deep))
    assert here == f"{deep}{'/d' * 1500}" and folders == [] and names == ["n.md"]


def test_it_says_what_os_walk_says(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/x", "z/y", ".hidden/x"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "note.md").touch()
    os.mkfifo(tmp_path / "a/pipe")
    for name, target in {"circle": "circle", "gone": "nowhere", "away": "/", "up": "..", "file": "z/y/note.md"}.items():
        (tmp_path / "z" / name).symlink_to(target)
    assert [(here, sorted(folders), sorted(names)) for here, folders, names in walk(str(tmp_path))] == [
        (here, sorted(folders), sorted(names)) for here, folders, names in os.walk(tmp_path)
    ]
    assert list(walk(str(tmp_path / "nowhere"))) == []


def test_what_is_taken_out_is_not_walked(tmp_path: Path) -> None:
    (tmp_path / "x/a/b").mkdir(parents=True)
    (tmp_path / "x/c").mkdir()
    found = []
    for here, folders, _ in walk(str(tmp_path / "x")):
        found.append(os.path.relpath(here, tmp_path / "x"))
        folders[:] = [name for name in folders if name != "a"]
    assert found == [".", "c"]
