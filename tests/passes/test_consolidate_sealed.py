"""What git encrypts is quoted only where git encrypts it in the same way."""

from __future__ import annotations

from consolidating import DAYS
from consolidating import blocks
from consolidating import captured
from consolidating import consolidate
from consolidating import data
from consolidating import sound
from consolidating import tick
from reviewing import NAMES
from reviewing import bumped
from reviewing import propose
from reviewing import waiting
from reviewing import with_skills
from support import Folder

from vaultgit.edits.branches import Action
from vaultgit.edits.edit import PathChange

HEAD = "1 suggestion accepted"
NEXT = ("2026-11-03", "2026-11-04")


def sealed(vault: Folder, *patterns: str) -> Folder:
    """The vault with these paths behind a filter that nobody reads by eye."""
    for way in ("clean", "smudge"):
        vault.git("config", f"filter.crypt.{way}", "tr a-zA-Z n-za-mN-ZA-M")
    vault.write(".gitattributes", vault.read(".gitattributes") + "".join(f"{one} filter=crypt\n" for one in patterns))
    vault.commit("sealed", ".gitattributes")
    return vault


def dreamt_sealed(vault: Folder) -> None:
    """A dream of a better step in three encrypted skills."""
    with_skills(sealed(vault, "skills/**"))
    actions = []
    for name in NAMES[:3]:
        path, text = f"skills/{name}.md", vault.read(f"skills/{name}.md")
        new = bumped(text, f"part 2 of {name}\n", f"part 2 of {name}, better\n")
        changed = (PathChange(path, text.encode(), new.encode()),)
        actions.append(Action(changed, f"skills/{name}: mended", "sessions show it", (("Trigger", "corrected"),)))
    propose(vault, *actions)


def in_the_open(vault: Folder, word: str) -> bool:
    """Whether git shows a word in any commit, its message or what it brought."""
    return word in vault.git("log", "--format=%B", "-p", "--no-textconv", "--all")


def test_captures_that_git_encrypts_are_not_quoted_in_the_open_and_it_is_said(vault: Folder) -> None:
    captured(sealed(vault, "daily/**"), "Norrland", "Vestmark")
    done = consolidate(vault)
    said = "2 daily notes are left out: git stores them through a filter (crypt), which review.md and"
    assert done.err.count(said) == 1 and done.out == "" and not vault.exists("review.md")
    assert data(vault)["kept_out"] == {"crypt": 2}
    assert "daily note holds captures" not in done.err
    assert consolidate(vault, "--due").err == ""
    assert not in_the_open(vault, "Norrland") and not in_the_open(vault, "depot")


def test_of_those_beside_them_suggestions_are_made(vault: Folder) -> None:
    captured(sealed(vault, f"daily/{DAYS[0]}.md"), "Norrland")
    captured(vault, "Vestmark", days=NEXT)
    found = data(vault)
    assert "Vestmark" in [one["title"] for one in found["proposed"]] and found["kept_out"] == {"crypt": 1}
    assert "1 daily note is left out: git stores it" in consolidate(vault).err
    assert not in_the_open(vault, f"closes at five from {DAYS[0]}")


def test_with_all_that_quotes_them_behind_the_same_filter_they_are_read(vault: Folder) -> None:
    captured(sealed(vault, "daily/**", "review.md", ".vaultgit/declined.md"), "Norrland", "Vestmark")
    done = consolidate(vault)
    assert "left out: Norrland: git stores daily/2026-11-01.md through a filter (crypt), and concepts/" in done.err
    assert "daily notes are left out" not in done.err and not vault.exists("review.md")
    sealed(vault, "concepts/**")
    captured(vault, "Norrland", "Vestmark", days=NEXT)
    found = data(vault)
    assert sorted(one["title"] for one in found["proposed"]) == ["Norrland", "Vestmark"] and found["kept_out"] == {}
    assert "closes at five" in vault.read("review.md") and not in_the_open(vault, "closes at five")
    tick(vault, "Norrland")
    tick(vault, "Vestmark", "reject")
    assert HEAD in consolidate(vault).err and "closes at five" in vault.read("concepts/Norrland.md")
    assert "vestmark" in vault.read(".vaultgit/declined.md")
    assert not in_the_open(vault, "closes at five") and not in_the_open(vault, "estmark")
    sound(vault)


def test_names_of_what_had_no_room_are_in_no_message(vault: Folder) -> None:
    names = [f"Secret{end}" for end in "Aland Berg Cape Dorp Eiland Fjord Garth Holm Ijs Jura Kai Lund Mo".split()]
    captured(sealed(vault, "daily/**", "review.md", ".vaultgit/declined.md", "concepts/**"), *names)
    assert "12 suggestions in review.md" in consolidate(vault).err
    messages = vault.git("log", "--format=%B")
    assert "vaultgit: 12 proposals in review.md" in messages
    assert not any(name.lower() in messages.lower() for name in names)


def test_p4_an_agents_tick_is_told_where_review_md_is_encrypted(vault: Folder) -> None:
    captured(sealed(vault, "review.md"), "Norrland")
    consolidate(vault)
    tick(vault, "Norrland")
    vault.git("commit", "-q", "--no-verify", "-m", "x: y\n\nAgent: codex\nEdit: 0123456789abcdef", "review.md")
    assert "ticked by an agent's commit" in consolidate(vault, "--apply").err and "Norrland" in blocks(vault)


def test_the_text_of_an_encrypted_skill_is_not_shown_in_review_md(vault: Folder) -> None:
    dreamt_sealed(vault)
    assert vault.run("review", "list").code == 0
    text = vault.read("review.md")
    assert "part 2 of" not in text and not in_the_open(vault, "part 2 of")
    assert "(git stores it through a filter, and review.md not; stored as " in text
    assert "vaultgit review show dream/2026-11-29)" in text
    vault.write("review.md", text.replace("- [ ] accept", "- [x] accept", 1))
    assert vault.run("review", "apply").code == 0 and len(waiting(vault)) == 2


def test_a_tick_for_an_encrypted_skill_is_for_the_text_that_waited_then(vault: Folder) -> None:
    dreamt_sealed(vault)
    vault.run("review", "list")
    vault.write("review.md", vault.read("review.md").replace("- [ ] accept", "- [x] accept", 1))
    plain = vault.git("cat-file", "--filters", "--path=skills/bake.md", "dream/2026-11-29:skills/bake.md")
    done = vault.run("review", "edit", "dream/2026-11-29", "bake", stdin=plain.replace("better", "worse").encode())
    assert done.code == 0, done
    assert "it shows no longer what waits" in vault.run("review", "apply").err and len(waiting(vault)) == 3


def test_a_draft_for_an_encrypted_note_is_not_put_into_an_inbox_in_the_open(vault: Folder) -> None:
    captured(sealed(vault, "daily/**", "review.md", ".vaultgit/declined.md", "concepts/**"), "Norrland")
    consolidate(vault)
    vault.write("concepts/Norrland.md", "# Norrland\n\nmine, no type\n")
    tick(vault, "Norrland")
    assert "a note of your own is there, with another text; git stores it through" in consolidate(vault, code=1).err
    assert "Norrland" in blocks(vault) and not vault.exists("inbox") and not in_the_open(vault, "closes at five")
