"""`agent install`: our hooks in other people's settings, and the exact inverse (P12); nothing of it holds a client up
(P10)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Folder
from support import Result
from support import run_cli

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.install import clients
from vaultgit.install import settings
from vaultgit.install.clients import claude
from vaultgit.install.clients import codex
from vaultgit.install.clients import command
from vaultgit.install.clients import entries
from vaultgit.install.clients import files
from vaultgit.install.clients import jsontext

PAYLOADS = {"session_id": "s", "transcript_path": "/nowhere/.claude/projects/x/s.jsonl", "cwd": "/", "prompt_id": "p"}
VAULT = "/home/dev/My Notes"
THEIRS = '{"type": "command", "command": "notify-send done"}'


@pytest.fixture
def home(vault: Folder) -> Path:
    return vault.root.parent / "home"


def files_in(folder: Path) -> dict[str, bytes | str]:
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def fine(done: Result) -> Result:
    assert done.code == 0, done.out + done.err
    return done


def line(name: str, vault: Folder, agent: str = "claude-code") -> str:
    return f"{settings.program()} hook {name} --agent {agent} --vault {vault.root} || true"


def commands(path: Path) -> dict[str, list[str]]:
    """Event -> the commands of its hooks."""
    hooks = json.loads(path.read_text())["hooks"]
    return {event: [one["command"] for group in groups for one in group["hooks"]] for event, groups in hooks.items()}


# -- to the byte -----------------------------------------------------------------------------------

SPACE = st.sampled_from(["", "", " ", "\n", "\n  ", "\t", "\r\n    ", "  \n\n "])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
COMMANDS = st.sampled_from(
    [
        "notify-send done",
        "echo vaultgit record",
        "vaultgit hook wrote && say ok",
        "vaultgit status",
        "x/vaultgit-record recap",
        "vaultgit hook pre-commit",
    ]
)
ENTRY = st.fixed_dictionaries({"type": st.just("command"), "command": COMMANDS}, optional={"timeout": st.just(7)})
GROUP = st.fixed_dictionaries({"hooks": st.lists(ENTRY, max_size=2)}, optional={"matcher": st.just("Bash")})
EVENTS = st.sampled_from(["PreCompact", "SessionEnd", "PostToolUse", "SessionStart", "Stop"])
SETTINGS = st.builds(
    lambda others, hooks: {**others, **hooks},
    st.dictionaries(TEXTS.filter(lambda key: key != "hooks"), PLAIN, max_size=4),
    st.just({}) | st.fixed_dictionaries({"hooks": st.dictionaries(EVENTS, st.lists(GROUP | PLAIN, max_size=2))}),
)


@st.composite
def written(draw: st.DrawFn, value: Any = None) -> str:
    """Settings as some program or person may have written them: each gap of another kind."""

    def text(one: Any) -> str:
        gap = lambda: draw(SPACE)  # noqa: E731
        if isinstance(one, dict):
            parts = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{text(inner)}{gap()}" for key, inner in one.items()]
            return "{" + (",".join(parts) or gap()) + "}"
        if isinstance(one, list):
            return "[" + (",".join(f"{gap()}{text(inner)}{gap()}" for inner in one) or gap()) + "]"
        return json.dumps(one, ensure_ascii=draw(st.booleans()))

    value = draw(SETTINGS) if value is None else value
    if draw(st.booleans()):
        return draw(SPACE) + text(value) + draw(SPACE)
    indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
    return json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))


def foreign(text: str) -> Any:
    """What a file says without our hooks, and without what holds nothing then."""
    value = json.loads(text)
    hooks = value.get("hooks", {})
    for event in list(hooks):
        kept = []
        for group in hooks[event]:
            if isinstance(group, dict) and isinstance(group.get("hooks"), list):
                left = [
                    one for one in group["hooks"] if not (isinstance(one, dict) and entries.verb(one.get("command")))
                ]
                if left != group["hooks"] and not left:
                    continue
                group = {**group, "hooks": left}
            kept.append(group)
        hooks[event] = kept
    value["hooks"] = {event: groups for event, groups in hooks.items() if groups}
    return value if value["hooks"] else {key: one for key, one in value.items() if key != "hooks"}


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda one: one.NAME)
@given(text=written() | st.sampled_from(["", "\n", "{}", " { } ", '{"hooks":{}}', '{"hooks": {"PreCompact": []}}']))
def test_remove_restores_what_install_found(client: clients.Client, text: str) -> None:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where, client.SETTINGS)
        path.write_bytes(text.encode())
        clients.apply(client, where, clients.plan_install(client, where, VAULT))
        new = path.read_bytes().decode()
        if text.strip():
            assert foreign(new) == foreign(text)
            assert list(json.loads(new))[: len(json.loads(text))] == list(json.loads(text))
        found = [(one.event, one.command, one.entry["timeout"]) for one in entries.ours(new)]
        assert sorted(found) == sorted((one.event, one.command, one.timeout) for one in clients.hooks(client, VAULT))
        assert clients.plan_install(client, where, VAULT).empty
        clients.apply(client, where, clients.plan_remove(client, where))
        assert files_in(Path(where)) == {client.SETTINGS: text.encode()}  # and no file that was made


@given(text=written(), more=PLAIN, key=st.sampled_from(["a", "zz"]), gone=st.booleans())
def test_what_somebody_changed_since_stays(text: str, more: Any, key: str, gone: bool) -> None:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where, claude.SETTINGS)
        path.write_bytes(text.encode())
        clients.apply(claude, where, clients.plan_install(claude, where, VAULT))
        now = path.read_bytes().decode()
        if gone:
            Path(*files.backups(str(path))).unlink()
        edited = jsontext.add_member(now, now.index("{"), key + "-new", more)
        path.write_bytes(edited.encode())
        clients.apply(claude, where, clients.plan_remove(claude, where))
        left = path.read_bytes().decode()
        assert foreign(left) == foreign(edited) and not entries.ours(left)
        assert [name for name in files_in(Path(where)) if name != claude.SETTINGS] == []
        if not gone:  # lists that were there before us stay
            assert {key: set(one) for key, one in json.loads(text).items() if key == "hooks"} == {
                key: set(one) for key, one in json.loads(left).items() if key == "hooks"
            }


@given(text=written(), first=st.sampled_from(["PreCompact", "PostToolUse"]), place=st.sampled_from(["group", 0, 1]))
def test_a_hook_of_theirs_beside_ours_stays(text: str, first: str, place: Any) -> None:
    with tempfile.TemporaryDirectory() as where:
        path = Path(where, claude.SETTINGS)
        path.write_bytes(text.encode())
        clients.apply(claude, where, clients.plan_install(claude, where, VAULT))
        value = json.loads(path.read_bytes())
        if place == "group":
            value["hooks"][first].append({"hooks": [json.loads(THEIRS)]})
        else:
            value["hooks"][first][-1]["hooks"].insert(place, json.loads(THEIRS))
        edited = json.dumps(value, indent=3)
        path.write_bytes(edited.encode())
        clients.apply(claude, where, clients.plan_remove(claude, where))
        left = path.read_bytes().decode()
        assert foreign(left) == foreign(edited) and not entries.ours(left)
        assert left.count(json.loads(THEIRS)["command"]) == edited.count(json.loads(THEIRS)["command"])


def test_the_manner_of_the_file_is_kept() -> None:
    hook = [entries.Hook("Stop", "", "recap", "vaultgit recap", 5)]
    tabs = '{\r\n\t"a": 1\r\n}\r\n'
    assert entries.put(tabs, hook).startswith('{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{')
    assert entries.put('{"a": 1}', hook).count("\n") == 0
    four = '{\n    "hooks": {\n        "Stop": [\n            {"hooks": [' + THEIRS + "]}\n        ]\n    }\n}\n"
    assert '\n            {"hooks": [' + THEIRS + ']},\n            {\n                "hooks"' in entries.put(
        four, hook
    )


# -- what is ours ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        ("vaultgit record || true", "record"),
        ("vaultgit recap", "recap"),
        ("'/home/a b/bin/vaultgit' recap --background --vault '/x y' || true", "recap"),
        ("/usr/bin/python3 -P -m vaultgit record --vault /x || true", "record"),
        ("vaultgit hook wrote || true", "wrote"),
        ("'/home/a b/bin/vaultgit' hook session-start --agent claude-code --vault '/x y' || true", "session-start"),
        ("/usr/bin/python3 -P -m vaultgit hook prompt --vault /x || true", "prompt"),
        ("vaultgit hook pre-commit", ""),
        ("vaultgit hook", ""),
        ("vaultgit hook prompt | tee /tmp/x", ""),
        ("vaultgit record && notify-send ok", ""),
        ("cd /x; vaultgit record", ""),
        ("echo vaultgit record", ""),
        ("vaultgit status", ""),
        ("vaultgit", ""),
        ("vaultgit record 'open", ""),
        (None, ""),
    ],
)
def test_a_hook_is_ours_by_its_words(words: Any, verb: str) -> None:
    assert entries.verb(words) == verb


def test_another_program_or_vault_is_brought_up_to_date_in_its_place(vault: Folder, home: Path) -> None:
    """P12: the block of README, an older installation, another vault."""
    old = "/gone/vaultgit record --vault /x || true"
    there = {"hooks": {"PostToolUse": [
        {"matcher": "Write", "hooks": [{"type": "command", "command": old, "note": "mine"}]},
        {"matcher": "Bash", "hooks": [json.loads(THEIRS)]},
    ]}}  # fmt: skip
    path = put(home, ".claude/settings.json", json.dumps(there, indent=2))
    before = path.read_bytes()
    done = fine(vault.run("agent", "install", "claude"))
    assert "+4 hooks, 1 hook brought up to date, before for the vault /x" in done.out
    hooks = json.loads(path.read_text())["hooks"]
    first, second = hooks["PostToolUse"]
    assert second == there["hooks"]["PostToolUse"][1] and first["matcher"] == "Write"
    assert first["hooks"] == [{"type": "command", "command": line("wrote", vault), "note": "mine", "timeout": 10}]
    removed = fine(vault.run("agent", "remove", "claude"))
    assert path.read_bytes() == before and old in removed.out  # it was theirs, and it says so
    fine(vault.run("agent", "remove", "claude"))
    assert commands(path) == {"PostToolUse": ["notify-send done"]}


def test_one_that_is_as_it_should_be_is_enough() -> None:
    hook = entries.Hook("SessionEnd", "", "session-end", "/bin/vaultgit hook session-end --vault /a || true", 5)
    text = entries.put(entries.put("", [hook._replace(command="vaultgit hook session-end --vault /b")]), [])
    at = text.index("[")
    both = jsontext.add_item(text, at, {"hooks": [{"type": "command", "command": hook.command, "timeout": 9}]})
    assert entries.put(both, [hook]) == both


# -- on the command line ---------------------------------------------------------------------------


def test_into_an_empty_home_and_out_again(vault: Folder, home: Path) -> None:
    before = files_in(home)
    for client in ("claude", "codex"):
        done = fine(vault.run("agent", "install", client))
        assert "tried it" in done.out and f"Undo:  vaultgit agent remove {client}" in done.out
    for client, agent in ((".claude/settings.json", "claude-code"), (".codex/hooks.json", "codex")):
        assert commands(home / client) == {
            event: [line(name, vault, agent)]
            for event, name in (
                ("SessionStart", "session-start"), ("UserPromptSubmit", "prompt"), ("PostToolUse", "wrote"),
                ("PreCompact", "compact"), ("SessionEnd", "session-end"),
            )
        }  # fmt: skip
    for told in (".claude/CLAUDE.md", ".codex/AGENTS.md"):
        lines = (home / told).read_text().splitlines()
        assert len(lines) == 5 and "vaultgit begin" in lines[0] and f" search WORDS --vault {vault.root}`" in lines[2]
    assert f"allowed-tools: Bash({settings.program()} recap:*)\n" in (home / ".claude/commands/recap.md").read_text()
    assert (
        f"    {settings.program()} recap --vault {vault.root}\n" in (home / ".codex/skills/recap/SKILL.md").read_text()
    )
    listed = fine(vault.run("agent", "list")).out
    events = "SessionStart, UserPromptSubmit, PostToolUse, PreCompact, SessionEnd"
    assert f"claude   5 hooks ({events}), lines in CLAUDE.md, /recap, for" in listed and "codex    5 hooks" in listed
    for client in ("claude", "codex"):
        fine(vault.run("agent", "remove", client))
    assert files_in(home) == before and not (home / ".claude").exists() and not (home / ".codex").exists()
    assert "nothing to do" in fine(vault.run("agent", "remove", "claude")).out
    assert fine(vault.run("agent")).out.count("not installed") == 2


def test_again_changes_nothing(vault: Folder, home: Path) -> None:
    put(home, ".claude/settings.json", '{"model": "opus"}')
    fine(vault.run("agent", "install", "claude"))
    before = files_in(home)
    assert "nothing to do" in fine(vault.run("agent", "install", "claude")).out
    assert files_in(home) == before


def test_a_dry_run_writes_nothing_and_shows_nothing_of_theirs(vault: Folder, home: Path) -> None:
    secret = "tok" + "en-of-theirs"
    for text in (f'{{\n  "env": {{\n    "TOKEN": "{secret}"\n  }}\n}}\n', f'{{"env": {{"TOKEN": "{secret}"}}}}'):
        put(home, ".claude/settings.json", text)
        before = files_in(home)
        done = fine(vault.run("agent", "install", "claude", "--dry-run"))
        assert "Would write" in done.out and "hook session-start" in done.out and secret not in done.out
        assert "WORDS" in done.out  # the lines of instructions are shown, too
        assert files_in(home) == before
        fine(vault.run("agent", "install", "claude"))
        installed = files_in(home)
        done = fine(vault.run("agent", "remove", "claude", "--dry-run"))
        assert "Would delete" in done.out and secret not in done.out and files_in(home) == installed
        fine(vault.run("agent", "remove", "claude"))


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ('{\n  "a": 1,\n  // mine\n  "b": 2\n}\n', "3:3", "comment"),
        ('{\n  "a": 1\n  "b": 2\n}\n', "3:3", "delimiter"),
        ('{\n  "a": tru\n}', "2:8", "value"),
        ("[]", "1:1", "not an object"),
        ('{"hooks": []}', "1:11", "not an object"),
        ('{"hooks": {"Stop": {}}}', "1:20", "not a list"),
        ('{"hooks": {}, "hooks": {}}', "1:15", "twice"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "1:24", "twice"),
        ('{"a": NaN}', "1:1", "NaN"),
        ('{\n "a": "\udcff"}', "2:8", "UTF-8"),
    ],
)
def test_settings_that_cannot_be_understood_are_left(
    vault: Folder, home: Path, text: str, place: str, why: str
) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = files_in(home)
    done = vault.run("agent", "install", "claude")
    assert done.code == 2 and f"{path}:{place}: " in done.err and why in done.err and "nothing was written" in done.err
    assert files_in(home) == before
    assert vault.run("agent", "remove", "claude").code == 2 and files_in(home) == before


def test_a_link_stays_a_link_and_a_mode_a_mode(vault: Folder, home: Path) -> None:
    """Settings often lie in a repository of dot-files, with tokens in them."""
    target = put(home, "dotfiles/claude.json", '{\n  "model": "opus"\n}\n')
    target.chmod(0o640)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").symlink_to("../dotfiles/claude.json")
    before = files_in(home)
    fine(vault.run("agent", "install", "claude"))
    [backup] = (home / ".claude").glob("settings.json.vaultgit-backup-*")
    assert (home / ".claude/settings.json").is_symlink() and "hook prompt" in target.read_text()
    assert [path.stat().st_mode & 0o777 for path in (target, backup)] == [0o640, 0o640]
    assert os.listdir(home / "dotfiles") == ["claude.json"]
    fine(vault.run("agent", "remove", "claude"))
    assert files_in(home) == before and target.stat().st_mode & 0o777 == 0o640


def test_a_link_that_leads_nowhere_yet(vault: Folder, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").symlink_to(home / "dotfiles/hooks.json")
    fine(vault.run("agent", "install", "codex"))
    assert "hook prompt" in (home / "dotfiles/hooks.json").read_text()
    fine(vault.run("agent", "remove", "codex"))
    assert os.readlink(home / ".codex/hooks.json") and not (home / "dotfiles/hooks.json").exists()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_plain_file_is_left(vault: Folder, home: Path, make: Any) -> None:
    (home / ".claude").mkdir()
    make(home / ".claude/settings.json")
    done = vault.run("agent", "install", "claude")
    assert done.code == 2 and "cannot be read" in done.err and os.listdir(home / ".claude") == ["settings.json"]


def test_a_change_at_the_same_moment_is_not_written_over(tmp_path: Path) -> None:
    path = put(tmp_path, claude.SETTINGS, "{}")
    plan = clients.plan_install(claude, str(tmp_path), VAULT)
    path.write_text('{"a": 1}')
    with pytest.raises(VaultgitError, match="changed at this moment"):
        clients.apply(claude, str(tmp_path), plan)
    assert path.read_text() == '{"a": 1}'


def test_a_byte_order_mark_stays(vault: Folder, home: Path) -> None:
    path = put(home, ".claude/settings.json", '\ufeff{"a": 1}')
    fine(vault.run("agent", "install", "claude"))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{") and "vaultgit" in path.read_text("utf-8-sig")
    fine(vault.run("agent", "remove", "claude"))
    assert path.read_bytes() == b'\xef\xbb\xbf{"a": 1}'


def test_a_backup_that_is_gone_or_broken_costs_no_settings(vault: Folder, home: Path) -> None:
    """One that a person edited is theirs, and stays."""
    text = '{\n  "model": "opus"\n}\n'
    path = put(home, ".claude/settings.json", text)
    for damage in (None, "{", '{"model": "old"}'):
        fine(vault.run("agent", "install", "claude"))
        [backup] = path.parent.glob("*.vaultgit-backup*")
        backup.unlink()
        if damage is not None:
            backup.write_text(damage)
        fine(vault.run("agent", "remove", "claude"))
        assert path.read_text() == text and files_in(path.parent).pop(backup.name, b"").decode() == (damage or "")
        backup.unlink(missing_ok=True)
        assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize("client", ["claude", "codex"])
@pytest.mark.parametrize("kind", ["settings", "instructions"])
@pytest.mark.parametrize("there", ["link", "link to nothing", "file", "folder", "pipe", "device"])
def test_what_stands_where_a_backup_would_is_not_followed_written_over_or_deleted(
    vault: Folder, home: Path, client: str, kind: str, there: str
) -> None:
    """Of the name of today and of the one before: a note that a link led to was written over, and then deleted."""
    chosen = clients.named(client)
    path = put(home, f".{client}/{chosen.SETTINGS if kind == 'settings' else chosen.INSTRUCTIONS}", "{}\n")
    vault.write("Diary.md", "dear diary\n")
    for name in (f"{path}{files.BACKUP}", files.backup_of(str(path), b"{}\n")):
        if there.startswith("link"):
            os.symlink(vault.root / ("Diary.md" if there == "link" else "new.md"), name)
        elif there == "file":
            Path(name).write_text("my own\n")
        elif there == "device":
            os.symlink("/dev/zero", name)
        else:
            {"folder": os.mkdir, "pipe": os.mkfifo}[there](name)
        before = files_in(home)
        done = vault.run("agent", "install", client)
        if name.endswith(files.BACKUP):
            fine(done)
        else:
            assert done.code == 2 and "in the way" in done.err and "nothing was written" in done.err
            assert files_in(home) == before
        fine(vault.run("agent", "remove", client))
        assert files_in(home) == before and os.path.lexists(name)
        assert vault.read("Diary.md") == "dear diary\n" and not vault.exists("new.md")
        if there == "folder":
            os.rmdir(name)
        else:
            os.unlink(name)


def test_a_backup_that_became_a_link_since_leads_no_deletion_anywhere(vault: Folder, home: Path) -> None:
    text = '{\n  "model": "opus"\n}\n'
    path = put(home, ".claude/settings.json", text)
    fine(vault.run("agent", "install", "claude"))
    [backup] = path.parent.glob("*.vaultgit-backup*")
    vault.write("Diary.md", text)
    backup.unlink()
    backup.symlink_to(vault.root / "Diary.md")
    fine(vault.run("agent", "remove", "claude"))
    assert path.read_text() == text and backup.is_symlink() and vault.read("Diary.md") == text


def test_folders_that_were_moved(vault: Folder, home: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": str(home / "c"), "CODEX_HOME": str(home / "x")}
    for client in ("claude", "codex"):
        fine(vault.run("agent", "install", client, env=env))
    assert (home / "c/settings.json").exists() and (home / "x/hooks.json").exists()
    assert not (home / ".claude").exists() and not (home / ".codex").exists()


def test_a_command_of_theirs_stays(vault: Folder, home: Path) -> None:
    path = put(home, ".claude/commands/recap.md", "Recap in rhymes.\n")
    assert "is yours" in fine(vault.run("agent", "install", "claude")).out
    assert path.read_text() == "Recap in rhymes.\n"
    fine(vault.run("agent", "remove", "claude"))
    assert path.read_text() == "Recap in rhymes.\n"


def test_our_command_is_theirs_once_they_edit_it(vault: Folder, home: Path) -> None:
    fine(vault.run("agent", "install", "claude"))
    path = home / ".claude/commands/recap.md"
    assert command.is_ours(path.read_bytes())
    edited = path.read_text().replace("one or two sentences", "rhymes")
    path.write_text(edited)
    assert "is yours" in fine(vault.run("agent", "install", "claude")).out
    assert "is yours" in fine(vault.run("agent", "remove", "claude")).out
    assert path.read_text() == edited


def test_a_path_that_a_command_file_cannot_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot hold"):
        command.text(claude.TEMPLATE, "vaultgit", "'/x`id`'")


def test_it_is_a_persons_to_decide(vault: Folder, home: Path) -> None:
    before = files_in(home)
    for verb in ("install", "remove"):
        done = vault.run("agent", verb, "claude", env={"CLAUDECODE": "1"})
        assert done.code == 1 and "for a person to decide" in done.err
    assert files_in(home) == before
    fine(vault.run("agent", "install", "claude", "--dry-run", env={"CLAUDECODE": "1"}))
    vault.git("config", "vaultgit.agentsMayDecide", "true")
    for verb in ("install", "remove"):
        fine(vault.run("agent", verb, "claude", env={"CLAUDECODE": "1"}))


def test_it_can_be_removed_when_the_vault_is_gone(vault: Folder, home: Path) -> None:
    fine(vault.run("agent", "install", "claude"))
    vault.root.rename(vault.root.parent / "elsewhere")
    assert "is gone" in fine(vault.run("agent", "list", cwd=home)).out
    assert vault.run("agent", "remove", "claude", "--agent", "codex", cwd=home).code == 1
    fine(vault.run("agent", "remove", "claude", cwd=home))
    assert not (home / ".claude").exists()


def test_taking_the_vault_out_names_the_hooks_that_stay(vault: Folder, home: Path) -> None:
    fine(vault.run("agent", "install", "claude"))
    done = fine(vault.run("init", "--remove", "--dry-run", "--json"))
    assert json.loads(done.out)["stays"][-1] == "hooks of an agent's client (vaultgit agent remove claude)"
    fine(vault.run("agent", "install", "claude", "--vault", str(vault.root)))
    fine(vault.run("agent", "remove", "claude"))
    assert "hooks of" not in fine(vault.run("init", "--remove", "--dry-run")).out


def test_json(vault: Folder, home: Path) -> None:
    planned = json.loads(fine(vault.run("agent", "install", "codex", "--dry-run", "--json")).out)
    assert planned["done"] is False and [one["what"] for one in planned["files"]] == ["write"] * 3
    done = json.loads(fine(vault.run("agent", "install", "codex", "--json")).out)
    assert done["done"] and [one["failed"] for one in done["tried"]] == [""] * 5
    assert done["state"]["vaults"] == [str(vault.root)]
    [listed] = json.loads(fine(vault.run("agent", "list", "codex", "--json")).out)
    assert listed == {"client": "codex", **done["state"]}
    assert json.loads(fine(vault.run("agent", "remove", "codex", "--json")).out)["files"][0]["what"] == "delete"


def test_a_client_that_is_not_known(vault: Folder) -> None:
    done = vault.run("agent", "install", "clippy")
    assert done.code == 2 and "claude, codex" in done.err


# -- hooks, started as a client starts them --------------------------------------------------------


def start(line: str, payload: dict[str, Any], cwd: Path, **env: str) -> Result:
    bare = {"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin", **env}
    done = subprocess.run(
        ["sh", "-c", line], input=json.dumps(payload).encode(), cwd=cwd, env=bare, capture_output=True, timeout=20,
        check=False,
    )  # fmt: skip
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def wrote(path: Path) -> dict[str, Any]:
    return {
        **PAYLOADS, "hook_event_name": "PostToolUse", "tool_name": "Write",
        "tool_input": {"file_path": str(path), "content": path.read_text()},
        "tool_response": {"type": "create", "filePath": str(path), "originalFile": None},
    }  # fmt: skip


def test_hooks_end_well_whatever_is_broken(vault: Folder, home: Path) -> None:
    """P10: exit 0 and a line on standard error at most, with no vault, with no program; nothing for the model."""
    fine(vault.run("agent", "install", "claude"))
    hooks = [line for every in commands(home / ".claude/settings.json").values() for line in every]
    payload = {**PAYLOADS, "hook_event_name": "PreCompact", "trigger": "manual"}
    note = vault.write("projects/x.md", "text\n")
    vault.root.rename(vault.root.parent / "elsewhere")
    note = vault.root.parent / "elsewhere/projects/x.md"
    for line in hooks + [line.replace(settings.program(), "/gone/vaultgit") for line in hooks]:
        done = start(line, wrote(note) if "wrote" in line else payload, home)
        assert done.code == 0 and done.out == "" and len(done.err.splitlines()) <= 1, (line, done)


def test_the_hook_records_what_the_clients_tool_wrote_from_anywhere(vault: Folder, home: Path) -> None:
    fine(vault.run("agent", "install", "claude"))
    [hook] = commands(home / ".claude/settings.json")["PostToolUse"]
    note = vault.write("notes/from-a-tool.md", "text\n")
    assert start(hook, wrote(note), home, VAULTGIT_CAPTURE="1").code == 0
    assert vault.git("status", "--porcelain", "notes") == "?? notes/"
    assert start(hook, wrote(note), home) == Result(0, "", "")
    assert vault.git("log", "-1", "--format=%an", "--", "notes/from-a-tool.md") == "claude-code"


def test_a_vault_whose_path_a_shell_would_take_apart(vault: Folder, home: Path) -> None:
    odd = Folder(vault.root.rename(vault.root.parent / "Ada's $HOME & “Notes” \\n"))
    fine(run_cli("agent", "install", "claude", "--vault", str(odd.root), cwd=home))
    path = home / ".claude/settings.json"
    [hook] = commands(path)["PostToolUse"]
    note = odd.write("notes/x.md", "text\n")
    assert start(hook, wrote(note), home).code == 0
    assert odd.git("log", "-1", "--format=%an", "--", "notes/x.md") == "claude-code"
    assert str(odd.root) in fine(run_cli("agent", "list", cwd=home)).out
    before = path.read_bytes()
    fine(run_cli("agent", "install", "claude", "--vault", str(odd.root), cwd=home))
    assert path.read_bytes() == before


def test_a_hook_answers_before_anything_slow_is_imported(vault: Folder) -> None:
    """P10: under 0.3 s on a machine that has nothing else to do."""
    payload = json.dumps({**PAYLOADS, "hook_event_name": "PreCompact"}).encode()
    words = [sys.executable, "-P", "-X", "importtime", "-m", "vaultgit", "recap", "--background"]
    done = subprocess.run(words, cwd=vault.root, input=payload, capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout == b""
    names = {line.rsplit(b"|", 1)[1].strip().decode() for line in done.stderr.splitlines() if b"|" in line}
    assert "vaultgit.cli.hookpayload" in names
    assert names & {"git", "yaml", "jsonschema", "detect_secrets", "frontmatter", "markdown_it", "sqlite3"} == set()


def test_inside_an_engine_of_ours_hooks_do_nothing(vault: Folder) -> None:
    """P10: also where what came is no payload."""
    env = {"VAULTGIT_CAPTURE": "1"}
    for verb in ("record", "recap"):
        for stdin in (b"", b"{", json.dumps(PAYLOADS).encode()):
            assert vault.run(verb, stdin=stdin, env=env) == Result(0, "", ""), verb
    assert vault.run("record").code == 2


def test_a_trial_that_fails_is_told(vault: Folder, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = put(home, "bin/vaultgit", "#!/bin/sh\necho no such thing >&2\nexit 3\n")
    broken.chmod(0o755)
    from vaultgit.install.clients import trial

    monkeypatch.setattr(settings, "program", lambda: str(broken))
    hooks = clients.hooks(claude, str(vault.root))
    for hook in hooks:
        tried = trial.start(claude, str(home), hook, os.environ)
        assert (tried.event, tried.failed) == (hook.event, "no such thing")
    hangs = trial.start(claude, str(home), hooks[0]._replace(command="sleep 30; : || true", timeout=1), os.environ)
    assert hangs.failed == "no answer within 1 s" and hangs.seconds < 10


# -- what keeps hooks from running -----------------------------------------------------------------


NAMES = {
    "SessionStart": "session_start", "UserPromptSubmit": "user_prompt_submit", "PostToolUse": "post_tool_use",
    "PreCompact": "pre_compact", "SessionEnd": "session_end",
}  # fmt: skip


def trust(home: Path, **change: object) -> None:
    """config.toml as Codex writes it when a person trusts our hooks (the hashes are checked against the real one in
    tests/agents/test_capture_clients.py)."""
    lines = ['model = "x"', "", "[hooks.state]"]
    for one in clients.state(codex, str(home / ".codex")).found:
        place = f"{NAMES[one.event]}:{one.group}:{one.place}"
        lines += [f'[hooks.state."{home}/.codex/hooks.json:{place}"]']
        lines += [f'trusted_hash = "{codex.hash_of(one)}"', *(f"{key} = {value}" for key, value in change.items())]
    text = "\n".join(lines)
    tomllib.loads(text)
    put(home, ".codex/config.toml", text)


def findings(vault: Folder) -> dict[str, str]:
    done = vault.run("doctor", "--json")
    return {one["kind"]: one["what"] for one in json.loads(done.out)["findings"] if one["kind"].startswith("client-")}


def test_codex_hooks_that_nobody_trusted_are_named(vault: Folder, home: Path) -> None:
    put(home, ".codex/hooks.json", '{"hooks": {"PreCompact": [{"hooks": [' + THEIRS + "]}]}}")
    done = fine(vault.run("agent", "install", "codex"))
    assert "5 hooks not trusted (PreCompact, SessionStart, " in done.out and "/hooks" in done.out
    assert not (home / ".codex/config.toml").exists()
    assert "not trusted" in fine(vault.run("agent", "list")).out and set(findings(vault)) == {"client-not-trusted"}
    trust(home)
    assert "not trusted" not in fine(vault.run("agent", "list")).out and not findings(vault)
    trust(home, enabled="false")
    assert "not trusted" in fine(vault.run("agent", "list")).out
    trust(home)
    path = home / ".codex/hooks.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 4'))
    assert "1 hook not trusted (PreCompact)" in fine(vault.run("agent", "list")).out


def test_hooks_that_are_switched_off_or_broken_are_found(vault: Folder, home: Path) -> None:
    assert not findings(vault)
    put(home, ".claude/settings.json", '{"disableAllHooks": true}')
    put(home, ".codex/config.toml", "[features]\nhooks = false\n")
    assert not findings(vault)  # nothing of ours there
    assert "disableAllHooks" in fine(vault.run("agent", "install", "claude")).out
    assert "[features]" in fine(vault.run("agent", "install", "codex")).out
    assert set(findings(vault)) == {"client-hooks-off"}
    fine(vault.run("agent", "remove", "codex"))

    put(home, ".codex/hooks.json", '{"mine": 1, "description": "x"}')
    done = fine(vault.run("agent", "install", "codex"))
    assert 'Codex reads none of it: it does not know "mine"' in done.out
    fine(vault.run("agent", "remove", "codex"))

    path = put(home, ".claude/settings.json", "{}")
    fine(vault.run("agent", "install", "claude"))
    good = path.read_text()
    assert not findings(vault)
    for change, kind in (
        ((settings.program(), "/gone/vaultgit"), "client-program-gone"),
        ((str(vault.root), "/gone/notes"), "client-vault-gone"),
        (("PreCompact", "PreCompakt"), "client-incomplete"),
        (("{", "{,"), "client-settings"),
    ):
        path.write_text(good.replace(*change))
        assert set(findings(vault)) == {kind}
    path.write_text('{"a": }')
    assert not findings(vault)
    listed = vault.run("agent", "list")
    assert (
        listed.code == 1 and f"claude   problem: {path}:1:7: " in listed.out and "codex    not installed" in listed.out
    )
    assert "problem" in json.loads(vault.run("agent", "list", "--json").out)[0]
