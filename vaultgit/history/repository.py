"""The one gate to git.

Every git process of vaultgit starts here: GIT_* variables of a surrounding hook are stripped (they would point a
child at the wrong index), names are NUL-separated and unquoted, prompts and editors are off, and one
`cat-file --batch` process answers all reads of objects. Bytes inside, text at the edge.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import IO
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.errors import UsageError
from vaultgit.errors import VaultgitError
from vaultgit.history.nearby import nearby

if TYPE_CHECKING:
    import subprocess  # imported where a process starts: many a search starts none

# Variables that say how git reaches the network or who a person is, not which repository it works on.
_KEPT = frozenset(
    "GIT_EXEC_PATH GIT_SSH GIT_SSH_COMMAND GIT_SSL_CAINFO GIT_SSL_NO_VERIFY GIT_ALLOW_PROTOCOL GIT_ASKPASS "
    "GIT_HTTP_PROXY_AUTHMETHOD GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CEILING_DIRECTORIES "
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL".split()
)

# In a pre-receive hook: where the objects of the push lie, and that no ref may move yet (git-receive-pack(1)).
_QUARANTINE = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")

# Seconds for commands that start a person's filters, which may hang: of one file, and of all that look changed.
_PATIENCE = {"hash-object": 60.0, "status": 300.0, "diff-files": 300.0}

_LONGEST = 100_000  # characters of one argument (Linux' MAX_ARG_STRLEN is 131,072 bytes)
MINIMUM = (2, 36)  # core.fsync; 2.38 for merge-tree --write-tree


def clean_environment(extra: Mapping[str, str] = {}) -> dict[str, str]:
    """The environment of every child: no GIT_* of the caller's, no prompt, no editor, no locale."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in _KEPT}
    kept.update(
        GIT_TERMINAL_PROMPT="0", GIT_EDITOR="false", GIT_SEQUENCE_EDITOR="false", GIT_OPTIONAL_LOCKS="0",
        GIT_PAGER="cat", GIT_LITERAL_PATHSPECS="1", LC_ALL="C.UTF-8", LANGUAGE="",
    )  # fmt: skip
    kept.update(extra)
    return kept


class GitError(VaultgitError):
    """A git command that failed where it should not have."""

    def __init__(self, args: Iterable[str], code: int, stderr: bytes) -> None:
        self.code = code
        self.stderr = stderr.decode("utf-8", "replace").strip()
        if "from promisor remote" in self.stderr:
            super().__init__("this is a partial clone, and what it lacks here could not be fetched from its remote",
                             "once that can be reached, the same again; git fetch says what is wrong")  # fmt: skip
            return
        super().__init__(f"git {' '.join(args)} ended with {code}: {self.stderr[:2000] or 'no message'}")


class Blob(NamedTuple):
    oid: str
    data: bytes


class Identity(NamedTuple):
    name: str
    email: str


