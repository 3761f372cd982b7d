"""history/beside: attributes of a commit that somebody pushed are laid out in a folder of ours, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from support import Folder

from vaultgit.history import beside
from vaultgit.vault import open_vault


def test_a_tree_made_by_hand_lays_nothing_outside_the_folder(vault: Folder, tmp_path: Path) -> None:
    def tree(*entries: str) -> str:
        return vault.git("mktree", stdin="".join(f"{entry}\n" for entry in entries).encode())

    blob = vault.git("hash-object", "-w", "--stdin", stdin=b"* filter=x\n")
    file = f"100644 blob {blob}\t.gitattributes"
    inner = tree(file)
    twice = tree(f"040000 tree {tree(f'040000 tree {inner}	..')}\t..")
    odd = [f"040000 tree {twice}\t..", f"040000 tree {inner}\t.git", f"040000 tree {inner}\t{'n' * 300}",
           f"040000 tree {inner}\tsub", f"120000 blob {blob}\tlink", file]  # fmt: skip
    commit = vault.git("commit-tree", "-m", "odd", tree(*odd))
    before = sorted(tmp_path.rglob(".gitattributes"))
    opened = open_vault(str(vault.root))
    with opened.repo, beside.laid(opened.repo, beside.committed(opened.repo, commit)) as folder:
        there = {path for path in tmp_path.rglob(".gitattributes") if path not in before}
        assert there == {Path(folder, ".gitattributes"), Path(folder, "sub/.gitattributes")}
    assert sorted(tmp_path.rglob(".gitattributes")) == before
