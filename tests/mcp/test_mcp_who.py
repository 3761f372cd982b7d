"""Who edits, in which session: an agent whatever the client says, and nothing of others is taken back."""

from __future__ import annotations

from typing import Any

import pytest
from mcpwire import HELLO
from mcpwire import Wire
from mcpwire import at_rest
from support import Folder

BOB = "---\ntype: person\nname: Bob\n---\nMet.\n"


def trailers(vault: Folder, revision: str = "HEAD") -> dict[str, str]:
    lines = vault.git("show", "-s", "--format=%(trailers:only)", revision).splitlines()
    return dict(line.split(": ", 1) for line in lines if line)


def wrote(vault: Folder, *args: str, **given: Any) -> dict[str, str]:
    """Author and trailers of one edit by a client."""
    with Wire(vault, *args, **given) as wire:
        wire.does("write", path="projects/nova.md", action="append", text="- x")
        return {"author": vault.git("show", "-s", "--format=%an"), **trailers(vault)}


@pytest.mark.parametrize(
    ("client", "agent"),
    [
        ("claude-code", "claude-code"), ("codex-mcp-client", "codex"), ("gemini-cli-mcp-client", "gemini-cli"),
        ("Some Client (beta)", "Some-Client-beta"), ("", "mcp"), ("../..", "mcp"), ("Ada\nEdit: x", "Ada-Edit-x"),
        ("\u202eevil", "evil"), ("x" * 200, "x" * 64), ("Test Person", "Test-Person"), ("人", "mcp"),
    ],
)  # fmt: skip
def test_a_client_is_an_agent_whatever_it_calls_itself(vault: Folder, client: str, agent: str) -> None:
    found = wrote(vault, client=client)
    assert found["author"] == found["Agent"] == agent
    assert agent in found["Session"] and found["Session"].startswith("2026-11-29-")
    assert vault.git("show", "-s", "--format=%cn") == "Test Person"


def test_what_the_person_said_goes_before_what_the_client_says(vault: Folder) -> None:
    assert wrote(vault, "--agent", "scribe", client="claude-code")["Agent"] == "scribe"
    assert wrote(vault, client="claude-code", env={"VAULTGIT_AGENT": "other"})["Agent"] == "other"
    assert "no agent's name" in vault.run("mcp", "--agent", "a person", stdin=b"").err


