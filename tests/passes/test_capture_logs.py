"""Reading logs: whole records only, nothing split but at LF, in bounded memory; finding them, and what is new by time."""

from __future__ import annotations

import json
import os
import tracemalloc
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talking import START
from talking import Talks
from talking import lines
from talking import minutes
from talking import person

from vaultgit import agents
from vaultgit.agents import claude
from vaultgit.passes.capture import logs

TEXT = st.text(max_size=60)
BROKEN = st.binary(max_size=40).map(lambda data: data.replace(b"\n", b""))


def _read(path: Path, start: int = 0) -> list[logs.Record]:
    return list(logs.records(str(path), start))


@given(st.lists(TEXT, max_size=8), BROKEN, st.data())
def test_records_are_the_whole_lines_wherever_reading_stops(texts: list[str], rest: bytes, data: st.DataObject) -> None:
    """Case 043: half a last line is left for the next time; U+2028 and the like are no line ends."""
    import tempfile

    whole = lines(*({"n": number, "text": text} for number, text in enumerate(texts)))
    cut = data.draw(st.integers(0, len(whole)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(whole[:cut])
        first = _read(path)
        end = first[-1].end if first else 0
        assert whole[:end].endswith(b"\n") or end == 0
        path.write_bytes(whole + rest)
        second = _read(path, end)
        found = [record.data for record in (*first, *second)]
        assert found == [{"n": number, "text": text} for number, text in enumerate(texts)]
        assert [record.start for record in second] == [end, *(record.end for record in second[:-1])][: len(second)]


@pytest.mark.parametrize(
    "line", [b"{oops", b"[1]", b"12", b'"x"', b"", b"\xff\xfe{}", b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5_000]
)
def test_a_line_that_is_no_record_is_passed_over(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line + b"\n" + lines({"n": 1}))
    assert [record.data for record in _read(path)] == [None, {"n": 1}]


def test_an_invalid_byte_is_replaced_and_the_record_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":"x\xffy"}\n')
    assert _read(path)[0].data == {"a": "x\ufffdy"}


def test_a_line_of_many_megabytes_costs_no_memory(tmp_path: Path) -> None:
    """Images lie in logs, 8 MB a line."""
    path = tmp_path / "a.jsonl"
    with open(path, "wb") as stream:
        for _ in range(3):
            stream.write(b'{"a":"' + b"x" * (24 << 20) + b'"}\n')
        stream.write(lines({"n": 1}))
    tracemalloc.start()
    found = _read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [record.data for record in found] == [None, None, None, {"n": 1}]
    assert found[-1].end == path.stat().st_size
    assert peak < 8 << 20


def test_since_finds_the_first_young_record_of_a_large_log(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with open(path, "wb") as stream:
        for number in range(30_000):
            told = {"timestamp": "2020-01-01T00:00:00Z"}  # of something else, in the record
            stream.write(lines({"data": told} | person("x" * 1000, f"u{number}", START + timedelta(seconds=number))))
    size = path.stat().st_size
    wanted = START + timedelta(seconds=25_000)
    start = logs.since(str(path), size, wanted)
    found = _read(path, start)
    young = [record.data for record in found if record.data and record.data["timestamp"] >= wanted.isoformat()[:19]]
    assert found[0].data is not None
    assert young[0]["uuid"] == "u25000"
    assert size - start < (5_000 + 3_600) * 1_300 + (16 << 20)
    assert logs.since(str(path), size, START - timedelta(days=1)) == 0
    assert not [r for r in _read(path, logs.since(str(path), size, START + timedelta(days=9))) if r.start < size // 2]


def test_the_proof_is_of_all_that_precedes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"a" * 5000 + b"b" * 5000)
    known = logs.proof(str(path), 9000)
    with open(path, "ab") as stream:
        stream.write(b"c")
    assert logs.proof(str(path), 9000) == known
    assert logs.proof(str(path), 8999) != known
    path.write_bytes(b"z" + b"a" * 4999 + b"b" * 5000)
    assert logs.proof(str(path), 9000) != known
    path.write_bytes(b"a" * 100)
    assert logs.proof(str(path), 9000) == ""


def test_logs_are_found_and_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home [1]*"
    talks = Talks(home)
    one = talks.add("s-1", person("hello", "u1"))
    (talks.folder / "s-1").mkdir()
    (talks.folder / "s-1" / "agent-1.jsonl").write_bytes(b"{}\n")
    locked = home / ".claude" / "projects" / "locked"
    locked.mkdir()
    real = os.listdir

    def listdir(path: str) -> list[str]:
        if path == str(locked):
            raise PermissionError(1, "Operation not permitted", path)  # macOS: no permission in System Settings
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    found, problems = logs.find((claude,), {}, str(home))
    assert [(one.path, one.conversation) for one in found] == [(str(one), "s-1")]
    assert problems == [f"{locked} cannot be read: Operation not permitted"]


def test_no_home_of_a_client_is_no_problem(tmp_path: Path) -> None:
    assert logs.find(agents.LOGS, {}, str(tmp_path)) == ([], [])


def test_what_a_range_holds_is_told_by_its_hash(tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(list(range(3000))).encode())
    data = path.read_bytes()
    assert logs.digest(str(path), 10, 5000) == hashlib.sha256(data[10:5000]).hexdigest()[:16]
    assert logs.digest(str(path), 10, len(data) + 1) == ""
    assert minutes(1) - START == timedelta(minutes=1)
