"""What is queued, laid over the index: as if it lay on disk, for one view, and never in the file."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

from indexing import cache
from indexing import indexed
from indexing import told
from support import Folder

from vaultgit.recall.index import View
from vaultgit.recall.search import search

WORDS = "quokka wombat numbat bilby kowari dunnart potoroo".split()
FOLDERS = ("", "people/", "notes/")


def note(chance: random.Random) -> bytes:
    head = f"---\ntype: person\nname: {chance.choice(WORDS)}\ntags: [{chance.choice(WORDS)}]\n---\n"
    body = " ".join([*chance.choices(WORDS, k=5), f"[[{chance.choice(WORDS)}]]"])
    return f"{chance.choice((head, ''))}# {chance.choice(WORDS)}\n\n{body}\n".encode()


def path(chance: random.Random) -> str:
    return f"{chance.choice(FOLDERS)}{chance.choice(WORDS)}{chance.choice(('.md', '.md', '.md', '.png'))}"


def all_of(view: View) -> list[Any]:
    """All that a view says: notes, links, files, numbers, what a search finds and in which order."""
    size, words = view.size, [view.df(word) for word in WORDS]
    hits = []
    for text in (*WORDS, "wombat bilby", "quokk*", "wombot", "tag:numbat", "name:kowari", '"quokka wombat"'):
        found = search(view.index.vault, view, text, limit=50)
        hits.append([hit._replace(remark="", queued=False) for hit in found.hits])
        hits.append([found.nearest, found.instead])
    texts = [(one.path, view.text(one.path)) for one in view.notes()]
    return [size, words, told(view), sorted(view.paths()), hits, texts]


def test_a_view_with_it_says_what_the_disk_will_say(vault: Folder) -> None:
    chance = random.Random(5)
    for _ in range(6):
        for _ in range(4):
            vault.write(path(chance), note(chance))
        queued = {path(chance): chance.choice((note(chance), note(chance), None)) for _ in range(5)}
        there = [str(one.relative_to(vault.root)) for one in sorted(vault.root.rglob("*.md"))]
        queued |= dict.fromkeys(chance.sample([one for one in there if not one.startswith(".")], k=2))
        with indexed(vault) as opened:
            plain = all_of(opened.now())
            ahead = all_of(opened.now(queued=queued))
            assert all_of(opened.now()) == plain
        assert plain != ahead
        for name, data in queued.items():
            if data is not None:
                vault.write(name, data)
            elif vault.exists(name):
                (vault.root / name).unlink()
        with indexed(vault) as opened:
            assert all_of(opened.now()) == ahead


def test_it_counts_at_once(vault: Folder) -> None:
    with indexed(vault) as opened:
        notes, _ = opened.now().size
        assert opened.now(queued={"a.md": b"a quokka\n"}).size[0] == notes + 1
        assert opened.now().size[0] == notes


def test_words_that_it_alone_had_are_proposed_again_when_they_come(vault: Folder) -> None:
    with indexed(vault) as opened:
        opened.now(queued={"a.md": b"a quokka\n"})
        vault.write("b.md", "another quokka\n")
        view = opened.now()
        assert [hit.path for hit in search(opened.vault, view, "quokk*").hits] == ["b.md"]


def test_only_what_the_vault_shows_is_laid_over(vault: Folder) -> None:
    (vault.root.parent / "out").mkdir()
    (vault.root / "linked").symlink_to(vault.root.parent / "out")
    hidden = {".vaultgit/x.md": b"quokka\n", "a/.b/c.md": b"quokka\n", "linked/x.md": b"quokka\n"}
    with indexed(vault) as opened:
        view = opened.now(queued=hidden)
        assert view.df("quokka") == 0 and not view.queued and not view.stale


def test_a_version_that_was_asked_for_of_the_past_comes_back_for_the_view(vault: Folder) -> None:
    vault.write("x.md", "quokka\n")
    past = vault.commit()
    vault.write("x.md", "wombat\n")
    vault.commit()
    with indexed(vault) as opened:
        assert opened.at(past).df("quokka") == 1
        view = opened.now(queued={"x.md": b"quokka\n"})
        assert (view.df("quokka"), view.df("wombat"), view.text("x.md")) == (1, 0, b"quokka\n")
        assert opened.at(past).df("quokka") == 1 and opened.now().df("quokka") == 0


def test_damage_that_shows_later_does_not_lose_it(vault: Folder) -> None:
    with indexed(vault) as opened:
        view = opened.now(queued={"x.md": b"quokka\n", "Home.md": None})
        opened.store.db.execute("DROP TABLE doc")
        assert [one.path for one in search(opened.vault, view, "quokka").hits] == ["x.md"]
        assert view.get("Home.md") is None and opened.made == 1
        assert opened.now().get("Home.md") is not None


def test_who_may_not_wait_for_another_writer_goes_without_and_says_so(vault: Folder) -> None:
    with indexed(vault) as opened:
        opened.now()
    other = sqlite3.connect(cache(vault) / "index.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with indexed(vault) as opened:
        view = opened.now(within=0.1, queued={"x.md": b"quokka\n", "Home.md": b"wombat\n"})
        assert view.stale and not view.queued and view.df("quokka") == 0
        assert view.text("Home.md") == vault.bytes("Home.md")
    other.close()


def test_no_page_of_it_reaches_the_file_however_many_there_are(vault: Folder) -> None:
    words = "".join(f"quokka{n} sits on mat {n * 7}\n" for n in range(30_000))
    with indexed(vault) as opened:
        opened.now()
        opened.store.db.execute("PRAGMA cache_size = 10")
        before = sum(one.stat().st_size for one in cache(vault).iterdir())
        view = opened.now(queued={f"{n}.md": words.encode() for n in range(3)})
        assert view.df("quokka29999") == 3
        assert sum(one.stat().st_size for one in cache(vault).iterdir()) < before + 50_000  # of 2 MB
        assert not [one for one in cache(vault).iterdir() if b"quokka" in one.read_bytes()]


def test_it_keeps_no_other_search_from_reading(vault: Folder) -> None:
    with indexed(vault) as one, indexed(vault) as other:
        view = one.now(queued={"x.md": b"quokka\n"})
        assert view.df("quokka") == 1 and other.now().df("quokka") == 0
