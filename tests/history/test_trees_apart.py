"""history/trees: what git writes beside a merge driver lies in a folder of ours, never beside the notes (promise P3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Folder

from vaultgit.history import trees
from vaultgit.vault import open_vault


@pytest.mark.parametrize("where", ["", "below/"])
def test_p3_a_merge_lays_nothing_beside_the_notes(vault: Folder, tmp_path: Path, where: str) -> None:
    log = tmp_path / "log"
    vault.write(f"{where}.gitattributes", f"{vault.read('.gitattributes') if not where else ''}*.txt merge=spy\n")
    vault.write(f"{where}a.txt", "one\n\nthree\n")
    vault.commit("start")
    vault.git("branch", "other")
    vault.write(f"{where}a.txt", "ONE\n\nthree\n")
    vault.commit("ours")
    vault.git("switch", "--quiet", "other")
    vault.write(f"{where}a.txt", "one\n\nTHREE\n")
    vault.commit("theirs")
    vault.git("switch", "--quiet", "main")
    vault.git("config", "merge.spy.driver", f"ls -A {vault.root} > {log}; pwd >> {log}; false")
    opened = open_vault(str(vault.root))
    with opened.repo:
        merged = trees.merge(opened.repo, vault.git("rev-parse", "main"), vault.git("rev-parse", "other"))
    assert [one.path for one in merged.conflicts] == [f"{where}a.txt"]  # the attributes count, also in folders
    said = log.read_text().splitlines()
    assert not any(name.startswith(".merge_file") for name in said[:-1]), said
    assert said[-1].startswith(str(vault.root / ".git/vaultgit/state/tmp"))
    assert list((vault.root / ".git/vaultgit/state/tmp").iterdir()) == []