def test_a_client_of_the_newest_protocol_is_known_by_its_envelope(vault: Folder) -> None:
    """2026-07-28 has no handshake: each request says who asks."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "codex-mcp-client", "version": "1"},
    }  # fmt: skip
    with Wire(vault, hello=False) as wire:
        asked = {"name": "write", "arguments": {"path": "people/bob.md", "text": BOB}, "_meta": meta}
        assert not wire.ask("tools/call", asked)["result"]["isError"]
    assert trailers(vault)["Agent"] == "codex"


def test_the_session_is_the_clients_own_where_it_says_so(vault: Folder) -> None:
    assert wrote(vault, env={"VAULTGIT_SESSION": "given"})["Session"] == "given"
    claude = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "of-claude"}
    assert wrote(vault, client="claude-code", env=claude)["Session"] == "of-claude"
    # Codex, started from within Claude Code.
    assert wrote(vault, client="codex-mcp-client", env=claude)["Session"] != "of-claude"


def test_the_only_open_session_of_the_agent_is_joined_and_not_ended(vault: Folder) -> None:
    """As its hooks begin one: what the client does here is part of it, and its end is theirs."""
    assert vault.run("session", "start", "launch", "--agent", "codex", "--session", "hooked").code == 0
    with Wire(vault, client="codex-mcp-client") as wire:
        wire.does("write", path="people/bob.md", text=BOB)
        assert wire.close() == 0
    assert trailers(vault)["Session"] == "hooked" and not list((vault.root / "sessions").glob("*.md"))
    assert "hooked" in vault.run("session", "list", "--json").out


def test_a_session_that_began_here_ends_when_the_client_goes(vault: Folder) -> None:
    with Wire(vault) as wire:
        wire.does("session", action="start", text="meeting Bob")
        wire.does("read", path="people/ada-lovelace.md")
        wire.does("write", path="people/bob.md", text=BOB)
        wire.does("session", action="note", text="Bob likes tea.")
        assert not list((vault.root / "sessions").glob("*.md"))
        assert wire.close() == 0
    [note] = at_rest(vault)
    text = note.read_text()
    assert "agent: test-client" in text and "meeting Bob" in text and "[[people/bob]]" in text and "likes tea" in text
    assert vault.run("verify").code == 0


def test_a_session_is_ended_by_its_agent_and_the_next_edit_is_another(vault: Folder) -> None:
    with Wire(vault) as wire:
        wire.does("write", path="people/bob.md", text=BOB)
        first = trailers(vault)["Session"]
        done = wire.does("session", action="end", text="Bob is in.")
        assert done["path"].startswith("sessions/") and "Bob is in." in vault.read(done["path"])
        wire.does("write", path="people/bob.md", action="append", text="- tea")
        assert trailers(vault)["Session"] != first


def test_a_session_in_which_nothing_happened_leaves_no_note(vault: Folder) -> None:
    head = vault.git("rev-parse", "HEAD")
    with Wire(vault) as wire:
        wire.does("read", path="Home.md")
        assert wire.close() == 0
    assert vault.git("rev-parse", "HEAD") == head


def test_undo_takes_back_what_this_session_wrote_and_nothing_else(vault: Folder) -> None:
    """DESIGN, "Trust": to take back what is not its own is a person's, also where agents may decide."""
    vault.git("config", "vaultgit.agentsMayDecide", "true")
    vault.write("people/ada-lovelace.md", vault.read("people/ada-lovelace.md") + "Wrote programs.\n")
    by_hand = vault.commit("by hand")
    assert vault.run("append", "projects/nova.md", "--agent", "codex", stdin=b"- codex\n").code == 0
    other = vault.git("rev-parse", "HEAD")
    with Wire(vault) as wire:
        before = vault.snapshot()
        for target in (by_hand, other, other[:10], "projects/nova.md", "HEAD", trailers(vault, other)["Edit"]):
            assert "no edit of this session" in wire.fails("undo", target=target), target
        assert "no edit of session" in wire.fails("undo", all=True)
        assert vault.snapshot() == before
        wire.does("write", path="people/bob.md", text=BOB)
        wire.does("write", path="projects/nova.md", action="append", text="- mine")
        wire.does("undo", target="projects/nova.md")
        assert "- codex\n" in vault.read("projects/nova.md") and "mine" not in vault.read("projects/nova.md")
        wire.does("undo", all=True)
        assert not vault.exists("people/bob.md") and "- codex\n" in vault.read("projects/nova.md")
        again = vault.git("rev-parse", "HEAD")
        wire.does("undo", target=again)  # the undo of an undo is its own, too
        assert vault.exists("people/bob.md")
        for given in (
            {},
            {"target": "x", "all": True},
            {"target": "--all"},
            {"target": "HEAD..HEAD~1"},
            {"target": "nothing"},
        ):
            wire.fails("undo", **given)


def test_another_connection_of_the_same_client_does_not_take_it_back(vault: Folder) -> None:
    with Wire(vault) as one:
        one.does("write", path="people/bob.md", text=BOB)
        assert one.close() == 0  # ends its session
    with Wire(vault) as two:
        assert "no edit of this session" in two.fails("undo", target="people/bob.md")


def test_a_handshake_without_a_name_is_refused_or_unknown(vault: Folder) -> None:
    with Wire(vault, hello=False) as wire:
        wire.ask("initialize", {**HELLO, "clientInfo": {}})
        wire.ask("initialize", {**HELLO, "clientInfo": {"name": "late", "version": "1"}})
        wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        wire.does("write", path="people/bob.md", text=BOB)
    assert trailers(vault)["Agent"] == "late"
