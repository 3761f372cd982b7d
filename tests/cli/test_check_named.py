"""`check PATH` says of a note that is a person's own what it does not look at; such a note is never refused."""

from __future__ import annotations

import json

import pytest
from support import Folder

BROKEN = "---\ntitle: Zettel: one\n---\nmine\n"
OWN = "---\ntitle: fine\n---\nmine\n"


def test_a_note_of_no_type_that_was_named_is_said_not_to_be_checked(vault: Folder) -> None:
    vault.write("Zettel/Broken.md", BROKEN)
    vault.write("Zettel/Fine.md", OWN)
    vault.write("people/mine.md", OWN)
    done = vault.run("check", "Zettel/Broken.md", "Zettel/Fine.md", "people/mine.md", "people/ada-lovelace.md")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "no problem",
        "Zettel/Broken.md: front matter not checked: in no type's folder (it does not parse: line 2: "
        "a colon and a blank inside a value; put the whole value in quotes)",
        "Zettel/Fine.md: front matter not checked: in no type's folder",
        "people/mine.md: front matter not checked: no `type: person`",
    ]
    assert vault.run("check", str(vault.root / "Zettel/Broken.md")).err.count("it does not parse") == 1
    assert vault.run("check", "Zettel").err == vault.run("check").err == "no problem\n"
    shown = vault.run("check", "Zettel/Broken.md", "--json")
    assert json.loads(shown.out) == [] and shown.err == ""
    vault.commit("and nobody refuses it", "Zettel")


def test_a_template_is_told_as_one(vault: Folder) -> None:
    vault.write(".obsidian/templates.json", json.dumps({"folder": "Templates"}))
    vault.write("Templates/t.md", "---\ntitle: {{title}}: x\n---\n")
    assert vault.run("check", "Templates/t.md").err == (
        "no problem\nTemplates/t.md: front matter not checked: a template\n"
    )


@pytest.mark.parametrize("path", ["/etc/hostname", "../outside.md", "notes/../../outside.md", "/"])
def test_what_is_outside_the_vault_is_said_to_be(vault: Folder, path: str) -> None:
    (vault.root.parent / "outside.md").write_text("# outside\n")
    done = vault.run("check", path)
    assert (done.code, done.out) == (2, "") and f"{path} is outside the vault" in done.err and "call it" not in done.err


def test_what_is_gits_own_is_said_to_be(vault: Folder) -> None:
    done = vault.run("check", ".git/config")
    assert done.code == 2 and ".git/config belongs to git: it is no note" in done.err


def test_the_vault_itself_is_all_of_it(vault: Folder) -> None:
    for path in (".", "./", str(vault.root), f"{vault.root}/"):
        assert vault.run("check", path).err == "no problem\n", path
