"""The wheel carries the data folders; README names every command, check and hook id."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from vaultgit import checks
from vaultgit.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    [built] = out.glob("*.whl")
    return zipfile.ZipFile(built)


def in_git_or_shipped(folder: Path) -> set[str]:
    return {
        str(path.relative_to(ROOT)) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_data_folders_and_nothing_beside_the_package(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    data = {f"vaultgit/{name}" for folder in ("hooks", "schemas") for name in in_git_or_shipped(ROOT / folder)}
    assert len(data) > 10
    assert data <= names
    assert names == data | in_git_or_shipped(ROOT / "vaultgit")


def test_the_hook_script_can_be_run_from_the_wheel(wheel: zipfile.ZipFile) -> None:
    assert wheel.getinfo("vaultgit/hooks/git-hook").external_attr >> 16 & 0o111


def test_data_folders_hold_no_python() -> None:
    assert not [*(ROOT / "hooks").rglob("*.py"), *(ROOT / "schemas").rglob("*.py")]
    assert not (ROOT / "vaultgit/hooks").exists() and not (ROOT / "vaultgit/schemas").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_readme(name: str) -> None:
    assert f"vaultgit {name}" in README.read_text() or f"`{name}" in README.read_text()


@pytest.mark.parametrize("name", [hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())])
def test_every_hook_id_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in README.read_text()


@pytest.mark.parametrize("name", checks.ALL)
def test_every_check_is_in_the_readme(name: str) -> None:
    assert name.replace("_", "-") in README.read_text()


def test_the_text_for_agents_is_short_and_names_commands_that_exist() -> None:
    text = (ROOT / "hooks/agents.md").read_text()
    assert len(text.encode()) <= 2600
    rules = [line for line in text.splitlines() if line[:1].isdigit()]
    assert 1 <= len(rules) <= 7 and all("because" in rule for rule in rules)
    named = {part.split()[0].strip("`") for part in text.split("`vaultgit ")[1:]}
    assert named and named <= set(COMMANDS)
