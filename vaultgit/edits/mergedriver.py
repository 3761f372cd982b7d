"""git's merge driver for notes: what `merge=vaultgit` in .gitattributes runs."""

from __future__ import annotations

import os
from typing import Any

from vaultgit.edits.merge import merge
from vaultgit.edits.textmerge import text_merge_by
from vaultgit.history.repository import Repository
from vaultgit.history.repository import clean_environment
from vaultgit.notes import frontmatter


def merge_driver(
    repo: Repository | None, base_path: str, ours_path: str, theirs_path: str, path: str, marker_size: int = 7
) -> int:
    """What `merge=vaultgit` in .gitattributes runs with %O %A %B %P %L; the result goes to `ours_path`.

    0: merged. 1: a conflict, and `ours_path` holds what git's own text merge makes of it, with its markers:
    this is a person's own git command. Whatever goes wrong here, git's text merge is what they get.
    """
    git = repo.call if repo is not None else _git_alone
    files = [os.path.abspath(name) for name in (base_path, ours_path, theirs_path)]
    is_note = path.lower().endswith(".md")
    if is_note:
        try:
            base, ours, theirs = (_read(name) for name in files)
            # For a file that both sides added git hands over an empty base.
            known = base if base or not (ours and theirs) else None
            merged = merge(known, ours, theirs, text_merge=text_merge_by(git))
            if merged.data is not None and not merged.conflicts:
                _replace(files[1], merged.data)
                return 0
        except Exception:  # noqa: S110  the text merge below is the answer to every failure
            pass
    size = f"--marker-size={marker_size}"
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    done = git("merge-file", "-q", size, *labels, files[1], files[0], files[2])
    if done.returncode != 0 or not is_note:
        return int(done.returncode != 0)
    # A clean text merge can still give a property twice, where each side added it in another place.
    return int(any(problem.code == "FM02" for problem in frontmatter.read(_read(files[1])).problems))


def _git_alone(*args: str) -> Any:
    """git where no repository is known: `git merge-file` needs none."""
    import subprocess

    return subprocess.run(["git", *args], env=clean_environment(), capture_output=True, check=False)


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _replace(path: str, data: bytes) -> None:
    """Whole or not at all: the text merge after a failure still needs what was there."""
    beside = f"{path}.vaultgit"
    try:
        with open(beside, "wb") as stream:
            stream.write(data)
        os.replace(beside, path)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
