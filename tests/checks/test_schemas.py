from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from support import Folder

from vaultgit.checks import schemas
from vaultgit.checks.change import Change


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".vaultgit/schemas/recipe.schema.json", "{bad"),
        (".vaultgit/schemas/recipe.schema.json", '{"type": "nonsense"}'),
        (".vaultgit/schemas/recipe.schema.json", '{"$ref": "https://example.invalid/x.json"}'),
        (".vaultgit/schemas/recipe.schema.json", '{"x-vaultgit": {"folder": "../recipes"}}'),
        (".vaultgit.toml", "[layout]\nfoo = 3\n"),
        (".vaultgit.toml", "not toml at all"),
    ],
)
def test_sc01_what_cannot_be_used_is_refused_where_it_comes_in(
    change: Callable[..., Change], path: str, text: str
) -> None:
    [problem] = schemas.check(change((path, None, text.encode())))
    assert (problem.path, problem.code) == (path, "SC01")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".vaultgit/schemas/recipe.schema.json", '{"type": "object"}'),
        (".vaultgit/schemas/notes.txt", "{bad"),
        (".vaultgit.toml", '[layout]\nperson = "folk"\n'),
        ("other.toml", "not toml at all"),
    ],
)
def test_what_can_be_used_passes(change: Callable[..., Change], path: str, text: str) -> None:
    assert schemas.check(change((path, None, text.encode()))) == []


def test_sc01_a_broken_schema_stops_its_own_type_only(vault: Folder) -> None:
    vault.write(".vaultgit/schemas/person.schema.json", "{bad")
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "x")
    assert done.code == 1
    assert ".vaultgit/schemas/person.schema.json:1:1: SC01" in done.err
    assert vault.run("status").code == 0
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"x\n").code == 0
    done = vault.run("set", "people/ada-lovelace.md", "born=1815", "--agent", "codex", "--json")
    assert done.code == 1
    assert json.loads(done.out)["problems"][0]["code"] == "SC01"


def test_sc01_broken_settings_do_not_switch_the_hook_off(vault: Folder) -> None:
    vault.write(".vaultgit.toml", "[layout]\nfoo = 3\n")
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "x")
    assert done.code == 1
    assert ".vaultgit.toml:1:1: SC01" in done.err
    vault.git("commit", "-q", "--no-verify", "-m", "past the hook")
    vault.write("people/bob.md", "---\ntype: person\naliases: 7\n---\n")
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "x")
    assert done.code == 1
    assert "FM03" in done.err
