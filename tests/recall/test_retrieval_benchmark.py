"""`python -m benchmarks --retrieval`: over a made conversation in LoCoMo's form, for the real data set is not ours to keep."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks import place
from benchmarks import retrieval
from benchmarks import retrieval_score
from benchmarks import retrieval_vault
from benchmarks import run


def turn(session: int, at: int, speaker: str, text: str) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D{session}:{at}", "text": text}


def conversation(number: str, first: str, second: str, said: list[str], qa: list[dict[str, Any]]) -> dict[str, Any]:
    talk: dict[str, Any] = {"speaker_a": first, "speaker_b": second}
    for session, text in enumerate(said, 1):
        talk[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
        talk[f"session_{session}"] = [turn(session, 1, first, f"{text}"), turn(session, 2, second, "Good to hear.")]
    talk[f"session_{len(said) + 1}"] = []
    return {"sample_id": f"conv-{number}", "conversation": talk, "qa": qa}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(place, "OUT", str(tmp_path / "out"))
    asked = [
        {"question": "Who was stung by a bee?", "category": 4, "evidence": ["D2:1"]},
        {"question": "What did Nia build and paint?", "category": 1, "evidence": ["D1:1; D3:1"]},
        {"question": "Did it rain?", "category": 5, "evidence": ["D1:1"]},
        {"question": "No note of this?", "category": 4, "evidence": []},
    ]
    made = [
        conversation("26", "Nia", "Tom", ["I built a boat.", "A bee stung me.", "I painted the boat."], asked),
        conversation("7", "Nia", "Una", ["Bees make honey."], [{**asked[0], "evidence": ["D1:1"]}]),
    ]
    path = tmp_path / "made.json"
    path.write_text(json.dumps(made), "utf-8")
    return path


def test_it_measures_our_search_beside_the_plain_ones(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--retrieval", str(data), "--ablation"]) == 0
    shown = capsys.readouterr().out
    assert "conversations 26: 2 questions (single-hop 1, multi-hop 1, temporal 0, open-domain 0)" in shown
    rows = [line.split("  ")[0] for line in shown.splitlines() if " all " in line]
    assert rows == ["search", "context, 4000 tokens", "FTS5, words joined by OR", "BM25, stems, no stop words"]
    [ours] = [line for line in shown.splitlines() if line.startswith("search ") and "single-hop" in line]
    assert ours.split()[3] == "1.000"
    assert "runs of four letters: R@1" in shown


def test_what_is_made_of_the_data_set_stays_out_of_git(data: Path) -> None:
    ignored = [
        "git",
        "-C",
        str(Path(run.__file__).parent.parent),
        "check-ignore",
        "-q",
        "benchmarks/out/retrieval/x.md",
    ]
    assert subprocess.run(ignored, check=False).returncode == 0
    assert retrieval.run(str(data), "all") == 0
    notes = {path.name for path in Path(place.OUT, "retrieval", "26-7", "People").iterdir()}
    assert notes == {"Nia 26.md", "Nia 7.md", "Tom.md", "Una.md"}


def test_no_such_file_and_no_such_conversation(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval.run("nowhere.json") == 2
    assert "nowhere.json" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="no conversation 99"):
        retrieval.run(str(data), "26,99")


def test_scores() -> None:
    question = retrieval_vault.Question("?", "multi-hop", "26", frozenset({"a", "b"}))
    assert retrieval_score.score(question, ["x", "a", "a", "b"]).values == pytest.approx(
        (0.0, 1.0, 1.0, 1.0, 0.5, (1 / 1.58496 + 1 / 2) / (1 + 1 / 1.58496)), abs=1e-4
    )
    assert retrieval_score.score(question, []).values == (0.0,) * 6
