"""Filters of git's (git-crypt, git-lfs) that come, go and change with a sync: tree, index and disk as git would have
them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filtering import attributes
from filtering import configured
from filtering import store
from filtering import stored
from support import Folder
from syncing import clone
from syncing import level
from syncing import synced
from syncing import with_remote

from vaultgit.history.repository import Repository
from vaultgit.passes.sync import ahead
from vaultgit.passes.sync.remote import Remote

RULES = {
    "none": (),
    "crypt": ("secret/* filter=crypt",),
    "far": ("secret/* filter=far",),
    "eol": ("secret/* text eol=crlf",),
}
CHANGES = [(was, now) for was in RULES for now in RULES if was != now]
SOME = [("crypt", "none"), ("none", "far"), ("far", "crypt"), ("crypt", "eol")]
NOTE = "# Diary\n\nalpha\n\nbeta\n\ngamma\n"


@pytest.fixture
def there(vault: Folder) -> Folder:
    return with_remote(vault)


@pytest.fixture
def other(there: Folder) -> Folder:
    """A clone of it on another machine, set up."""
    made = clone(there, "other")
    assert made.run("init").code == 0
    return made


def begun(vault: Folder, other: Folder, rule: str) -> None:
    """Notes that go through a filter, on both machines."""
    for place in (vault, other):
        configured(place)
    vault.write("secret/d.md", NOTE)
    vault.write("secret/short.md", "x\n")
    attributes(vault, *RULES[rule])
    vault.commit("begun")
    laid_anew(vault)
    synced(vault)
    synced(other)


def laid_anew(place: Folder) -> None:
    """The files as the filters that are set up now have them."""
    for path in ("secret/d.md", "secret/short.md"):
        (place.root / path).unlink()
        place.git("checkout", "--", path)


def changed(vault: Folder, rule: str) -> None:
    attributes(vault, *RULES[rule])
    vault.commit(rule)
    synced(vault)


def pulled(there: Folder, at: str) -> Folder:
    """What plain git makes of it: a clone that was at a commit, and pulls."""
    made = clone(there, "pulled", "--no-checkout")
    configured(made)
    made.git("reset", "--quiet", "--hard", at)
    made.git("pull", "--quiet", "--ff-only")
    return made


def index(place: Folder) -> str:
    return place.git("ls-files", "-s")


@pytest.mark.parametrize(("was", "now"), CHANGES)
def test_p3_tree_index_and_disk_are_as_after_git_pull(
    vault: Folder, there: Folder, other: Folder, was: str, now: str
) -> None:
    begun(vault, other, was)
    before = other.git("rev-parse", "HEAD")
    changed(vault, now)
    assert synced(other)["outcome"] == "merged"
    git = pulled(there, before)
    assert index(other) == index(git)
    assert other.snapshot() == git.snapshot()
    assert other.git("status", "--porcelain") == ""
    other.write("Home.md", other.read("Home.md") + "own\n")
    other.git("add", "Home.md")
    other.git("commit", "--quiet", "--no-verify", "-m", "own")
    assert other.git("show", "--format=", "--name-only", "HEAD") == "Home.md"


@pytest.mark.parametrize(("was", "now"), SOME)
def test_p3_what_a_person_typed_and_staged_stays_theirs(
    vault: Folder, there: Folder, other: Folder, was: str, now: str
) -> None:
    begun(vault, other, was)
    other.write("secret/d.md", other.bytes("secret/d.md").replace(b"alpha", b"alpha, staged"))
    other.git("add", "secret/d.md")
    other.write("secret/d.md", other.bytes("secret/d.md").replace(b"gamma", b"gamma, typed"))
    other.write("secret/short.md", b"typed\n")
    changed(vault, now)
    assert synced(other)["outcome"] == "merged"
    text = other.bytes("secret/d.md").replace(b"\r\n", b"\n").decode()
    assert text == NOTE.replace("alpha", "alpha, staged").replace("gamma", "gamma, typed")
    assert other.bytes("secret/short.md").replace(b"\r\n", b"\n") == b"typed\n"
    assert stored(other, "HEAD:secret/d.md") == stored(vault, "HEAD:secret/d.md")
    staged = other.try_git("cat-file", "--filters", ":secret/d.md").out
    assert staged.replace("\r\n", "\n") == NOTE.replace("alpha", "alpha, staged")
    assert (stored(other, ":secret/d.md")[:6] == b"SEALED") == (now == "crypt")
    assert (stored(other, ":secret/d.md")[:8] == b"pointer ") == (now == "far")
    other.commit("all of it")
    synced(other)
    synced(vault)
    assert level(vault, other, there)
    assert vault.bytes("secret/d.md").replace(b"\r\n", b"\n").decode() == text


@pytest.mark.parametrize(("was", "now"), SOME)
@pytest.mark.parametrize("first", ["rule", "note"])
def test_p3_a_filter_that_one_side_changes_and_a_note_that_the_other_does(
    vault: Folder, there: Folder, other: Folder, was: str, now: str, first: str
) -> None:
    """Whichever comes first: the merge reads each side's text as that side stored it."""
    begun(vault, other, was)
    attributes(vault, *RULES[now])
    vault.commit("rule")
    other.write("secret/d.md", other.bytes("secret/d.md").replace(b"beta", b"beta, elsewhere"))
    other.commit("note")
    for place in (vault, other, vault) if first == "rule" else (other, vault, other):
        synced(place)
    assert level(vault, other, there)
    wanted = NOTE.replace("beta", "beta, elsewhere")
    for place in (vault, other):
        assert place.bytes("secret/d.md").replace(b"\r\n", b"\n").decode() == wanted
        assert not place.exists("inbox")
    found = stored(vault, "HEAD:secret/d.md")
    assert (found[:6] == b"SEALED", found[:8] == b"pointer ") == (now == "crypt", now == "far")
    fresh = clone(there, "fresh", "--no-checkout")
    configured(fresh)
    fresh.git("reset", "--quiet", "--hard", "HEAD")
    assert fresh.read("secret/d.md").replace("\r\n", "\n") == wanted


