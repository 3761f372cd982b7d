"""Links that follow files which move: the meaning stays, the way of writing stays, every other byte stays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.notes import frontmatter
from vaultgit.notes.follow import Moves
from vaultgit.notes.follow import Unwritable
from vaultgit.notes.follow import follower
from vaultgit.notes.follow import in_canvas
from vaultgit.notes.follow import in_keys
from vaultgit.notes.follow import in_note
from vaultgit.notes.follow import without_targets
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import links


def moved(text: str, source: str, files: str, moves: Mapping[str, str], *, relative: bool = False) -> str:
    """A note's text after a move. `files`: names apart by blanks."""
    known = Moves([*files.split(), source], moves, relative=relative)
    return in_note(text.encode(), lambda link: known.target(link, source))[0].decode()


# -- how a link is written afterwards ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[x]]", "[[y]]"),
        ("[[X]]", "[[y]]"),
        ("[[x.md]]", "[[y.md]]"),
        ("[[people/x]]", "[[people/y]]"),
        ("[[People/X.md]]", "[[people/y.md]]"),
        ("[[/people/x]]", "[[/people/y]]"),
        ("[[../people/x]]", "[[../people/y]]"),
        ("[[../people/x.md]]", "[[../people/y.md]]"),
        ("[[x|shown]] [[x#H]] [[x#^b|s]] ![[x]] [[x\\|s]]", "[[y|shown]] [[y#H]] [[y#^b|s]] ![[y]] [[y\\|s]]"),
        ("[t](x.md) [t](x) ![t](x.md)", "[t](y.md) [t](y) ![t](y.md)"),
        ("[x](../people/x.md#h 'x')", "[x](../people/y.md#h 'x')"),
        ("[t](<people/x.md>)", "[t](<people/y.md>)"),
        ("`[[x]]` %%[[x]]%% [[x y]] [[{{x}}]]", "`[[x]]` %%[[x]]%% [[x y]] [[{{x}}]]"),
        ("---\na: [[x]]\nb: '[[x|s]]'\nc: \"[[x]]\"\nd:\n  - [[people/x]]\n---\n",
         "---\na: [[y]]\nb: '[[y|s]]'\nc: \"[[y]]\"\nd:\n  - [[people/y]]\n---\n"),
    ],
)  # fmt: skip
def test_a_renamed_note(before: str, after: str) -> None:
    assert moved(before, "notes/n.md", "people/x.md", {"people/x.md": "people/y.md"}) == after


