"""What `vaultgit init` says of search, as a person sees it at their first try."""

from __future__ import annotations

import re
import shlex

from support import Folder


def test_init_says_that_search_works_and_what_to_try(plain: Folder) -> None:
    done = plain.run("init", str(plain.root))
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert re.search(r"(?m)^✓ search   4 notes in \d\.\d s, no model needed$", done.out), done.out
    [tried] = [line for line in lines if line.startswith("Try: ")]
    assert tried == "Try:   vaultgit search Nova"
    assert "Then:  vaultgit agent install claude --dry-run    vaultgit capture --dry-run" in lines
    found = plain.run(*shlex.split(tried)[2:])
    assert found.code == 0 and "projects/nova.md" in found.out


def test_what_is_to_be_tried_can_be_pasted_into_a_shell(plain: Folder) -> None:
    plain.write("projects/nova.md", '---\ntype: project\nname: "Bob\'s $(plan)"\nstatus: active\n---\n')
    done = plain.run("init", str(plain.root))
    [tried] = [line for line in done.out.splitlines() if line.startswith("Try: ")]
    assert shlex.split(tried)[1:] == ["vaultgit", "search", "Bob's $(plan)"]


def test_an_empty_vault_has_nothing_to_search_for(folder: Folder) -> None:
    for path in list(folder.snapshot()):
        (folder.root / path).unlink()
    done = folder.run("init", str(folder.root))
    assert done.code == 0, done
    assert "✓ search   0 notes" in done.out and "Try:   vaultgit status" in done.out


def test_a_second_init_builds_nothing(vault: Folder) -> None:
    done = vault.run("init", str(vault.root))
    assert "search" not in done.out
