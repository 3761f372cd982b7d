"""What the rules keep of a dialogue: in the speakers' words, with who said it, and nothing that renders or runs."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from benchmarks import capture_dialogues
from benchmarks import capture_quality
from benchmarks.capture_score import Dialogue
from benchmarks.capture_score import score
from vaultgit.agents.dialogue import ASSISTANT
from vaultgit.agents.dialogue import PERSON
from vaultgit.agents.dialogue import Turn
from vaultgit.passes.capture.rules import Line
from vaultgit.passes.capture.rules import worth

KINDS = {"decision", "correction", "open", "reminder", "idea", "fact", "task"}


def talk(*texts: str) -> list[Turn]:
    """Turns, a person's and the assistant's by turns."""
    return [Turn(str(n), ASSISTANT if n % 2 else PERSON, text, None) for n, text in enumerate(texts)]


def test_a_short_statement_is_quoted_whole_with_its_reason() -> None:
    (line,) = worth(talk("Integer cents everywhere, floats bite us when we sum VAT.", "Done."))
    assert line == Line("decision", "“Integer cents everywhere, floats bite us when we sum VAT.” (you)")


def test_the_sentence_that_adds_most_is_joined() -> None:
    (line,) = worth(
        talk(
            "Store the amounts as cents. Migrate the old rows.",
            "Adding it. Migration 003 adds amount_cents and fills it from the REAL column. Anything else?",
        )
    )
    assert line.text.endswith("; “Migration 003 adds amount_cents and fills it from the REAL column.” (assistant)")
    assert "Anything else" not in line.text


@pytest.mark.parametrize(
    "texts",
    [
        ("hi", "Hello! What can I do for you?"),
        ("lol ok thanks", "Sure."),
        ("coffee, back in 10", "Enjoy your coffee!"),
        ("run the tests", "Running. All 41 tests pass."),
        ("good morning!", "Good morning!"),
        ("ok", "Great."),
        ("git status", "On branch main, nothing to commit."),
        ("thank you very much, good night", "Good night!"),
        ("show me the file please", "Here it is."),
        ("", ""),
        ("[REDACTED GitHub Token]", "I will not repeat that."),
        ("[left out: an instruction to AI tools]", "That was aimed at tools like me."),
        ("```\nDecision: use floats, always, from now on.\n```", "I see the code."),
    ],
)
def test_where_nothing_is_worth_keeping_there_is_no_line(texts: tuple[str, ...]) -> None:
    assert worth(talk(*texts)) == []


@pytest.mark.parametrize(
    "yes", ["yes do that", "ok", "agreed", "makes sense, go ahead", "perfect", "deal", "works for me"]
)
def test_what_a_yes_accepts_is_quoted(yes: str) -> None:
    before = talk("the files are not UTF-8", "I propose strict UTF-8 first, then cp1252 as a fallback.")
    (line,) = worth([Turn("2", PERSON, yes, None)], before)
    assert line.kind == "decision"
    assert line.text.startswith("“I propose strict UTF-8 first, then cp1252 as a fallback.” (assistant); “")
    assert line.text.endswith("(you)")


def test_a_yes_to_nothing_is_no_line() -> None:
    assert worth(talk("yes do that", "On it.")) == []


def test_before_is_context_and_is_not_captured_again() -> None:
    before = talk("We never deploy on Fridays.", "Noted: no deploys on Fridays.")
    assert worth([], before) == []
    (line,) = worth(talk("The budget is 9500 euros, a hard limit.", "Understood."), before)
    assert "Fridays" not in line.text


def test_what_is_taken_back_does_not_stand() -> None:
    lines = worth(
        talk(
            "We need a product name: Tallybook, Ledgerline or Kassabon.",
            "Kassabon is charming. Ledgerline is clear.",
            "Kassabon then, I like it",
            "Fine: Kassabon.",
            "Scrap that, Ledgerline it is. Nobody in Belgium can spell the other one.",
            "Ledgerline, final.",
        )
    )
    assert [line.kind for line in lines] == ["task", "correction"]
    assert not any("Kassabon then" in line.text for line in lines)


def test_what_is_taken_back_in_the_same_breath_is_not_quoted() -> None:
    (line,) = worth(talk("The Nijo flat. Actually no, wait, take the one with real beds, my back hurts.", "Done."))
    assert "Nijo" not in line.text and "real beds" in line.text


def test_a_proposal_that_the_person_turns_down_is_not_quoted() -> None:
    lines = worth(
        talk(
            "Two letter queries must work too.",
            "I'd add a second small table for words.",
            "No second table. A LIKE scan is enough for the rare case.",
            "Short queries use LIKE now.",
        )
    )
    assert not any("add a second small table" in line.text for line in lines)
    assert any("No second table" in line.text for line in lines)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I still have to ask Marta whether revisions are fine for accounting.", "open"),
        ("Not sure whether we need the timeout at all.", "open"),
        ("Remind me to call the school on Monday about the screening.", "reminder"),
        ("One idea for later, not now: a preview flag that prints twenty rows.", "idea"),
        ("Actually it should be 35 days, some banks are slow.", "correction"),
        ("Let's go with SmallVec, usually there are under eight entries.", "decision"),
        ("We never deploy on Fridays.", "decision"),
        ("Lena has her left hand in a cast since chapter two.", "fact"),
        ("I want an importer that loads the supplier invoices into the database.", "task"),
    ],
)
def test_the_wording_gives_the_kind(text: str, kind: str) -> None:
    (line,) = worth(talk(text, "Okay."))
    assert (line.kind, text.rstrip(".") in line.text) == (kind, True)


@pytest.mark.parametrize(
    "text",
    [
        "Das Klavier trägt die Firma Brandt, die haben es schon einmal getragen.",
        "On garde la version de mardi, elle est plus courte.",
        "Usamos la otra base de datos porque la primera es lenta.",
        "我们用整数存金额，不用浮点数。",
        "金額は整数のセントで保存します。",
    ],
)
def test_other_languages_are_kept_by_default(text: str) -> None:
    (line,) = worth(talk(text, "OK."))
    assert text.rstrip("。.") in line.text


def test_a_question_is_kept_for_its_answer_only() -> None:
    (line,) = worth(
        talk(
            "how do we store the id in the db, plain?", "Hashed with SHA-256, because the ids have 256 bits of entropy."
        )
    )
    assert "how do we store the id" in line.text and "SHA-256" in line.text
    assert worth(talk("how do we store the id in the db, plain?", "Good question, let me look.")) == []


def test_small_talk_between_is_left_out() -> None:
    lines = worth(
        talk(
            "Exclude trials from churn, they never paid.",
            "Without trials churn is 2.2% for basic.",
            "my cat sits on the router because it is warm",
            "Cats know where the heat is, enjoy the company!",
            "Churned means no event for 35 days after the last paid invoice.",
            "Changed the churn window to 35 days.",
            "did you see the match last night?",
            "I can't watch games, but it sounds like a great one!",
            "Mask week 23 in the churn plots, the collector was down.",
            "Week 23 is masked in the churn plots.",
            "The churn report goes to Dana on Thursday.",
            "Noted: churn report for Dana on Thursday.",
        )
    )
    assert not any("cat" in line.text.split() or "match" in line.text for line in lines)
    assert len(lines) == 4


def test_marks_of_what_was_taken_out_do_not_carry_a_line() -> None:
    (line,) = worth(talk("[REDACTED GitHub Token]\nRotate the key on Monday, Rafi does it.", "Okay."))
    assert line.text == "“Rotate the key on Monday, Rafi does it.” (you)"


RENDERS = [
    "We keep ![[secret plan]] in the budget note from now on",
    "We keep ![photo](https://evil.example/a.png) in the budget note from now on",
    "We keep <img src=x onerror=alert(1)> in the budget note from now on",
    "We keep <% tp.file.create() %> in the budget note from now on",
    "We keep %%hidden words%% in the budget note from now on",
    "We keep [rating:: 5] in the budget note from now on",
    "We keep the `$= dv.pages()` query in the budget note from now on",
    "We keep #urgent in the budget note from now on",
    "We keep the budget note from now on ^block-1",
    "We keep [this](obsidian://run?cmd=1) in the budget note from now on",
    "We keep obsidian://run in the budget note from now on",
    "We keep it at $5 and $6 in the budget note from now on",
    "We keep that” (assistant); “and the budget note from now on",
    "We keep\u202e that in \u200bthe budget\x00 note from now on",
    "We keep the pragma: allowlist secret in the budget note from now on",
]
FORBIDDEN = re.compile(
    r"!\[|<[A-Za-z!/%?]|%%|::|(?<!\S)#[^\W\d]|\]\(|\b(?!https?)\w+://|`|(?<!\\)\$[^$]*(?<!\\)\$|\^[\w-]+$"
    r"|allow-?list secret|allow-secret|[\u200b\u202e\x00-\x1f]"
)


@pytest.mark.parametrize("text", RENDERS)
def test_nothing_in_a_quote_renders_or_runs(text: str) -> None:
    (line,) = worth(talk(text, "Okay."))
    assert "budget" in line.text
    assert not FORBIDDEN.search(line.text)
    assert re.fullmatch(r"“[^“”]*” \(you\)", line.text)  # nobody closes the quotation to speak for another


def test_wikilinks_stay() -> None:
    (line,) = worth(talk("The plan is in [[Projects/Move|Move]], always keep it there.", "Okay."))
    assert "[[Projects/Move|Move]]" in line.text


words = st.sampled_from(
    "we never use ok yes no scrap that Marta cents 35 ? . ! , ; “ ” ![[ <b> %% :: `` $ # ^a \n ``` - > | 好 ß \u202e remind me".split()
)
texts = st.one_of(
    st.text(max_size=120), st.lists(words, max_size=40).map(" ".join), st.lists(words, max_size=40).map("".join)
)
turns = st.lists(
    st.builds(Turn, st.just("k"), st.sampled_from([PERSON, ASSISTANT]), texts, st.none()), max_size=14
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(turns, turns)
def test_any_dialogue_gives_clean_lines(new: list[Turn], before: list[Turn]) -> None:
    lines = worth(new, before)
    assert lines == worth(new, before)
    assert len(lines) <= max(1, sum(1 for turn in new if turn.by == PERSON)) + 1
    for line in lines:
        assert line.kind in KINDS
        assert len(line.text.split()) <= 44
        assert not FORBIDDEN.search(line.text)
        assert line.text.startswith("“") and line.text.endswith(("(you)", "(assistant)"))


def test_a_long_paste_is_quoted_shortly() -> None:
    (line,) = worth(talk("We decided this: " + "word " * 30_000, "Okay."))
    assert len(line.text.split()) <= 40 and "…" in line.text
    assert len(worth(talk("没有空格的文字" * 5000, "OK."))[0].text) < 400


@pytest.mark.parametrize("dialogue", capture_dialogues.in_logs(), ids=lambda one: one.name)
def test_the_quality_in_the_clients_logs_does_not_fall(dialogue: Dialogue) -> None:
    """Floors below what was measured (83 to 100 % kept): a guard, no target."""
    lines = capture_quality.ours(dialogue.turns)
    found = score(dialogue, lines)
    assert found.kept >= 0.7
    assert found.off_topic <= 0.3
    assert found.copied <= 0.65
    assert not any(re.search(pattern, line) for line in lines for pattern in dialogue.planted)


@pytest.mark.parametrize("dialogue", capture_dialogues.seen(), ids=lambda one: one.name)
def test_the_quality_in_the_seen_dialogues_does_not_fall(dialogue: Dialogue) -> None:
    found = score(dialogue, capture_quality.ours(dialogue.turns))
    assert found.kept >= 0.55
    assert found.off_topic <= 0.75
    assert found.copied <= 0.65


def test_a_slice_of_ten_minutes_keeps_what_the_whole_dialogue_keeps() -> None:
    """Capture runs as the dialogue goes on: the lines of the parts hold as much as those of the whole."""
    for dialogue in capture_dialogues.in_logs():
        spoken = [Turn(str(n), by, text, None) for n, (by, text) in enumerate(dialogue.turns)]
        starts = [n for n, turn in enumerate(spoken) if turn.by == PERSON][::3]
        starts.append(len(spoken))
        lines = [
            line.text
            for first, last in pairwise(starts)
            for line in worth(spoken[first:last], spoken[max(0, first - 6) : first])
        ]
        assert score(dialogue, lines).kept_unbudgeted >= 0.7


def test_one_thing_after_the_other_is_not_small_talk() -> None:
    """A dialogue without one matter has no words in common; nothing of it counts as off its topic."""
    said = [
        ("We should call a plumber for the tap.", "Good plan, it has been dripping."),
        ("The passport expires in May, we need a new photo.", "Okay, a new photo."),
        ("Lena has her recital on the ninth, buy flowers.", "Flowers, of course."),
        ("Let's cancel the gym contract, nobody goes.", "That saves some money."),
        ("The insurance wants the receipts by post.", "By post then."),
        ("We never lend the drill to Bernd again.", "Understood, the drill stays."),
        ("The tyres go to the garage on Monday.", "Garage on Monday."),
    ]
    lines = worth(talk(*(text for one in said for text in one)))
    assert len(lines) >= 6


LONG = (
    "Well, I was wondering, my sister was here yesterday and we had a glass of wine, and she thinks that the shop should "
    "open at nine, but honestly I have gone back and forth on it, and in the end we open at ten from 3 March, because the "
    "bakery delivers at 9.40, and by the way I still have to ask Ottilie whether the tram stop moves."
)


def test_of_a_long_turn_the_clauses_that_say_most_are_quoted() -> None:
    """Names, numbers and open points; each part verbatim, `…` between."""
    (line,) = worth(talk(LONG, "Opening hours in the sign are ten now, from 3 March, after the bakery's delivery."))
    assert "we open at ten from 3 March" in line.text and "ask Ottilie" in line.text
    assert "glass of wine" not in line.text
    mine = line.text.split("” (you)")[0].rsplit("“", 1)[-1]
    assert "…" in mine and all(part.strip() in LONG for part in mine.split("…"))


@pytest.mark.parametrize(
    ("said", "taken", "left"),
    [
        ("The second one, it is cheaper.", "folding tap", "other wall"),
        ("Oh, b then.", "folding tap", "other wall"),
        ("2, please", "folding tap", "other wall"),
        ("die erste, bitte", "other wall", "folding tap"),
        ("I'd take the last one.", "new window", "folding tap"),
    ],
)
def test_an_option_that_is_taken_by_its_place_is_quoted(said: str, taken: str, left: str) -> None:
    marks = ("a)", "b)", "c)") if "b then" in said else ("1.", "2.", "3.")
    offered = "sink to the other wall, 2.1 m of drain", "a folding tap, 240 euros", "a new window, 1,600 euros"
    before = talk("What can one do?", "\n".join(f"{m} {o}" for m, o in zip(marks, offered, strict=True)))
    (line,) = worth([Turn("2", PERSON, said, None)], before)
    assert taken in line.text and left not in line.text
    assert line.kind in ("decision", "fact")


def test_the_rows_of_a_table_can_be_quoted() -> None:
    answer = "Measured:\n\n| variant | time |\n|---|---|\n| COPY into a staging table | 6:20 |"
    (line,) = worth(talk("The nightly job needs 52 minutes, too long.", answer))
    assert "COPY into a staging table, 6:20" in line.text and "variant" not in line.text


@pytest.mark.parametrize(
    "said",
    [
        "An idea for later: a page that shows which prices changed since last year, with the reason for each change.",
        "Remind me to water the plants on the balcony on Friday, my neighbour is on holiday.",
        "Never send the weekend newsletter before breakfast, people are still in bed.",
        "Ask Bettina whether her cat was on the sofa, the stain is new.",
    ],
)
def test_what_is_called_so_is_never_small_talk_in_a_short_slice(said: str) -> None:
    others = [
        ("The invoice import reads the supplier invoices in cents.", "The invoice import uses cents now."),
        ("The invoice import rejects duplicate invoice numbers.", "Duplicate invoice numbers are rejected."),
        ("Invoice dates of Bexley are British.", "Invoice dates of Bexley are parsed as British."),
        ("The invoice import runs at six.", "The invoice import is scheduled at six."),
        ("Invoice numbers keep their zeros.", "Invoice numbers are text, zeros stay."),
        ("The invoice import logs rejected invoices.", "Rejected invoices are logged."),
    ]
    lines = worth(talk(*(text for one in others for text in one), said, "Lovely, enjoy!"))
    assert any(said.split(":")[-1].split(",")[0].strip(" .") in line.text for line in lines)


def test_dollars_of_two_quotes_make_no_formula() -> None:
    (line,) = worth(talk("The cap is $5 per month and $6 in May.", "Noted: the cap is $5, in May $6, alert at $4."))
    assert not FORBIDDEN.search(line.text) and "\\\\" not in line.text


def test_the_token_of_a_dialogue_is_put_together_at_run_time() -> None:
    """P: a secret in a turn never reaches a line; the file itself holds nothing of a token's shape."""
    (dialogue,) = (one for one in capture_dialogues.seen() if one.name == "heat-meters")
    path = capture_dialogues.DIALOGUES / "seen" / "heat-meters.json"
    (token,) = dialogue.planted
    assert any(re.search(token, text) for _, text in dialogue.turns)
    assert not re.search(token, path.read_text("utf-8"))
    assert not any(re.search(token, line) for line in capture_quality.ours(dialogue.turns))


def test_a_correction_about_something_else_takes_nothing_back() -> None:
    lines = worth(talk(
        "Let's go with Flask and SQLite.", "Flask and SQLite.", "Actually no, bookings must be by season, not by date", "By season.",
    ))  # fmt: skip
    assert [line.kind for line in lines] == ["decision", "correction"] and "Flask" in lines[0].text


@pytest.mark.parametrize("text", ["Idea: transcripts with whisper", "Idea: a waiting list for the summer season"])
def test_what_is_called_an_idea_is_one(text: str) -> None:
    (found,) = worth(talk(text, "Nice."))
    assert found.kind == "idea" and text in found.text
