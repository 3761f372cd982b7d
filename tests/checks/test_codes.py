"""Every code of README's table, through the real command line: the smallest input that shows it, and one nearly the same
that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support import PERSON
from support import SKILL
from support import Folder
from support import Result

README = Path(__file__).parent.parent.parent / "README.md"
PROBLEM = re.compile(r"(\S.*?:\d+:\d+): ([A-Z]{2}\d\d) (.+?) \((.+)\)")

Door = Callable[[Folder], Result]


def check(**files: str) -> Door:
    """The vault with these files, looked at: `check`."""

    def look(vault: Folder) -> Result:
        for path, text in files.items():
            vault.write(path, text)
        return vault.run("check")

    return look


def commit(path: str, text: str, message: str = "mine", **env: str) -> Door:
    """A file committed by hand, past git's hooks of ours: `git commit`."""

    def by_hand(vault: Folder) -> Result:
        vault.write(path, text)
        vault.git("add", "-A")
        return vault.try_git("commit", "-m", message, env=env)

    return by_hand


def agent(*args: str, text: str = "x\n") -> Door:
    """An agent's edit. "BASE" among the arguments is what HEAD has of the note."""

    def edit(vault: Folder) -> Result:
        base = vault.git("rev-parse", f"HEAD:{args[1]}") if "BASE" in args else ""
        given = [base if one == "BASE" else one for one in args]
        return vault.run(*given, "--agent", "codex", stdin=text.encode())

    return edit


def linked(path: str) -> Door:
    """An edit of `path` beside a link to a note."""

    def edit(vault: Folder) -> Result:
        (vault.root / "link.md").symlink_to("Home.md")
        return agent("append", path)(vault)

    return edit


def person(*lines: str) -> str:
    return "\n".join(["---", "type: person", *lines, "---", ""])


def decision(replaces: str = "", project: str = "nova") -> str:
    link = f'replaces: "[[{replaces}]]"\n' if replaces else ""
    return f'---\ntype: decision\ndate: 2026-11-29\nproject: "[[{project}]]"\n{link}---\n'


BOB, ONE, TWO, MOLTED = "people/bob.md", "decisions/one.md", "decisions/two.md", "skills/review-a-pr.md"
MOLT = SKILL.replace("version: 1", "version: 2").replace("2026-11-01", "2026-11-29") + "2. run it\n"
BASED = ("write", MOLTED, "--base", "BASE")
TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # of no one
SCHEMA = ".vaultgit/schemas/person.schema.json"
SIGNED = "Home: x\n\nAgent: codex\nEdit: 01jdx3k9m2qtw7ab"


class Row(NamedTuple):
    """`place` and `mend` (words of it) are what `shows` is told; `passes` is told nothing of the kind."""

    code: str
    shows: Door
    place: str
    mend: str
    passes: Door


