from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.checks import protected
from vaultgit.checks.change import FileChange

CASE = Path(__file__).parents[1] / "cases" / "059-mcp-path-traversal-and-stdout" / "paths.txt"


def codes(path, *, agent):
    return [p.code for p in protected.path_problems(path, agent=agent)]


@pytest.mark.parametrize("path", CASE.read_text(encoding="utf-8").splitlines())
def test_every_path_of_the_case_is_refused_for_an_agent(change, path):
    assert codes(path, agent=True)
    for before, after in ((None, b"x"), (b"x", b"y"), (b"x", None)):
        assert protected.check(change((path, before, after), agent="codex"))


@pytest.mark.parametrize(
    "path",
    ["people/ada.md", "-rf.md", "- a.md", "100%.md", "50%25 sure.md", "a…b.md", "…und dann.md", "v1.2/x.md",
     "~draft.md", "~old/x.md", "Q: what.md", "notes/review.md", "notes/changelog.md", "x/my AGENTS.md", "x/AGENTS.md.md",
     "git.md", "a/git/b.md", "a.git/b.md", "猫/é.md", "a~b.md", "my review.md"]
)  # fmt: skip
def test_an_agent_may_write_here(path):
    assert codes(path, agent=True) == []


OUTSIDE = [
    "", "/etc/passwd", "..", "../x.md", "a/../../x.md", "a/../x.md", "./x.md", "a//b.md", "a/", "~",
    "~/x.md", "C:/x.md", "c:x.md", "a\\b.md", "\\\\server\\x", "a\0.md", "a\nb.md", "a\rb.md", "file:///x",
    "FILE:x", "https://x/y.md", "%2e%2e/x.md", "%2E%2e%2fx.md", "%252e%252e/x.md", "a%2f..%2fb.md",
    "%2fetc/x", "a%00.md", "a/.../x.md", "a/.. /x.md", "a/..\u200b/x.md", " /x.md", "a/ .md",
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("agent", [True, False])
def test_pa02_outside_for_everyone(path, agent):
    assert codes(path, agent=agent) == ["PA02"]


GIT = [
    ".git", ".git/config", "a/.git/hooks/x", ".GIT/config", ".Git", ".git /x", ".git./x", ".git . ./x",
    "git~1/x", "GIT~2", ".g\u200cit/config", "\ufeff.git/x", ".gi\u200dt", ".git::$INDEX_ALLOCATION/x",
    ".git:x", "%2egit/x",
]  # fmt: skip


@pytest.mark.parametrize("path", GIT)
@pytest.mark.parametrize("agent", [True, False])
def test_pa01_git_in_any_spelling_for_everyone(path, agent):
    assert codes(path, agent=agent) == ["PA01"]


FOR_PEOPLE = [
    "review.md", "review.MD", "Review.md ", "review.md.", "review.md::$DATA", "re\u200bview.md",
    "changelog.md", "CHANGELOG.md", "changelog/2026-09.md", "Changelog/x.md", "AGENTS.md", "agents.md",
    "CLAUDE.md", "GEMINI.md", "notes/AGENTS.md", "notes/Agents.MD", "a/b/CLAUDE.md", "CLAUDE.local.md", "people/GEMINI.md",
    "people/agents.override.md", "skills/x/AGENTS.md", "a/AGENTS.md./b.md", "a/claude.md::$DATA", "a/ge\u200bmini.md",
    ".gitignore", ".obsidian/plugins/x/main.js", ".vaultgit.toml",
    ".vaultgit/schemas/a.schema.json", ".pre-commit-config.yaml", "a/.hidden/b.md", "a/.b.md",
    "\u200b.obsidian/x", "CHANGE~1.MD", "OBSIDI~1/x",
]  # fmt: skip


@pytest.mark.parametrize("path", FOR_PEOPLE)
def test_pa01_protected_from_agents_only(change, path):
    assert codes(path, agent=True) == ["PA01"]
    assert codes(path, agent=False) == []
    assert protected.check(change((path, None, b"x"))) == []
    assert [p.code for p in protected.check(change((path, b"x", None), agent="codex"))] == ["PA01"]


def test_what_agents_may_not_write_they_may_read_unless_it_is_hidden():
    """Instructions and the vault's own records hold nothing that an agent is kept from."""
    for path in (
        "AGENTS.md",
        "notes/AGENTS.md",
        "GEMINI.md",
        "skills/x/CLAUDE.md",
        "review.md",
        "changelog/2026-09.md",
    ):
        assert protected.reading_problems(path) == []
    for path in (".vaultgit.toml", "a/.b.md", "AGENTS~1.MD", ".git/config", "../AGENTS.md"):
        assert [p.code for p in protected.reading_problems(path)] in (["PA01"], ["PA02"])


@given(st.text())
def test_a_path_that_passes_stays_inside(path):
    if not protected.path_problems(path, agent=False):
        parts = path.split("/")
        assert not path.startswith("/") and ".." not in parts and "" not in parts and "\\" not in path
        assert not any(part.lower().rstrip(" .") == ".git" for part in parts)


@pytest.mark.parametrize(
    ("mode", "found"),
    [("100644", []), ("100755", []), ("120000", ["PA03"]), ("160000", ["PA03"]), ("040000", ["PA03"])],
)
def test_pa03_plain_files_only(change, mode, found):
    file = FileChange("a.md", (None,), b"x", mode)
    assert [p.code for p in protected.check(change(file, agent="codex"))] == found
    assert [p.code for p in protected.mode_problems("a.md", mode)] == found
    assert protected.check(change(file)) == []


def test_a_persons_old_file_with_a_foreign_name_stays_editable(change):
    assert protected.check(change(("AC\\DC.md", b"x", b"y"))) == []
    assert [p.code for p in protected.check(change(("AC\\DC.md", None, b"y")))] == ["PA02"]
