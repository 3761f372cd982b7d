"""The shared repository over ssh, as docs/server.md sets it up: a real sshd on a high port of this machine, with keys and
accounts of its own. `make test-system` runs it, once openssh-server is installed."""

from __future__ import annotations

import getpass
import os
import pwd
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from installed import SYSTEM
from installed import tool
from serving import BAD
from serving import GOOD
from serving import by_agent
from serving import set_up
from serving import shared
from serving import told
from support import Folder
from support import Result

pytestmark = SYSTEM


class Ssh(NamedTuple):
    """A daemon that takes two keys, a person's and codex's, and a bare repository behind it."""

    vault: Folder
    server: Folder
    port: int
    folder: Path

    def env(self, key: str) -> dict[str, str]:
        known = f"-o UserKnownHostsFile={self.folder / 'known_hosts'} -o StrictHostKeyChecking=yes"
        quiet = "-F none -o BatchMode=yes -o IdentitiesOnly=yes -o LogLevel=ERROR"
        return {"GIT_SSH_COMMAND": f"ssh -p {self.port} -i {self.folder / key} {known} {quiet}"}

    def push(self, key: str, *args: str, **env: str) -> Result:
        return self.vault.try_git("push", "--no-verify", "ssh", *args, env={**self.env(key), **env})

    def ssh(self, key: str, command: str) -> subprocess.CompletedProcess[str]:
        words = [*self.env(key)["GIT_SSH_COMMAND"].split(), f"{getpass.getuser()}@127.0.0.1", command]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def restricted(key: Path, environment: str = "") -> str:
    """A line of authorized_keys, as docs/server.md has it."""
    command = f'{environment}git-shell -c \\"$SSH_ORIGINAL_COMMAND\\"'
    return f'restrict,command="{command}" {key.with_suffix(".pub").read_text()}'


@pytest.fixture
def ssh(vault: Folder, tmp_path: Path) -> Iterator[Ssh]:
    sshd, keygen = tool("sshd"), tool("ssh-keygen")
    tool("git-shell")
    if "nologin" in pwd.getpwuid(os.getuid()).pw_shell or "git-shell" in pwd.getpwuid(os.getuid()).pw_shell:
        pytest.skip("this account has no shell for a forced command")
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "person", "agent", "other"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    keys = restricted(folder / "person") + restricted(folder / "agent", "VAULTGIT_AGENT=codex ")
    keys += restricted(folder / "other").replace("restrict,", 'restrict,environment="VAULTGIT_AGENT=gemini-cli",')
    (folder / "authorized_keys").write_text(keys)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder / 'host'}\nPidFile none\nUsePAM no\nStrictModes no\n"
        f"AuthorizedKeysFile {folder / 'authorized_keys'}\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "PermitRootLogin yes\nPrintMotd no\nPermitUserEnvironment VAULTGIT_AGENT\n"
    )
    server = set_up(shared(vault))
    server.git("config", "vaultgit.agentsPush", "review")
    vault.git("remote", "add", "ssh", f"ssh://{getpass.getuser()}@127.0.0.1:{port}{server.root}")
    separated = Path("/run/sshd")  # the package's service makes it when it starts
    made = os.getuid() == 0 and not separated.exists()
    if made:
        separated.mkdir(mode=0o755)
    log = folder / "log"
    daemon = subprocess.Popen([sshd, "-D", "-f", str(folder / "sshd_config"), "-E", str(log)])
    try:
        until = time.monotonic() + 20
        while True:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert daemon.poll() is None and time.monotonic() < until, log.read_text()
            threading.Event().wait(0.05)
        yield Ssh(vault, server, port, folder)
    finally:
        daemon.terminate()
        daemon.wait(20)
        if made:
            separated.rmdir()


def test_a_persons_key_over_ssh(ssh: Ssh) -> None:
    """Acceptance 4, over ssh: path and line reach whoever pushes."""
    vault = ssh.vault
    by_agent(vault, "people/eve.md", GOOD)  # made on the person's own machine, and theirs to push
    vault.write("people/dan.md", GOOD)
    vault.commit("dan")
    done = ssh.push("person", "main")
    assert done.code == 0, done.err
    vault.write("people/bob.md", BAD)
    vault.commit("bad")
    done = ssh.push("person", "main")
    assert done.code == 1 and told(done)[0].startswith("people/bob.md:3:1: FM03"), done.err
    assert ssh.server.git("rev-parse", "main") == vault.git("rev-parse", "main~")


def test_an_agents_key_over_ssh(ssh: Ssh) -> None:
    """What holds an agent is its key, by a forced command or `environment=`: it pushes review branches, and no more."""
    vault = ssh.vault
    by_agent(vault, "people/eve.md", GOOD)
    for refused in (["main"], ["main:side"], ["--force", "main"], ["--delete", "main"], ["main:refs/tags/v1"]):
        done = ssh.push("agent", *refused)
        assert done.code == 1 and "codex may push only branches that begin with molt/, dream/, adopt/" in done.err
    assert "gemini-cli may push only" in ssh.push("other", "main").err
    assert ssh.push("agent", "main:dream/2026-11-29").code == 0
    assert ssh.push("agent", "--delete", "dream/2026-11-29").code == 0
    assert ssh.server.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    vault.git("checkout", "-q", "-b", "molt/x-v2")
    vault.write(".github/workflows/x.yml", "on: push\n")
    vault.commit("as if a person had made it")
    done = ssh.push("agent", "molt/x-v2")
    assert done.code == 1 and "MS02" in done.err
    assert ssh.vault.try_git("fetch", "ssh", env=ssh.env("agent")).code == 0


def test_the_agents_key_opens_nothing_else(ssh: Ssh) -> None:
    """No shell, no other name for itself, no words of its own before git's."""
    for command in ("id", "sh -c id", "VAULTGIT_AGENT= git-receive-pack x", "git-receive-pack x; id", "git config -l"):
        done = ssh.ssh("agent", command)
        assert done.returncode != 0 and "uid=" not in done.stdout, done
    by_agent(ssh.vault, "people/eve.md", GOOD)
    sent = ssh.env("agent")["GIT_SSH_COMMAND"] + " -o SendEnv=VAULTGIT_AGENT"
    done = ssh.push("agent", "main", GIT_SSH_COMMAND=sent, VAULTGIT_AGENT="")
    assert done.code == 1 and "codex may push only" in done.err
