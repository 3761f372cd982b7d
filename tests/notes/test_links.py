from __future__ import annotations

import re
import time
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultgit.notes.links import Link
from vaultgit.notes.links import Resolver
from vaultgit.notes.links import link_target
from vaultgit.notes.links import links
from vaultgit.notes.links import rewrite

CASES = Path(__file__).parent.parent / "cases"


def targets(text: str) -> list[str]:
    return [link.target for link in links(text)]


# The grammar


@pytest.mark.parametrize(
    ("text", "target", "subpath", "alias", "embed", "kind"),
    [
        ("[[Note]]", "Note", "", None, False, "wiki"),
        ("[[folder/Note.md|the note]]", "folder/Note.md", "", "the note", False, "wiki"),
        ("[[Note#Part one]]", "Note", "#Part one", None, False, "wiki"),
        ("[[Note#A#B|x]]", "Note", "#A#B", "x", False, "wiki"),
        ("[[Note#^block-1]]", "Note", "#^block-1", None, False, "wiki"),
        ("[[#Here]]", "", "#Here", None, False, "wiki"),
        ("![[pic.png|alt|100]]", "pic.png", "", "alt|100", True, "wiki"),
        ("[[Beta\\|B]]", "Beta", "", "B", False, "wiki"),
        ("[[Beta#Part\\|B]]", "Beta", "#Part", "B", False, "wiki"),
        ("[[ Beta ]]", "Beta", "", None, False, "wiki"),
        ("[[a|b [c] d]]", "a", "", "b [c] d", False, "wiki"),
        ("[[a|]]", "a", "", "", False, "wiki"),
        ("[[Über uns]]", "Über uns", "", None, False, "wiki"),
        ("[b](Note%20one.md)", "Note one.md", "", "b", False, "markdown"),
        ("[b](<Note one.md>)", "Note one.md", "", "b", False, "markdown"),
        ("[b](a/n.md#My%20part)", "a/n.md", "#My part", "b", False, "markdown"),
        ("[b](../n.md 'title')", "../n.md", "", "b", False, "markdown"),
        ("[b](#here)", "", "#here", "b", False, "markdown"),
        ("[b](a_(1).md)", "a_(1).md", "", "b", False, "markdown"),
        ("![alt](p%C3%A9.png)", "pé.png", "", "alt", True, "markdown"),
        ("[`code` and [x]](n.md)", "n.md", "", "`code` and [x]", False, "markdown"),
        ("[two\nlines](n.md)", "n.md", "", "two\nlines", False, "markdown"),
    ],
)
def test_forms(text: str, target: str, subpath: str, alias: str | None, embed: bool, kind: str) -> None:
    before = "Text before, "
    assert links(before + text + " after.") == [
        Link(len(before), len(before + text), target, subpath, alias, embed, kind, 1, len(before) + 1)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[[]]",
        "[[|x]]",
        "[[#]]",
        "[[a\nb]]",
        "\\[[a]]",
        "[[https://example.invalid/x]]",
        "[[mailto:a@example.invalid]]",
        "[a](https://example.invalid/x.md)",
        "[a](mailto:a@example.invalid)",
        "[a](obsidian://open?file=x)",
        "[a](//example.invalid/x)",
        "[a](two words.md)",
        "[a]()",
        "[ ] (n.md)",
        "[[{{title}}]]",
        "[[daily/{{date}}|today]]",
        "[[<% tp.file.title %>]]",
        '<% tp.file.include("[[a]]") %>',
        "{{[[a]]}}",
        "[a]({{x}}.md)",
        "`[[a]]`",
        "``[[a]] ` [[a]]``",
        "`[[a]]\n[[a]]`",
        "```\n[[a]]\n```",
        "```\n[[a]]",
        "~~~md\n[[a]]\n```\n[[a]]\n~~~~",
        "````\n```\n[[a]]\n````",
        "- item\n\n  ```\n  [[a]]\n  ```",
        "1. x\n   - ~~~\n     [[a]]\n     ~~~",
        "> ```\n> [[a]]\n> ```",
        "> - ```\n>   [[a]]\n>   ```",
        "text\n\n    [[a]]\n\n    [[a]]\n",
        "text\n\n\t[[a]]\n",
        "-     [[a]]",
        "%%[[a]]%%",
        "%%\n[[a]]\n\n[[a]]\n%%",
        "%%\n```\n[[a]]\n%%",
        "%%\n[[never closed]]",
        "text %%[[a]]\n[[a]]%% text",
        "<!-- [[a]] -->",
        "text <!-- [[a]]\n [a](b.md) --> text",
        "<!--\n\n[[a]]\n\n-->",
    ],
)
def test_no_links(text: str) -> None:
    assert links(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a` [[b]] `c`", ["b"]),
        ("a ` b\n\n[[c]] ` d", ["c"]),  # a code span ends with its paragraph
        ("- a ` b\n- [[c]] ` d", ["c"]),
        ("`` a ` [[b]]", ["b"]),  # no closing run of the same length
        ("\\`[[a]]`", ["a"]),
        ("\\![[a]]", ["a"]),
        ("[[[a]]]", ["a"]),
        ("[[a]][[b]]", ["a", "b"]),
        ("[[a [[b]]", ["b"]),
        ("```\nx\n```\n[[a]]", ["a"]),
        ("```\nx\n``\n[[b]]\n```\n[[a]]", ["a"]),
        ("> ```\n[[a]]", ["a"]),  # the fence ends with its quote
        ("text\n    [[a]]", ["a"]),  # no code: a paragraph goes on
        ("- top\n\n    [[a]]", ["a"]),  # no code: it belongs to the item
        ("- top\n  - [[a]]", ["a"]),
        ("``` not ` a fence\n[[a]]", ["a"]),
        (
            "50%% of [[a]]\n\nand 30%% of [[b]]",
            ["a", "b"],
        ),  # of inline comments, none goes past its paragraph
        ("%%\nhidden\n%% [[a]]\n\n[[b]]", ["a", "b"]),
        ("text %% hidden\n%% [[a]]\n\n[[b]]", ["a", "b"]),
        ("<!-- x --> [[a]]", ["a"]),
        ("a <!-- b [[c]]\n\nd", ["c"]),
        ("<% x [[a]]", ["a"]),
        ("[[a|{{x}}]]", ["a"]),
        ("[![alt](p.png)](n.md)", ["n.md", "p.png"]),
        ("[x] [[a]](b)", ["a"]),
        ("| [[a\\|b]] | ` |\n| ` | [[c]] |", ["a", "c"]),
        ("\ufefftext [[a]]", ["a"]),
        ("a\u2028`b\u2028[[c]]` [[d]]\r\n[[e]]", ["d", "e"]),
    ],
)
def test_what_is_hidden_ends(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_properties_are_yaml_and_not_markdown() -> None:
    text = (
        '\ufeff---\r\nup: "[[Home|h]]"\r\n# [[comment]]\r\nlist:\r\n    - [[four spaces]]\r\n'
        "    - '[[Ada''s note]]'\r\n"
        'a: "`"\r\nb: "[[Caf\\xe9]] [[x]]"\r\nc: "%% [[y]]"\r\nd: [a](b.md)\r\n---\r\n`[[no]]` [[body]]\r\n'
    )
    assert targets(text) == ["Home", "four spaces", "Ada's note", "Café", "x", "y", "body"]
    assert [link.line for link in links(text)] == [2, 5, 6, 8, 8, 9, 12]


def test_a_closing_fence_with_text_behind_it_is_none() -> None:
    assert targets("---\na: '[[x]]'\n--- no\nb: `[[y]]`\n---\n[[z]]\n") == ["x", "y", "z"]


def test_lines_and_columns_count_characters_from_one() -> None:
    text = "é[[a]]\n\n  ![[b]] [c](d.md)\n"
    assert [(link.line, link.column) for link in links(text)] == [(1, 2), (3, 3), (3, 10)]


def test_case_015_link_forms() -> None:
    folder = CASES / "015-link-forms" / "input"
    resolver = Resolver(sorted(path.name for path in folder.iterdir()))
    text = (folder / "links.md").read_text(encoding="utf-8")
    broken = [
        (link.line, text[link.start : link.end])
        for link in links(text)
        if not resolver.resolve(link.target, "links.md")
    ]
    assert broken == [(3, "[[Missing]]"), (4, "![[gone.png]]"), (13, "[[Also missing]]")]
    assert len(links(text)) == 10


def test_case_013_template_fields_are_no_links() -> None:
    folder = CASES / "013-template-files" / "input"
    assert links((folder / "Templates" / "Daily.md").read_text(encoding="utf-8")) == []
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    (link,) = links((folder / "Home.md").read_text(encoding="utf-8"))
    assert Resolver(paths).resolve(link.target, "Home.md") == ["Templates/Person.md"]


def test_case_001_a_byte_order_mark_hides_no_property() -> None:
    text = (CASES / "001-bom-before-fence" / "input" / "good.md").read_text(encoding="utf-8")
    assert text.startswith("\ufeff---\n")
    assert targets(text.replace("title: Kettle", "title: '`' # '[[it''s]]'")) == ["it's"]


PIECES = [
    "",
    "",
    "@",
    "text @",
    "    @",
    "- @",
    "  - @",
    "  @",
    "1. @",
    "2. @",
    "10) @",
    "> @",
    "> > @",
    "- > @",
    "- - @",
    "```",
    "~~~",
    "````",
    "``` py",
    "> ```",
    "- ```",
    "  ```",
    "   ```",
    "~~~ x",
    "a `b @",
    "`` c @ ` @",
    "\t@",
    "# @ `",
    "***",
    "- - -",
    ">     @",
    "-     @",
    "-\t@",
    "-",
    "1.",
    "  ",
    "> ",
    ">",
    "  > @",
    "      @",
    "   - @",
    "     @",
    r"\` @ `",
    "= @",
    "===",
    "---",
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=10))
def test_code_is_what_commonmark_calls_code(lines: list[str]) -> None:
    """Markdown-it finds running text; we must find a link wherever it does, and nowhere else.

    (Indented by four columns after a list item whose text starts further right, its fences differ from the
    specification, so that piece is missing.)
    """
    markdown_it = pytest.importorskip("markdown_it")
    numbers = iter(range(100))
    text = re.sub("@", lambda _: f"[[n{next(numbers)}]]", "\n".join(["start", "", *lines, ""]))
    parser = markdown_it.MarkdownIt("commonmark", {"html": False})
    shown = "\n".join(
        "".join(child.content if child.type == "text" else "\n" for child in token.children)
        for token in parser.parse(text)
        if token.type == "inline"
    )
    assert targets(text) == re.findall(r"\[\[(n\d+)\]\]", shown)


