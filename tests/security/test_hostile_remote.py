"""Somebody who can push to the remote: trees that git's plumbing stores, refs and addresses of any form, and what
`sync` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Folder
from syncing import with_remote

HOOK = b"#!/bin/sh\ntouch ../canary\n"
TREES: dict[str, list[tuple[str, str, bytes]]] = {
    "a hook": [(".git/hooks/post-commit", "100755", HOOK)],
    "a config": [(".git/config", "100644", b'[core]\n\tfsmonitor = "touch canary"\n')],
    "another case": [(".GIT/hooks/post-commit", "100755", HOOK)],
    "a short name": [("git~1/config", "100644", b"x")],
    "without width": [(".g\u200cit/config", "100644", b"x")],
    "upward": [("../x.md", "100644", b"x\n")],
    "here": [("people/./x.md", "100644", b"x\n")],
    "a link": [("out", "120000", b"..")],
    "a link, and a file behind it": [("out", "120000", b".."), ("out/x.md", "100644", b"x\n")],
    "a folder that becomes a link": [("people", "120000", b"../..")],
    "a note that becomes a link": [("people/ada-lovelace.md", "120000", b"../../../x.md")],
    "modules": [(".gitmodules", "100644", b'[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c touch% canary\n'), ("sub", "160000", b"")],
}  # fmt: skip


def pushed(server: Folder, base: str, files: list[tuple[str, str, bytes]]) -> str:
    """A commit on main of the bare repository that no git of a person would have made."""

    def tree(listed: list[tuple[str, str, bytes]], old: str) -> str:
        kept = {line.partition("\t")[2]: line for line in server.git("ls-tree", old).splitlines()} if old else {}
        below: dict[str, list[tuple[str, str, bytes]]] = {}
        lines = []
        for path, mode, data in listed:
            head, slash, rest = path.partition("/")
            if slash:
                below.setdefault(head, []).append((rest, mode, data))
                continue
            kept.pop(head, None)
            oid = "1" * 40 if mode == "160000" else server.git("hash-object", "-w", "--stdin", stdin=data)
            lines.append(f"{mode} {'commit' if mode == '160000' else 'blob'} {oid}\t{head}")
        for head, inside in below.items():
            was = kept.pop(head, "")
            lines.append(f"040000 tree {tree(inside, was.split()[2] if ' tree ' in was else '')}\t{head}")
        text = "\0".join([*kept.values(), *lines]) + "\0"
        return server.git("mktree", "-z", "--missing", stdin=text.encode())

    env = {f"GIT_{who}_{what}": "x@x.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    made = server.git("commit-tree", tree(files, f"{base}^{{tree}}"), "-p", base, "-m", "by the remote", env=env)
    server.git("update-ref", "refs/heads/main", made)
    return made


def beside(vault: Folder) -> dict[str, bytes]:
    top = vault.root.parent
    return {
        str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*"))
        if path.is_file() and not path.is_symlink() and (vault.root not in path.parents or ".git" in path.relative_to(vault.root).parts)
        and not {"objects", "logs", "state", "cache", "home", "refs"} & {*path.parts}
        and path.name not in ("index", "FETCH_HEAD", "ORIG_HEAD", "packed-refs") and ".git/vaultgit" not in str(path)
        and not str(path.relative_to(top)).startswith(("origin", "server", "remote"))
    }  # fmt: skip


@pytest.mark.parametrize("diverged", [False, True], ids=["forward", "diverged"])
@pytest.mark.parametrize("name", TREES)
def test_no_tree_of_a_remote_leads_outside_or_into_git(vault: Folder, name: str, diverged: bool) -> None:
    server = with_remote(vault)
    base = vault.git("rev-parse", "HEAD")
    if diverged:
        assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"ours\n").code == 0
    pushed(server, base, TREES[name])
    before, people = beside(vault), vault.bytes("people/ada-lovelace.md")
    done = vault.run("sync")
    told = done.out + done.err
    assert "Traceback" not in told and "a bug of ours" not in told, done
    assert beside(vault) == before, done
    assert not (vault.root.parent / "x.md").exists() and not (vault.root.parent / "canary").exists()
    assert vault.bytes("people/ada-lovelace.md") == people
    assert not (vault.root / "out").is_symlink()
    if name != "a link, and a file behind it":  # of a name that is there twice, the file may come in, as a file
        assert done.code == 1 and done.err, done


@pytest.mark.parametrize("url", ["ext::sh -c touch% {canary}", "--upload-pack=touch {canary}", "-oProxyCommand=touch {canary}",
                                 "ssh://-oProxyCommand=touch%20{canary}/x"])  # fmt: skip
def test_an_address_that_names_a_program_runs_none(vault: Folder, tmp_path: Path, url: str) -> None:
    canary = tmp_path / "canary"
    vault.git("config", "remote.origin.url", url.format(canary=canary))
    vault.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    for args in (["sync"], ["sync", "origin"], ["sync", "--dry-run"]):
        done = vault.run(*args)
        assert done.code in (1, 2, 75) and "Traceback" not in done.err, done
    assert not canary.exists()


@pytest.mark.parametrize("name", ["--upload-pack=touch canary", "-x", "ext::sh -c touch% canary", "../..", "origin\nx"])
def test_the_name_of_a_remote_is_no_option_and_no_address(vault: Folder, name: str) -> None:
    with_remote(vault)
    done = vault.run("sync", "--", name)
    assert done.code in (1, 2) and "Traceback" not in done.err, done
    assert not vault.exists("canary")