class Repository:
    """A repository and one of its work trees. Use as a context manager: it ends the cat-file process inside."""

    def __init__(
        self, worktree: str, git_dir: str, common_dir: str, *, bare: bool = False, env: Mapping[str, str] = {}
    ) -> None:
        self.worktree = worktree
        self.git_dir = git_dir  # of this work tree: HEAD, index, index.lock, MERGE_HEAD
        self.common_dir = common_dir  # shared by all work trees: objects, refs, vaultgit/
        self.bare = bare
        self.env = env  # what every git process here has besides
        self._batch: subprocess.Popen[bytes] | None = None
        self._config: dict[str, list[str]] | None = None

    @classmethod
    def find(cls, start: str) -> Repository | None:
        """The repository whose work tree (or, bare, whose folder) holds `start`; None where there is none.

        Raises UsageError for a repository that git refuses to open (another user's, a format it does not know).
        """
        plain = nearby(start)
        if plain is not None:
            return cls(plain[0], plain[1], plain[1])
        import subprocess

        done = subprocess.run(
            ["git", "rev-parse", "--is-bare-repository", "--absolute-git-dir", "--path-format=absolute",
             "--git-common-dir", "--show-toplevel"],
            cwd=start, env=clean_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        out = os.fsdecode(done.stdout).split("\n")
        if out[0] == "true" and len(out) >= 3:
            return cls(out[1], out[1], out[2], bare=True)
        if done.returncode == 0:
            return cls(out[3], out[1], out[2])
        error = done.stderr.decode("utf-8", "replace").strip()
        if "not a git repository" in error or "must be run in a work tree" in error:
            return None
        raise UsageError(f"git cannot open the repository at {start}: {error}")

    @classmethod
    def receiving(cls) -> Repository:
        """The repository that a push goes to, for its pre-receive hook: what is pushed lies apart, where the hook's
        environment says, until the hook has agreed. Replacements of objects (refs/replace) count for nothing: whoever
        may push one could show us a harmless commit in place of the real one."""
        env = {name: os.environ[name] for name in _QUARANTINE if name in os.environ}
        git_dir = os.path.realpath(os.environ.get("GIT_DIR") or os.getcwd())
        return cls(git_dir, git_dir, git_dir, bare=True, env={**env, "GIT_NO_REPLACE_OBJECTS": "1"})

    @property
    def place(self) -> str:
        """This work tree's part of the repository, relative to what all share: "." or "worktrees/NAME". Names it also
        after the folder has moved."""
        return os.path.relpath(self.git_dir, self.common_dir)

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        if self._batch is not None:
            assert self._batch.stdin and self._batch.stdout and self._batch.stderr
            for stream in (self._batch.stdin, self._batch.stdout, self._batch.stderr):
                try:
                    stream.close()
                except BrokenPipeError:  # what it was to be asked last
                    pass
            self._batch.wait()
            self._batch = None

    # -- running git -------------------------------------------------------------------------------------------

    def run(
        self,
        *args: str,
        input: bytes = b"",
        env: Mapping[str, str] = {},
        pass_fds: Iterable[int] = (),
        timeout: float | None = None,
    ) -> bytes:
        """Standard output of `git ARGS`, run at the work tree's root. Raises GitError where git fails."""
        done = self.call(*args, input=input, env=env, pass_fds=pass_fds, timeout=timeout)
        if done.returncode:
            raise GitError(args, done.returncode, done.stderr)
        return done.stdout

    def call(
        self,
        *args: str,
        input: bytes = b"",
        env: Mapping[str, str] = {},
        pass_fds: Iterable[int] = (),
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """`git ARGS`, whatever it exits with: for many commands that is an answer. Raises GitError where there is none:
        it was killed, or takes longer than `timeout` seconds."""
        import subprocess

        timeout = timeout or _PATIENCE.get(args[0])
        try:
            done = subprocess.run(
                self._command(args), cwd=self.worktree, env=clean_environment({**self.env, **env}), input=input,
                capture_output=True, pass_fds=tuple(pass_fds), timeout=timeout, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise _no_answer(args, error.timeout) from error
        if done.returncode < 0:
            raise GitError(args, done.returncode, done.stderr)
        return done

    def together(self, *commands: Sequence[str]) -> list[bytes]:
        """Standard outputs of several reading commands that run side by side. Raises GitError as `run` does."""
        import subprocess

        processes = [self.start(*command) for command in commands]
        done = []
        for command, process in zip(commands, processes, strict=True):
            try:
                done.append((process.communicate(timeout=_PATIENCE.get(command[0])), process.returncode))
            except subprocess.TimeoutExpired as error:
                for other in processes:
                    other.kill()
                    other.wait()
                raise _no_answer(command, error.timeout) from error
        for command, ((_, stderr), code) in zip(commands, done, strict=True):
            if code:
                raise GitError(command, code, stderr)
        return [out for (out, _), _ in done]

    def start(self, *args: str, env: Mapping[str, str] = {}, pass_fds: Iterable[int] = ()) -> subprocess.Popen[bytes]:
        """A git process to talk with; the caller ends it."""
        import subprocess

        return subprocess.Popen(
            self._command(args), cwd=self.worktree, env=clean_environment({**self.env, **env}), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=tuple(pass_fds),
        )  # fmt: skip

    def read(self, *args: str) -> bytes:
        """Like `run`, through GitPython: for reading history, where its 100 ms of import do not matter."""
        try:
            import git
        except ImportError as error:  # it asks `git version` when it is imported, and that can fail
            raise GitError(["version"], 128, str(error).encode()) from error

        clean = clean_environment(self.env)
        # GitPython adds to the caller's environment, and takes nothing out of it.
        leaking = [part for name in os.environ if name not in clean for part in ("-u", name)]
        command = [*(["env", *leaking] if leaking else []), *self._command(args)]
        try:
            out = git.Git(self.worktree).execute(
                command, env=clean, stdout_as_string=False, strip_newline_in_stdout=False
            )
        except git.GitCommandError as error:
            code = error.status if isinstance(error.status, int) else 128
            raise GitError(args, code, str(error.stderr).encode()) from error
        assert isinstance(out, bytes)
        return out

    def _command(self, args: Iterable[str]) -> list[str]:
        # fsmonitor, hooks, gpg and a pager named in the repository's config are programs: none is started for us.
        worktree = () if self.bare else (f"--work-tree={self.worktree}",)
        args = list(args)
        for one in args:
            if len(one) > _LONGEST:
                raise UsageError(f"{one[:40]}… has {len(one):,} characters, more than git can be asked for")
        return [
            "git", f"--git-dir={self.git_dir}", *worktree, "-c", "core.quotePath=false", "-c", "core.fsmonitor=false",
            "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false", "-c", "gc.auto=0",
            "-c", "core.fsync=committed", *args,
        ]  # fmt: skip

    # -- objects -----------------------------------------------------------------------------------------------

    def object(self, name: str) -> tuple[str, str, bytes] | None:
        """(oid, type, content) of an object named as git names it (`HEAD:a.md`, an oid); None when there is none."""
        if "\n" in name:
            raise UsageError(f"a name git cannot look up: {name!r}")
        if self._batch is None:
            self._batch = self.start("cat-file", "--batch")
        assert self._batch.stdin and self._batch.stdout
        try:
            self._batch.stdin.write(os.fsencode(name) + b"\n")
            self._batch.stdin.flush()
            header = self._batch.stdout.readline()
        except BrokenPipeError:  # it has ended: an object that it cannot read, say
            header = b""
        if not header:
            stderr = self._batch.stderr.read() if self._batch.stderr else b""
            self.close()
            raise GitError(["cat-file", "--batch"], 128, stderr)
        fields = os.fsdecode(header).rsplit(" ", 2)
        if len(fields) != 3 or not fields[2].strip().isdigit():
            return None  # "NAME missing", "NAME ambiguous", "NAME submodule"
        size = int(fields[2])
        data = _exactly(self._batch.stdout, size)
        _exactly(self._batch.stdout, 1)
        return fields[0], fields[1], data

    def blob(self, name: str) -> Blob | None:
        """A blob by name (`COMMIT:PATH` or an oid); None when there is none or it is something else."""
        found = self.object(name)
        return Blob(found[0], found[2]) if found and found[1] == "blob" else None

    def resolve(self, revision: str) -> str | None:
        """The oid of the commit that `revision` names; None when there is none. `revision` may come from outside."""
        done = self.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        found = done.stdout.decode().strip()
        return found if done.returncode == 0 and found[:1] != "^" else None  # "^HEAD" is all but HEAD, to git

    # -- config ------------------------------------------------------------------------------------------------

    @property
    def config(self) -> dict[str, list[str]]:
        """All of git's config as this repository sees it: lower-case key -> values, last one wins."""
        if self._config is None:
            self._config = {}
            for entry in os.fsdecode(self.run("config", "--list", "-z")).split("\0"):
                if entry:
                    key, _, value = entry.partition("\n")
                    section, _, name = key.rpartition(".")
                    self._config.setdefault(f"{section}.{name.lower()}", []).append(value)
        return self._config

    def setting(self, key: str, default: str = "") -> str:
        """One value of git's config; `key` with its last part in lower case."""
        return self.config.get(key, [default])[-1]

    def flag(self, key: str) -> bool:
        return self.setting(key).lower() in ("true", "yes", "on", "1")

    def person(self) -> Identity:
        """Who git would say commits here; `vaultgit` where no name is set (a commit must not stop for that)."""
        name = os.environ.get("GIT_COMMITTER_NAME") or self.setting("committer.name") or self.setting("user.name")
        email = os.environ.get("GIT_COMMITTER_EMAIL") or self.setting("committer.email") or self.setting("user.email")
        if not name:
            return Identity("vaultgit", email or "vaultgit@agents.vaultgit.invalid")
        return Identity(name, email or os.environ.get("EMAIL", ""))


def _no_answer(args: Iterable[str], seconds: float) -> GitError:
    return GitError(args, 124, b"no answer within %d s (does a filter of this repository hang?)" % seconds)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise GitError(["cat-file", "--batch"], 128, b"ended in the middle of an object")
    return data