@pytest.mark.parametrize(
    ("link", "files", "old", "new", "expected"),
    [
        # a bare name where it is unique, else the shortest path that is
        ("[[x]]", "a/x.md b/y.md", "a/x.md", "c/d/y.md", "[[d/y]]"),
        ("[[x]]", "a/x.md y.md", "a/x.md", "b/y.md", "[[b/y]]"),
        ("[[x]]", "a/x.md b/d/y.md", "a/x.md", "c/d/y.md", "[[c/d/y]]"),
        ("[[x]]", "a/x.md b/c/y.md", "a/x.md", "a/y.md", "[[a/y]]"),  # Obsidian would open it, unasked
        # to the vault's root: the path there is exact, whatever else has the name
        ("[[x]]", "a/x.md b/y.md", "a/x.md", "y.md", "[[y]]"),
        ("[[a/x]]", "a/x.md", "a/x.md", "y.md", "[[y]]"),
        ("[[x]]", "x.md", "x.md", "a/y.md", "[[y]]"),
        # a part of a path stays one
        ("[[b/x]]", "a/b/x.md", "a/b/x.md", "a/c/y.md", "[[c/y]]"),
        # the same name elsewhere: nothing to do
        ("[[x]]", "a/x.md", "a/x.md", "b/x.md", "[[x]]"),
        ("[[a/x]]", "a/x.md", "a/x.md", "b/x.md", "[[b/x]]"),
        # ambiguous before, and the first is the one that moves
        ("[[x]]", "a/x.md b/c/x.md", "a/x.md", "a/y.md", "[[y]]"),
        ("[[x]]", "a/x.md b/c/x.md", "b/c/x.md", "b/c/y.md", "[[x]]"),
        ("[[x]]", "a/x.md b/c/x.md", "a/x.md", "d/e/f/x.md", "[[f/x]]"),
        # the move takes the name of another note
        ("[[y]]", "a/x.md b/y.md", "a/x.md", "y.md", "[[b/y]]"),
        ("[[y]]", "c/d/x.md b/y.md", "c/d/x.md", "c/d/y.md", "[[y]]"),
        # leads nowhere: stays, even where it finds something now
        ("[[y]]", "a/x.md", "a/x.md", "a/y.md", "[[y]]"),
        ("[[z]]", "a/x.md", "a/x.md", "a/y.md", "[[z]]"),
        # other files
        ("![[p.png]]", "a/p.png", "a/p.png", "a/q.png", "![[q.png]]"),
        ("[[p]]", "a/p.png", "a/p.png", "a/q.png", "[[p]]"),
        ("[[x]]", "a/x.md", "a/x.md", "a/x.txt", "[[x.txt]]"),
        ("[t](a%20b.md)", "f/a b.md", "f/a b.md", "f/c d (1).md", "[t](c%20d%20%281%29.md)"),
    ],
)  # fmt: skip
def test_a_link_keeps_its_way_of_writing(link: str, files: str, old: str, new: str, expected: str) -> None:
    names = [old, *(name for name in files.split() if name not in old)]
    known = Moves([*names, "notes/n.md"], {old: new})
    assert in_note(link.encode(), lambda one: known.target(one, "notes/n.md"))[0].decode() == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[./z]] [[../a/z]] [[../w]]", "[[../a/z]] [[../a/z]] [[../w]]"),
        ("[t](./z.md) [t](../w.md)", "[t](../a/z.md) [t](../w.md)"),
        ("[[z]] [[a/z]] [t](z.md)", "[[z]] [[a/z]] [t](z.md)"),
        ("[[s]] [[a/s]] [[./s]] [[#H]] [t](#h)", "[[s2]] [[b/s2]] [[./s2]] [[#H]] [t](#h)"),
    ],
)
def test_links_in_the_moved_note(before: str, after: str) -> None:
    assert moved(before, "a/s.md", "a/z.md w.md", {"a/s.md": "b/s2.md"}) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [("[t](z.md) [[z]]", "[t](../a/z.md) [[z]]"), ("[t](sub/u.md)", "[t](../a/sub/u.md)"), ("[t](w.md)", "[t](w.md)")],
)
def test_where_links_are_read_from_the_notes_folder_they_stay_such(before: str, after: str) -> None:
    """Obsidian would find `z.md` by its name; a forge's page would not."""
    assert moved(before, "a/s.md", "a/z.md a/sub/u.md w.md", {"a/s.md": "b/s.md"}, relative=True) == after


def test_a_link_beside_the_note_stays_readable_from_its_folder() -> None:
    assert moved("[t](x.md) [[x]]", "a/s.md", "a/x.md", {"a/x.md": "b/y.md"}) == "[t](../b/y.md) [[y]]"


def test_a_file_that_goes_out_of_sight_takes_no_links_along() -> None:
    assert moved("[[x]]", "n.md", "a/x.md", {"a/x.md": ".attic/x.md"}) == "[[x]]"


def test_a_name_that_no_wikilink_can_hold_is_refused() -> None:
    with pytest.raises(Unwritable, match=r"a/q\[1\]\.png"):
        moved("![[p.png]]", "n.md", "a/p.png", {"a/p.png": "a/q[1].png"})
    assert moved("![](p.png)", "n.md", "a/p.png", {"a/p.png": "a/q[1].png"}) == "![](q[1].png)"


def test_a_name_that_would_hide_the_link_in_code_is_refused() -> None:
    with pytest.raises(Unwritable):
        moved("a ` and [[x]]", "n.md", "a/x.md", {"a/x.md": "a/it`s.md"})


@pytest.mark.parametrize("name", ["'tis", "&a", "*a", "{a}", "- a", "@a"])
def test_a_property_without_quotes_gets_them_where_its_new_name_is_no_yaml(name: str) -> None:
    text = moved("---\nup: [[x]] # mine\nn: 007\n---\n[[x]]\n", "n.md", "a/x.md", {"a/x.md": f"a/{name}.md"})
    values = frontmatter.read(text.encode())
    assert (values.problems, values.values) == ([], {"up": f"[[{name}]]", "n": "007"})
    assert text.endswith(f" # mine\nn: 007\n---\n[[{name}]]\n")


@pytest.mark.parametrize(
    ("text", "may"),
    [("[[X]]", True), ("[t](%78.md)", True), ('---\na: "[[\\x78]]"\n---\n', True), ("x", False), ("[[z]] [t](z.md)", False)],
)  # fmt: skip
def test_a_quick_look_misses_no_spelling(text: str, may: bool) -> None:
    known = Moves(["a/x.md", "z.md", "n.md"], {"a/x.md": "a/y.md"})
    assert known.may_change(text.encode(), "n.md") == may
    assert in_note(text.encode(), lambda link: known.target(link, "n.md"))[1] == may