# Spans and rewriting

NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="[]|#^\\:{}<>`%!\u0085"),
    min_size=1,
).filter(lambda name: name == name.strip() and not name.startswith("//"))
SUBPATHS = st.sampled_from(["", "#Heading", "#^block", "#A#B"])


@st.composite
def written_links(draw: st.DrawFn) -> str:
    name, subpath, mark = draw(NAMES), draw(SUBPATHS), draw(st.sampled_from(["", "!"]))
    if draw(st.booleans()):
        alias = draw(st.none() | st.sampled_from(["alias", "al [i] as", ""]))
        bar = "" if alias is None else draw(st.sampled_from(["|", "\\|"]))
        return f"{mark}[[{name}{subpath}{bar}{alias or ''}]]"
    return f"{mark}[text]({draw(st.sampled_from(['', './', '../x/']))}{quote(name)}{subpath})"


ANYTHING = st.lists(
    st.sampled_from(
        [
            "[[",
            "]]",
            "|",
            "\\|",
            "`",
            "``",
            "```\n",
            "~~~\n",
            "%%",
            "<!--",
            "-->",
            "{{",
            "}}",
            "<%",
            "%>",
            "[",
            "](",
            ")",
            "(",
            "<",
            ">",
            "!",
            "\\",
            "#",
            "\n",
            "\n\n",
            "    ",
            "- ",
            "> ",
            "a",
            "b c",
            "é",
            "---\n",
            '"',
            "'",
            ": ",
            "\r\n",
            "\t",
            "\ufeff",
            "\u2028",
            "https://",
            "%20",
        ]
    )
    | written_links(),
    max_size=40,
).map("".join)


