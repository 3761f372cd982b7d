"""Hermetic tests: a private home, no system or user git config, a fixed time, and a tripwire at the real
home.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from support import NOTES
from support import Folder
from support import examples
from support import private_environment
from support import set_up

ROOT = Path(__file__).resolve().parent.parent
REAL_HOME = os.path.realpath(os.path.expanduser("~"))

# How long an example takes depends on what else the machine does; no test may.
hypothesis.settings.register_profile("vaultgit", deadline=None, max_examples=examples(100))
hypothesis.settings.load_profile("vaultgit")

# What vaultgit, git, pre-commit or an agent's settings would write into a home directory.
_WATCHED = (
    ".gitconfig", ".config/git/config", ".config/vaultgit", ".local/state/vaultgit", ".cache/vaultgit",
    ".claude/CLAUDE.md", ".claude/settings.json", ".codex/config.toml", ".codex/hooks.json",
    ".gemini/settings.json",
)  # fmt: skip


@pytest.fixture(autouse=True)
def hermetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path / "home"
    home.mkdir()
    variables, foreign = private_environment(home)
    for name in foreign:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    before = _real_home()
    yield
    assert _real_home() == before, f"the test wrote into {REAL_HOME}"


def _real_home() -> dict[str, tuple[int, int] | None]:
    found: dict[str, tuple[int, int] | None] = {}
    for name in _WATCHED:
        try:
            stat = os.stat(os.path.join(REAL_HOME, name))
            found[name] = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            found[name] = None
    return found


class _Tripwire:
    """Fails a test that opens, makes or removes a file in the real home directory from within its own
    process.
    """

    armed = False
    allowed = tuple(os.path.realpath(p) + os.sep for p in (ROOT, sys.prefix, sys.base_prefix, "/tmp", "/dev"))

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.armed or event not in (
            "open",
            "os.mkdir",
            "os.rename",
            "os.remove",
            "os.rmdir",
            "os.link",
        ):
            return
        if event == "open" and not (isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            return
        for path in args[: 2 if event in ("os.rename", "os.link") else 1]:
            if isinstance(path, (str, bytes, os.PathLike)):
                full = os.path.abspath(os.fsdecode(path))
                if full.startswith(REAL_HOME + os.sep) and not full.startswith(self.allowed):
                    raise AssertionError(f"a test wrote into the real home: {event} {full}")


_tripwire = _Tripwire()
sys.addaudithook(_tripwire)


@pytest.fixture(autouse=True)
def tripwire(tmp_path: Path) -> Iterator[None]:
    inside = str(tmp_path).startswith(REAL_HOME + os.sep)
    _tripwire.armed = not inside  # TMPDIR below the home: nothing to tell apart
    yield
    _tripwire.armed = False


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder of notes, not in git."""
    made = Folder(tmp_path / "notes")
    for path, text in NOTES.items():
        made.write(path, text)
    return made


@pytest.fixture
def plain(tmp_path: Path, _templates: Templates) -> Folder:
    """A vault in git that vaultgit has not been set up in: one commit, clean."""
    return _copied(_templates.plain, tmp_path / "notes")


@pytest.fixture
def bare_repo(git_repo: Any) -> Folder:
    """An empty repository (pytest-git's, wrapped here and nowhere else; it knows nothing of a private
    home).
    """
    return Folder(Path(git_repo.workspace))


class Templates:
    """Vaults that are made once, inside the first test that wants one, so that the hermetic environment holds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def plain(self) -> Path:
        made = Folder(self._folder / "plain")
        for path, text in NOTES.items():
            made.write(path, text)
        made.git("init", "--quiet")
        made.commit("start")
        return made.root

    @cached_property
    def vault(self) -> Path:
        made = _copied(self.plain, self._folder / "vault")
        set_up(made)
        return made.root


def _copied(template: Path, root: Path) -> Folder:
    """A copy, with an index that knows its files."""
    _copy(template, root)
    made = Folder(root)
    made.git("update-index", "-q", "--refresh")
    return made


def _copy(source: Path | str, target: Path | str) -> None:
    """Like shutil.copytree with links kept, in half the time."""
    os.mkdir(target)
    for entry in os.scandir(source):
        to = os.path.join(target, entry.name)
        if entry.is_symlink():
            os.symlink(os.readlink(entry), to)
        elif entry.is_dir():
            _copy(entry.path, to)
        else:
            found = entry.stat()
            with open(entry, "rb") as old, open(to, "xb") as new:
                new.write(old.read())
                os.fchmod(new.fileno(), found.st_mode & 0o7777)
            os.utime(to, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.fixture(scope="session")
def _templates(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    return Templates(tmp_path_factory.mktemp("templates"))


@pytest.fixture
def vault(tmp_path: Path, _templates: Templates) -> Folder:
    """A small vault that is set up: notes, settings, hooks, merge driver; clean."""
    made = _copied(_templates.vault, tmp_path / "vault")
    with open(os.environ["GIT_CONFIG_GLOBAL"], "a") as config:
        config.write(f"[vaultgit]\n\tvault = {made.root}\n")
    return made
