"""The order of what may answer a question: what each part of the score is for, and that no text can break it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.recall import rank
from vaultgit.recall import words
from vaultgit.recall.candidate import Asked
from vaultgit.recall.candidate import Candidate
from vaultgit.recall.candidate import Scored
from vaultgit.recall.candidate import Term

NOTES = 100


def note(path: str, body: str = "", *, title: str = "", aliases: tuple[str, ...] = (), **other: Any) -> Candidate:
    names = "\n".join(words.stems(name) for name in (title or path.rpartition("/")[2].removesuffix(".md"), *aliases))
    fields: dict[str, Any] = {"type": "", "day": "", "first": 1, "links": (), "bm25": 0.0, **other}
    return Candidate(path=path, oid="", title=title, names=names, stems=words.stems(body), **fields)


def ask(text: str, *, df: int = 5, near: dict[str, str] | None = None, **other: Any) -> Asked:
    idf = math.log(1 + (NOTES - df + 0.5) / (df + 0.5))
    terms: list[Term] = []
    for word in words.found(text):
        if words.is_stop(word):
            continue
        missing = near and word in near
        terms += [Term(one, word, 0 if missing else df, idf) for one in words.asked(word)]
        if near and missing:
            terms.append(Term(words.stem(near[word]), word, df, idf, "near"))
    return Asked(text, tuple(terms), NOTES, 20.0, **other)


def paths(asked: Asked, *notes: Candidate) -> list[str]:
    return [one.candidate.path for one in rank.order(asked, notes)]


def best(asked: Asked, *notes: Candidate) -> Scored:
    return rank.order(asked, notes)[0]


def test_more_of_the_question_is_better() -> None:
    assert paths(ask("red fox jumps"), note("a.md", "a red house"), note("b.md", "a red fox")) == ["b.md", "a.md"]


def test_a_question_that_stands_so_in_a_note_finds_it() -> None:
    asked = ask("to be or not to be")
    assert paths(asked, note("a.md", "not not not that"), note("b.md", "To be, or not to be?")) == ["b.md", "a.md"]


def test_what_is_called_so_to_the_letter_comes_first() -> None:
    notes = [note("a.md", "# C", title="C"), note("b.md", "# C#", title="C#"), note("c.md", "# C++", title="C++")]
    assert paths(ask("C++"), *notes)[0] == "c.md"
    assert paths(ask("c#"), *notes)[0] == "b.md"


def test_properties_answer_as_one_line_does() -> None:
    apart = note("a.md", "Rutger was here.\n\nAt noon.\n\nHauer was not.")
    cast = note("b.md", "A film as long as the other note.\n\nYes.\n\nAnd more.", said=" rutger hauer ")
    found = rank.order(ask("Rutger Hauer"), [apart, cast])
    assert [one.candidate.path for one in found] == ["b.md", "a.md"]
    assert (found[0].line, found[1].line) == (0, 1)  # 0: none of the body


def test_words_that_stand_together_beat_words_apart() -> None:
    together = note("b.md", "\n\n".join(["one", "the fox is red", "two", "three", "four"]))
    apart = note("a.md", "\n\n".join(["the fox is one", "two", "three", "four", "red"]))
    assert paths(ask("red fox"), apart, together) == ["b.md", "a.md"]


def test_two_lines_that_follow_each_other_stand_together_also_over_an_empty_line() -> None:
    followed = note("b.md", "who was it that ate?\n\nthe fox\n\none two\n\nthree four")
    apart = note("a.md", "who was it that ate?\n\none two\n\nthe fox\n\nthree four")
    assert paths(ask("fox ate"), apart, followed) == ["b.md", "a.md"]


def test_a_title_is_what_every_line_is_about() -> None:
    of_her = note("people/ada.md", "Lives here.\nHer number is on the fridge.", title="Ada")
    of_day = note("daily/1.md", "Ada and Ada and Ada.\nOne.\nThe number of numbers.")
    assert best(ask("Ada number"), of_day, of_her).candidate.path == "people/ada.md"


@pytest.mark.parametrize("text", ["Golden hour", "golden  HOUR", "soft light"])
def test_who_is_called_so_comes_first(text: str) -> None:
    called = note("z.md", "nothing of it", title="Golden hour", aliases=("Soft light",))
    others = [note(f"{n}.md", f"{text} {text}\n{text}", links=("z",), day="2026-05-01") for n in range(3)]
    asked = ask(text, named=(("z",),), days=("2026-05-01", "2026-05-01"))
    assert best(asked, *others, called).candidate.path == "z.md"


def test_part_of_a_title_is_not_called_so() -> None:
    assert "called so" not in best(ask("golden"), note("z.md", title="Golden hour")).why


def test_a_note_that_links_to_those_named_is_better() -> None:
    asked = ask("what did Ada paint", named=(("ada", "ada·b"), ("fox",)))
    notes = [note("a.md", "Ada paints"), note("b.md", "Ada paints", links=("ada·b",)),
             note("c.md", "Ada paints", links=("ada", "fox"))]  # fmt: skip
    assert paths(asked, *notes) == ["c.md", "b.md", "a.md"]


@pytest.mark.parametrize("day", ["2026-05-31", "2026-05-01"])
def test_the_time_asked_for(day: str) -> None:
    asked = ask("what did we paint in May 2026", days=("2026-05-01", "2026-05-31"))
    within, after = note("z.md", "paint", day=day), note("y.md", "paint", day="2026-06-05")
    long_after, never = note("x.md", "paint", day="2026-08-01"), note("w.md", "paint")
    assert paths(asked, never, long_after, after, within) == ["z.md", "y.md", "w.md", "x.md"]


def test_the_words_of_a_time_that_is_known_tell_little() -> None:
    asked = ask("was there rain in May 2026", days=("2026-05-01", "2026-05-31"))
    assert best(asked, note("a.md", "May 2026"), note("b.md", "rain")).candidate.path == "b.md"
    assert best(ask("May rain"), note("a.md", "May may"), note("b.md", "rain")).candidate.path == "a.md"


def test_words_of_how_one_asks_tell_little() -> None:
    asked = ask("what kind of thing was mentioned on apples")
    assert best(asked, note("a.md", "a kind of thing was mentioned"), note("b.md", "apples")).candidate.path == "b.md"


def test_runs_of_letters_find_what_is_nearly_the_word() -> None:
    asked = ask("photographers", df=3)
    assert best(asked, note("a.md", "carpenter"), note("b.md", "photo")).candidate.path == "b.md"


def test_a_word_counts_more_than_what_stands_in_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank, "PIECES", 0.0)
    asked = ask("vegeterian", near={"vegeterian": "vegetarian"})
    found = rank.order(asked, [note("a.md", "meat"), note("b.md", "vegetarian"), note("c.md", "vegeterian")])
    assert [one.candidate.path for one in found] == ["c.md", "b.md", "a.md"]
    assert found[1].why[0] == "words 1 of 1" and found[1].line == 1


# -- logs and decisions ------------------------------------------------------------------------------------------

LOGS = [
    note("sessions/1.md", "fox and red paint", type="session"), note("inbox/1.md", "fox and red paint", type="inbox"),
    note("changelog.md", "fox and red paint"), note("changelog/2026-01.md", "fox and red paint"),
    note("review.md", "fox and red paint"), note("AGENTS.md", "fox and red paint"),
    note("templates/1.md", "fox and red paint"),
]  # fmt: skip


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.path)
def test_a_log_stands_below_a_note_of_like_worth_and_above_one_that_has_less(log: Candidate) -> None:
    alike, less = note("z.md", "the fox, and a red paint here"), note("y.md", "fox\n\nof old\n\nand new\n\nred")
    assert paths(ask("fox red paint"), log, alike, less) == ["z.md", log.path, "y.md"]


def test_a_session_that_is_called_as_the_question_stands_below_the_notes_that_say_as_much() -> None:
    session = note("sessions/1.md", "fox red paint\nfox red paint", title="fox red paint", type="session")
    whole = note("z.md", "word " * 200 + "\nthe fox, and a red paint here")
    less = note("y.md", "a fox")
    assert paths(ask("fox red paint"), session, whole, less) == ["z.md", "sessions/1.md", "y.md"]


def test_among_logs_alone_the_order_is_that_of_notes() -> None:
    asked = ask("fox red paint")
    as_notes = [note(f"{n}.md", body) for n, body in enumerate(["fox", "fox red", "fox red paint"])]
    as_logs = [one._replace(type="session") for one in as_notes]
    assert paths(asked, *as_notes) == paths(asked, *as_logs) == ["2.md", "1.md", "0.md"]


def test_a_replaced_decision_stands_below_what_replaced_it() -> None:
    old = note("decisions/1.md", "the timetable is a spreadsheet", type="decision", replaced="decisions/2.md")
    older = note("decisions/0.md", "the timetable was on paper", type="decision", replaced="decisions/1.md")
    new = note("decisions/2.md", "the times lie in SQLite", type="decision")
    other = note("notes/x.md", "timetable")
    found = rank.order(ask("timetable spreadsheet"), [older, old, other, new])
    assert [one.candidate.path for one in found][:2] == ["decisions/2.md", "decisions/1.md"]
    assert found[0].why[-1] == "in place of decisions/1.md"
    assert found[1].why[-1] == "replaced by decisions/2.md"
    assert [one.candidate.path for one in rank.order(ask("paper"), [older, old, new])] == [
        "decisions/2.md", "decisions/1.md", "decisions/0.md"
    ]  # fmt: skip


def test_a_replaced_decision_is_below_also_when_its_title_was_asked_for() -> None:
    old = note("decisions/1.md", title="Heated to 16 degrees", type="decision", replaced="decisions/2.md")
    new = note("decisions/2.md", title="Heated to 18 degrees", type="decision")
    assert paths(ask("heated to 16 degrees"), old, new) == ["decisions/2.md", "decisions/1.md"]


def test_decisions_that_replace_each_other_in_a_circle_end() -> None:
    circle = [note(f"{n}.md", "fox", replaced=f"{(n + 1) % 3}.md") for n in range(3)]
    assert len(rank.order(ask("fox"), [*circle, note("s.md", "fox", replaced="s.md")])) == 4


# -- what is told of it ------------------------------------------------------------------------------------------


def test_the_line_is_the_notes_own_and_the_one_that_has_most() -> None:
    body = "\n".join(["fox", "", "red", "", "", "a red fox", "and paint", "fox"])
    found = best(ask("red fox paint"), note("a.md", body, first=7))
    assert found.line == 12
    assert "lines 12-13" in found.why and "words 3 of 3" in found.why


def test_no_line_where_only_a_name_has_it() -> None:
    assert best(ask("fox"), note("fox.md", "nothing")).line == 0


def test_it_says_what_counted() -> None:
    asked = ask("what did Ada paint in May 2026", named=(("ada",),), days=("2026-05-01", "2026-05-31"))
    found = best(asked, note("sessions/1.md", "x\nAda paints", links=("ada",), day="2026-05-08", type="session"))
    assert found.why == ("words 2 of 4", "line 2", "names ada", "date 2026-05-08", "a log, not a note")


# -- any text ----------------------------------------------------------------------------------------------------


def test_equals_stand_by_what_the_index_thinks_and_then_by_path() -> None:
    same = [note(path, "fox") for path in ("c.md", "a.md", "b.md")]
    assert paths(ask("fox"), *same, note("d.md", "fox", bm25=1.0)) == ["d.md", "a.md", "b.md", "c.md"]


def test_nothing_asked_nothing_found() -> None:
    assert rank.order(Asked("", (), 0, 0.0), []) == []
    assert paths(Asked("", (), 0, 0.0), note("b.md", "x"), note("a.md", "y")) == ["a.md", "b.md"]


TEXT = st.text(alphabet="ab \n\u00e9\u6771\u4eac\U0001f600-:\"*'", max_size=40) | st.text(max_size=20)
TERM = st.builds(
    Term, stem=TEXT, raw=TEXT, df=st.integers(0, 9), idf=st.floats(-2, 9),
    kind=st.sampled_from(["word", "near", "phrase", "stop"]),
)  # fmt: skip
ASKED = st.builds(
    Asked, text=TEXT, terms=st.lists(TERM, max_size=5).map(tuple), notes=st.integers(0, 9), length=st.floats(0, 99),
    named=st.lists(st.lists(TEXT, max_size=2).map(tuple), max_size=2).map(tuple),
    days=st.sampled_from([("", ""), ("2026-05-01", "2026-05-31"), ("*-07-01", "x"), ("2026-05-31", "2026-05-01")]),
)  # fmt: skip
CANDIDATE = st.builds(
    Candidate, path=TEXT, oid=st.just(""), type=st.sampled_from(["", "session", "decision"]), title=TEXT, names=TEXT,
    day=st.sampled_from(["", "2026-05-03", "0000-99-99"]), stems=TEXT, first=st.integers(1, 9),
    links=st.lists(TEXT, max_size=2).map(tuple), bm25=st.floats(-9, 9), replaced=TEXT,
)  # fmt: skip


@given(ASKED, st.lists(CANDIDATE, max_size=5, unique_by=lambda one: one.path), st.randoms())
def test_any_text_gets_an_order_and_always_the_same(asked: Asked, notes: list[Candidate], chance: Any) -> None:
    found = rank.order(asked, notes)
    assert sorted(one.candidate.path for one in found) == sorted(one.path for one in notes)
    assert all(math.isfinite(one.score) and one.line >= 0 for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    shuffled = list(notes)
    chance.shuffle(shuffled)
    assert rank.order(asked, shuffled) == found
