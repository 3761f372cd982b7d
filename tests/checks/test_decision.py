"""DE01 and DE02: what a decision replaces."""

from __future__ import annotations

from support import Folder


def decision(replaces: str = "") -> str:
    return f'---\ntype: decision\ndate: 2026-11-01\nproject: "[[nova]]"\nreplaces: {replaces}\n---\nWhy.\n'


def codes(vault: Folder) -> list[str]:
    out = vault.run("check", "--all", "--only", "decision").out.splitlines()
    return [" ".join(line.split(" ")[:2]) for line in out]


def test_a_chain_that_ends_is_fine(vault: Folder) -> None:
    vault.write("decisions/a.md", decision())
    vault.write("decisions/b.md", decision('"[[a]]"'))
    vault.write("decisions/c.md", decision('"[[decisions/b|the old one]]"'))
    assert codes(vault) == []


def test_de01_what_is_no_decision(vault: Folder) -> None:
    vault.write("decisions/a.md", decision('"[[ada-lovelace]]"'))
    assert codes(vault) == ["decisions/a.md:5:1: DE01"]
    vault.write("decisions/plain.md", "no front matter\n")
    vault.write("decisions/a.md", decision('"[[plain]]"'))
    assert codes(vault) == ["decisions/a.md:5:1: DE01"]
    vault.write("decisions/a.md", decision('"[[nowhere]]"'))  # and LN01, that it leads nowhere
    assert codes(vault) == ["decisions/a.md:5:1: DE01"]
    vault.write("x/old.md", "x\n")
    vault.write("y/old.md", "x\n")
    vault.write("decisions/a.md", decision('"[[old]]"'))  # LN02 says that
    assert codes(vault) == []


def test_de02_a_circle(vault: Folder) -> None:
    vault.write("decisions/a.md", decision('"[[a]]"'))
    assert codes(vault) == ["decisions/a.md:5:1: DE02"]
    vault.write("decisions/a.md", decision('"[[c]]"'))
    vault.write("decisions/b.md", decision('"[[a]]"'))
    vault.write("decisions/c.md", decision('"[[b]]"'))
    vault.write("decisions/d.md", decision('"[[a]]"'))  # leads into the circle, but is not of it
    assert codes(vault) == [f"decisions/{name}.md:5:1: DE02" for name in "abc"]


def test_an_agents_edit_that_closes_a_circle_is_refused(vault: Folder) -> None:
    vault.write("decisions/a.md", decision())
    vault.write("decisions/b.md", decision('"[[a]]"'))
    vault.commit()
    refused = vault.run("set", "decisions/a.md", 'replaces="[[b]]"', "--agent", "codex")
    assert refused.code == 1 and "DE02" in refused.err
    vault.write("decisions/a.md", decision('"[[b]]"'))
    vault.git("add", "-A")
    assert "DE02" in vault.try_git("commit", "-m", "x").err
