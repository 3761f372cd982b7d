"""What Codex's logs hold of what people and the assistant said: that, all of it, once, and nothing else (P2)."""

from __future__ import annotations

import glob
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import transcripts
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.agents import LOGS
from vaultgit.agents import codex
from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Opening
from vaultgit.agents.dialogue import Turn

SUMMARY = "SUMMARY: keep trigram search; version check."
TIME = "2026-03-01T10:00:00Z"


def record(role: str, *items: Any, **payload: Any) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": item} if isinstance(item, str) else item for item in items]
    return {
        "timestamp": TIME,
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": content, **payload},
    }


def sources(*kinds: Any) -> dict[str, Any]:
    told = [{"provenance": {"type": kind}} for kind in kinds]
    return {"internal_chat_message_metadata_passthrough": {"content_item_metadata": told}}


def turns(path: Path) -> list[Turn]:
    found = transcripts.records(path)
    opening = codex.opening(found[0])
    assert opening is not None
    return [turn for one in found for turn in codex.turns(one, opening)]


def said(by: str, path: Path) -> list[str]:
    return [turn.text for turn in turns(path) if turn.by == by]


def one(odd: Any) -> list[str]:
    return [turn.text for turn in codex.turns(odd, Opening())]


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, Path]:
    """The genuine logs by the folder in which the client worked."""
    made = [path for path in transcripts.copy(tmp_path / "home") if ".codex" in path.parts]
    return {Path(transcripts.records(path)[0]["payload"]["cwd"]).name: path for path in made}


@pytest.mark.parametrize("name", ["search-index", "auth-refactor"])
def test_exactly_what_the_person_said(logs: dict[str, Path], name: str) -> None:
    assert said(PERSON, logs[name]) == transcripts.gold()[name]["user_turns"]


@pytest.mark.parametrize("name", ["search-index", "auth-refactor"])
def test_what_the_assistant_said(logs: dict[str, Path], name: str) -> None:
    """The same answers as the events say, which repeat them, and each once."""
    wanted = [
        part["text"]
        for told in transcripts.records(logs[name])
        if told["payload"].get("type") == "item_completed" and told["payload"]["item"]["type"] == "AgentMessage"
        for part in told["payload"]["item"]["content"]
    ]
    heard = [turn for turn in turns(logs[name]) if turn.by == ASSISTANT]
    assert [turn.text for turn in heard] == wanted and len(wanted) > 10
    assert len({turn.key for turn in turns(logs[name])}) == len(turns(logs[name]))


def test_no_output_of_tools_nothing_put_in(logs: dict[str, Path]) -> None:
    everything = "\n".join(turn.text for path in logs.values() for turn in turns(path))
    raw = "".join(path.read_text() for path in logs.values())
    for odd in (
        transcripts.TOKENS["S3"],
        transcripts.INJECTED,
        "<environment_context>",
        "<skills_instructions>",
        "Chunk ID",
        SUMMARY,
    ):
        assert odd in raw and odd not in everything


def test_who_where_and_when(logs: dict[str, Path]) -> None:
    for name, path in logs.items():
        for turn in turns(path):
            assert turn.headless and turn.folder == f"/home/dev/{name}"
            assert turn.when is not None and datetime(2026, 11, 29, tzinfo=UTC) < turn.when < datetime(
                2026, 12, 1, tzinfo=UTC
            )


def test_the_summary_of_a_compaction_is_taken_back(logs: dict[str, Path]) -> None:
    """A genuine one: its text stands before it as if the assistant had said it. Newer versions mark it there too."""
    path = logs["search-plan"]
    assert said(PERSON, path) == ["PLAN-ONE please", "PLAN-TWO please"]
    assert said(ASSISTANT, path) == ["We keep trigram search.", "Version check with a clear message."]
    found = transcripts.records(path)
    assert [text for told in found if (text := codex.withdrawn(told)) is not None] == [SUMMARY]
    [marked] = [told for told in found if (told.get("metadata") or {}).get("compaction_output")]
    del marked["metadata"]["compaction_output"]
    assert one(marked) == [SUMMARY]
    for message, text in (("", None), (None, None), ("no introduction\nat all", "no introduction\nat all")):
        assert codex.withdrawn({"type": "compacted", "payload": {"message": message}}) == text


def test_where_the_logs_lie(tmp_path: Path) -> None:
    home = tmp_path / "ho[me]*"
    made = [path for path in transcripts.copy(home) if ".codex" in path.parts]
    archived = home / ".codex/archived_sessions" / made[0].name
    archived.parent.mkdir()
    made.append(made[0].rename(archived))
    (made[1].parent / "rollout-x.jsonl.zst").touch()
    found = [Path(path) for pattern in codex.logs({}, str(home)) for path in glob.glob(pattern)]  # noqa: PTH207
    assert sorted(found) == sorted(made[1:])
    assert codex.logs({"CODEX_HOME": "/x"}, "/h")[1] == "/x/archived_sessions/rollout-*.jsonl"
    assert codex.conversation(str(archived)) == transcripts.records(archived)[0]["payload"]["id"]
    assert codex.conversation("/a/rollout-odd.jsonl") == "rollout-odd" and codex in LOGS


