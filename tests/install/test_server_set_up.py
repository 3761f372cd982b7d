"""`init --server` and its exact inverse (P12): files and git's config of a bare repository, byte by byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import Folder
from support import run_cli


@pytest.fixture
def bare(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "notes of mine.git")
    made.root.mkdir()
    made.git("init", "--quiet", "--bare")
    return made


def state(bare: Folder) -> dict[str, tuple[bytes, int]]:
    files = (path for path in sorted(bare.root.rglob("*")) if path.is_file())
    return {str(path.relative_to(bare.root)): (path.read_bytes(), path.stat().st_mode) for path in files}


def init(bare: Folder, *args: str, code: int = 0) -> str:
    done = bare.run("init", "--server", str(bare.root), *args)
    assert done.code == code, done
    return done.out + done.err


def test_p12_in_and_out_again_leaves_everything_as_it_was(bare: Folder) -> None:
    before = state(bare)
    init(bare, "--dry-run")
    assert state(bare) == before
    init(bare)
    hook = bare.root / "hooks/pre-receive"
    assert os.access(hook, os.X_OK) and b"# vaultgit server hook:" in hook.read_bytes()
    assert bare.git("config", "--type=bool", "receive.fsckObjects") == "true"
    assert bare.git("config", "vaultgit.program")
    there = state(bare)
    assert init(bare).startswith("nothing to do") and state(bare) == there
    init(bare, "--remove", "--dry-run")
    assert state(bare) == there
    init(bare, "--remove")
    assert state(bare) == before
    assert init(bare, "--remove").startswith("nothing to do")


def test_p12_a_foreign_hook_is_kept_and_comes_back(bare: Folder) -> None:
    hook = bare.write("hooks/pre-receive", "#!/bin/sh\nexit 0\n")
    hook.chmod(0o750)
    before = state(bare)
    assert "kept as pre-receive.vaultgit-kept" in init(bare, "--dry-run")
    init(bare)
    init(bare)
    assert bare.read("hooks/pre-receive.vaultgit-kept") == "#!/bin/sh\nexit 0\n"
    assert "comes back" in init(bare, "--remove")
    assert state(bare) == before


def test_a_hook_that_took_our_place_is_kept_beside_the_older_one(bare: Folder) -> None:
    bare.write("hooks/pre-receive", "#!/bin/sh\n# first\n")
    init(bare)
    (bare.root / "hooks/pre-receive").unlink()
    bare.write("hooks/pre-receive", "#!/bin/sh\n# second\n")
    assert "somebody put another hook" in init(bare, "--remove", "--dry-run")
    init(bare)
    assert "second" in bare.read("hooks/pre-receive.vaultgit-kept")
    assert "first" in bare.read("hooks/pre-receive.vaultgit-kept-1")


def test_the_owners_settings_are_not_touched(bare: Folder) -> None:
    bare.git("config", "receive.fsckObjects", "false")
    bare.git("config", "vaultgit.agentsPush", "review")
    before = state(bare)
    init(bare)
    assert bare.git("config", "receive.fsckObjects") == "false"
    assert "stays: git config vaultgit.agentspush review" in init(bare, "--remove")
    assert state(bare)["config"] == before["config"]


def test_a_setting_that_the_owner_changed_since_stays(bare: Folder) -> None:
    init(bare)
    bare.git("config", "receive.fsckObjects", "false")
    init(bare, "--remove")
    assert bare.git("config", "receive.fsckObjects") == "false"


def test_it_says_what_is_held(bare: Folder, vault: Folder) -> None:
    assert "there is no main here yet; until it is, every branch is held" in init(bare)
    vault.git("push", "--quiet", "--no-verify", str(bare.root), "main")
    assert "held: main" in init(bare)


def test_json(bare: Folder) -> None:
    said = json.loads(init(bare, "--json"))
    assert said["done"] and said["hook"] and {one["key"] for one in said["settings"]} >= {"vaultgit.program"}
    assert json.loads(init(bare, "--json"))["done"] is False


@pytest.mark.parametrize("where", ["work tree", "folder", "nowhere", "inside"])
def test_only_a_bare_repository(vault: Folder, bare: Folder, tmp_path: Path, where: str) -> None:
    (tmp_path / "folder").mkdir()
    place = {
        "work tree": vault.root, "folder": tmp_path / "folder", "nowhere": tmp_path / "x", "inside": bare.root / "hooks",
    }[where]  # fmt: skip
    before = state(bare)
    done = run_cli("init", "--server", str(place), cwd=tmp_path)
    assert done.code == 2 and "bug" not in done.err, done
    assert state(bare) == before


def test_hooks_that_lie_elsewhere(bare: Folder) -> None:
    bare.git("config", "--global", "core.hooksPath", "/somewhere")
    assert "core.hooksPath hooks" in init(bare, code=2)
    bare.git("config", "core.hooksPath", "hooks")
    init(bare)
    assert bare.exists("hooks/pre-receive")


def test_an_agent_sets_up_no_server(bare: Folder) -> None:
    done = bare.run("init", "--server", str(bare.root), env={"VAULTGIT_AGENT": "codex"})
    assert done.code == 1 and "for a person to decide" in done.err
    assert not bare.exists("hooks/pre-receive")


def test_no_other_option_goes_with_it(bare: Folder) -> None:
    assert bare.run("init", "--server", str(bare.root), "--adopt").code == 2