def test_a_filter_that_goes_with_its_own_file_of_attributes(vault: Folder, there: Folder, other: Folder) -> None:
    """git's index has that file still when the notes are written."""
    for place in (vault, other):
        configured(place)
    vault.write("secret/.gitattributes", "*.md filter=crypt\n")
    vault.write("secret/d.md", NOTE)
    vault.commit("begun")
    synced(vault)
    synced(other)
    assert other.read("secret/d.md") == NOTE
    vault.git("rm", "--quiet", "secret/.gitattributes")
    vault.git("add", "--renormalize", ".")
    vault.commit("open")
    synced(vault)
    synced(other)
    assert stored(vault, "HEAD:secret/d.md").decode() == NOTE == other.read("secret/d.md")
    assert level(vault, other, there)


def test_the_same_text_stored_otherwise_by_a_filter_comes_whole(vault: Folder, there: Folder, other: Folder) -> None:
    """A cipher with a number of its own in each text: the tree was theirs, the index still ours."""
    begun(vault, other, "far")
    was = stored(vault, "HEAD:secret/d.md").decode().split()[1]
    (store(vault.root.parent) / ("0" * 64)).write_bytes((store(vault.root.parent) / was).read_bytes())
    oid = vault.git("hash-object", "-w", "--stdin", stdin=b"pointer " + b"0" * 64 + b"\n")
    vault.git("update-index", "--cacheinfo", f"100644,{oid},secret/d.md")
    vault.git("commit", "--quiet", "--no-verify", "-m", "stored anew")
    synced(vault)
    assert synced(other)["paths"] == ["secret/d.md"]
    assert index(other) == index(vault)
    other.git("commit", "--quiet", "--no-verify", "--allow-empty", "-m", "own")
    assert other.git("diff-tree", "-r", "HEAD~1", "HEAD") == ""


