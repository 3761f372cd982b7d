"""The list of checks, how a problem prints, and what importing them costs."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from vaultgit import checks
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import Problem
from vaultgit.errors import UsageError

PERSON = b"---\ntype: person\n---\n"


def test_problem_prints_where_what_and_how_to_mend():
    problem = Problem("people/ada.md", 3, 7, "FM01", "a colon in a plain text", "put it in quotes")
    assert str(problem) == "people/ada.md:3:7: FM01 a colon in a plain text (put it in quotes)"
    assert str(problem._replace(mend="")) == "people/ada.md:3:7: FM01 a colon in a plain text"


def test_problem_as_json():
    assert Problem("a.md", 1, 2, "NA01", "m", "n").as_json() == {
        "path": "a.md", "line": 1, "column": 2, "code": "NA01", "message": "m", "mend": "n",
    }  # fmt: skip


def test_problem_prints_on_one_line_whatever_a_name_holds():
    text = str(Problem("a\nb\x1b[2J.md", 1, 1, "NA01", "‮evil", ""))
    assert "\n" not in text and "\x1b" not in text and "‮" not in text
    assert "é – 猫" in str(Problem("é – 猫.md", 1, 1, "NA01", "m", ""))


def test_added():
    assert FileChange("a", (), b"").added
    assert FileChange("a", (None, None), b"").added
    assert not FileChange("a", (None, b"x"), b"").added
    assert not FileChange("a", (), None).added


def test_every_check_is_a_module_with_a_pure_function(change):
    for name in checks.ALL:
        assert import_module(f"vaultgit.checks.{name}").check(change()) == []


def test_run_sorts_by_place(change):
    bad = b"<<<<<<< a\n=======\n>>>>>>> b\n"
    found = checks.run(change(("z.md", None, bad), ("b?.md", None, bad), agent="a", message="ok"))
    assert [(p.path, p.code) for p in found] == [("b?.md", "MK01"), ("b?.md", "NA01"), ("z.md", "MK01")]


def test_run_only_some(change):
    given = change(("b?.md", None, b"<<<<<<< a\n=======\n>>>>>>> b\n"))
    assert [p.code for p in checks.run(given, ["names"])] == ["NA01"]
    assert checks.run(given, ["front-matter"]) == []
    with pytest.raises(UsageError, match="spelling"):
        checks.run(given, ["spelling"])


@pytest.mark.parametrize("module", ["", *(f".{name}" for name in checks.ALL)])
def test_importing_a_check_loads_nothing_heavy(module):
    heavy = (
        "dataclasses pathlib git jsonschema jsonschema_rs yaml click asyncio logging tempfile inspect "
        "subprocess detect_secrets vaultgit.vault"
    )
    code = (
        f"import sys; before = set(sys.modules); import vaultgit.checks{module}; "
        f"print(*(set(sys.modules) - before) & set('{heavy}'.split()))"
    )
    here = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here)
    assert done.stdout.strip() == ""