def test_bytes_that_are_no_utf8_stay() -> None:
    known = Moves(["a/x.md", "n.md"], {"a/x.md": "a/ÿ.md"})
    made, count = in_note(b"\xff [[x]]\r\n\xe9[[\xe9]] [t](x.md)\n", lambda link: known.target(link, "n.md"))
    assert (made, count) == (b"\xff [[\xc3\xbf]]\r\n\xe9[[\xe9]] [t](\xc3\xbf.md)\n", 2)


# -- canvases and other JSON -------------------------------------------------------------------------------------


def test_of_a_canvas_only_paths_of_files_change() -> None:
    text = (
        '{\t"nodes":[ {"file" :  "people/x.md","type":"file", "id":"people/x.md","subpath":"#a"},\n'
        '{"type":"text","text":"\\"file\\": \\"people/x.md\\" [[x]] \\\\"},{"file":"people\\/x.md"},'
        '{"type":"group","label":"file","background":"p.png"}, {"file":"other.md"}],"é":1}\r\n'
    )
    after = {"people/x.md": 'people/ÿ "q".md', "p.png": "q.png"}
    made, count = in_canvas(text.encode(), after.get)
    assert count == 3
    assert made.decode() == (
        text.replace('"file" :  "people/x.md"', '"file" :  "people/ÿ \\"q\\".md"')
        .replace('"people\\/x.md"', '"people\\/ÿ \\"q\\".md"')
        .replace('"p.png"', '"q.png"')
    )  # fmt: skip
    assert json.loads(made)["nodes"][0]["file"] == 'people/ÿ "q".md'


def test_a_canvas_that_is_no_json_stays() -> None:
    broken = b'{"nodes": [{"file": "people/x.md"}'
    assert in_canvas(broken, {"people/x.md": "y.md"}.get) == (broken, 0)


def test_keys_of_json() -> None:
    data = b'{\n "a/x.md" : ["a/x.md"],\n "b": {"a/x.md":1}}\n'
    assert in_keys(data, {"a/x.md": "y"}.get) == b'{\n "y" : ["a/x.md"],\n "b": {"y":1}}\n'


# -- the same in another version of the text ---------------------------------------------------------------------


def test_links_follow_in_a_text_that_was_typed_meanwhile() -> None:
    follow = follower(b"see [[x]] and [[z]]\n", b"see [[y]] and [[z]]\n", "n.md")
    assert follow(b"SEE [[x|now]], too: [[x]] [[z]]\n") == b"SEE [[y|now]], too: [[y]] [[z]]\n"
    assert follow(None) is None


@pytest.mark.parametrize(
    ("base", "new"),
    [(None, b"[[x]]"), (b"[[x]]", None), (b"[[x]]", b"[[y]] [[z]]"), (b"[[x]]", b"[x](y.md)"), (b"[[x]] [[x]]", b"[[y]] [[z]]")],
)  # fmt: skip
def test_what_is_more_than_links_that_follow_changes_nothing(base: bytes | None, new: bytes | None) -> None:
    assert follower(base, new, "n.md")(b"[[x]]") == b"[[x]]"


# -- any vault, any move -----------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "A", "a b", "é", "a.b", "it's (1)", "100%", "ß"])
FOLDERS = st.sampled_from(["", "f/", "f/g/", "h/", "g/", "F/", "f g/"])
NOTES = st.builds(lambda folder, name: f"{folder}{name}.md", FOLDERS, NAMES)
PATHS = NOTES | st.builds(lambda folder, name: f"{folder}{name}.png", FOLDERS, NAMES)


@st.composite
def written(draw: st.DrawFn, paths: list[str], source: str) -> str:
    """Some link, in some way of writing, to some file or to none."""
    import posixpath

    path = draw(st.sampled_from([*paths, "nowhere.md", "f/nowhere.md"]))
    path = draw(st.sampled_from([path, path.removesuffix(".md"), path.swapcase()]))
    parts = path.split("/")
    relative = posixpath.relpath("/" + path, "/" + posixpath.dirname(source))
    ways = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    target = draw(st.sampled_from([*ways, "/" + path, relative, f"./{relative}"]))
    subpath = draw(st.sampled_from(["", "#H", "#^b"]))
    form = draw(st.sampled_from(["[[{}{}]]", "![[{}{}|s]]", "[[{}{}\\|s]]", "[t]({}{})", "![t](<{}{}> 't')"]))
    return form.format(target if "[[" in form or "<" in form else quote(target), subpath)


