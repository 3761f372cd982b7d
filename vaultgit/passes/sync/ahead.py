"""What comes in, read once through the filters that it lies behind, before anything is locked.

git-lfs fetches a picture when its pointer is read, over the network, and keeps it. Read here first, in one process that
may take its time, nothing is waited for while the writers' lock is held; and where it cannot be read, nothing has
changed yet.
"""

from __future__ import annotations

import os
import re
import secrets
import selectors
import shlex
import time
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from typing import NamedTuple

from vaultgit.checks.protected import leads_astray
from vaultgit.edits import attributes
from vaultgit.history import beside
from vaultgit.history import filters
from vaultgit.history import refs
from vaultgit.history import trees
from vaultgit.history.repository import Repository
from vaultgit.history.trees import Entry
from vaultgit.passes.sync.remote import Remote
from vaultgit.passes.sync.talk import LIMIT
from vaultgit.passes.sync.words import Away

if TYPE_CHECKING:
    import subprocess

_LONGEST = 300  # characters of a filter's own words that are passed on
_BY_GIT = re.compile(r"error: external filter|fatal: .* filter \S+ failed$")
_NO_FILE = (trees.LINK, trees.SUBMODULE)


class _Text(NamedTuple):
    oid: str
    path: str
    program: str


def read(remote: Remote, ours: str, theirs: str) -> None:
    """Has filter programs (git-lfs) make what they make of the files that `theirs` changes, as these lie on either
    side, and throws it away. Raises Away, with the program's words, where one cannot."""
    repo = remote.repo
    base = refs.merge_base(repo, ours, theirs)
    come = {one.path for one in trees.changed(repo, base, theirs)} if base else set()
    both = [one for one in trees.changed(repo, ours, theirs) if one.path in come and _is_named(one.path)]
    for place, side in ((None, [(one.path, one.old) for one in both]), (theirs, [(one.path, one.new) for one in both])):
        with _attributes(repo, ours, place) as folder:
            texts = _through(repo, side, folder)
            if texts:
                _Reading(remote, texts, folder).run()


def _is_named(path: str) -> bool:
    """Whether git can be asked for it. (What else may come, the merge refuses.)"""
    return "\n" not in path and not leads_astray(path)


@contextmanager
def _attributes(repo: Repository, ours: str, theirs: str | None) -> Iterator[str | None]:
    """Where the attributes of that commit lie; None for those of the work tree."""
    if theirs is None or not attributes.differ(repo, ours, theirs):
        yield None
        return
    with beside.laid(repo, beside.committed(repo, theirs)) as folder:
        yield folder


def _through(repo: Repository, side: Sequence[tuple[str, Entry | None]], folder: str | None) -> list[_Text]:
    files = {path: entry.oid for path, entry in side if entry is not None and entry.mode not in _NO_FILE}
    spaces = filters.spaces(repo, files, folder)
    return [_Text(oid, path, spaces[path].program) for path, oid in files.items() if spaces[path].program]


class _Reading:
    def __init__(self, remote: Remote, texts: Sequence[_Text], folder: str | None) -> None:
        self.remote, self.texts, self.folder = remote, texts, folder
        self.mark = secrets.token_hex(16).encode()  # what stands in front of each text; its size, git does not say
        self.begun = 0

    def run(self) -> None:
        form = f"--batch={self.mark.decode()}"
        process = self.remote.repo.start(*beside.options(self.folder), "cat-file", form, "--filters")
        try:
            said = self._talk(process)
        except BaseException:
            process.terminate()
            raise
        finally:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None and not stream.closed:
                    stream.close()
        if process.returncode:
            raise self._failed(self._words(said))

    def _talk(self, process: subprocess.Popen[bytes]) -> bytes:
        """Asks for each text, and throws away what comes. Returns what was said on standard error."""
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        asked = b"".join(b"%b %b\n" % (text.oid.encode(), os.fsencode(text.path)) for text in self.texts)
        said, tail, until = b"", b"", time.monotonic() + LIMIT
        os.set_blocking(process.stdin.fileno(), False)
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdin, selectors.EVENT_WRITE)
            for stream in (process.stdout, process.stderr):
                waiting.register(stream, selectors.EVENT_READ)
            while waiting.get_map():
                for key, _ in waiting.select(0.5):
                    if key.fileobj is process.stdin:
                        asked = self._ask(process.stdin.fileno(), asked)
                        if not asked:
                            waiting.unregister(process.stdin)
                            process.stdin.close()
                        continue
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        waiting.unregister(key.fileobj)
                    elif key.fileobj is process.stderr:
                        said = (said + data)[-(1 << 16) :]
                    else:
                        tail = self._count(tail + data)
                if time.monotonic() > until and not self.remote.talk.attended:
                    raise self._failed(f"no answer within {LIMIT / 60:.0f} minutes")
        return said

    @staticmethod
    def _ask(fd: int, asked: bytes) -> bytes:
        """What is left to ask."""
        try:
            return asked[os.write(fd, asked) :]
        except BlockingIOError:
            return asked
        except BrokenPipeError:  # it has ended, and says why
            return b""

    def _count(self, data: bytes) -> bytes:
        """Counts the texts that begin in `data`. Returns what may be the start of a mark."""
        found = data.count(self.mark)
        self.begun += found
        if found:
            self.remote.talk.tick(found)
        last = data.rfind(self.mark)
        rest = data[last + len(self.mark) :] if found else data
        return rest[-len(self.mark) + 1 :]

    def _words(self, said: bytes) -> str:
        """The program's own, without git's around them."""
        every = dict.fromkeys(line.strip() for line in said.decode("utf-8", "replace").splitlines())
        lines = [line for line in every if line and not line.startswith(("Downloading ", "Errors logged to "))]
        words = "; ".join([line for line in lines if not _BY_GIT.match(line)] or lines)
        return self.remote.masked(words[:_LONGEST]) or "it gave no reason"

    def _failed(self, words: str) -> Away:
        text = self.texts[max(0, min(self.begun, len(self.texts)) - 1)]
        name = self.remote.name
        mend = f"see: git cat-file --filters --path={shlex.quote(text.path)} {text.oid[:12]}"
        if text.program == "lfs":
            mend = f"see: git lfs fetch {name}; where it is missing there: git lfs push --all {name} where it was made"
        return Away(f"{text.path} cannot be read through the filter {text.program} ({words}); {mend}")