# -- read before anything is locked ------------------------------------------------------------------------------


def pictures(vault: Folder, there: Folder, other: Folder) -> Path:
    """Pictures that lie in a store elsewhere come in with the next sync of `other`. Returns the store."""
    begun(vault, other, "far")
    vault.write("secret/a b.png", b"\x89PNG\0one")
    vault.write("secret/c.png", b"\x89PNG\0two")
    vault.commit("pictures")
    synced(vault)
    return store(vault.root.parent)


def test_an_edit_lands_while_a_filter_fetches_what_comes_in(vault: Folder, there: Folder, other: Folder) -> None:
    """An agent waited for 20 seconds, and was queued."""
    far = pictures(vault, there, other)
    log = far / "log"
    append = f"{sys.executable} -P -m vaultgit append Home.md --vault {other.root} --agent codex"
    once = far / "once.sh"
    once.write_text(f'#!/bin/sh\nmkdir {far}/once 2>/dev/null && echo meanwhile | {append} > {log} 2>&1\nexec "$@"\n')
    once.chmod(0o755)
    smudge = other.git("config", "filter.far.smudge")
    other.git("config", "filter.far.smudge", f"{once} {smudge}")
    assert synced(other)["outcome"] == "merged"
    assert log.read_text().startswith("committed"), log.read_text()
    assert other.bytes("secret/a b.png") == b"\x89PNG\0one" and "meanwhile" in other.read("Home.md")
    synced(vault)
    assert level(vault, other, there)


@pytest.mark.parametrize("rule", ["known", "new"])
def test_what_a_filter_cannot_read_is_for_later_and_nothing_has_changed(
    vault: Folder, there: Folder, other: Folder, rule: str
) -> None:
    far = pictures(vault, there, other)
    if rule == "new":
        attributes(vault, *RULES["far"], "*.pdf filter=far")
        vault.write("c.pdf", b"%PDF\0")
        vault.commit("rule and file")
        synced(vault)
    name = "c.pdf" if rule == "new" else "secret/c.png"
    missing = stored(vault, f"HEAD:{name}").decode().split()[1]
    (far / missing).rename(far / "away")
    before = (other.git("rev-parse", "HEAD"), other.snapshot(), index(other))
    for args in ([], ["--dry-run"]):
        done = other.run("sync", *args)
        assert done.code == 75, done
        assert done.out.startswith(
            f"queued {name} cannot be read through the filter far (object is gone from the store"
        )
        assert "git cat-file --filters --path=" in done.out
        assert (other.git("rev-parse", "HEAD"), other.snapshot(), index(other)) == before
    (far / "away").rename(far / missing)
    assert synced(other)["outcome"] == "merged"
    assert other.bytes("secret/c.png") == b"\x89PNG\0two"


def test_many_pictures_are_asked_for_in_one_process(vault: Folder, there: Folder, other: Folder) -> None:
    """More names than a pipe holds, and more bytes."""
    begun(vault, other, "far")
    name = "x" * 180
    for number in range(400):
        vault.write(f"secret/{name}{number}.png", b"\x89PNG\0" + bytes([number % 256]) * 1000)
    vault.commit("pictures")
    synced(vault)
    repo = Repository.find(str(other.root))
    assert repo is not None
    other.git("fetch", "--quiet")
    seen: list[int] = []
    with repo:
        ahead.read(Remote(repo, "origin", tick=seen.append), "HEAD", "refs/remotes/origin/main")
    assert sum(seen) == 400


# -- what does not merge -----------------------------------------------------------------------------------------


def texts(place: Folder) -> bytes:
    """All that git holds there, of any kind, reachable or not."""
    listed = place.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").encode() + b"\n"
    return place.try_git("cat-file", "--batch", stdin=listed).out.encode("utf-8", "surrogateescape")


def notes_of_inbox(place: Folder) -> list[str]:
    return place.git("ls-files", "inbox").splitlines()


