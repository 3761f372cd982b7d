"""A plain search is read without click, just as click reads it."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import click
import pytest

from vaultgit.cli.search import command
from vaultgit.cli.searching import Line
from vaultgit.cli.searching import plain

WORDS = ("--json", "--explain", "--limit", "--limit=3", "--at", "--at=HEAD", "--vault", "--vault=.", "--agent", "--agent=x", "--", "-", "--help",
         "-h", "--js", "--no", "5", "0", "1001", "٣", "two words", "", "-1", "type:x", "HEAD~2")  # fmt: skip


def by_click(args: list[str]) -> Line | None:
    try:
        with command.make_context("search", list(args)) as context:
            return Line(**context.params)
    except (click.UsageError, click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        return None


def test_what_is_read_is_what_click_reads(capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(6)
    lines = [list(one) for n in (0, 1, 2) for one in itertools.product(WORDS, repeat=n)]
    lines += [chance.choices(WORDS, k=chance.randint(3, 6)) for _ in range(3000)]
    read = [(args, line) for args in lines if (line := plain(args)) is not None]
    assert len(read) > 300
    assert [args for args, line in read if line != by_click(args)] == []
    capsys.readouterr()


@pytest.mark.parametrize(
    "args",
    [["a", "b"], ["--json", "a"], ["a", "--limit", "3"], ["--vault", "x", "a"], ["--agent", "x", "a"], ["--", "-a"]],
)
def test_what_agents_type_is_plain(args: list[str]) -> None:
    assert plain(args) is not None
    assert plain(args) == by_click(args)


def test_a_plain_search_imports_no_click() -> None:
    code = "import sys; from vaultgit.cli.main import main; main(['search', 'word']); print('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False"
