"""A git that is killed while a review branch is accepted, whatever it was asked: the next run does what is left. P2."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from reviewing import DREAM
from reviewing import NAMES
from reviewing import at
from reviewing import dreamt
from reviewing import exists
from reviewing import sound
from support import Folder


def killing(folder: Path, word: str, number: int) -> dict[str, str]:
    """An environment in which the `number`th git with `word` among its arguments is killed; the file `met` tells."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        f'#!/bin/sh\nhere="{folder}"\ncase " $* " in *" {word} "*) n=1\n'
        'while ! mkdir "$here/$n" 2>/dev/null; do n=$((n + 1)); done\n'
        f'if [ $n = {number} ]; then : >"$here/met"; kill -9 $$; fi;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.faults
def test_p2_the_branch_goes_once_it_is_in(vault: Folder, tmp_path: Path) -> None:
    """Where the branches part tells which are in: no answer must not pass for "they have nothing in common"."""
    dreamt(vault)
    start, old = vault.git("rev-parse", "HEAD"), vault.git("rev-parse", DREAM)
    for number in range(1, 40):
        folder = tmp_path / f"{number}"
        done = vault.run("review", "accept", DREAM, env=killing(folder, "merge-base", number))
        assert "a bug of ours" not in done.err, done
        if not (folder / "met").exists():
            break
        again = vault.run("review", "accept", DREAM)
        assert again.code in (0, 2), again  # 2: it was in, and the branch is gone now
        assert all(b", better\n" in (at(vault, f"skills/{name}.md") or b"") for name in NAMES[:3])
        assert not exists(vault), (number, done)
        assert sound(vault)
        vault.git("reset", "-q", "--hard", start)
        vault.git("update-ref", f"refs/heads/{DREAM}", old)
    assert 3 < number < 39
