"""A shared bare repository that holds what is pushed to it: real git pushes, real hooks (acceptance 4 of the server)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from serving import BAD
from serving import GOOD
from serving import by_agent
from serving import clone
from serving import push
from serving import set_up
from serving import shared
from serving import told
from support import Folder

PUSHED = 'cat >"$GIT_DIR/pushed"\n'


@pytest.fixture
def server(vault: Folder) -> Folder:
    return set_up(shared(vault))


def head(server: Folder, ref: str = "main") -> str:
    return server.git("rev-parse", ref)


def test_a_bad_note_past_the_local_hook_is_refused_with_path_and_line(server: Folder, vault: Folder) -> None:
    before = head(server)
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    done = push(vault, "main")
    assert done.code == 1 and "pre-receive hook declined" in done.err
    lines = told(done)
    assert lines[0].startswith("people/bob.md:3:1: FM03 'aliases' is 7") and lines[0].endswith(")")
    assert lines[-1] == "vaultgit: nothing of this push was taken in: 1 problem; mend, commit, and push again"
    assert head(server) == before
    vault.write("people/bob.md", GOOD)
    vault.commit("mended")
    assert push(vault, "main").code == 0
    assert head(server) == vault.git("rev-parse", "main")


def test_an_agents_commit_is_named(server: Folder, vault: Folder) -> None:
    bad = by_agent(vault, "review.md", "- [x] accept\n")
    by_agent(vault, "Home.md", "x\n")
    done = push(vault, "main")
    assert done.code == 1
    assert told(done)[0].startswith(f"{bad[:10]} review.md:1:1: PA01")
    assert "a later one does not help" in told(done)[-1]


def test_what_everybody_does_all_day_gets_in(server: Folder, vault: Folder, tmp_path: Path) -> None:
    """Edits of agents, a person's notes, a merge of two clones, a revert."""
    other = clone(server, tmp_path / "other")
    assert vault.run("append", "Home.md", "--agent", "codex", stdin=b"one\n").code == 0
    vault.write("people/bob.md", GOOD)
    vault.commit("bob")
    assert push(vault, "main").code == 0
    other.write("projects/nova.md", other.read("projects/nova.md") + "- more\n")
    other.commit("nova")
    refused = push(other, "-f", "main")
    assert refused.code == 1 and "would be lost" in refused.err
    other.git("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    assert push(other, "main").code == 0
    other.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert push(other, "main").code == 0
    assert push(other, "--delete", "main").code == 1


def test_one_refused_ref_takes_nothing_in(server: Folder, vault: Folder) -> None:
    vault.git("branch", "side")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    assert push(vault, "main", "side").code == 1
    assert server.try_git("rev-parse", "--verify", "--quiet", "side").code != 0
    assert push(vault, "side").code == 0


def test_no_more_than_fifty_lines(server: Folder, vault: Folder) -> None:
    for number in range(70):
        vault.write(f"people/p{number}.md", BAD)
    vault.commit("bad")
    lines = told(push(vault, "main"))
    assert sum("FM03" in line for line in lines) == 50
    assert "… and 20 more problems" in lines and "70 problems" in lines[-1]


def test_a_name_cannot_write_to_the_pushers_terminal(server: Folder, vault: Folder) -> None:
    by_agent(vault, ".github/\x1b[2J\nx.yml", "x\n")
    done = push(vault, "main")
    assert done.code == 1 and "\\x1b[2J\\nx.yml" in done.err and "\x1b[2J" not in done.err


def test_people_may_be_warned_and_agents_never(server: Folder, vault: Folder) -> None:
    server.git("config", "vaultgit.people", "warn")
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    done = push(vault, "main")
    assert done.code == 0 and told(done)[0].startswith("warning: people/bob.md:3:1: FM03")
    by_agent(vault, "people/eve.md", BAD)
    assert push(vault, "main").code == 1


def test_who_pushes_stands_in_the_hooks_environment(server: Folder, vault: Folder) -> None:
    """An agent's key (docs/server.md), and an agent that pushes to a folder from its own shell."""
    server.git("config", "vaultgit.agentsPush", "review")
    by_agent(vault, "people/eve.md", GOOD)
    for agent in ({"VAULTGIT_AGENT": "codex"}, {"CLAUDECODE": "1"}):
        done = push(vault, "main", env=agent)
        assert done.code == 1 and "may push only branches that begin with molt/, dream/" in done.err
        vault.git("branch", "-f", "dream/2026-11-29", "main")
        assert push(vault, "dream/2026-11-29", env=agent).code == 0
        assert push(vault, "--delete", "dream/2026-11-29", env=agent).code == 0
    assert push(vault, "main").code == 0


# -- other people's hook ---------------------------------------------------------------------------------------------


def foreign(server: Folder, script: str) -> Path:
    path = server.write("hooks/pre-receive", f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path


def test_p12_the_hook_that_was_there_runs_after_ours_and_has_its_say(vault: Folder) -> None:
    server = shared(vault)
    foreign(server, PUSHED + "echo theirs >&2\n")
    set_up(server)
    vault.write("Home.md", "# Home\n\nmore\n")
    old, new = vault.git("rev-parse", "main"), vault.commit("more")
    done = push(vault, "main")
    assert done.code == 0 and "theirs" in told(done)
    assert server.read("pushed") == f"{old} {new} refs/heads/main\n"
    kept = server.write("hooks/pre-receive.vaultgit-kept", "#!/bin/sh\necho no >&2\nexit 1\n")
    kept.chmod(0o755)
    vault.write("Home.md", "# Home\n")
    vault.commit("less")
    assert push(vault, "main").code == 1


def test_what_ours_refuses_theirs_never_hears_of(vault: Folder) -> None:
    server = shared(vault)
    foreign(server, PUSHED)
    set_up(server)
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    assert push(vault, "main").code == 1
    assert not server.exists("pushed")


# -- when something is wrong with the server ---------------------------------------------------------------------------


def pushed(vault: Folder, number: list[int] = [0]) -> str:  # noqa: B006  counts over calls
    number[0] += 1
    vault.write("Home.md", f"# Home\n\n{number[0]}\n")
    vault.commit("fine")
    done = push(vault, "main")
    assert done.code == 1, done
    assert "nothing of this push was taken in" in done.err
    return done.err


def test_the_program_is_gone(server: Folder, vault: Folder) -> None:
    """The server is the last gate: it stays shut, and says what to do."""
    server.git("config", "vaultgit.program", "/nowhere/vaultgit")
    assert "/nowhere/vaultgit is gone from the server" in pushed(vault)
    server.git("config", "vaultgit.program", "false")  # a Python whose package is gone ends with 1, too
    assert "false does not work any more" in pushed(vault)
    server.git("config", "--unset", "vaultgit.program")
    assert "vaultgit init --server" in pushed(vault)


def test_the_program_breaks(server: Folder, vault: Folder) -> None:
    program = server.write("broken.py", "import sys\nimport vaultgit.checks.receive as r\nr.judge = None\n"
                           "from vaultgit.cli.main import main\nraise SystemExit(main())\n")  # fmt: skip
    server.git("config", "vaultgit.program", f"{sys.executable} -P {program}")
    said = pushed(vault)
    assert "a bug of ours: TypeError" in said and "the check ended with 3" in said


def test_what_does_not_end_is_ended_and_named(server: Folder, vault: Folder, tmp_path: Path) -> None:
    """A git that hangs while a note is looked at stands for whatever else may."""
    real = shutil.which("git")
    there = tmp_path / "bin"
    there.mkdir()
    script = there / "git"
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" cat-file --batch "*) exec tail -f /dev/null;; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    program = server.git("config", "vaultgit.program")
    server.git("config", "vaultgit.program", f"env PATH={there}:$PATH {program}")
    server.git("config", "vaultgit.receiveTimeout", "1")
    said = pushed(vault)
    assert "the check did not end within 1 s, at refs/heads/main" in said
    assert "git config vaultgit.receiveTimeout 600" in said


def test_a_limit_that_is_none(server: Folder, vault: Folder) -> None:
    server.git("config", "vaultgit.receiveTimeout", "soon")
    assert "vaultgit.receiveTimeout is 'soon'" in pushed(vault)


def test_the_limit_on_memory_holds(server: Folder, vault: Folder) -> None:
    """With a small one in its place: the note is named, and nothing is taken in."""
    program = server.write("small.py", "import vaultgit.cli.prereceive as p\np.MEMORY = 200 << 20\n"
                           "from vaultgit.cli.main import main\nraise SystemExit(main())\n")  # fmt: skip
    server.git("config", "vaultgit.program", f"{sys.executable} -P {program}")
    vault.write("huge.md", b"word " * 20_000_000)
    said = pushed(vault)
    assert ", at huge.md" in said


def test_a_pattern_that_backtracks_and_yaml_that_is_deep(server: Folder, vault: Folder) -> None:
    """Neither takes the server's time: patterns have a bound on their steps, YAML one on its depth."""
    vault.write(".vaultgit/schemas/person.schema.json",
                '{"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+(?=b)$"}}}')  # fmt: skip
    vault.commit("a schema")
    assert push(vault, "main").code == 0
    vault.write("people/a.md", f"---\ntype: person\nname: {'a' * 300}\n---\n")
    vault.write("people/b.md", f"---\ntype: person\naliases: {'[' * 100_000}\n---\n")
    vault.write("people/c.md", "---\ntype: person\na: &a [x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)) + "---\n")  # fmt: skip
    vault.commit("hostile")
    done = push(vault, "main")
    assert done.code == 1 and "did not end" not in done.err and "bug" not in done.err
    assert {line.partition(":")[0] for line in told(done) if "FM0" in line} >= {"people/a.md", "people/b.md"}


def test_an_older_git_without_quarantine_variables(server: Folder, vault: Folder) -> None:
    """Started by hand in the repository, as an owner may: the objects are simply there."""
    vault.write("people/bob.md", BAD)
    new = vault.commit("bad")
    server.git("fetch", "--quiet", str(vault.root), "main:incoming")
    line = f"{head(server)} {new} refs/heads/main\n".encode()
    done = server.run("hook", "pre-receive", stdin=line)
    assert done.code == 1 and done.err.startswith("people/bob.md:3:1: FM03"), done
    assert server.run("hook", "pre-receive", stdin=b"").code == 0


def test_the_owner_lets_an_emergency_through(server: Folder, vault: Folder) -> None:
    """As docs/server.md says: whoever has a shell on the server fetches instead of receiving."""
    vault.write("people/bob.md", BAD)
    tip = vault.commit("bad")
    assert push(vault, "main").code == 1
    server.git("fetch", "--quiet", str(vault.root), "main:main")
    assert head(server) == tip
    assert os.listdir(server.root / "objects") and push(vault, "main").code == 0