@given(ANYTHING)
def test_a_span_reads_as_the_same_link(text: str) -> None:
    starts = []
    for link in links(text):
        starts.append(link.start)
        if "\n" not in text[link.start : link.end] and not text.startswith(("---", "\ufeff---")):
            again = links("x " + text[link.start : link.end])[0]
            assert again[2:7] == link[2:7]
            assert (again.start, again.end) == (2, 2 + link.end - link.start)
        assert text.count("\n", 0, link.start) == link.line - 1
        assert link.start - (text.rfind("\n", 0, link.start) + 1) == link.column - 1
    assert starts == sorted(starts)


@given(written_links())
def test_every_well_formed_link_is_found(written: str) -> None:
    (link,) = links(f"Some text {written} and more.")
    assert link.end - link.start == len(written)
    assert link.embed == written.startswith("!")


@given(ANYTHING)
def test_rewriting_nothing_changes_nothing(text: str) -> None:
    assert rewrite(text, lambda link: link.target) == text
    assert rewrite(text, lambda link: None) == text


@given(ANYTHING, NAMES)
def test_rewriting_changes_targets_only(text: str, name: str) -> None:
    before = links(text)
    once = rewrite(text, lambda link: f"moved/{name}")
    after = links(once)
    assert [link.target for link in after] == [f"moved/{name}"] * len(before)
    assert [(a.subpath, a.embed, a.kind) for a in after] == [(b.subpath, b.embed, b.kind) for b in before]
    assert rewrite(once, lambda link: f"moved/{name}") == once


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "[[Old]] ![[Old#^b|x]] [[ Old ]]",
            '[[New d/it\'s "b"]] ![[New d/it\'s "b"#^b|x]] [[ New d/it\'s "b" ]]',
        ),
        ("| [[Old\\|B]] |", '| [[New d/it\'s "b"\\|B]] |'),
        ('[t](Old.md#H "T")', '[t](New%20d/it\'s%20"b"#H "T")'),
        ("[t](<Old>)", '[t](<New d/it\'s "b">)'),
        ("[[#H]] [x](#H)", "[[#H]] [x](#H)"),
        ("`[[Old]]` %%[[Old]]%%", "`[[Old]]` %%[[Old]]%%"),
        ("---\na: '[[Old|O]]'\n---\n", "---\na: '[[New d/it''s \"b\"|O]]'\n---\n"),
        ('---\na: "[[Old]]"\n---\n', '---\na: "[[New d/it\'s \\"b\\"]]"\n---\n'),
        ("[![Old](Old)](Old)", '[![Old](New%20d/it\'s%20"b")](New%20d/it\'s%20"b")'),
    ],
)
def test_rewriting_keeps_the_way_of_writing(before: str, after: str) -> None:
    replaced = rewrite(before, lambda link: 'New d/it\'s "b"' if link.target.removesuffix(".md") == "Old" else None)
    assert replaced == after


