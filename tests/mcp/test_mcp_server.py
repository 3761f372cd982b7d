"""What an MCP client finds: by the SDK's own client, over a real process's streams."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Awaitable
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from faulty import busy
from faulty import free
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcpwire import Wire
from mcpwire import at_rest
from mcpwire import words
from support import Folder

NAMES = ["search", "context", "read", "write", "propose", "session", "skill", "undo"]
BOB = "---\ntype: person\nname: Bob\n---\nMet at the fair.\n"


def with_client(vault: Folder, work: Callable[[Client], Awaitable[None]]) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-P", "-m", "vaultgit", "mcp", "--vault", str(vault.root)], env=dict(os.environ)
    )

    async def run() -> None:
        async with Client(server) as client:
            await work(client)

    anyio.run(run)


def test_acceptance_a_client_lists_eight_tools_writes_a_note_and_undoes_it(vault: Folder) -> None:
    before = vault.snapshot()
    seen: dict[str, Any] = {}

    async def work(client: Client) -> None:
        seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        seen["wrote"] = await client.call_tool("write", {"path": "people/bob.md", "text": BOB, "reason": "he said so"})
        seen["there"] = vault.read("people/bob.md")
        seen["undone"] = await client.call_tool("undo", {"target": "people/bob.md"})

    with_client(vault, work)
    assert seen["tools"] == NAMES and seen["there"] == BOB
    assert seen["wrote"].content[0].text.startswith("committed ")
    oid = seen["wrote"].structured_content["oid"]
    assert vault.git("show", "-s", "--format=%s%n%b%n%an", oid).splitlines()[:3] == [
        "people/bob: created",
        "he said so",
        "",
    ]
    assert vault.git("show", "--name-only", "--format=", oid).split() == ["changelog.md", "people/bob.md"]
    assert not seen["undone"].is_error and not vault.exists("people/bob.md")
    at_rest(vault)
    after = vault.snapshot()
    assert {path for path in after if before.get(path) != after[path]} <= {"changelog.md", *(
        path for path in after if path.startswith("sessions/")
    )}  # fmt: skip
    assert vault.run("verify").code == 0


def test_the_schemas_are_under_8_kb_and_the_rules_under_1_5(vault: Folder) -> None:
    with Wire(vault) as wire:
        tools = wire.ask("tools/list")["result"]["tools"]
        rules = wire.hello["instructions"]
    assert len(json.dumps(tools).encode()) < 8 * 1024
    assert len(rules.encode()) < 1500
    numbered = [line for line in rules.splitlines() if re.match(r"\d\.", line)]
    assert len(numbered) == 7 and all("because" in line for line in numbered)
    assert "do not work around it" in rules
    assert [tool["name"] for tool in tools if tool["annotations"].get("readOnlyHint")] == ["search", "context", "read"]


def test_nothing_that_a_person_decides_is_offered(vault: Folder) -> None:
    """DESIGN, "Trust": accept, reject, apply, init, agent, schedule."""
    with Wire(vault) as wire:
        tools = wire.ask("tools/list")["result"]["tools"]
        offered = [
            word for tool in tools for one in tool["inputSchema"]["properties"].values() for word in one.get("enum", ())
        ]
        assert not {"accept", "reject", "apply", "drop", "push", "init", "install"}.intersection(offered)
        assert "review.md" in wire.fails("write", path="review.md", text="- [x] accept\n")


def test_search_and_context_find_what_a_person_has_just_typed(vault: Folder) -> None:
    vault.write("people/bob.md", BOB + "Allergic to peanuts.\n")
    with Wire(vault) as wire:
        found = wire.call("search", query="who is allergic to peanuts")
        assert found["structuredContent"]["hits"][0]["path"] == "people/bob.md" and "data, not instructions" in words(
            found
        )
        given = wire.call("context", task="cook for Bob", budget=2000)
        assert "people/bob.md" in words(given) and "data" in words(given)
        assert given["structuredContent"]["notes"][0]["path"] == "people/bob.md"
        assert wire.does("search", query="peanuts", at="HEAD")["hits"] == []


def test_search_and_context_find_what_this_client_wrote_and_waits(vault: Folder) -> None:
    seen: dict[str, Any] = {}

    async def work(client: Client) -> None:
        seen["wrote"] = await client.call_tool("write", {"path": "people/bob.md", "text": BOB + "Keeps quokkas.\n"})
        free(vault)
        seen["found"] = await client.call_tool("search", {"query": "quokkas"})
        seen["stored"] = vault.git("cat-file", "-t", seen["found"].structured_content["hits"][0]["oid"])
        seen["given"] = await client.call_tool("context", {"task": "feed the quokkas of Bob"})
        seen["then"] = await client.call_tool("search", {"query": "quokkas", "at": "HEAD"})
        seen["read"] = await client.call_tool("read", {"path": "people/bob.md"})
        with Wire(vault, client="another") as other:
            seen["other"] = (
                other.does("search", query="quokkas")["hits"],
                other.does("context", task="quokkas")["notes"],
            )

    busy(vault)
    with_client(vault, work)
    assert seen["wrote"].structured_content["outcome"] == "queued"
    [hit] = seen["found"].structured_content["hits"]
    assert (hit["path"], hit["text"], hit["queued"]) == ("people/bob.md", "Keeps quokkas.", True)
    assert hit["oid"] == seen["read"].structured_content["oid"] and seen["stored"] == "blob"
    assert "people/bob.md:6  Bob (waits in the queue, not on disk yet)" in seen["found"].content[0].text
    [note] = seen["given"].structured_content["notes"]
    assert (note["path"], note["queued"], note["oid"]) == ("people/bob.md", True, hit["oid"])
    assert "waits in the queue" in seen["given"].content[0].text
    assert seen["then"].structured_content["hits"] == [] and seen["other"] == ([], [])


def test_057_no_query_is_an_error_or_an_option(vault: Folder) -> None:
    with Wire(vault) as wire:
        for query in (
            "-rf",
            "--help",
            '"',
            "(",
            "a:b:c*",
            "don't",
            "AND OR NOT",
            "x" * 10_000,
            " ,;.!? ",
            "NEAR(a b)",
            "v1.2-3",
        ):
            assert "hits" in wire.does("search", query=query), query
        assert "Traceback" not in wire.stdout.decode()


def test_reading_gives_the_base_that_writing_needs(vault: Folder) -> None:
    with Wire(vault) as wire:
        note = wire.does("read", path="people/ada-lovelace.md")
        assert note["text"] == vault.read("people/ada-lovelace.md") and note["properties"]["name"] == "Ada Lovelace"
        assert "ED02" in wire.fails("write", path="people/ada-lovelace.md", text="Born 1816.\n")
        done = wire.does("write", path="people/ada-lovelace.md", text="Born in 1815.\n", base=note["oid"])
        assert done["outcome"] == "committed"
        assert vault.read("people/ada-lovelace.md") == "---\ntype: person\nname: Ada Lovelace\n---\nBorn in 1815.\n"
        assert sorted(wire.does("read", path="people")["names"]) == ["ada-lovelace.md"]
        assert ".obsidian/" not in wire.does("read", path=".")["names"]


def test_every_action_of_write(vault: Folder) -> None:
    with Wire(vault) as wire:
        wire.does("write", path="projects/nova.md", action="append", text="- more", heading="Log")
        wire.does("write", path="projects/nova.md", action="set", values={"status": "done", "tags": ["a", "b"]})
        text = vault.read("projects/nova.md")
        assert "- started\n- more\n" in text and "status: done\n" in text
        wire.does("write", path="people/ada-lovelace.md", action="move", to="people/ada.md")
        assert "[[people/ada]]" in vault.read("Home.md") and not vault.exists("people/ada-lovelace.md")
        wire.does("write", path="people/ada.md", action="delete", reason="she asked")
        assert not vault.exists("people/ada.md")
        assert (
            wire.does("write", path="projects/nova.md", action="set", values={"status": "done"})["outcome"]
            == "unchanged"
        )
        assert "takes no heading" in wire.fails("write", path="x.md", action="set", values={"a": 1}, heading="H")
        assert "missing" in wire.fails("write", path="projects/nova.md", action="append")
        assert "to" in wire.fails("write", path="projects/nova.md", action="move")
    assert vault.git("log", "--format=%an", "-4").split() == ["test-client"] * 4
    assert vault.git("status", "--porcelain") == "" and vault.run("verify").code == 0


def test_a_proposal_waits_and_is_not_made_twice(vault: Folder) -> None:
    with Wire(vault) as wire:
        given = {"path": "people/ada-lovelace.md", "text": "- allergic to peanuts", "reason": "heard once"}
        done = wire.does("propose", **given)
        assert done["outcome"] == "inbox" and vault.exists(done["inbox"])
        assert wire.does("propose", **given)["outcome"] == "unchanged"
    assert "peanuts" not in vault.read("people/ada-lovelace.md")


def test_skills(vault: Folder) -> None:
    with Wire(vault) as wire:
        assert [one["name"] for one in wire.does("skill")["skills"]] == ["review-a-pr"]
        assert "1. read it" in wire.does("skill", action="show", name="review-a-pr", used=True)["text"]
        wire.does("skill", action="new", name="ship-it", trigger="a release is due", text="1. tag it\n")
        assert "trigger: a release is due" in vault.read("skills/ship-it.md")
        molt = {"action": "molt", "name": "review-a-pr", "text": "1. read it twice\n"}
        assert "SK03" in wire.fails("skill", **molt, trigger="corrected")
        assert "repeated" in wire.fails("skill", **molt, trigger="because")
        done = wire.does("skill", **molt, trigger="corrected", reason="Ada said so")
    assert done["branch"] == "molt/review-a-pr-v2" and "1. read it\n" in vault.read("skills/review-a-pr.md")
    assert "read it twice" in vault.git("show", "molt/review-a-pr-v2:skills/review-a-pr.md")


def test_a_client_is_answered_before_anything_of_ours_is_loaded(vault: Folder) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "vaultgit", "mcp"], cwd=vault.root, check=True,
        input=json.dumps(hello).encode() + b"\n", capture_output=True, env={**os.environ, "VAULTGIT_AGENT": ""},
    )  # fmt: skip
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "vaultgit"
    names = {
        line.rsplit("|", 1)[1].strip() for line in done.stderr.decode().splitlines() if line.startswith("import time:")
    }
    assert "mcp.server.stdio" in names
    assert not [name for name in names if name.startswith(("vaultgit.edits", "vaultgit.recall", "vaultgit.passes"))]
    assert not {"git", "jsonschema", "jsonschema_rs", "detect_secrets"} & names


def test_without_the_sdk_the_command_says_what_to_install(vault: Folder) -> None:
    code = (
        "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = None\n"
        "from vaultgit.cli.main import main\nsys.exit(main(['mcp']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=vault.root, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    sdk = project["optional-dependencies"]["mcp"][0]
    # What is sure, however vaultgit was installed: the SDK, into the Python that runs it.
    assert f"{shlex.quote(sys.executable)} -m pip install '{sdk}'" in done.stderr
    assert f"pipx inject vaultgit '{sdk}'" in done.stderr and "vaultgit[mcp]" not in done.stderr
    assert vault.run("--help").code == 0 and vault.run("mcp", "--help").code == 0
