"""`agent install` and `agent remove` in any order, cut short in the middle, with what a person writes between them: in the
end every byte is theirs again (P12)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import Folder
from support import examples

from vaultgit.install import clients
from vaultgit.install.clients import files

THEIRS = '{"hooks": [{"type": "command", "command": "notify-send done"}]}'
SETTINGS = st.sampled_from([
    None, "", "\n", "{}", '{"a": 1}', '{\n  "a": 1\n}\n', '{\r\n\t"a": 1,\r\n\t"hooks": {}\r\n}', '\ufeff{"a": 1}',
    f'{{"a": 1, "hooks": {{"PostToolUse": [{THEIRS}], "Stop": [{THEIRS}]}}}}',
    f'{{\n  "hooks": {{\n    "SessionStart": [\n      {THEIRS}\n    ]\n  }},\n  "a": 1\n}}',
])  # fmt: skip
LINES = st.sampled_from([
    None, "", "x", "x\n", "a\r\nb\r\n", "\ufeffa\n", "\n\n\n", "# T\n\nx",
    "<!-- vaultgit begin 12345678 -->\nold\n<!-- vaultgit end -->\n", "x\n<!-- vaultgit begin 12345678 -->\nold\n",
])  # fmt: skip
STEP = st.sampled_from(
    ["install /v/1", "install /v/2", "remove", "killed 0", "killed 1", "killed 2", "settings", "above"]
)


def put(path: Path, text: bytes | None) -> None:
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@settings(max_examples=examples(120))
@given(
    client=st.sampled_from(clients.CLIENTS), held=SETTINGS, told=LINES, called=st.sampled_from([None, "mine\n"]),
    steps=st.lists(STEP, min_size=1, max_size=7), saved=st.booleans(),
)  # fmt: skip
def test_whatever_the_order_every_byte_is_theirs_in_the_end(
    client: clients.Client, held: str | None, told: str | None, called: str | None, steps: list[str], saved: bool
) -> None:
    with tempfile.TemporaryDirectory() as base:
        where, wanted = Path(base, "settings"), Path(base, "wanted")
        for name, text in ((client.SETTINGS, held), (client.INSTRUCTIONS, told), (client.COMMAND, called)):
            put(where / name, None if text is None else text.encode())
            put(wanted / name, None if text is None else text.encode())
        for step in [*steps, "remove"]:
            what, _, more = step.partition(" ")
            if what == "install":
                clients.apply(client, str(where), clients.plan_install(client, str(where), more))
            elif what == "remove":
                clients.apply(client, str(where), clients.plan_remove(client, str(where)))
            elif what == "killed":
                plan = clients.plan_install(client, str(where), "/v/1")
                clients.apply(client, str(where), plan._replace(steps=plan.steps[: int(more)]))
                rest = plan.steps[int(more) :]
                if saved and rest and rest[0].backup is not None:
                    files.keep(rest[0].path, rest[0].backup)  # and then it was killed
            else:
                name = client.SETTINGS if what == "settings" else client.INSTRUCTIONS
                if not (wanted / name).exists() or (name == client.INSTRUCTIONS and not (told or "").startswith("x")):
                    continue
                for folder in (where, wanted):
                    text = (folder / name).read_bytes()
                    text = text.replace(b'"a": 1', b'"a": 22') if what == "settings" else b"above\n" + text
                    (folder / name).write_bytes(text)
        assert everything(where) == everything(wanted)


def test_instructions_of_one_line_are_no_json(vault: Folder) -> None:
    """They were taken for it, and a dry run broke."""
    folder = vault.root.parent / "home/.claude"
    put(folder / "CLAUDE.md", b"Answer shortly.")
    done = vault.run("agent", "install", "claude", "--dry-run")
    assert done.code == 0 and "  +The user's memory is a vault" in done.out and "Answer shortly" not in done.out
    assert vault.run("agent", "install", "claude").code == 0
    done = vault.run("agent", "remove", "claude", "--dry-run")
    assert done.code == 0 and "  -The user's memory is a vault" in done.out and "Answer shortly" not in done.out


def test_another_vault_in_a_file_that_we_made_leaves_nothing_of_the_first(tmp_path: Path) -> None:
    """A backup is what was there before us: what we wrote for the first vault is none."""
    for client in clients.CLIENTS:
        where = str(tmp_path / client.NAME)
        for vault in ("/v/1", "/v/2"):
            clients.apply(client, where, clients.plan_install(client, where, vault))
        clients.apply(client, where, clients.plan_remove(client, where))
        assert not os.path.exists(where)