@given(st.lists(st.sampled_from(["[[in]]", "x", "`", "%%", "- [[in]]", "](", "![[in]]", "> [[in]]"]), max_size=20))
def test_links_in_code_are_never_found(pieces: list[str]) -> None:
    lines = "\n".join(pieces)
    fenced = "\n".join(f"~~~~\n{lines}\n~~~~\n{'[[out]]'}\n".splitlines())
    assert set(targets(fenced)) == {"out"}
    run = "`" * 9
    flat = lines.replace("\n", " ")
    assert targets(f"- a {run} {flat} {run} [[out]]") == ["out"]
    quoted = "\n".join("> " + line for line in fenced.splitlines())
    assert set(targets(quoted)) == {"out"}


@pytest.mark.parametrize(
    "text",
    [
        "`" * 200_000,
        "".join("`" * (i % 600 + 1) + " " for i in range(2000)),
        "[[" * 100_000,
        "[a " * 100_000,
        "[a](" * 60_000,
        "<% " * 100_000,
        "%% x\n" * 50_000,
        "a <!-- " * 50_000,
        "[[a|" * 50_000,
        "- " * 3000 + "](`",
        "> a\n" + "b %%\n%% c\n" * 20_000,
        "---\n" + "a: [[b\n" * 50_000,
        "[a](" + "\\(" * 50_000,
        "- a\n" * 30_000 + "`",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    assert targets(text + "\n\n[[end]]")[-1:] in (["end"], [])
    assert time.process_time() - began < 5  # a square of these sizes takes minutes


# link_target


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("[[a]]", "a"),
        ("[[a/b|c]]", "a/b"),
        ("[[a#H|c]]", "a"),
        ("[[a\\|c]]", "a"),
        ("[[#H]]", ""),
        ("[[ a ]]", "a"),
        ("a", None),
        ("", None),
        ("[[a]] ", None),
        ("[[a]] [[b]]", None),
        ("x [[a]]", None),
        ("![[a]]", None),
        ("[[]]", None),
        ("[[a]", None),
        ("[a](b.md)", None),
        ("[[https://example.invalid/]]", None),
        ("[[{{title}}]]", None),
        ("[[a\nb]]", None),
    ],
)
def test_link_target(value: str, target: str | None) -> None:
    assert link_target(value) == target


# The resolver

FILES = [
    "Home.md",
    "Deep.md",
    "a/Note.md",
    "b/c/Note.md",
    "b/Other.md",
    "a/Deep.md",
    "pic.png",
    "a/board.canvas",
    "all.base",
    "x/folder/Sub.md",
    "y/folder/Sub.md",
    "folder/Only.md",
    "v1.2.md",
    "d/é.md",
]


