"""Painful notes, found in public, as a person and an agent meet them here (cases 001 to 013, 037, 061), and their like."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import Folder

CASES = Path(__file__).parent.parent / "cases"
BOM = b"\xef\xbb\xbf"
LAYOUT = '[layout]\nnote = "notes"\n'
SCHEMA = ".vaultgit/schemas/note.schema.json"


def lay_down(vault: Folder, case: str, **more: bytes) -> None:
    """A case's notes, and others (name -> bytes), in notes/, held by the case's schema; committed past all hooks."""
    vault.write(".vaultgit.toml", LAYOUT)
    vault.write(SCHEMA, (CASES / case / "schema.json").read_bytes())
    for path in sorted((CASES / case / "input").iterdir()):
        vault.write(f"notes/{path.name}", path.read_bytes())
    for name, data in more.items():
        vault.write(f"notes/{name}.md", data)
    vault.commit("the case")


def edit(vault: Folder, *args: str, stdin: bytes = b"", code: int = 0) -> str:
    done = vault.run(*args, "--agent", "codex", stdin=stdin)
    assert done.code == code, done
    assert "Traceback" not in done.err
    return done.out + done.err


def problems(vault: Folder, *args: str, code: int) -> list[tuple[str, int, str, str]]:
    """(path, line, code, message) of each problem that `check ARGS` finds."""
    done = vault.run("check", *args, "--json")
    assert done.code == code, done
    return [(one["path"], one["line"], one["code"], one["message"]) for one in json.loads(done.out)]


def oid(vault: Folder, path: str) -> str:
    return vault.git("rev-parse", f"HEAD:{path}")


# -- 001, 003: marks and line ends -----------------------------------------------------------------


def test_001_behind_a_byte_order_mark_a_missing_property_is_named_and_not_the_front_matter(vault: Folder) -> None:
    lay_down(vault, "001-bom-before-fence", untitled=BOM + b"---\ntype: note\n---\n", bare=BOM + b"# no front matter\n")
    [found] = problems(vault, "notes", code=1)
    assert found[:3] == ("notes/untitled.md", 1, "FM03")
    assert "'title' is missing" in found[3]
    before = vault.snapshot()
    said = edit(vault, "write", "notes/new.md", stdin=vault.bytes("notes/bad.md"), code=1)
    assert "notes/new.md:1:1: FM04" in said and "add `type: note`" in said
    assert vault.snapshot() == before


def test_001_a_byte_order_mark_survives_every_edit(vault: Folder) -> None:
    lay_down(vault, "001-bom-before-fence")
    ends = {"notes/good.md": b"\n", "notes/windows.md": b"\r\n"}
    old = {path: vault.bytes("notes/good.md").replace(b"\n", end) for path, end in ends.items()}
    vault.write("notes/windows.md", old["notes/windows.md"])
    vault.commit("with both line ends")

    def both(**change: object) -> dict[str, bytes]:
        changes = [{"path": path, "base": oid(vault, path)} | change for path in ends]
        edit(vault, "apply", "-m", "notes: changed", stdin=json.dumps({"changes": changes}).encode())
        return {path: vault.bytes(path) for path in ends}

    def replaced(data: bytes, end: bytes) -> bytes:
        return data.replace(b"title: Kettle", b"title: Pot").replace(b"type: note", b"type: note" + end + b"kind: tin")

    new = {path: replaced(old[path], end) for path, end in ends.items()}
    assert both(set={"title": "Pot", "kind": "tin"}) == new
    assert both(append="- more\n") == {path: new[path] + b"- more" + end for path, end in ends.items()}
    heads = {path: data.partition(b"# Kettle")[0] for path, data in new.items()}
    assert both(text="only a body\n") == {path: heads[path] + b"only a body" + end for path, end in ends.items()}
    assert vault.run("undo", "notes/good.md").code == 0
    assert {path: vault.bytes(path) for path in ends} == {
        path: new[path] + b"- more" + end for path, end in ends.items()
    }


def test_003_line_ends_stay_what_they_are_and_no_second_block_is_made(vault: Folder) -> None:
    lay_down(vault, "003-crlf-front-matter", bare=b"# Bare\r\n\r\n[[mixed]]\r\n")
    assert problems(vault, "notes", code=0) == []
    assert vault.run("doctor", "--links").code == 0  # [[crlf]] leads to it
    for name in ("crlf", "mixed"):
        path = f"notes/{name}.md"
        old = vault.bytes(path)
        assert vault.run("set", path, "type=task").code == 0
        assert vault.git("diff", "--numstat", "HEAD~1", "HEAD", "--", path) == f"1\t1\t{path}"
        assert vault.bytes(path) == old.replace(b"type: note", b"type: task")
    crlf = vault.bytes("notes/crlf.md")
    edit(vault, "append", "notes/crlf.md", "--heading", "Tea", stdin=b"one\ntwo\n")
    assert vault.bytes("notes/crlf.md") == crlf + b"one\r\ntwo\r\n"
    assert vault.bytes("notes/crlf.md").count(b"---\r\n") == 2
    edit(vault, "set", "notes/bare.md", "status=new")
    assert vault.bytes("notes/bare.md") == b"---\r\nstatus: new\r\n---\r\n# Bare\r\n\r\n[[mixed]]\r\n"


# -- 005, 007: front matter that is no YAML, or no date ---------------------------------------------

BROKEN = {"colon": (2, "FM01"), "path": (4, "FM01"), "star": (2, "FM01"), "tab": (5, "FM01"), "twice": (4, "FM02")}


def test_005_each_broken_note_is_named_at_its_line_and_left_as_it_is(vault: Folder) -> None:
    lay_down(vault, "005-bad-yaml-stays-local")
    found = problems(vault, "notes", code=1)
    assert {path: (line, code) for path, line, code, _ in found} == {f"notes/{n}.md": at for n, at in BROKEN.items()}
    assert "lines 2 and 4" in found[-1][3]
    before = vault.snapshot()
    for name in ("colon", "twice"):
        line, code = BROKEN[name]
        said = edit(vault, "set", f"notes/{name}.md", "status=done", code=1)
        assert re.match(rf"notes/{name}\.md:{line}:\d+: {code} the front matter cannot be parsed: .* \(.+\)\n", said)
    for args, text in (
        (["append", "notes/colon.md"], b"more\n"),
        (["write", "notes/new.md"], b"---\ntype: note\na: [\n---\n"),
    ):
        assert "FM01" in edit(vault, *args, stdin=text, code=1)
    assert vault.snapshot() == before
    mended = vault.bytes("notes/colon.md").replace(b"Plan: part two", b"'Plan: part two'")
    edit(vault, "write", "notes/colon.md", "--base", oid(vault, "notes/colon.md"), stdin=mended)
    edit(vault, "append", "notes/good.md", stdin=b"more\n")


def test_005_a_commit_is_judged_by_what_it_stages(vault: Folder) -> None:
    lay_down(vault, "005-bad-yaml-stays-local")
    for name in ("good", "colon", "twice"):
        vault.write(f"notes/{name}.md", vault.read(f"notes/{name}.md") + "mine\n")
    vault.git("commit", "-qm", "good", "--", "notes/good.md")
    for name in ("colon", "twice"):
        line, code = BROKEN[name]
        done = vault.try_git("commit", "-m", name, "--", f"notes/{name}.md")
        assert done.code == 1 and f"notes/{name}.md:{line}:" in done.err and code in done.err
    assert vault.git("log", "-1", "--format=%s") == "good"


DATES = {"leap": "2024-02-29", "quoted": '"2026-03-14"', "commented": "2026-03-14 # a Saturday"}
NO_DATES = {
    "no-leap": "2026-02-29",
    "month": "2026-13-01",
    "short": "2026-3-4",
    "time": "2026-03-14 09:05",
    "list": "[2026-03-14]",
}


def test_007_a_date_is_what_was_typed(vault: Folder) -> None:
    def dated(text: str) -> bytes:
        return f"---\ntype: note\ncreated: {text}\n---\nx\n".encode()

    lay_down(vault, "007-bare-dates", **{name: dated(text) for name, text in (DATES | NO_DATES).items()})
    for name in ("ok", "feb30", "word"):
        vault.write(f"notes/{name}.md", vault.bytes(f"notes/{name}.md").replace(b"---\n", b"---\ntype: note\n", 1))
    found = problems(vault, "notes", code=1)
    assert {path for path, _, _, _ in found} == {f"notes/{name}.md" for name in ("feb30", "word", *NO_DATES)}
    assert {(line, code, "'created'" in message) for _, line, code, message in found} == {(3, "FM03", True)}
    properties = json.loads(vault.run("read", "notes/ok.md", "--json").out)["properties"]
    assert properties["created"] == properties["quoted"] == "2026-03-14"
    assert properties["seen"] == "2026-03-14 09:05:00+01:00"
    before = vault.bytes("notes/ok.md")
    edit(vault, "set", "notes/ok.md", "note=x")
    assert vault.bytes("notes/ok.md") == before.replace(b"\n---\n", b"\nnote: x\n---\n")


# -- 009: bytes that are hardly text ----------------------------------------------------------------


def test_009_hostile_bytes_are_named_where_they_matter_and_kept_in_every_edit(plain: Folder) -> None:
    head = b"---\ntitle: %s\ntype: note\n---\n"
    notes = {
        "nul": head % b"Nul" + b"waffle before\0after\n" + b"\0" * 64, "latin1": head % b"Caf\xe9" + b"cr\xe8me\n",
        "long": head % b"Long" + b"word " * 220_000 + b"caramel\n", "ok": head % b"Ok" + b"waffle plain\n",
        "latin1-body": head % b"Body" + b"cr\xe8me\n", "zeros": b"\0" * 4096, "empty": b"",
        "utf16": "---\ntitle: Wide\ntype: note\n---\n".encode("utf-16"), "escape": head % b"Esc" + b"\x1b[2J\x07\n",
    }  # fmt: skip
    for name, data in notes.items():
        plain.write(f"notes/{name}.md", data)
    plain.write(SCHEMA, '{"x-vaultgit": {"folder": "notes"}, "required": ["title"]}')
    plain.commit("from before")
    done = plain.run("init")
    assert done.code == 0, done
    assert {name: plain.bytes(f"notes/{name}.md") for name in notes} == notes
    assert problems(plain, code=0) == []
    done = plain.run("check", "--no-baseline")
    assert done.code == 1
    assert [line.partition(" (")[0] for line in done.out.splitlines()] == [
        "notes/latin1-body.md:5:3: FM01 not UTF-8", "notes/latin1.md:2:11: FM01 not UTF-8",
        "notes/nul.md:1:1: NA01 nul.md is the name of a device on Windows",
    ]  # fmt: skip
    assert max(map(len, done.out.splitlines())) < 200
    document = {"changes": [{"path": f"notes/{name}.md", "append": "- more\n"} for name in notes if name != "utf16"]}
    edit(plain, "apply", "-m", "notes: more", stdin=json.dumps(document).encode())
    for name, data in notes.items():
        new = data if name == "utf16" else data + (b"" if data.endswith(b"\n") or not data else b"\n") + b"- more\n"
        assert plain.bytes(f"notes/{name}.md") == new, name
    assert plain.git("status", "--porcelain") == ""
    assert plain.run("verify").code == 0


# -- 013: templates are no notes ----------------------------------------------------------------------


def test_013_templates_are_left_alone_wherever_obsidian_says_they_lie(plain: Folder) -> None:
    case = CASES / "013-template-files/input"
    for file in (path for path in case.rglob("*") if path.is_file()):
        plain.write(file.relative_to(case).as_posix(), file.read_bytes())
    plain.write("people/_templates/Friend.md", "---\ntype: person\nname: {{title}}\n---\n")
    plain.write(".obsidian/plugins/templater-obsidian/data.json", '{"templates_folder": "people/_templates"}')
    plain.commit("theirs")
    before = plain.snapshot()
    done = plain.run("init")
    assert done.code == 0, done
    assert plain.run("check", "--no-baseline").out == ""
    now = plain.snapshot()
    assert {path: now[path] for path in before} == before
    for path in ("Templates/Daily.md", "people/_templates/Friend.md"):
        plain.write(path, plain.read(path) + "{{time}}\n")
    plain.git("commit", "-qam", "templates")
    # What is one in a template is none beside it.
    plain.write("people/copy.md", plain.read("people/_templates/Friend.md"))
    plain.git("add", "-A")
    done = plain.try_git("commit", "-m", "no template")
    assert done.code == 1 and "people/copy.md:3:" in done.err
    assert "_templates" not in done.err


def test_013_a_template_folder_that_no_setting_names_is_a_folder(plain: Folder) -> None:
    plain.write(".obsidian/templates.json", '{"folder": "gone"}')
    plain.write("people/Templates/Friend.md", "---\ntype: person\nname: {{title}}\n---\n")
    assert problems(plain, code=1)[0][:3] == ("people/Templates/Friend.md", 3, "FM01")


# -- 037: what an agent read is not there any more -------------------------------------------------------


@pytest.mark.parametrize("committed", [True, False])
def test_037_a_note_that_a_person_deleted_or_moved_is_not_written_back(vault: Folder, committed: bool) -> None:
    vault.write("Home.md", (CASES / "037-stale-read-overwrites/input/Home.md").read_bytes())
    vault.commit("home")
    base, text = oid(vault, "Home.md"), vault.bytes("Home.md") + b"by the agent\n"
    (vault.root / "Home.md").rename(vault.root / "Start.md")
    if committed:
        vault.commit("mine")
    before = vault.git("status", "--porcelain")
    said = edit(vault, "write", "Home.md", "--base", base, stdin=text)
    assert said.startswith("inbox ")
    assert "by the agent" in vault.read(said.split()[2])
    assert not vault.exists("Home.md") and "by the agent" not in vault.read("Start.md")
    assert vault.git("status", "--porcelain") == before
    assert vault.run("verify").code == 0


def test_037_only_the_time_of_the_file_has_moved(vault: Folder) -> None:
    base = oid(vault, "Home.md")
    (vault.root / "Home.md").write_bytes(vault.bytes("Home.md"))
    assert edit(vault, "write", "Home.md", "--base", base, stdin=b"new\n").startswith("committed ")
    assert vault.read("Home.md") == "new\n"


# -- 061: secrets -------------------------------------------------------------------------------------

SECRETS = [
    "ghp" + "_" + "Zz9" * 12, "AKI" + "A" + "QZXW12345678ABCD", "sk" + "-or-v1-" + "0a1b2c3d" * 8,
    "postgres://kit:" + "Sw0rd-fish-77" + "@db.example.invalid/home",
]  # fmt: skip
VALUES = [*SECRETS[:3], "Sw0rd-fish-77"]


def test_061_a_persons_commit_with_a_secret_is_refused_at_its_line_and_masked(vault: Folder) -> None:
    for number, secret in enumerate(SECRETS):
        vault.write(f"light {number}.md", f"one\nthe kitchen light uses {secret} ok\n")
    vault.git("add", "-A")
    done = vault.try_git("commit", "-m", "lights")
    assert done.code == 1
    assert [
        line for line in done.err.splitlines() if re.match(r"light \d\.md:2:\d+: SE01 ", line)
    ] == done.err.splitlines()[:4]
    vault.git("reset", "-q", "--hard")
    message = "lights\n\n" + "\n".join(f"it uses {secret}" for secret in SECRETS)
    said = vault.try_git("commit", "--allow-empty", "-m", message)
    assert said.code == 1
    assert [line.partition(":1")[0].split(":")[1] for line in said.err.splitlines()[:4]] == ["3", "4", "5", "6"]
    assert not [value for value in VALUES if value in done.err + said.err]


def test_p11_061_an_agents_secret_reaches_neither_note_nor_message_nor_queue_nor_git(vault: Folder) -> None:
    github, aws, router, postgres = (f"the kitchen light uses {secret} ok\n" for secret in SECRETS)
    doors: list[tuple[list[str], str]] = [
        (["append", "Home.md"], github + aws + router + postgres), (["append", "Home.md", "-m", aws.strip()], "x\n"),
        (["append", "Home.md", "--reason", router], "x\n"), (["set", "projects/nova.md", f"uses={SECRETS[3]}"], ""),
        (["inbox", "add", "--target", "Home.md", "--reason", "heard"], postgres),
        (["apply"], json.dumps({"changes": [{"path": "new.md", "text": github}]})),
    ]  # fmt: skip
    before, said = vault.snapshot(), ""
    for args, given in doors:
        refused = edit(vault, *args, stdin=given.encode(), code=1)
        assert "SE01" in refused
        said += refused
    assert vault.snapshot() == before
    inside = [
        vault.git("cat-file", "--batch-all-objects", "--batch", "--buffer"),
        vault.git("log", "-p", "--all"),
        said,
    ]
    inside += [path.read_bytes().decode("latin-1") for path in (vault.root / ".git").rglob("*") if path.is_file()]
    assert not [value for value in VALUES if any(value in text for text in inside)]