def way_out(place: Folder, note: str) -> str:
    """The command that an inbox note, and who asks to accept it, give."""
    said = place.run("inbox", "accept", note).err
    command = re.search(r"(git cat-file --filters .*)   \(at", said)
    assert command, said
    assert command[1].rpartition(" > ")[0] in place.read(note)
    return command[1]


def test_p4_the_text_of_two_people_that_goes_through_a_filter_is_not_in_the_inbox_in_plain(
    vault: Folder, there: Folder, other: Folder
) -> None:
    begun(vault, other, "crypt")
    for place, words in ((vault, "alpha SECRETV"), (other, "alpha SECRETO")):
        place.write("secret/d.md", NOTE.replace("alpha", words))
        place.commit("own")
    for place in (vault, other, vault):
        synced(place)
    assert level(vault, other, there)
    [note] = notes_of_inbox(vault)
    for place in (vault, other, there):
        assert b"SECRET" not in texts(place)
    assert "SECRET" not in vault.read(note) and "base:" not in vault.read(note)
    subprocess.run(way_out(vault, note), shell=True, check=True, cwd=vault.root)
    assert {vault.read("secret/d.md"), other.read("secret/d.md")} == {
        NOTE.replace("alpha", f"alpha SECRET{name}") for name in "VO"
    }
    vault.commit("as told")
    assert b"SECRET" not in texts(vault)


@pytest.mark.parametrize("deleted", [False, True])
def test_p4_an_agents_stale_text_that_goes_through_a_filter_is_not_in_the_inbox_in_plain(
    vault: Folder, there: Folder, deleted: bool
) -> None:
    configured(vault)
    vault.write("secret/my d.md", NOTE.replace("alpha", "alpha SECRETB"))
    attributes(vault, *RULES["crypt"])
    vault.commit("begun")
    base = json.loads(vault.run("read", "secret/my d.md", "--json").out)["oid"]
    if deleted:
        (vault.root / "secret/my d.md").unlink()
    else:
        vault.write("secret/my d.md", NOTE.replace("alpha", "alpha SECRETV"))
    vault.commit("own")
    text = NOTE.replace("alpha", "alpha SECRETA")
    done = vault.run("write", "secret/my d.md", "--base", base, "--agent", "codex", stdin=text.encode())
    assert done.out.startswith("inbox "), done
    [note] = notes_of_inbox(vault)
    assert "SECRET" not in vault.read(note) and "base:" not in vault.read(note)
    assert b"SECRET" not in texts(vault)
    assert vault.git("status", "--porcelain") == "" and vault.git("ls-files", "*.kept") == ""
    assert vault.run("verify").code == 0
    synced(vault)
    fresh = clone(there, "fresh", "--no-checkout")
    configured(fresh)
    fresh.git("reset", "--quiet", "--hard", "HEAD")
    (fresh.root / "secret").mkdir(exist_ok=True)
    subprocess.run(way_out(fresh, note), shell=True, check=True, cwd=fresh.root)
    assert fresh.read("secret/my d.md") == text
    assert vault.run("undo", "HEAD").code == 0
    assert notes_of_inbox(vault) == [] and not vault.exists(note.replace(".md", ".kept"))


def test_an_inbox_that_goes_through_the_same_filter_has_the_text(vault: Folder, there: Folder) -> None:
    configured(vault)
    vault.write("secret/d.md", NOTE)
    attributes(vault, *RULES["crypt"], "inbox/* filter=crypt")
    vault.commit("begun")
    base = json.loads(vault.run("read", "secret/d.md", "--json").out)["oid"]
    vault.write("secret/d.md", NOTE.replace("alpha", "alpha SECRETV"))
    vault.commit("own")
    text = NOTE.replace("alpha", "alpha SECRETA")
    assert vault.run("write", "secret/d.md", "--base", base, "--agent", "codex", stdin=text.encode()).code == 0
    [note] = notes_of_inbox(vault)
    assert text in vault.read(note) and stored(vault, f"HEAD:{note}")[:6] == b"SEALED"
    assert vault.run("inbox", "accept", note, "--whole").code == 0
    assert vault.read("secret/d.md") == text


