"""review.md: what counts as a tick, what only looks like one, and that a person's text stays (case 055)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.notes import reviewfile
from vaultgit.notes.reviewfile import Block

CASE = Path(__file__).parent.parent / "cases" / "055-checkbox-variants"
IDS = [f"01jdx3k9m2qtw7{tail}" for tail in ("aa", "ab", "ac", "ad", "ae", "af", "ag", "ah", "aj", "ak")]
DRAFT = "---\ntype: concept\nname: norrland\n---\n# Norrland\n\n- [x] accept\n\n```sh\nls\n```\n"
FIELDS = (
    ("path", "concepts/norrland.md"),
    ("action", "create"),
    ("seen", "[[2026-11-01#Log]]"),
    ("since", "2026-11-29"),
)
AS_DOCUMENTED = """\
<!-- vaultgit 01jdx3k9m2qtw7ab -->
## Norrland
- path: concepts/norrland.md
- type: concept
- action: create
- seen: [[2026-11-01#Automatic capture, 21:10]], [[2026-11-02#Automatic capture, 09:20]]
- since: 2026-11-29

````markdown
the draft, whole, valid by its schema
````

- [ ] accept
- [ ] reject
"""


def block(number: int = 0, **changes: object) -> Block:
    return Block(IDS[number], f"Suggestion {number}", FIELDS, DRAFT)._replace(**changes)  # type: ignore[arg-type]


def spellings(name: str) -> list[str]:
    return (CASE / name).read_text(encoding="utf-8").split("\n")[:-1]


def ticked(spelling: str, word: str = "accept", number: int = 0) -> str:
    """A block whose list marker and box before `word` are replaced."""
    return reviewfile.render(block(number)).replace(f"\n- [ ] {word}", f"\n{spelling} {word}")


def decided(text: str) -> list[str]:
    return [found.decided for found in reviewfile.read(text)]


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def marked(text: str) -> str:
    return "\ufeff" + text


def trailing(text: str) -> str:
    return text.replace("\n", "  \n")


def as_it_is(text: str) -> str:
    return text


EDITORS = [as_it_is, crlf, marked, trailing, lambda text: marked(crlf(text))]


# -- case 055 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("editor", EDITORS)
def test_055_every_spelling_of_a_tick_counts_in_every_editor(editor: Callable[[str], str]) -> None:
    found = spellings("ticked.txt")
    assert len(found) == 10
    text = editor("\n".join(ticked(one, number=number) for number, one in enumerate(found)))
    assert decided(text) == ["accept"] * 10
    assert decided(editor("\n".join(ticked(one, "reject") for one in found))) == ["reject"] * 10
    for one in reviewfile.read(text):
        line = text.split("\n")[one.tick_line - 1]
        assert "accept" in line and "x" in line.lower()


@pytest.mark.parametrize("editor", EDITORS)
def test_055_what_is_no_tick_decides_nothing_and_slips_are_told_by_line(editor: Callable[[str], str]) -> None:
    found = spellings("not-ticked.txt")
    assert len(found) == 10
    slips = []
    for one in found:
        text = editor(ticked(one))
        [read] = reviewfile.read(text)
        assert (read.decided, read.tick_line) == ("", 0), one
        slips += [one for line, words in read.slips if one in text.split("\n")[line - 1] and one.strip() in words]
    assert slips == ["- [x ", "- [✓]", "- [-]", "- [/]"]


@pytest.mark.parametrize("spelling", ["[x]", "-[x]", "- [ok]", "- [x] **", "- [x", "* [✅]"])
def test_a_line_that_looks_like_a_tick_is_never_passed_over(spelling: str) -> None:
    [found] = reviewfile.read(ticked(spelling))
    assert (found.decided, len(found.slips)) == ("", 1)


@pytest.mark.parametrize("line", ["- [x]   accept", "- [x]accept", "- [ x ] accept", "- [x] Accept ✅ 2026-11-29",
                                  "- [x] accept  [completion:: 2026-11-29]", "- [x] accept!"])  # fmt: skip
def test_what_editors_and_plugins_make_of_a_tick_counts(line: str) -> None:
    assert decided(reviewfile.render(block()).replace("\n- [ ] accept", f"\n{line}")) == ["accept"]


def test_words_behind_a_tick_are_a_condition_and_decide_nothing() -> None:
    [found] = reviewfile.read(
        ticked("- [x]").replace("accept\n- [ ] reject", "accept, but not the table\n- [ ] reject")
    )
    assert found.decided == ""
    assert "says more than accept" in found.slips[0][1]
    assert found.strays == ("- [x] accept, but not the table\n",)
    [other] = reviewfile.read(reviewfile.render(block()).replace("[ ] accept", "[x] accept_not"))
    assert (other.decided, other.slips) == ("", ())


def test_words_behind_a_box_are_a_line_of_the_block_and_no_line_of_its_text() -> None:
    for spelling in ("- [x] accept\n- [ ] reject (no idea)\n", "- [ ] accept\n- [x] reject (have it)\n"):
        text = reviewfile.render(block()).replace("- [ ] accept\n- [ ] reject\n", spelling)
        [found] = reviewfile.read(text + "\n- [x] accept what he says\n")
        assert (found.end, found.strays) == (len(text), (spelling.splitlines(keepends=True)[1],))
        assert found.decided == ("accept" if "no idea" in spelling else "")
        assert reviewfile.take(text, {IDS[0]}) == found.strays[0], "a person's words stay"
    [found] = reviewfile.read(ticked("- [ ]").replace("\n\n````markdown", "\n- [ ] accept as it is\n\n````markdown"))
    assert found.draft == DRAFT


def test_one_more_box_right_below_that_is_no_tick_is_told() -> None:
    [found] = reviewfile.read(reviewfile.render(block()) + "-[x] accept\n")
    assert (found.decided, len(found.slips)) == ("", 1)
    [found] = reviewfile.read(ticked("- [x]") + "\n-[x] accept\n")
    assert (found.decided, found.slips) == ("accept", ())


def test_a_block_without_boxes_is_told_and_a_marker_alone_is_not() -> None:
    [found] = reviewfile.read("\n" + reviewfile.render(block()).replace("- [ ] accept\n- [ ] reject\n", ""))
    assert [(line, words.split(":")[0]) for line, words in found.slips] == [(2, "has no boxes any more")]
    assert reviewfile.read(f"<!-- vaultgit {IDS[0]} -->\nis how a block begins\n")[0].slips == ()


def test_a_tick_below_an_open_fence_is_known_and_decides_nothing() -> None:
    for word in ("accept", "reject"):
        broken = ticked("- [x]", word).replace("\n````\n", "\n")
        first, _ = reviewfile.read(broken + "\n" + ticked("- [x]", number=1))
        assert (first.decided, first.tick_line) == ("", broken.split("\n").index(f"- [x] {word}", 20) + 1)
    [first] = reviewfile.read(ticked("- [ ]").replace("\n````\n", "\n"))
    assert (first.decided, first.tick_line) == ("", 0), "the line in the draft is none"


# -- what counts -----------------------------------------------------------------------------------------------


def test_the_documented_block_is_read_and_rendered_byte_for_byte() -> None:
    [found] = reviewfile.read(AS_DOCUMENTED)
    assert (found.id, found.title, found.decided, found.line) == ("01jdx3k9m2qtw7ab", "Norrland", "", 1)
    assert dict(found.fields)["seen"].endswith("[[2026-11-02#Automatic capture, 09:20]]")
    assert found.draft == "the draft, whole, valid by its schema\n"
    assert (found.start, found.end) == (0, len(AS_DOCUMENTED))
    assert reviewfile.render(found) == AS_DOCUMENTED


def test_both_boxes_ticked_is_undecided_and_told() -> None:
    text = reviewfile.render(block()).replace("- [ ]", "- [x]")
    [found] = reviewfile.read(text)
    assert found.decided == ""
    assert found.slips == ((text.count("\n"), "both boxes are ticked: untick one"),)


def test_one_tick_and_one_slip_are_undecided() -> None:
    assert decided(ticked("- [/]").replace("- [ ] reject", "- [x] reject")) == [""]


def test_boxes_in_drafts_and_in_code_decide_nothing() -> None:
    draft = "`````\n<!-- vaultgit 01jdx3k9m2qtw7zz -->\n## X\n\n- [x] accept\n- [ ] reject\n`````\n- [x] accept\n"
    text = reviewfile.render(block(draft=draft))
    assert "``````markdown" in text
    code = text.replace("\n- [ ] accept", "\n~~~\n- [x] accept\n~~~\n```\n- [x] reject\n```\n- [ ] accept")
    for one in (text, code):
        [found] = reviewfile.read(one)
        assert (found.id, found.decided, found.draft, found.slips) == (IDS[0], "", draft, ())
    assert decided(code.replace("- [ ] accept", "- [x] accept")) == ["accept"]


def test_a_broken_fence_decides_nothing_and_swallows_no_other_block() -> None:
    broken = ticked("- [x]").replace("\n````\n", "\n")
    first, second = reviewfile.read(broken + "\n" + ticked("- [x]", number=1))
    assert (first.decided, first.draft) == ("", None)
    assert "nothing closes" in first.slips[0][1]
    assert (second.id, second.decided, second.draft) == (IDS[1], "accept", DRAFT)
    left = reviewfile.take(broken, {IDS[0]})
    assert left.startswith("---\ntype: concept\n") and left.endswith("- [x] accept\n- [ ] reject\n"), "no text is lost"
    short = reviewfile.render(block(draft="one\n- [x] accept\n")).replace("\n````\n", "\n")
    assert reviewfile.take(short, {IDS[0]}).startswith("one\n- [x] accept\n\n- [ ] accept")


def test_an_open_fence_of_a_person_hides_no_block() -> None:
    for fence in ("```", "~~~"):
        draft = f"{fence}\ncode\n{fence}\n"
        above, below = (reviewfile.render(block(number, draft=draft, decided="accept")) for number in (0, 1))
        assert decided(f"{fence}\nnotes\n\n{above}") == ["accept"]
        assert decided(above.replace("\n- [x]", f"\n{fence}\n- [x]") + f"\n{below}") == ["accept", "accept"]
    assert decided(f"<!-- vaultgit {IDS[9]} -->\n~~~\n\n{below}") == ["", "accept"]


def test_a_persons_text_below_is_no_part_of_a_block() -> None:
    text = (
        ticked("- [x]")
        + "- [x] reject is not what I meant\n\n- [x] buy milk\n\n## Mine\n\n- [x] reject\n- [x] buy milk\n"
    )
    assert decided(text) == ["accept"]
    without = reviewfile.render(block()).replace("- [ ] reject\n", "") + "\n## Mine\n\n- [x] reject\n"
    assert decided(without) == [""]


def test_boxes_that_a_formatter_moved_apart_still_count() -> None:
    text = ticked("* [x]").replace("- [ ] reject", "\nI think so.\n\n* [ ] reject").replace("- path", "* path")
    [found] = reviewfile.read(text)
    assert (found.decided, found.fields, found.strays) == ("accept", FIELDS, ("I think so.\n",))


def test_a_persons_list_below_the_draft_is_no_field() -> None:
    text = reviewfile.render(block()).replace("\n- [ ] accept", "\n- why: I like it\n\n- [ ] accept")
    [found] = reviewfile.read(text)
    assert (found.fields, found.strays) == (FIELDS, ("- why: I like it\n",))


@pytest.mark.parametrize("box", ["- [✓] accept\n- [ ] reject\n", "- [ ] accept\n"])
def test_what_a_person_writes_below_damaged_boxes_stays_theirs(box: str) -> None:
    mine = "\nmine\n\n- [ ] accept the offer\n" + ("- [ ] accept\n" if "✓" in box else "")
    text = reviewfile.render(block()).replace("- [ ] accept\n- [ ] reject\n", box) + mine
    [found] = reviewfile.read(text)
    assert (found.decided, found.strays) == ("", ())
    assert reviewfile.take(text, {IDS[0]}) == mine.lstrip()


def test_a_merge_that_kept_both_versions_of_the_boxes_counts_the_tick() -> None:
    text = reviewfile.render(block()) + "- [x] accept\n- [ ] reject\n"
    assert decided(text) == ["accept"]
    assert reviewfile.take(text, {IDS[0]}) == ""


def test_text_without_blocks_has_none() -> None:
    for text in ("", "\ufeff", "# Review\n", "- [x] accept\n", "<!-- vaultgit short -->\n- [x] accept\n", "```"):
        assert reviewfile.read(text) == []


# -- changing the file -----------------------------------------------------------------------------------------


def test_put_replaces_by_id_and_adds_at_the_end() -> None:
    text = "# Review\n\nmine\n\n" + reviewfile.render(block()) + "\nmine, too\n"
    changed = reviewfile.put(text, [block(title="Other"), block(1)])
    assert changed == text.replace("Suggestion 0", "Other") + "\n" + reviewfile.render(block(1))


def test_put_leaves_alone_what_says_the_same_however_it_is_written() -> None:
    text = crlf(marked(reviewfile.render(block()).replace("- [ ] reject", "* [ ] reject   ")))
    assert reviewfile.put(text, [block()]) == text


@pytest.mark.parametrize("spelling", ["- [X]", "- [✓]"])
def test_put_never_changes_what_a_person_has_ticked_or_tried_to(spelling: str) -> None:
    text = ticked(spelling) + "mine\n"
    assert reviewfile.put(text, [block(draft="another\n")]) == text


def test_put_keeps_a_persons_lines_inside_a_block() -> None:
    text = reviewfile.render(block()).replace("\n- [ ] accept", "\nask Ada first\n- [ ] accept")
    changed = reviewfile.put(text, [block(title="Other")])
    assert changed == reviewfile.render(block(title="Other")) + "ask Ada first\n"


def test_put_writes_the_line_ends_of_the_file() -> None:
    text = crlf("# Review\n")
    assert reviewfile.put(text, [block()]) == text + "\r\n" + crlf(reviewfile.render(block()))


def test_take_leaves_a_persons_text_between_and_inside_blocks() -> None:
    one = reviewfile.render(block()).replace("\n- [ ] accept", "\nask Ada first\n\n- [ ] accept")
    text = "# Review\n\n" + one + "mine\n\n" + reviewfile.render(block(1)) + "\n" + reviewfile.render(block(2))
    left = reviewfile.take(text, {IDS[0], IDS[1]})
    assert left == "# Review\n\nask Ada first\nmine\n\n" + reviewfile.render(block(2))
    assert reviewfile.take(text, set()) == text
    assert reviewfile.take("mine\n" + reviewfile.render(block()) + "\nmore\n", {IDS[0]}) == "mine\n\nmore\n"


def test_an_excerpt_of_a_branch_is_shown_as_a_diff() -> None:
    text = reviewfile.render(
        block(fields=(("branch", "dream/2026-11-29"), ("why", "the same steps")), draft="+ a step\n")
    )
    assert "````diff\n+ a step\n````" in text
    assert reviewfile.read(text)[0].draft == "+ a step\n"


# -- round trips -----------------------------------------------------------------------------------------------

WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30).map(
    lambda text: " ".join(text.split())
)
KEYS = st.sampled_from(["path", "type", "action", "seen", "since", "branch", "why"])
ODD = st.sampled_from(
    ["- [x] accept", "- [ ] reject", "````", "```", "`````markdown", "~~~", "## heading", "# Mine", "", "  ", "mine", "- path: x",
     f"<!-- vaultgit {IDS[9]} -->", "<!-- vaultgit", "- [x", "\t- [X] reject", "> - [x] accept", "a ```` b", "---"]
)  # fmt: skip
LINES = st.lists(st.one_of(ODD, WORDS), max_size=12)
DRAFTS = st.none() | LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))
BLOCKS = st.builds(
    lambda *parts: Block(*parts), st.sampled_from(IDS[:5]), WORDS, st.lists(st.tuples(KEYS, WORDS), max_size=5).map(tuple),
    DRAFTS, st.sampled_from(["", "accept", "reject"]),
)  # fmt: skip
SEVERAL = st.lists(BLOCKS, max_size=4, unique_by=lambda one: one.id)
TEXTS = st.builds(lambda lines, end: end.join(lines), LINES, st.sampled_from(["\n", "\r\n"]))


def said(blocks: list[Block]) -> list[tuple[object, ...]]:
    return [(one.id, one.title, one.fields, one.draft, one.decided, one.slips) for one in blocks]


@given(SEVERAL)
def test_what_is_rendered_reads_back(blocks: list[Block]) -> None:
    text = "\n".join(map(reviewfile.render, blocks))
    found = reviewfile.read(text)
    assert said(found) == said(blocks)
    assert "\n".join(text[one.start : one.end] for one in found) == text
    assert [text.split("\n")[one.line - 1] for one in found] == [f"<!-- vaultgit {one.id} -->" for one in blocks]


@given(TEXTS, SEVERAL)
def test_put_and_take_leave_a_persons_text_byte_for_byte(text: str, blocks: list[Block]) -> None:
    assume(not {one.id for one in reviewfile.read(text)} & {one.id for one in blocks})
    before = reviewfile.read(text)
    there = reviewfile.put(text, blocks)
    assert there.startswith(text)
    found = reviewfile.read(there)
    assert said(found[len(before) :]) == said(blocks)
    assert reviewfile.put(there, blocks) == there
    left = reviewfile.take(there, {one.id for one in blocks})
    assert left.startswith(text) and not left[len(text) :].strip()
    assert said(reviewfile.read(left)) == said(before)


@given(TEXTS, SEVERAL, TEXTS)
def test_a_blocks_lines_are_all_that_take_takes(above: str, blocks: list[Block], below: str) -> None:
    text = "\n".join((above, *(reviewfile.render(one) for one in blocks), below))
    left = reviewfile.take(text, {one.id for one in reviewfile.read(text)})
    assert reviewfile.read(left) == []
    spans = [(one.start, one.end) for one in reviewfile.read(text)]
    outside = re.sub(
        r"\s+",
        "",
        "".join(
            text[end:start]
            for end, start in zip([0, *(e for _, e in spans)], [*(s for s, _ in spans), len(text)], strict=True)
        ),
    )
    strays = re.sub(r"\s+", "", "".join(line for one in reviewfile.read(text) for line in one.strays))
    assert len(re.sub(r"\s+", "", left)) == len(outside) + len(strays)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert reviewfile.put(text, []) == text
    assert reviewfile.take(text, ()) == text
    reviewfile.read(text)