@pytest.mark.parametrize(
    ("target", "source", "found"),
    [
        ("Home", "a/Note.md", ["Home.md"]),
        ("home.MD", "a/Note.md", ["Home.md"]),
        ("", "a/Note.md", ["a/Note.md"]),
        ("Other", "Home.md", ["b/Other.md"]),
        ("Deep", "a/Note.md", ["Deep.md"]),  # the exact path from the root comes first
        ("Note", "Home.md", ["a/Note.md", "b/c/Note.md"]),
        ("Note", "b/Other.md", ["b/c/Note.md", "a/Note.md"]),
        ("c/Note", "Home.md", ["b/c/Note.md"]),
        ("/Note", "a/Note.md", []),
        ("/a/note", "b/Other.md", ["a/Note.md"]),
        ("./Note", "a/x.md", ["a/Note.md"]),
        ("../Home.md", "a/x.md", ["Home.md"]),
        ("../../Home", "a/x.md", []),
        ("../c/Note", "b/z/x.md", ["b/c/Note.md"]),
        ("./Home", "a/x.md", []),
        ("folder/Sub", "Home.md", ["x/folder/Sub.md", "y/folder/Sub.md"]),
        ("folder/Only", "Home.md", ["folder/Only.md"]),
        ("older/Only", "Home.md", []),
        ("pic.png", "a/Note.md", ["pic.png"]),
        ("pic", "a/Note.md", []),
        ("board.canvas", "Home.md", ["a/board.canvas"]),
        ("all.base", "Home.md", ["all.base"]),
        ("v1.2", "Home.md", ["v1.2.md"]),
        ("E\u0301", "Home.md", ["d/é.md"]),
        ("Missing", "Home.md", []),
        ("a/", "Home.md", []),
    ],
)
def test_resolve(target: str, source: str, found: list[str]) -> None:
    assert Resolver(FILES).resolve(target, source) == found


def test_case_017_names_are_compared_in_nfc() -> None:
    decomposed, composed = (unicodedata.normalize(form, "Über uns.md") for form in ("NFD", "NFC"))
    assert decomposed != composed
    resolver = Resolver([decomposed, "Café.md"])
    assert resolver.resolve(composed.removesuffix(".md"), "Links.md") == [decomposed]
    assert resolver.resolve(unicodedata.normalize("NFD", "Café"), "Links.md") == ["Café.md"]
    twins = ["twin/" + unicodedata.normalize(form, "né.md") for form in ("NFC", "NFD")]
    assert Resolver(twins).resolve(twins[1], "x.md") == [twins[1]]
    assert Resolver(twins).resolve("né", "x.md") == sorted(twins, key=lambda path: (len(path), path))


def test_case_folding_is_lower_case() -> None:
    resolver = Resolver(["ΟΔΟΣ.md", "d/Straße.md", "A.md", "a.md"])
    assert resolver.resolve("οδος", "x.md") == ["ΟΔΟΣ.md"]
    assert resolver.resolve("Strasse", "x.md") == []
    assert resolver.resolve("A", "x.md") == ["A.md"]
    assert resolver.resolve("a", "x.md") == ["a.md"]


PATHS = st.lists(
    st.lists(st.sampled_from(["a", "B", "é", "E\u0301", "n.x"]), min_size=1, max_size=4).map(
        lambda p: "/".join(p) + ".md"
    ),
    unique=True,
    max_size=12,
)


@given(PATHS, PATHS)
def test_laws_of_the_resolver(paths: list[str], sources: list[str]) -> None:
    resolver = Resolver(paths)
    for path in paths:
        for source in sources or ["s.md"]:
            assert resolver.resolve(path, source) == [path]  # the whole path means the file
            assert resolver.resolve(path.removesuffix(".md"), source) == [path]
            found = resolver.resolve(path.rpartition("/")[2], source)  # its name finds it, perhaps among others,
            assert path in found or found == [path.rpartition("/")[2]] or "/" not in found[0]  # or one at the root
            assert len(set(found)) == len(found)
            assert set(found) <= set(paths)


def test_a_resolver_of_many_paths_is_quick() -> None:
    paths = [f"folder{i % 500}/Note {i}.md" for i in range(100_000)]
    began = time.process_time()
    resolver = Resolver(paths)
    assert resolver.resolve("note 77777", "x.md") == ["folder277/Note 77777.md"]
    assert time.process_time() - began < 3  # some 0.1 s; a search through all paths per link would show elsewhere
