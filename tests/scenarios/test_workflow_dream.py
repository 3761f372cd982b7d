"""The dream in CI: its workflow's commands as written, in a clone as a runner has it, and what comes to people's clones
(promises P5, P8: no model, no key, a branch and nothing else).
"""

from __future__ import annotations

import base64
import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from typing import ClassVar

import pytest
import yaml
from dreaming import dreaming
from forging import Forge
from forging import Runner
from forging import filled
from forging import forge_of
from forging import runner_in
from support import Folder
from support import Result
from support import run_cli

from vaultgit.install import ci

BRANCH = "dream/2026-11-29"
TOKEN = "of-this-run"
FERNS = """\
---
type: skill
name: {name}
version: 1
trigger: the ferns look dry
last_updated: 2026-11-20
---
1. Fill the green can with rain water, not from the tap
2. Pour until it comes out below the pot
3. Turn each pot by a quarter
4. Cut what is brown at the base
5. Write the date on the card beside the window
"""
KNOWN = {
    "vars.VAULTGIT || 'vaultgit'": "vaultgit", "github.token": TOKEN, "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_REPOSITORY": "me/notes",
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dreaming") / "forge.git"


@pytest.fixture
def forge(vault: Folder, tmp_path: Path, made: Path) -> Forge:
    """A server with a vault to dream of; its history is made once."""
    if not made.exists():
        dreaming(vault)
        vault.git("clone", "--quiet", "--bare", ".", str(made))
    else:
        vault.git("fetch", "--quiet", str(made), "main")
        vault.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    return forge_of(vault, tmp_path)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    made = runner_in(tmp_path / "runner")
    return made._replace(env={**made.env, "VAULTGIT_NOW": os.environ["VAULTGIT_NOW"], "TZ": "UTC"})


def check_out(runner: Runner, forge: Forge, *, detached: bool = False) -> None:
    """As actions/checkout does with fetch-depth 0 (all branches, the default one checked out), and GitLab's runner, which
    leaves HEAD detached. A new machine each time."""
    work = runner.work
    if work.exists(".git"):
        subprocess.run(["rm", "-rf", str(work.root)], check=True)
        work.root.mkdir()
    work.git("init", "--quiet")
    work.git("remote", "add", "origin", forge.bare.root.as_uri())
    work.git("fetch", "--quiet", "--prune", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
    where = ["--detach", "refs/remotes/origin/main"] if detached else ["-B", "main", "refs/remotes/origin/main"]
    work.git("checkout", "--quiet", "--force", *where)


def shipped(name: str, prefix: str = "") -> Any:
    return yaml.load(ci.text(name, prefix), yaml.BaseLoader)


def github(runner: Runner, prefix: str = "", **more: str) -> list[Result]:
    """What each step's commands end with, and what the step before it put out is known to the next, as there."""
    output, summary = runner.work.root.parent / "output", runner.work.root.parent / "summary"
    known = {**KNOWN, **more, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    done: list[Result] = []
    for step in shipped("github-dream", prefix)["jobs"]["dream"]["steps"]:
        condition = step.get("if", "").removeprefix("${{ ").removesuffix(" }}")
        if "run" not in step or (condition and not known.get(condition)):
            continue
        output.write_text("")
        env = {key: value for key, value in known.items() if key.isupper()} | filled(step, known)
        done.append(runner.bash("-e", script=step["run"], env=env))
        if done[-1].code:
            break
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            known[f"steps.{step['id']}.outputs.{name}"] = value
    return done


def gitlab(runner: Runner, forge: Forge, **more: str) -> list[Result]:
    job = shipped("gitlab-dream")["vaultgit-dream"]
    url = (forge.bare.root.parent / "forge").as_uri()
    env = {**job["variables"], "CI_PROJECT_URL": url, "CI_JOB_TOKEN": TOKEN, **more}
    return [runner.bash("-eo", "pipefail", script="\n".join(job["script"]), env=env)]


def refs_of(forge: Forge) -> dict[str, str]:
    rows = forge.bare.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(row.split() for row in rows)


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_branch_is_pushed_and_nothing_else(runner: Runner, forge: Forge, service: str) -> None:
    before = refs_of(forge)
    check_out(runner, forge, detached=service == "gitlab")
    results = github(runner) if service == "github" else gitlab(runner, forge)
    assert [result.code for result in results] == [0] * len(results), results
    assert f"proposed {BRANCH} " in results[-1].out + results[-2 if len(results) > 1 else -1].out
    after = refs_of(forge)
    assert {ref: after[ref] for ref in before} == before and set(after) - set(before) == {f"refs/heads/{BRANCH}"}
    assert set(forge.bare.git("log", "--format=%an %(trailers:key=Agent,valueonly,separator=%x2C)", f"main..{BRANCH}")
               .splitlines()) == {"vaultgit vaultgit"}  # fmt: skip
    assert runner.work.git("config", "--list", "--local").count(TOKEN) == 0
    if service == "github":
        said = (runner.work.root.parent / "summary").read_text()
        assert said.startswith(f"https://github.example/me/notes/compare/{BRANCH}?expand=1\n\n    proposed {BRANCH} ")

    # Once more, as a week later, with more to say: the branch waits, and nothing comes on top of it.
    for name in ("water-the-ferns", "ferns-get-water"):
        forge.person.write(f"skills/{name}.md", FERNS.format(name=name))
    settings = forge.person.read(".vaultgit.toml")
    forge.person.write(".vaultgit.toml", settings + "\n[dream]\nmax_share = 0.9\n")
    forge.person.commit("two of one")
    assert run_cli("dream", "--dry-run", cwd=forge.person.root).out.startswith("would propose 5 suggestions")
    forge.push()
    after = refs_of(forge)
    check_out(runner, forge, detached=service == "gitlab")
    runner.env["VAULTGIT_NOW"] = "2026-12-06T04:23:00+00:00"
    results = github(runner) if service == "github" else gitlab(runner, forge)
    assert all(result.code == 0 for result in results) and "nothing new while that waits" in results[-1].out, results
    assert refs_of(forge) == after


@pytest.mark.parametrize("how", ["git", "sync"])
def test_it_comes_to_a_persons_clone_and_is_reviewed_there(runner: Runner, forge: Forge, how: str) -> None:
    check_out(runner, forge)
    assert all(result.code == 0 for result in github(runner))
    person = forge.person
    if how == "sync":
        done = person.run("sync")
        assert done.code == 0 and f"{BRANCH} came in" in done.err, done
    else:
        person.git("fetch", "--quiet", "origin")
        person.git("branch", "--quiet", "--no-track", BRANCH, f"origin/{BRANCH}")
    listed = person.run("review", "list", "--dry-run")
    assert listed.code == 0 and listed.out.startswith(f"{BRANCH}  4 suggestions"), listed
    done = person.run("review", "accept", BRANCH)
    assert done.code == 0, done
    forge.push()
    # Accepted, and not deleted on the server: it does not wait any more, and there is nothing new to say.
    check_out(runner, forge)
    results = github(runner)
    assert [result.code for result in results] == [0, 0], results
    assert "nothing new" not in results[-1].out and results[-1].out.startswith("nothing to propose"), results


def test_where_nothing_is_to_be_proposed_nothing_is_pushed(vault: Folder, tmp_path: Path, runner: Runner) -> None:
    forge = forge_of(vault, tmp_path)
    before = refs_of(forge)
    check_out(runner, forge)
    results = github(runner)
    assert [result.code for result in results] == [0, 0] and results[1].out.startswith("nothing to propose"), results
    check_out(runner, forge, detached=True)
    assert gitlab(runner, forge)[0].code == 0
    assert refs_of(forge) == before


def test_a_branch_of_that_name_that_came_meanwhile_stays(runner: Runner, forge: Forge) -> None:
    """P2: no force, whoever was faster."""
    check_out(runner, forge)
    forge.person.write("Home.md", "mine\n")
    forge.person.commit("mine")
    mine = forge.push(f"HEAD:refs/heads/{BRANCH}")
    results = github(runner)
    assert [result.code for result in results] == [0, 0, 1] and "rejected" in results[-1].err, results
    assert refs_of(forge)[f"refs/heads/{BRANCH}"] == mine


def test_a_vault_in_a_folder_with_a_prefix_for_its_branches(runner: Runner, tmp_path: Path, forge: Forge) -> None:
    outer = Folder(tmp_path / "outer")
    outer.root.mkdir()
    outer.git("init", "--quiet")
    for path, data in forge.person.snapshot().items():
        outer.write(f"my notes/{path}", data)
    settings = outer.read("my notes/.vaultgit.toml")
    outer.write("my notes/.vaultgit.toml", settings + '\n[review]\nprefix = "vaultgit/"\n')
    outer.commit("start")
    (tmp_path / "forge.git").rename(tmp_path / "other.git")
    forge = forge_of(outer, tmp_path, "my notes/")
    check_out(runner, forge)
    results = github(runner, "my notes/")
    assert [result.code for result in results] == [0, 0, 0], results
    assert set(refs_of(forge)) == {"refs/heads/main", f"refs/heads/vaultgit/{BRANCH}"}
    check_out(runner, forge)
    results = github(runner, "my notes/")
    assert [result.code for result in results] == [0, 0] and "nothing new while that waits" in results[-1].out, results


# -- the token -----------------------------------------------------------------------------------------------------


class _Guarded(http.server.BaseHTTPRequestHandler):
    """git's own http-backend, for those who give the token."""

    root = ""
    asked: ClassVar[list[str]] = []

    def _serve(self) -> None:
        given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        type(self).asked.append(given)
        path, _, query = self.path.partition("?")
        if "receive-pack" in self.path and not given.endswith(f":{TOKEN}"):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()
            return
        length = int(self.headers.get("Content-Length") or 0)
        env = {
            **os.environ, "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": given.partition(":")[0],
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(length),
        }  # fmt: skip
        said = subprocess.run(
            ["git", "http-backend"], input=self.rfile.read(length), env=env, capture_output=True, check=False
        )
        head, _, body = said.stdout.partition(b"\r\n\r\n")
        headers = [line.partition(": ") for line in head.decode().split("\r\n")]
        self.send_response(int({name: value for name, _, value in headers}.get("Status", "200").split()[0]))
        for name, _, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _serve

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(root: Path) -> Iterator[str]:
    _Guarded.root, _Guarded.asked = str(root), []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Guarded)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_push_gives_the_runs_own_token_and_keeps_it_nowhere(runner: Runner, forge: Forge, service: str) -> None:
    """P11: over HTTP, to a server that asks; not in a URL, not in git's config, not in what is printed."""
    forge.bare.git("config", "http.receivepack", "true")
    check_out(runner, forge, detached=service == "gitlab")
    with served(forge.bare.root.parent) as url:
        runner.work.git("remote", "set-url", "origin", f"{url}/forge.git")
        results = github(runner) if service == "github" else gitlab(runner, forge, CI_PROJECT_URL=f"{url}/forge")
    assert all(result.code == 0 for result in results), results
    assert f"refs/heads/{BRANCH}" in refs_of(forge)
    name = "x-access-token" if service == "github" else "gitlab-ci-token"
    assert set(_Guarded.asked) == {"", f"{name}:{TOKEN}"}
    assert not any(TOKEN in result.out + result.err for result in results)
    kept = [
        path for path in runner.work.root.parent.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    assert kept == []


def test_without_a_token_the_push_fails_at_once_and_asks_nobody(runner: Runner, forge: Forge) -> None:
    forge.bare.git("config", "http.receivepack", "true")
    check_out(runner, forge)
    with served(forge.bare.root.parent) as url:
        runner.work.git("remote", "set-url", "origin", f"{url}/forge.git")
        results = github(runner, **{"github.token": "another"})
    assert results[-1].code == 128 and "Authentication failed" in results[-1].err, results
    assert f"refs/heads/{BRANCH}" not in refs_of(forge)


# -- the plain program ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [[], ["--depth=1"]])
def test_p8_a_fresh_clone_that_was_never_set_up_dreams(forge: Forge, tmp_path: Path, depth: list[str]) -> None:
    """No init, no identity, no key, no model; a shallow one does not know for how long a skill was not used, so that it
    prunes none."""
    clone = Folder(tmp_path / "fresh")
    forge.bare.git("clone", "--quiet", *depth, forge.bare.root.as_uri(), str(clone.root))
    env = {"GIT_CONFIG_GLOBAL": os.devnull, "VAULTGIT_VAULT": ""}
    done = run_cli("dream", cwd=clone.root, env=env)
    assert done.code == 0 and done.out.startswith(f"proposed {BRANCH} "), done
    kinds = {line.split()[0] for line in done.out.splitlines()[2:] if not line.startswith(" ")}
    assert "merge" in kinds and ("prune" in kinds) == (not depth), done
    assert clone.git("status", "--porcelain") == "" and clone.git("rev-parse", "HEAD") == clone.git(
        "rev-parse", "origin/main"
    )


Step = Mapping[str, Any]


def test_the_workflow_asks_for_no_more_than_it_needs() -> None:
    """What may write is one workflow, and in it the token is one step's."""
    assert shipped("github")["permissions"] == {"contents": "read"}
    found = shipped("github-dream")
    assert found["permissions"] == {"contents": "write"} and set(found["on"]) == {"schedule", "workflow_dispatch"}
    steps: list[Step] = found["jobs"]["dream"]["steps"]
    assert steps[0]["with"] == {"fetch-depth": "0", "persist-credentials": "false"}
    assert [step["name"] for step in steps if "github.token" in str(step)] == ["Push the branch"]
    assert all("${{" not in step["run"] for step in steps if "run" in step)
    text = ci.text("github-dream").decode() + ci.text("gitlab-dream").decode()
    assert "secrets." not in text and "push --force" not in text and '"+refs/heads/' not in text
