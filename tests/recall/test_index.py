"""The index is a cache (P7): whatever happened before, it says what lies on disk, and what a commit holds."""

from __future__ import annotations

import os
import shutil
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from indexing import cache
from indexing import finds
from indexing import fresh
from indexing import indexed
from indexing import now
from support import Folder

from vaultgit.errors import UsageError
from vaultgit.recall import index
from vaultgit.recall.search import search


def test_note_has_what_its_text_says(plain: Folder) -> None:
    plain.write(
        "decisions/2026-10-01-engine.md",
        "---\ntype: decision\ndate: 2026-10-02\nproject: '[[projects/nova]]'\naliases: [Engine, Motor]\n"
        "tags: one, two\n---\n\n# We use steam\n\nSee [[Home#Top|home]] and ![[pic.png]]. #wild/tag\n",
    )
    with indexed(plain) as opened:
        note = opened.now().get("decisions/2026-10-01-engine.md")
    assert note is not None
    assert (note.type, note.title, note.day, note.aliases) == (
        "decision",
        "We use steam",
        "2026-10-02",
        ("Engine", "Motor"),
    )
    assert note.values["project"] == "[[projects/nova]]"
    assert note.tags == ("one", "two", "wild/tag")
    assert [(link.target, link.subpath, link.line, link.embed) for link in note.links] == [
        ("projects/nova", "", 4, False),
        ("Home", "#Top", 11, False),
        ("pic.png", "", 11, True),
    ]


def test_oid_is_gits(plain: Folder) -> None:
    with indexed(plain) as opened:
        notes = {note.path: note.oid for note in opened.now().notes()}
    tree = dict(reversed(line.split()[2:4]) for line in plain.git("ls-tree", "-r", "HEAD").splitlines())
    assert notes
    assert all(tree[path] == oid for path, oid in notes.items())


def test_oid_in_a_sha256_repository(folder: Folder) -> None:
    folder.git("init", "--quiet", "--object-format=sha256")
    folder.commit("start")
    with indexed(folder) as opened:
        note = opened.now().get("Home.md")
    assert note is not None and note.oid == folder.git("rev-parse", "HEAD:Home.md")
    assert len(note.oid) == 64


def test_title_and_day_come_from_where_a_note_says_them(plain: Folder) -> None:
    plain.write("a.md", "text\n\n```\n# not this\n```\n\n# This one #\n")
    plain.write("Bare name.md", "nothing\n")
    plain.write("2026-03-04 walk.md", "day in the name\n")
    plain.write("numbers.md", "---\ntitle: 1984\ndate: 2026-02-30\n---\n")
    plain.write("daily/2026-05-06.md", "no front matter\n")
    with indexed(plain) as opened:
        view = opened.now()
        said = {note.path: (note.title, note.day) for note in view.notes()}
    assert said["a.md"] == ("This one", "")
    assert said["Bare name.md"] == ("Bare name", "")
    assert said["2026-03-04 walk.md"] == ("2026-03-04 walk", "2026-03-04")
    assert said["numbers.md"] == ("1984", "")  # there is no 30 February
    assert said["daily/2026-05-06.md"][1] == "2026-05-06"


def test_type_is_empty_for_a_persons_own_notes(plain: Folder) -> None:
    plain.write("people/dad.md", "---\ntype: [family]\n---\n")
    plain.write("elsewhere.md", "---\ntype: person\n---\n")
    with indexed(plain) as opened:
        types = {note.path: note.type for note in opened.now().notes()}
        assert [note.path for note in opened.now().of_type("person")] == ["people/ada-lovelace.md"]
    assert types["people/dad.md"] == types["elsewhere.md"] == ""
    assert types["people/ada-lovelace.md"] == "person"


# -- what is seen ----------------------------------------------------------------------------------------------------


def test_sees_every_kind_of_change_at_once(plain: Folder) -> None:
    assert finds(plain, "zebra") == []
    plain.write("Home.md", "# Home\n\na zebra\n")
    assert finds(plain, "zebra") == ["Home.md"]
    plain.write("deep/er/new.md", "zebra zebra\n")
    assert set(finds(plain, "zebra")) == {"Home.md", "deep/er/new.md"}
    os.rename(plain.root / "deep", plain.root / "other")
    assert set(finds(plain, "zebra")) == {"Home.md", "other/er/new.md"}
    (plain.root / "Home.md").unlink()
    assert finds(plain, "zebra") == ["other/er/new.md"]
    assert now(plain) == fresh(plain)