@pytest.mark.parametrize(
    ("payload", "opening"),
    [
        ({"cwd": "/a", "source": "cli", "originator": "codex_cli_rs"}, Opening("/a")),
        ({"cwd": "/a", "source": "vscode", "thread_source": "user"}, Opening("/a")),
        ({"cwd": "/a", "source": "exec"}, Opening("/a", headless=True)),
        ({"originator": "codex_exec"}, Opening(headless=True)),
        ({"source": {"subagent": {"thread_spawn": {}}}}, Opening(helper=True)),
        ({"source": "cli", "thread_source": "subagent"}, Opening(helper=True)),
        ({"source": {"custom": "an-editor"}}, Opening()),
        ({"cwd": ["/a"]}, Opening()),
    ],
)
def test_opening(payload: dict[str, Any], opening: Opening) -> None:
    assert codex.opening({"type": "session_meta", "payload": payload}) == opening
    assert codex.opening({"type": "turn_context", "payload": payload}) is None
    assert codex.turns(record("user", "hi"), opening) == [] if opening.helper else one(record("user", "hi")) == ["hi"]


def test_where_a_text_comes_from_is_told_of_each() -> None:
    assert one(record("user", "ours", "mine", **sources("harness", "user"))) == ["mine"]
    assert one(record("user", "a", "b", **sources("user"))) == ["a\n\nb"]
    assert one(record("user", "a", **sources("skills"))) == one(record("user", "a", **sources(None))) == []
    assert one(record("developer", "a")) == one(record("system", "a")) == []


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/a</cwd>", "<user_instructions>\nx", "# AGENTS.md instructions for /a\n<INSTRUCTIONS>",
        "<user_shell_command>\n<command>cat .env</command>", "<turn_aborted>\nx", "<skill>\nx", "<subagent_notification>x",
        "Another language model started to solve this problem and produced a summary\nx", "<image name=[Image #1]>",
        "# Context from my IDE setup:\n## Active file: .env\n", " ",
    ],
)  # fmt: skip
def test_texts_that_no_person_said(text: str) -> None:
    """Versions before 0.171 do not tell where a text comes from; some of these hold what a command printed."""
    assert one(record("user", text)) == []
    assert one(record("user", text, "mine")) == ["mine"]


def test_what_an_editor_puts_before_the_words() -> None:
    text = "# Context from my IDE setup:\n\n## Active file: .env\n\n## My request for Codex:\nrename it\n"
    assert one(record("user", text)) == ["rename it"]


def test_keys() -> None:
    """A copy has the same key, what was said twice has two; also from servers that give each answer one id."""
    told = [
        record("user", "yes", id="msg_a"), record("user", "yes", id="msg_b"), record("user", "yes"),
        {**record("user", "yes"), "timestamp": "2026-03-01T10:00:01Z"}, {**record("user", "yes"), "ordinal": 7},
        record("assistant", "yes"), record("assistant", "first", id="same"), record("assistant", "second", id="same"),
    ]  # fmt: skip
    keys = [turn.key for each in told for turn in codex.turns(each, Opening())]
    assert len(keys) == len(set(keys)) == len(told)
    assert keys == [turn.key for each in told for turn in codex.turns(each, Opening("/else", headless=True))]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters() | st.characters(categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "provenance", "content_item_metadata", "message", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
PAYLOAD = [
    "type",
    "role",
    "content",
    "id",
    "internal_chat_message_metadata_passthrough",
    "cwd",
    "source",
    "originator",
    "thread_source",
    "message",
]


@given(
    st.sampled_from(["user", "assistant"]),
    st.sampled_from(["response_item", "session_meta", "compacted"]),
    st.dictionaries(st.sampled_from(PAYLOAD), JSON),
    st.dictionaries(st.sampled_from(["timestamp", "ordinal", "type", "payload", "metadata"]), JSON),
)
def test_no_json_value_raises(role: str, kind: str, inside: dict[str, Any], more: dict[str, Any]) -> None:
    told = record(role, "hi")
    told["payload"].update(inside)
    for odd in ({**told, "type": kind}, {**told, "type": kind, **more}):
        opening = codex.opening(odd)
        assert opening is None or (opening.folder.encode() is not None and "\n" not in opening.folder)
        for turn in codex.turns(odd, Opening()):
            assert turn.key and turn.text.strip() == turn.text != "" and (turn.key + turn.text).encode()
        taken = codex.withdrawn(odd)
        assert taken is None or taken.strip() == taken != ""


@given(JSON)
def test_no_json_line_raises(value: Any) -> None:
    assert codex.turns(value, Opening()) == [] and codex.opening(value) is None and codex.withdrawn(value) is None
