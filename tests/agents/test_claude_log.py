"""What Claude Code's logs hold of what people and the assistant said: that, all of it, once, and nothing else (P2)."""

from __future__ import annotations

import glob
import json
import re
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import transcripts
from hypothesis import example
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.agents import LOGS
from vaultgit.agents import claude
from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Opening
from vaultgit.agents.dialogue import Turn

CASES = Path(__file__).parent.parent / "cases"
SENT = {"type": "user", "uuid": "u", "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": "hi"}}
ANSWERED = {
    "type": "assistant",
    "uuid": "a",
    "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "ho"}]},
}


def turns(*paths: Path) -> list[Turn]:
    """All turns of these logs, in order, each key once."""
    found: dict[str, Turn] = {}
    for path in paths:
        for record in transcripts.records(path):
            for turn in claude.turns(record, Opening()):
                found.setdefault(turn.key, turn)
    return list(found.values())


def said(by: str, *paths: Path) -> list[str]:
    return [turn.text for turn in turns(*paths) if turn.by == by]


def one(record: Any) -> list[str]:
    return [turn.text for turn in claude.turns(record, Opening())]


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, list[Path]]:
    """The genuine logs by their folder's last word."""
    found: dict[str, list[Path]] = {}
    for path in transcripts.copy(tmp_path / "home"):
        if ".claude" in path.parts:
            found.setdefault(path.parent.name.removeprefix("-home-dev-"), []).append(path)
    return found


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("name", "dialogue"), [("csv-import", "csv-import"), ("talk-plan", "talk-plan"), ("talk-plan-tui", "talk-plan")]
)
def test_exactly_what_the_person_said(logs: dict[str, list[Path]], name: str, dialogue: str, reverse: bool) -> None:
    """talk-plan is two files: a fork copied nine of eleven turns into the second."""
    paths = sorted(logs[name], reverse=reverse)
    assert len(paths) == (2 if name == "talk-plan" else 1)
    wanted = transcripts.gold()[dialogue]["user_turns"]
    heard = [turn for turn in turns(*paths) if turn.by == PERSON]
    assert sorted(turn.text for turn in heard) == sorted(wanted)
    assert [turn.text for turn in sorted(heard, key=lambda turn: turn.when or datetime.min)] == wanted


def test_what_the_assistant_said(logs: dict[str, list[Path]]) -> None:
    """Each answer that the log of tool calls, thoughts and notes has as text, once; no summary of a compaction."""
    [path] = logs["csv-import"]
    wanted = [
        block["text"]
        for record in transcripts.records(path)
        if record["type"] == "assistant"
        for block in record["message"]["content"]
        if block["type"] == "text"
    ]
    heard = said(ASSISTANT, path)
    assert heard == wanted and len(heard) > 15
    assert {"Sure.", "Changing it."} <= set(heard)
    assert not [text for text in heard if "being continued" in text or "[trimmed:" in text]
    fork = said(ASSISTANT, *logs["talk-plan"])
    assert len(fork) == len(set(fork)) == len(said(ASSISTANT, *reversed(logs["talk-plan"])))


def test_no_output_of_tools_no_record_of_the_clients_own(logs: dict[str, list[Path]]) -> None:
    everything = "\n".join(turn.text for paths in logs.values() for turn in turns(*paths))
    raw = b"".join(path.read_bytes() for paths in logs.values() for path in paths).decode()
    for odd in (
        transcripts.TOKENS["S1"],
        "<system-reminder>",
        "drwxr-xr-x",
        "File created successfully",
        "<command-name>",
        "Compacted (",
    ):
        assert odd in raw and odd not in everything
    assert "[trimmed:" not in everything and "keep decisions and open points" not in everything


def test_who_where_and_when(logs: dict[str, list[Path]]) -> None:
    """`claude -p` is a machine's, what was typed in the terminal is not."""
    for name, machine in (("csv-import", True), ("talk-plan", True), ("talk-plan-tui", False)):
        for turn in turns(*logs[name]):
            assert turn.headless is machine and turn.folder == f"/home/dev/{name}"
            assert turn.when is not None and turn.when.date() == datetime(2026, 11, 29, tzinfo=UTC).date()


