"""What is understood of .obsidian, and what that makes of the notes: daily notes and templates."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from vaultgit import config
from vaultgit import obsidian
from vaultgit.errors import UsageError
from vaultgit.obsidian import Daily
from vaultgit.vault import Disk
from vaultgit.vault import Rules
from vaultgit.vault import daily_path

DAY = date(2026, 11, 29)
CORE, PERIODIC = obsidian.CORE, obsidian.PERIODIC
PLUGINS, CORES = ".obsidian/community-plugins.json", ".obsidian/core-plugins.json"
ON: dict[str, Any] = {PLUGINS: ["periodic-notes"], PERIODIC: {"daily": {"folder": "P", "enabled": True}}}


class Files:
    """A vault of a few files, without a disk."""

    def __init__(self, files: dict[str, Any]) -> None:
        self.files = {
            path: data if isinstance(data, bytes) else json.dumps(data).encode() for path, data in files.items()
        }

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def names(self, folder: str) -> list[str]:
        return []


def daily(files: dict[str, Any]) -> Daily | None:
    return obsidian.read(Files(files).read).daily


def rules(files: dict[str, Any]) -> Rules:
    return Rules(Files(files))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({CORE: {}}, Daily("", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "", "format": ""}}, Daily("", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "/Journal/"}}, Daily("Journal", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "a//b", "format": " /YYYY/MM-DD/ "}}, Daily("a/b", "YYYY/MM-DD", CORE)),
        ({CORE: {"folder": "J", "format": None}}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "J", "format": 7}}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: b"\xef\xbb\xbf" + b'{"folder": "J"}'}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: '{"folder": "J"}'.encode("utf-16")}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": ["J"]}}, None),
        ({CORE: {"folder": "../J"}}, None),
        ({CORE: {"folder": ".trash"}}, None),
        ({CORE: ["J"]}, None),
        ({CORE: b""}, None),
        ({CORE: b"{"}, None),
        ({CORE: b"\xff\xfe\x00"}, None),
        ({CORE: b"[" * 100_000}, None),
        # the core plugin is off: the list of those that are on, or a word for each
        ({CORE: {}, CORES: ["file-explorer"]}, None),
        ({CORE: {"folder": "J"}, CORES: ["file-explorer"]}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "J"}, CORES: {"daily-notes": False}, **ON}, Daily("P", "YYYY-MM-DD", PERIODIC)),
        ({CORE: {"folder": "J"}, CORES: ["daily-notes"], **ON}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "J"}, CORES: {"daily-notes": True}, **ON}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "J"}, CORES: b"{", **ON}, Daily("J", "YYYY-MM-DD", CORE)),
        ({CORE: {"folder": "J"}, CORES: {"daily-notes": "no"}, **ON}, Daily("J", "YYYY-MM-DD", CORE)),
        (ON, Daily("P", "YYYY-MM-DD", PERIODIC)),
        ({**ON, PLUGINS: []}, None),
        ({**ON, PLUGINS: {"periodic-notes": True}}, None),
        ({**ON, PERIODIC: {"daily": {"folder": "P", "enabled": False}}}, None),
        ({**ON, PERIODIC: {"daily": {"folder": "P"}}}, None),
        ({**ON, PERIODIC: {"daily": "P"}}, None),
        ({**ON, PERIODIC: ["daily"]}, None),
        ({**ON, PERIODIC: {"daily": {"format": "YYYYMMDD", "enabled": True}}}, Daily("", "YYYYMMDD", PERIODIC)),
        (
            {
                **ON,
                PERIODIC: {
                    "activeCalendarSet": "two",
                    "calendarSets": [
                        {"id": "one", "day": {"folder": "1", "enabled": True}},
                        "odd",
                        {"id": "two", "day": {"folder": "2", "enabled": True}},
                    ],
                },
            },
            Daily("2", "YYYY-MM-DD", PERIODIC),
        ),
        ({**ON, PERIODIC: {"calendarSets": []}}, None),
    ],
)
def test_where_daily_notes_lie(files: dict[str, Any], expected: Daily | None) -> None:
    assert daily(files) == expected


def test_a_file_that_cannot_be_read_says_nothing() -> None:
    def read(path: str) -> bytes | None:
        raise PermissionError(13, "no", path)

    assert obsidian.read(read) == obsidian.Obsidian(None, (), ())
    assert not obsidian.commits_by_itself(read)


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        ({".obsidian/templates.json": {"folder": "/T/"}}, ["T"]),
        ({".obsidian/plugins/templater-obsidian/data.json": {"templates_folder": "A/T"}}, ["A/T"]),
        ({".obsidian/plugins/templater-obsidian/data.json": {"template_folder": "old"}}, ["old"]),
        ({".obsidian/templates.json": {"folder": "/"}}, []),
        ({".obsidian/templates.json": {"folder": 7}}, []),
        ({CORE: {"template": "T/Daily"}}, ["T"]),
        ({CORE: {"folder": "J", "template": "J/Daily"}}, []),
        ({CORE: {"folder": "J/2026", "template": "J/Daily"}}, []),
        ({CORE: {"folder": "J", "template": "J/T/Daily"}}, ["J/T"]),
        ({CORE: {"template": "Daily"}}, []),
        ({PLUGINS: ["periodic-notes"], PERIODIC: {"weekly": {"template": "T/Weekly.md"}}}, ["T"]),
        ({PERIODIC: {"weekly": {"template": "T/Weekly.md"}}}, []),
    ],
)
def test_template_folders(files: dict[str, Any], folders: list[str]) -> None:
    assert list(obsidian.read(Files(files).read).templates) == folders


def test_a_template_beside_the_daily_notes_is_the_only_one_there() -> None:
    found = rules({CORE: {"folder": "J", "template": "J/Template"}})
    assert found.expected_type("J/Template.md") is None
    assert found.expected_type("J/2026-11-29.md") == "daily"


# -- which notes are daily notes ---------------------------------------------------------------------


def test_daily_notes_lie_where_obsidian_puts_them() -> None:
    found = rules({CORE: {"folder": "Journal"}})
    assert found.folder("daily") == "Journal"
    assert found.managed("Journal/2026-11-29.md", b"---\ntype: daily\n---\n") == "daily"
    assert found.managed("Journal/thoughts.md", b"---\ntype: daily\n---\n") == "daily"
    assert found.managed("Journal/2026-11-29.md", b"no front matter\n") is None
    assert found.managed("daily/2026-11-29.md", b"---\ntype: daily\n---\n") is None


def test_what_the_settings_say_holds_before_obsidian() -> None:
    found = rules({CORE: {"folder": "Journal", "format": "YYYYMMDD"}, config.FILE: b'[layout]\ndaily = "Tage"\n'})
    assert found.folder("daily") == "Tage"
    assert daily_path(found, DAY) == "Tage/20261129.md"
    named_as_fixed = rules({CORE: {"folder": "Journal"}, config.FILE: b'[layout]\ndaily = "daily"\n'})
    assert named_as_fixed.folder("daily") == "daily"


def test_at_the_root_only_a_note_named_after_a_day_is_a_daily_note() -> None:
    found = rules({CORE: {"format": "YYYY/[Daily]/MM/YYYY-MM-DD"}})
    assert found.folder("daily") == ""
    assert daily_path(found, DAY) == "2026/Daily/11/2026-11-29.md"
    assert found.expected_type("2026/Daily/11/2026-11-29.md") == "daily"
    for path in ("Home.md", "2026-11-29.md", "2026/Daily/12/2026-11-29.md", "2026/Daily/11/note.md"):
        assert found.expected_type(path) is None
    assert found.expected_type("people/ada.md") == "person"


def test_daily_notes_in_another_types_folder_are_told_by_their_names() -> None:
    found = rules({CORE: {"folder": "inbox"}})
    assert found.expected_type("inbox/2026-11-29.md") == "daily"
    assert found.expected_type("inbox/later.md") == "inbox"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({}, "daily/2026-11-29.md"),
        ({CORE: {}}, "2026-11-29.md"),
        ({CORE: {"folder": "J", "format": "gggg-[W]ww/dddd, MMMM Do"}}, "J/2026-W49/Sunday, November 29th.md"),
        ({CORE: {"folder": "J", "format": "YYYY-MM-DD[.md]"}}, "J/2026-11-29.md"),
    ],
)
def test_the_path_of_a_days_note(files: dict[str, Any], path: str) -> None:
    assert daily_path(rules(files), DAY) == path


def test_a_format_that_names_no_day_makes_no_daily_notes_and_is_named() -> None:
    found = rules({CORE: {"format": "YYYY-MM-DD HHmm"}})
    assert found.expected_type("2026-11-29 2110.md") is None
    with pytest.raises(UsageError, match="HH"):
        daily_path(found, DAY)


def test_the_day_of_a_path() -> None:
    found = Daily("J", "YYYY-MM-DD")
    assert found.day("J/2026-11-29.md") == DAY
    assert found.day("J/x.md") is None and found.day("2026-11-29.md") is None


def test_a_folder_in_a_files_place_breaks_nothing(tmp_path: Any) -> None:
    for path in (CORE, PLUGINS, CORES, ".obsidian/templates.json"):
        (tmp_path / path).mkdir(parents=True)
    assert Rules(Disk(str(tmp_path))).folder("daily") == "daily"