TEXTS = st.sampled_from(["text", "`[[a]]`", "%%[[b]]%%", "\n\n", "\n- ", "\n| ", " \r\n", 'it\'s "q"'])


@st.composite
def vaults(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str]]:
    """Files with their texts, and a move of a file or of a folder."""
    paths = draw(st.lists(PATHS, min_size=1, max_size=6, unique=True))
    texts = {}
    for path in paths:
        parts = draw(st.lists(written(paths, path) | TEXTS, max_size=5))
        head = draw(st.sampled_from(["", "---\nup: '{}'\n---\n", '---\nup: "{}"\n---\n', "---\nup:\n  - {}\n---\n"]))
        link = draw(written(paths, path).filter(lambda link: "'" not in link and "[[" in link and "\\" not in link))
        texts[path] = head.replace("{}", link) + " ".join(parts)
    old = draw(st.sampled_from([*paths, *(path[: path.index("/") + 1] for path in paths if "/" in path)]))
    new = draw(FOLDERS) + draw(NAMES)
    if old.endswith("/"):
        moves = {path: f"{new}/{path[len(old) :]}" for path in paths if path.startswith(old)}
    else:
        moves = {old: new + old[old.rindex(".") :]}
    moves = {before: after for before, after in moves.items() if after not in paths}
    return texts, moves


def after_move(texts: Mapping[str, str], moves: Mapping[str, str], *, relative: bool = False) -> dict[str, str]:
    known = Moves(texts, moves, relative=relative)

    def text_of(path: str, text: str) -> str:
        made, count = in_note(text.encode(), lambda link: known.target(link, path))
        assert known.may_change(text.encode(), path) or count == 0
        assert (count > 0) == (made != text.encode())
        return made.decode()

    return {
        moves.get(path, path): text_of(path, text) if path.endswith(".md") else text for path, text in texts.items()
    }


@given(vaults(), st.booleans())
def test_every_link_means_what_it_meant(made: tuple[dict[str, str], dict[str, str]], relative: bool) -> None:
    texts, moves = made
    after = after_move(texts, moves, relative=relative)
    was, now = Resolver(texts), Resolver(after)
    for source, text in texts.items():
        place = moves.get(source, source)
        new_text = after[place]
        old_links, new_links = links(text), links(new_text)
        assert [one[3:7] for one in old_links] == [one[3:7] for one in new_links]  # subpath, alias, embed, kind
        for old, new in zip(old_links, new_links, strict=True):
            meant = was.resolve(old.target, source)
            if not meant or source.endswith(".png"):
                assert new.target == old.target
            else:
                assert now.resolve(new.target, place)[0] == moves.get(meant[0], meant[0])
                if new.target != old.target and not relative:  # only what had to
                    assert now.resolve(old.target, place)[:1] != [moves.get(meant[0], meant[0])]
        assert without_targets(text.encode(), source) == without_targets(new_text.encode(), source)


@given(vaults())
def test_bytes_outside_of_links_stay(made: tuple[dict[str, str], dict[str, str]]) -> None:
    texts, moves = made
    after = after_move(texts, moves)
    for source, text in texts.items():
        new_text = after[moves.get(source, source)]
        assert outside(text) == outside(new_text)


def outside(text: str) -> list[str]:
    """The text between its links."""
    found, done = [], 0
    for link in links(text):
        found.append(text[done : link.start])
        done = max(done, link.end)
    return [*found, text[done:]]


@given(st.data())
def test_moving_back_restores_every_byte_where_names_are_unique(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=5, unique=True))
    folders = st.sampled_from(["f/", "f/g/", "h/"])
    paths = [data.draw(folders) + f"{name}.md" for name in names]
    forms = ["[[{}]]", "![[{}.md#H|s]]", "[t]({}.md)"]
    texts = {}
    for path in paths:
        whole = [other.removesuffix(".md") for other in paths if other != path]
        targets = st.sampled_from([*whole, *(one.rpartition("/")[2] for one in whole), *(f"/{one}" for one in whole)])
        wiki = st.builds(str.format, st.sampled_from(forms[:2]), targets)
        markdown = st.builds(str.format, st.just(forms[2]), st.sampled_from(whole))
        texts[path] = " ".join(data.draw(st.lists(wiki | markdown, max_size=4)))
    old = data.draw(st.sampled_from(paths))
    new = data.draw(folders) + "new.md"
    there = after_move(texts, {old: new})
    assert after_move(there, {new: old}) == texts