def test_nothing_is_left_of_an_older_text(plain: Folder) -> None:
    """Nor of its words in the counts that scores are made of."""

    def scores() -> list[Any]:
        with indexed(plain) as opened:
            view = opened.now()
            return [view.size, *(search(opened.vault, view, text) for text in ("zebra", "lion", "zebra lion note"))]

    for text in ("zebra zebra", "a lion and a zebra", "a lion", "note"):
        plain.write("z.md", text)
        plain.write("y.md", text[::-1])
        kept = scores()
        shutil.rmtree(cache(plain))
        assert scores() == kept


def test_sees_a_change_that_keeps_size_and_time(plain: Folder) -> None:
    full = plain.write("Home.md", "alpha\n")
    assert finds(plain, "alpha") == ["Home.md"]
    before = full.stat()
    full.write_text("omega\n")
    os.utime(full, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert finds(plain, "omega") == ["Home.md"]
    assert finds(plain, "alpha") == []


def test_reads_a_racily_clean_file_again(plain: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a coarse clock a second save can leave the stamp of the first."""
    plain.write("Home.md", "alpha\n")
    real = index.walk._stamp

    def coarse(*of: Any) -> index.Stamp:
        found = real(*of)
        return found._replace(mtime=found.mtime // 10**9 * 10**9, ctime=found.ctime // 10**9 * 10**9)

    monkeypatch.setattr(index.walk, "_stamp", coarse)
    for word in ("zebra", "lions", "mouse", "tiger"):
        (plain.root / "Home.md").write_text(word)
        assert finds(plain, word) == ["Home.md"]


def test_unchanged_notes_are_not_read_again(plain: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in plain.root.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    monkeypatch.setattr(index, "_is_racy", lambda stamp, begun: False)
    with indexed(plain) as opened:
        opened.now()
    plain.write("new.md", "one more\n")
    read: list[str] = []
    with indexed(plain) as opened:
        real = opened.bytes_of
        monkeypatch.setattr(opened, "bytes_of", lambda path: read.append(path) or real(path))  # type: ignore[func-returns-value]
        opened.now()
    assert read == ["new.md"]


@pytest.mark.parametrize("far", [2**63, 11 * 10**18, 2**70, -(2**63) - 1, -(10**9)])
def test_a_stamp_that_no_database_holds(plain: Folder, monkeypatch: pytest.MonkeyPatch, far: int) -> None:
    """Times after 2262 or long before 1970, an inode of 64 bits: the file is found, and not read each time."""
    real = index.walk._stamp

    def stamp(*of: Any) -> index.Stamp:
        return real(*of)._replace(mtime=far, inode=2**64 - 1)

    monkeypatch.setattr(index.walk, "_stamp", stamp)
    monkeypatch.setattr(index, "_is_racy", lambda stamp, begun: False)
    plain.write("Home.md", "alpha\n")
    assert finds(plain, "alpha") == ["Home.md"]
    with indexed(plain) as opened:
        assert opened.trouble == ""
        monkeypatch.setattr(opened, "bytes_of", lambda path: pytest.fail(f"{path} is read again"))
        opened.now()
    (plain.root / "Home.md").write_text("omega, longer\n")
    assert finds(plain, "omega") == ["Home.md"]


def test_a_file_of_the_next_centuries_is_found(plain: Folder) -> None:
    os.utime(plain.write("Home.md", "alpha\n"), (11_000_000_000, 11_000_000_000))
    for words in ("alpha", "omega"):
        (plain.root / "Home.md").write_text(f"{words}\n")
        os.utime(plain.root / "Home.md", (11_000_000_000, 11_000_000_000))
        assert plain.run("search", words).out.startswith("Home.md")
        assert plain.run("context", words).code == 0


def test_leaves_out_what_obsidian_does_not_show(plain: Folder, tmp_path: Path) -> None:
    plain.write(".hidden/a.md", "zebra\n")
    plain.write(".b.md", "zebra\n")
    plain.write(".obsidian/c.md", "zebra\n")
    plain.write("nested/d.md", "zebra\n")
    subprocess.run(["git", "init", "-q", str(plain.root / "nested")], check=True)
    plain.write("plain.txt", "zebra\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/e.md").write_text("zebra\n")
    (plain.root / "linked").symlink_to(tmp_path / "outside")
    (plain.root / "f.md").symlink_to(tmp_path / "outside/e.md")
    (plain.root / "loop.md").symlink_to("loop.md")
    (plain.root / "dangling.md").symlink_to("nowhere.md")
    assert finds(plain, "zebra") == []
    plain.write("seen.md", "zebra\n")
    (plain.root / "also.md").symlink_to("seen.md")  # a link inside the vault is a note of its own, as in Obsidian
    assert sorted(finds(plain, "zebra")) == ["also.md", "seen.md"]


def test_a_link_that_leads_out_is_not_read_by_name_either(plain: Folder, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("outside\n")
    (plain.root / "f.md").symlink_to(tmp_path / "secret.md")
    with indexed(plain) as opened:
        view = opened.now()
        assert view.get("f.md") is None
        for path in ("f.md", "../secret.md"):
            with pytest.raises(UsageError):
                view.text(path)


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0zebra\0\n",
        b"\xff\xfe zebra \xe4\n",
        b"---\nkey: [unclosed\n---\nzebra\n",
        b"---\n" + b"a: b\n" * 3 + b"zebra without an end\n",
        b"---\r\ntitle: x\r\n---\r\nzebra\r\n",
        b"\xef\xbb\xbf---\ntitle: x\n---\nzebra\n",
        "zebra \u2028 \ud7ff \U0010ffff\n".encode(),
        b"---\ntags:\n- {a: [b]}\n- 3\n---\nzebra\n",
        b"---\n- a list\n---\nzebra\n",
        b'---\ntitle: "\\ud800"\n---\nzebra\n',
        b"# \0\x1b[31m\nzebra\n",
        b"zebra",
    ],
)
def test_no_note_can_break_it(plain: Folder, data: bytes) -> None:
    plain.write("odd.md", data)
    assert finds(plain, "zebra") == ["odd.md"]
    assert now(plain) == fresh(plain)


def test_odd_names(plain: Folder) -> None:
    names = [
        b"caf\xe9.md",
        "né.md".encode(),
        "日本語のノート.md".encode(),
        b"a'b\"c.md",
        b"%s.md",
        b"-x.md",
        b"A.MD",
        b"two\nlines.md",
    ]
    names.append(unicodedata.normalize("NFD", "Über uns.md").encode())
    for name in names:
        with open(os.path.join(os.fsencode(plain.root), name), "wb") as stream:
            stream.write(b"zebra\n")
    assert sorted(map(os.fsencode, finds(plain, "zebra", limit=50))) == sorted(names)
    assert finds(plain, "Über") == [os.fsdecode(names[-1])]
    assert finds(plain, "ノート") == ["日本語のノート.md"]
    assert now(plain) == fresh(plain)


def test_a_pipe_a_folder_and_a_file_that_may_not_be_read(plain: Folder) -> None:
    os.mkfifo(plain.root / "pipe.md")
    (plain.root / "folder.md").mkdir()
    plain.write("folder.md/inside.md", "zebra\n")
    plain.write("locked.md", "zebra\n").chmod(0)
    try:
        expected = ["folder.md/inside.md"] + ([] if os.geteuid() else ["locked.md"])
        assert sorted(finds(plain, "zebra")) == expected
    finally:
        (plain.root / "locked.md").chmod(0o644)
    assert sorted(finds(plain, "zebra")) == ["folder.md/inside.md", "locked.md"]


def test_a_huge_note_is_bounded(plain: Folder) -> None:
    plain.write("huge.md", b"needle\n" + b"hay " * 12_500_000 + b"\nbeyond\n")
    assert finds(plain, "needle") == ["huge.md"]
    assert finds(plain, "beyond") == []
    assert sum(path.stat().st_size for path in cache(plain).iterdir()) < 20_000_000


def test_many_links(plain: Folder) -> None:
    plain.write("hub.md", "".join(f"[[note {n}]]\n" for n in range(10_000)))
    plain.write("note 77.md", "[[hub]]\n")
    with indexed(plain) as opened:
        view = opened.now()
        assert [(path, link.line) for path, link in view.back("note 77.md")] == [("hub.md", 78)]
        assert len(view.out("hub.md")) == 10_000
        assert view.out("hub.md")[77][1] == ["note 77.md"]


# -- links -----------------------------------------------------------------------------------------------------------


def test_links_go_out_and_back(plain: Folder) -> None:
    """Case 015: embeds, .md, bars in tables, other kinds of files; nothing in code or comments."""
    shutil.copytree(Path(__file__).parent.parent / "cases/015-link-forms/input", plain.root, dirs_exist_ok=True)
    with indexed(plain) as opened:
        view = opened.now()
        out = [(link.target, link.line, found) for link, found in view.out("links.md")]
        assert [path for path, _ in view.back("Beta.md")].count("links.md") == 3
        assert [path for path, _ in view.back("pic.png")] == ["links.md"]
    assert [(target, line) for target, line, found in out if not found] == [
        ("Missing", 3),
        ("gone.png", 4),
        ("Also missing", 13),
    ]
    assert ("", 3, ["links.md"]) in out


def test_links_between_nfd_and_nfc(plain: Folder) -> None:
    """Case 017."""
    nfd, nfc = unicodedata.normalize("NFD", "Über uns"), unicodedata.normalize("NFC", "Über uns")
    plain.write(f"{nfd}.md", "nfd name\n")
    plain.write("Links.md", f"[[{nfc}]]\n")
    with indexed(plain) as opened:
        view = opened.now()
        assert view.resolve(nfc, "Links.md") == [f"{nfd}.md"]
        assert [path for path, _ in view.back(f"{nfd}.md")] == ["Links.md"]


def test_a_circle_of_links(plain: Folder) -> None:
    plain.write("a.md", "[[b]] [[a]]\n")
    plain.write("b.md", "[[a]]\n")
    with indexed(plain) as opened:
        assert [path for path, _ in opened.now().back("a.md")] == ["a.md", "b.md"]


# -- a commit --------------------------------------------------------------------------------------------------------


def test_a_commit_is_seen_as_it_was(plain: Folder) -> None:
    plain.write("Home.md", "the capital is Bonn\n")
    plain.write("gone.md", "[[Home]] zebra\n")
    first = plain.commit("one")
    plain.write("Home.md", "the capital is Berlin\n")
    (plain.root / "gone.md").unlink()
    plain.commit("two")
    with indexed(plain) as opened:
        current, past = opened.now(), opened.at(first)
        assert [hit.text for hit in search(opened.vault, past, "capital").hits] == ["the capital is Bonn"]
        assert [hit.text for hit in search(opened.vault, current, "capital").hits] == ["the capital is Berlin"]
        assert [hit.path for hit in search(opened.vault, past, "zebra").hits] == ["gone.md"]
        assert search(opened.vault, current, "zebra").hits == []
        assert [path for path, _ in past.back("Home.md")] == ["gone.md"]
        assert past.text("gone.md") == b"[[Home]] zebra\n"
        assert current.get("gone.md") is None
        note = past.get("Home.md")
        assert note is not None and note.oid == plain.git("rev-parse", f"{first}:Home.md")


def test_asking_for_the_past_changes_nothing_now(plain: Folder) -> None:
    """Scores, too: old versions are counted apart."""
    for n in range(5):
        plain.write("Home.md", f"zebra {n} " * (n + 1))
        plain.commit(str(n))
    with indexed(plain) as opened:
        before = search(opened.vault, opened.now(), "zebra home")
        for n in range(1, 5):
            opened.at(plain.git("rev-parse", f"HEAD~{n}"))
        assert search(opened.vault, opened.now(), "zebra home") == before
    plain.git("checkout", "--quiet", "HEAD~2", "--", "Home.md")  # a version of the past lies on disk again
    assert finds(plain, "zebra") == ["Home.md"]
    kept = now(plain)
    assert kept == fresh(plain)


def test_versions_of_the_past_do_not_pile_up(plain: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    from vaultgit.recall import store

    monkeypatch.setattr(store, "_PAST_KEPT", 3)
    for n in range(12):
        plain.write("Home.md", f"zebra {n}\n")
        plain.commit(str(n))
    with indexed(plain) as opened:
        opened.now()
        for n in range(12):
            view = opened.at(plain.git("rev-parse", f"HEAD~{n}"))
            assert [hit.text for hit in search(opened.vault, view, "zebra").hits] == [f"zebra {11 - n}"]
        assert opened.store.ask("SELECT count(*) FROM doc WHERE asked IS NOT NULL")[0][0] <= 4


def test_a_vault_below_the_repositorys_root_and_a_second_work_tree(folder: Folder, tmp_path: Path) -> None:
    top = Folder(tmp_path / "top")
    shutil.copytree(folder.root, top.root / "notes")
    top.write("outside.md", "zebra\n")
    top.git("init", "--quiet")
    commit = top.commit("start")
    inner = Folder(top.root / "notes")
    inner.write("Home.md", "zebra\n")
    top.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    other = Folder(tmp_path / "second/notes")
    other.write("Home.md", "giraffe\n")
    for _ in range(2):
        assert (finds(inner, "zebra"), finds(inner, "giraffe")) == (["Home.md"], [])
        assert (finds(other, "zebra"), finds(other, "giraffe")) == ([], ["Home.md"])
    with indexed(inner) as opened:
        assert [hit.path for hit in search(opened.vault, opened.at(commit), "born").hits] == ["people/ada-lovelace.md"]