def test_locked_files_pass_through_a_sync_as_git_stores_them(vault: Folder, there: Folder, other: Folder) -> None:
    begun(vault, other, "crypt")
    locked = clone(there, "locked")
    assert locked.run("init").code == 0
    for number, place in enumerate((vault, other)):
        wrote = place.read("secret/d.md").replace(("alpha", "gamma")[number], "SECRET")
        place.write("secret/d.md", wrote)
        place.commit("own")
        synced(place)
        locked.write("Home.md", locked.read("Home.md") + f"{number}\n")
        locked.commit("mine")
        synced(locked)
        assert locked.bytes("secret/d.md") == stored(place, "HEAD:secret/d.md")
        assert locked.git("status", "--porcelain") == ""
    for place in (vault, other):
        synced(place)
        assert place.read("secret/d.md") == NOTE.replace("alpha", "SECRET").replace("gamma", "SECRET")


def test_locked_files_that_both_changed_are_one_sides_and_the_other_is_named(
    vault: Folder, there: Folder, other: Folder
) -> None:
    """A clone that was unlocked once has a change of its own when it is locked; nothing can merge it."""
    begun(vault, other, "crypt")
    for place, words in ((vault, "SECRETV"), (other, "SECRETO")):
        place.write("secret/d.md", NOTE.replace("alpha", words))
        place.commit("own")
    synced(vault)
    other.git("config", "--remove-section", "filter.crypt")
    laid_anew(other)
    synced(other)
    synced(vault)
    [note] = notes_of_inbox(vault)
    assert level(vault, other, there)
    subprocess.run(way_out(vault, note), shell=True, check=True, cwd=vault.root)
    kept, stands = vault.read("secret/d.md"), vault.try_git("cat-file", "--filters", "HEAD:secret/d.md").out
    assert {kept, stands} == {NOTE.replace("alpha", words) for words in ("SECRETV", "SECRETO")}


@pytest.mark.parametrize("args", [["append", "secret/d.md"], ["set", "secret/d.md", "code=SECRETA"]])
def test_a_derived_line_has_no_words_of_what_goes_through_a_filter(vault: Folder, args: list[str]) -> None:
    """It stands in the commit's message and in changelog.md, in plain."""
    configured(vault)
    vault.write("secret/d.md", NOTE)
    attributes(vault, *RULES["crypt"])
    vault.commit("begun")
    assert vault.run(*args, "--agent", "codex", stdin=b"SECRETA\n").out.startswith("committed")
    assert "SECRETA" in vault.read("secret/d.md")
    assert b"SECRETA" not in texts(vault)
    assert vault.git("log", "-1", "--format=%s") in ("secret/d: text added", "secret/d: properties changed")


@pytest.mark.parametrize("name", ["changelog.md", "inbox/*"])
def test_what_a_sync_would_write_past_a_filter_waits(vault: Folder, there: Folder, other: Folder, name: str) -> None:
    """Lines below ciphertext were what no machine could read any more."""
    begun(vault, other, "crypt")
    attributes(vault, f"{name} filter=crypt")
    vault.commit("rule")
    synced(vault)
    locked = clone(there, "locked")
    assert locked.run("init").code == 0
    for place, words in ((vault, "here"), (locked, "there")):
        place.write("Home.md", f"# Home\n\n{words}\n")
        place.commit(words)
    assert vault.run("append", "people/ada-lovelace.md", "--agent", "codex", stdin=b"more\n").code == 0
    synced(vault)
    before = (locked.git("rev-parse", "HEAD"), locked.snapshot())
    done = locked.run("sync")
    assert done.code == 75 and "is not set up in this clone" in done.out, done
    assert (locked.git("rev-parse", "HEAD"), locked.snapshot()) == before
    configured(locked)
    if name == "changelog.md":
        (locked.root / name).unlink()
        locked.git("checkout", "--", name)
    synced(locked)
    synced(vault)
    assert level(vault, locked, there)