# fmt: off
ROWS = [
    Row("FM01", check(**{BOB: person("name: a: b")}), f"{BOB}:3:8", "quotes", check(**{BOB: person("name: 'a: b'")})),
    Row("FM02", check(**{BOB: person("a: 1", "a: 2")}), f"{BOB}:4:1", "keep one", check(**{BOB: person("a: 1", "A: 2")})),
    Row("FM03", check(**{BOB: person("name: 7")}), f"{BOB}:3:1", "the person's name", check(**{BOB: person("name: '7'")})),
    Row("FM04", agent("write", BOB), f"{BOB}:1:1", "add `type: person`", agent("write", "bob.md")),
    Row("LN01", check(**{ONE: decision(project="novel")}), f"{ONE}:4:11", "write that note first", check(**{ONE: decision()})),
    Row("LN02", check(**{ONE: decision(), "x/nova.md": ""}), f"{ONE}:4:11", "say which: [[x/nova]]",
        check(**{ONE: decision(project="projects/nova"), "x/nova.md": ""})),
    Row("SK01", commit(MOLTED, MOLT.replace("version: 2", "version: 1")), f"{MOLTED}:4:1", "write `version: 2`", commit(MOLTED, MOLT)),
    Row("SK02", commit(MOLTED, MOLT.replace("11-29", "11-01")), f"{MOLTED}:6:1", "write `last_updated: 2026-11-29`",
        commit(MOLTED, MOLT.replace("11-29", "11-02"))),
    Row("SK03", agent(*BASED, text=MOLT), "commit-message:1:1", "--reason TEXT", agent(*BASED, "--reason", "it was needed", text=MOLT)),
    Row("SK04", agent(*BASED, "--reason", "r", text=MOLT.replace("name:", "pinned: true\nname:")), f"{MOLTED}:3:1", "leave `pinned`",
        agent(*BASED, "--reason", "r", text=MOLT.replace("name:", "pinned: false\nname:"))),
    Row("DE01", check(**{ONE: decision("nova")}), f"{ONE}:5:1", "link the decision", check(**{ONE: decision("two"), TWO: decision()})),
    Row("DE02", check(**{ONE: decision("one")}), f"{ONE}:5:1", "empty `replaces`", check(**{ONE: decision("two"), TWO: decision("")})),
    Row("NA01", check(**{"a:b.md": ""}), "a:b.md:1:1", "call it a-b.md", check(**{"a;b.md": ""})),
    Row("NA02", commit("home.md", ""), "home.md:1:1", "choose another name", commit("homes.md", "")),
    Row("NA03", check(**{"Home (conflicted copy).md": ""}), "Home (conflicted copy).md:1:1", "merge it into Home.md",
        check(**{"Home (copy).md": ""})),
    Row("SE01", check(**{"x.md": f"my {TOKEN}\n"}), "x.md:1:4", "renew it", check(**{"x.md": f"my {TOKEN} <!-- allow-secret -->\n"})),
    Row("MK01", check(**{"x.md": "Text\n<<<<<<<\n=======\n"}), "x.md:2:1", "delete the marker lines", check(**{"x.md": "Text\n=======\n"})),
    Row("MS01", agent("append", "Home.md", "-m", "#"), "commit-message:1:1", "NOTE: WHAT", agent("append", "Home.md", "-m", "#1")),
    Row("MS02", commit("Home.md", "x", "Home: x", CLAUDECODE="1"), "commit-message:1:1", "vaultgit write, set",
        commit("Home.md", "x", SIGNED, CLAUDECODE="1")),
    Row("PA01", agent("append", "review.md"), "review.md:1:1", "a person can", agent("append", "notes/review.md")),
    Row("PA02", agent("append", "../x.md"), "../x.md:1:1", "inside the vault", agent("append", "a..x.md")),
    Row("PA03", linked("link.md"), "link.md:1:1", "edit what it points to", linked("Home.md")),
    Row("ED01", agent("move", "Home.md", BOB.replace("bob", "ada-lovelace")), "people/ada-lovelace.md:1:1", "vaultgit delete",
        agent("move", "Home.md", "ada-lovelace.md")),
    Row("ED02", agent("write", "Home.md"), "Home.md:1:1", "vaultgit read Home.md", agent("write", "Home2.md")),
    Row("ED03", agent("write", "Home.md", "--base", "0" * 40), "Home.md:1:1", "vaultgit read Home.md", agent("write", "Home.md", "--base", "BASE")),
    Row("SC01", check(**{SCHEMA: "{"}), f"{SCHEMA}:1:1", "mend the schema", check(**{SCHEMA: "{}"})),
]
# fmt: on


def told(done: Result) -> list[tuple[str, str, str]]:
    """Place, code and mend of each problem that was told."""
    found = (PROBLEM.fullmatch(line) for line in (done.out + done.err).splitlines())
    return [(match[1], match[2], match[4]) for match in found if match]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_the_smallest_input_that_shows_it(vault: Folder, row: Row) -> None:
    done = row.shows(vault)
    assert done.code == 1, done
    [(place, code, mend)] = told(done)
    assert (place, code) == (row.place, row.code)
    assert row.mend in mend


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_one_nearly_the_same_that_does_not(vault: Folder, row: Row) -> None:
    done = row.passes(vault)
    assert (done.code, told(done)) == (0, []), done


def test_the_table_has_all_codes_that_readme_lists_and_the_program_knows() -> None:
    table = README.read_text().partition("| code | what |")[2].partition("\n\n")[0]
    listed = re.findall(r"\b[A-Z]{2}\d\d\b", table)
    assert sorted(row.code for row in ROWS) == sorted(listed)
    package = (README.parent / "vaultgit").rglob("*.py")
    assert {code for file in package for code in re.findall(r"\"([A-Z]{2}0\d)\"", file.read_text())} == set(listed)