def test_where_the_logs_lie(tmp_path: Path) -> None:
    home = tmp_path / "ho[me]*"
    made = [path for path in transcripts.copy(home) if ".claude" in path.parts]
    helper = made[0].with_suffix("") / "subagents" / "agent-a.jsonl"
    helper.parent.mkdir(parents=True)
    helper.write_text("{}\n")
    [pattern] = claude.logs({}, str(home))
    assert sorted(glob.glob(pattern)) == sorted(map(str, made))  # noqa: PTH207
    assert claude.logs({"CLAUDE_CONFIG_DIR": "/else[where]"}, str(home)) == ["/else[[]where]/projects/*/*.jsonl"]
    assert claude.logs({"CLAUDE_CONFIG_DIR": ""}, "/h") == ["/h/.claude/projects/*/*.jsonl"]
    assert claude.conversation("/h/.claude/projects/-x/655d89b8-1c84.jsonl") == "655d89b8-1c84"
    assert claude in LOGS and claude.opening(SENT) is None and claude.withdrawn(SENT) is None


@pytest.mark.parametrize(
    "more",
    [
        {"isSidechain": True}, {"isMeta": True}, {"isCompactSummary": True}, {"repeatsCompactSummary": True},
        {"isVisibleInTranscriptOnly": True}, {"toolUseResult": {"stdout": "x"}}, {"sourceToolAssistantUUID": "x"},
        {"origin": {"kind": "task-notification"}}, {"promptSource": "system"}, {"turnOrigin": "task_notification"},
        {"type": "api-request-blob"}, {"type": "queue-operation"}, {"type": "attachment"},
    ],
)  # fmt: skip
def test_records_that_no_person_said(more: dict[str, Any]) -> None:
    assert one(SENT) == ["hi"]
    assert one({**SENT, **more}) == []


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/compact</command-name>\n<command-args>keep</command-args>",
        "<command-message>x</command-message>\n<command-name>/x</command-name>",
        "<local-command-stdout>Compacted</local-command-stdout>",
        "<local-command-caveat>The command below</local-command-caveat>",
        "<task-notification>\n<task-id>a</task-id></task-notification>",
        "<bash-input>cat .env</bash-input>", "<bash-stdout>KEY=1</bash-stdout><bash-stderr></bash-stderr>",
        "[Request interrupted by user]", "[Request interrupted by user for tool use]",
        "This session is being continued from a previous conversation that ran out of context.",
        "<system-reminder>\nToday is Sunday.\n</system-reminder>", " \n",
    ],
)  # fmt: skip
def test_texts_that_no_person_said(text: str) -> None:
    for content in (text, [{"type": "text", "text": text}]):
        assert one({**SENT, "message": {"role": "user", "content": content}}) == []
    blocks = [{"type": "text", "text": text}, {"type": "image", "source": {}}, {"type": "text", "text": "mine"}]
    assert one({**SENT, "message": {"role": "user", "content": blocks}}) == ["mine"]


def test_what_was_put_into_a_persons_text() -> None:
    text = "<system-reminder>memory: a</system-reminder>\nkeep <b>this</b> <system-reminder>b</system-reminder>"
    text += "<user-prompt-submit-hook>c</user-prompt-submit-hook><ide_selection>API=1</ide_selection>"
    assert one({**SENT, "message": {"content": text}}) == ["keep <b>this</b>"]
    with_tool = [{"type": "tool_result", "content": "x"}, {"type": "text", "text": "y"}]
    assert one({**SENT, "message": {"content": with_tool}}) == []


def test_answers_that_nobody_gave() -> None:
    assert one(ANSWERED) == ["ho"]
    assert one({**ANSWERED, "isApiErrorMessage": True}) == one({**ANSWERED, "isSidechain": True}) == []
    assert one({**ANSWERED, "message": {**ANSWERED["message"], "model": "<synthetic>"}}) == []  # type: ignore[dict-item]
    blocks = [
        {"type": "thinking", "thinking": "a"},
        {"type": "tool_use", "input": {"text": "b"}},
        {"type": "text", "text": "c"},
    ]
    assert one({**ANSWERED, "message": {"id": "m", "content": [*blocks, {"type": "text", "text": "d"}]}}) == ["c", "d"]


def test_case_043_half_a_line(tmp_path: Path) -> None:
    case, log = CASES / "043-half-written-last-line", tmp_path / "session.jsonl"
    log.write_bytes((case / "part1.jsonl").read_bytes())
    assert said(PERSON, log) == ["first note"]
    log.write_bytes(log.read_bytes() + (case / "part2.jsonl").read_bytes())
    assert said(PERSON, log) == ["first note", "zweite Größe", "third"]


