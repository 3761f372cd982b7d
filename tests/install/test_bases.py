"""Table views for Obsidian: what stands in the files."""

from __future__ import annotations

import json

import pytest
import yaml
from support import Folder

from vaultgit import config
from vaultgit import resources
from vaultgit.install import bases
from vaultgit.vault import Disk


@pytest.mark.parametrize("name", bases.TYPES)
@pytest.mark.parametrize("folder", ["skills", "10 Skills", "it's", 'a "b"', "技能", "#1: x"])
def test_a_base_shows_the_notes_of_its_type_in_its_folder(name: str, folder: str) -> None:
    found = yaml.safe_load(bases.text(name, folder, "type"))
    of_type, in_folder = found["filters"]["and"]
    assert of_type == f'note["type"] == "{bases.TYPES[name]}"'
    assert in_folder == f"file.inFolder({json.dumps(folder, ensure_ascii=False)})"


@pytest.mark.parametrize("name", bases.TYPES)
def test_its_columns_are_properties_of_the_type(name: str) -> None:
    found = yaml.safe_load(bases.text(name, "x", "type"))
    schema = json.loads(resources.read("schemas", f"{bases.TYPES[name]}.schema.json"))
    known = {"file.name", *schema["properties"]}
    for view in found["views"]:
        assert view["type"] == "table" and view["name"]
        assert set(view["order"]) <= known
        assert {one["property"] for one in view["sort"]} <= known
        assert view.get("groupBy", {"property": "file.name"})["property"] in known
    assert {name.removeprefix("note.") for name in found["properties"]} <= known


def test_a_type_at_home_in_the_whole_vault_and_another_property_for_types() -> None:
    found = yaml.safe_load(bases.text("inbox.base", "", 'my "kind"'))
    assert found["filters"] == {"and": ['note["my \\"kind\\""] == "inbox"']}


def test_only_what_is_not_there_is_written(folder: Folder) -> None:
    folder.write("BASES/Inbox.base", "mine\n")
    written = bases.files(Disk(str(folder.root)), config.LAYOUT, "type")
    assert set(written) == {"BASES/skills.base", "BASES/decisions.base", "BASES/sessions.base"}