def test_case_045_surrogates_and_nul() -> None:
    heard = turns(CASES / "045-lone-surrogates-and-nul/log.jsonl")
    assert [(turn.by, turn.text) for turn in heard] == [
        (PERSON, "cut emoji \ufffd here"), (ASSISTANT, "good \U0001f9e0 pair"), (PERSON, "plain"),
    ]  # fmt: skip
    assert not any(turn.headless for turn in heard)


def test_case_047_copies_have_one_key_and_repeats_two() -> None:
    case = CASES / "047-same-message-many-rows"
    main, resumed = case / "main.jsonl", case / "resumed.jsonl"
    people = ["plan the trip", "yes", "yes", "and the budget"]
    for paths in ((main, resumed), (resumed, main)):
        assert sorted(said(PERSON, *paths)) == sorted(people)
        assert sorted(said(ASSISTANT, *paths)) == ["About 200.", "Two days."]
    before = {turn.key for turn in turns(main)}
    assert [turn.text for turn in turns(resumed) if turn.key not in before] == ["and the budget", "About 200."]
    assert {"r1", "y1", "y2"} <= before and any(re.fullmatch("msg_1:[0-9a-f]{16}", key) for key in before)


def test_case_053_times_have_their_zone() -> None:
    heard = turns(CASES / "053-day-boundary-local-day/rows.jsonl")
    assert [turn.text for turn in heard] == ["kiwi", "coast", "fold1", "fold2"]
    assert heard[0].when == datetime(2026, 3, 1, 11, 30, tzinfo=UTC) and heard[0].folder == "/home/test/proj_one.x"


def test_records_without_ids_differ_by_time_and_text() -> None:
    bare = {"type": "user", "timestamp": "2026-03-01T10:00:00Z", "message": {"content": "hi"}}
    keys = [
        turn.key
        for record in (bare, {**bare, "timestamp": "2026-03-01T10:00:01Z"}, {**bare, "message": {"content": "ho"}})
        for turn in claude.turns(record, Opening())
    ]
    assert len(set(keys)) == 3 and all(keys)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters() | st.characters(categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "text", "kind", "id", "content", "role", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = [
    *SENT,
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "origin",
    "promptSource",
    "turnOrigin",
    "entrypoint",
    "cwd",
    "sessionId",
    "toolUseResult",
    "isApiErrorMessage",
]


@given(
    st.sampled_from([SENT, ANSWERED]),
    st.dictionaries(st.sampled_from(FIELDS), JSON),
    st.dictionaries(st.sampled_from(["role", "content", "id", "model"]), JSON),
)
@example(SENT, {"entrypoint": json.loads("[" * 400 + "]" * 400), "timestamp": 10**4000}, {})
def test_no_json_value_raises(record: dict[str, Any], more: dict[str, Any], inside: dict[str, Any]) -> None:
    message = record["message"]
    for odd in (
        {**record, "message": {**message, **inside}, **more},
        {**record, **more},
        {**record, "message": {**message, **inside}},
    ):
        for turn in claude.turns(odd, Opening()):
            assert turn.key and turn.text.strip() == turn.text != "" and turn.by in (PERSON, ASSISTANT)
            assert (turn.key + turn.text + turn.folder).encode() and "\n" not in turn.folder
        claude.opening(odd), claude.withdrawn(odd)


@given(JSON)
def test_no_json_line_raises(value: Any) -> None:
    assert claude.turns(value, Opening()) == [] and claude.opening(value) is None and claude.withdrawn(value) is None


def test_what_is_typed_while_the_assistant_works_is_a_turn() -> None:
    """It stands in an attachment alone; the client's own attachments, and what a task reports there, are none."""
    held = {"type": "queued_command", "prompt": "no, use csv", "commandMode": "prompt", "origin": {"kind": "human"}}
    record = {
        "type": "attachment",
        "uuid": "q1",
        "sessionId": "s",
        "timestamp": "2026-03-01T10:00:00Z",
        "attachment": held,
    }
    [turn] = claude.turns(record, Opening())
    assert (turn.by, turn.text, turn.key) == ("person", "no, use csv", "q1")
    [listed] = claude.turns(record | {"attachment": held | {"prompt": [{"type": "text", "text": "a"}]}}, Opening())
    assert listed.text == "a"
    for other in (
        {"commandMode": "task-notification"}, {"type": "file"}, {"prompt": "<task-notification>x"}, {"prompt": None},
        {"origin": {"kind": "task-notification"}},
    ):  # fmt: skip
        assert claude.turns(record | {"attachment": held | other}, Opening()) == []
    assert claude.turns(record | {"isSidechain": True}, Opening()) == []
