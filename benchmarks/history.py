"""Generated histories: N commits that each carry an edit, and the changelog files that they make.

As a program (`python -m benchmarks.history N`) it makes one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from datetime import timedelta
from datetime import timezone

from benchmarks import place
from benchmarks.place import git

EDITION = 1
NOTES = 1000
MINUTES = 20  # between two edits: a busy vault, about 2,200 edits a month
START = datetime(2023, 1, 1, tzinfo=timezone.utc)  # noqa: UP017


def history(commits: int) -> str:
    """The repository with that many edits, made if it is not there."""
    folder = os.path.join(place.OUT, "histories", f"{EDITION}-{commits}")
    if not os.path.exists(os.path.join(folder, ".git", "complete")):
        print(f"making a history of {commits} edits", file=sys.stderr)
        command = [sys.executable, "-m", "benchmarks.history", str(commits)]
        subprocess.run(command, cwd=place.ROOT, env=place.environment(), check=True)
    return folder


class _At:
    """A clock that stands at one time; chance counts up."""

    def __init__(self, when: datetime, number: int) -> None:
        self.when, self.number = when, number

    def now(self) -> datetime:
        return self.when

    def millis(self) -> int:
        return int(self.when.timestamp() * 1000)

    def random(self, size: int) -> bytes:
        return self.number.to_bytes(size, "big")


def _stream(commits: int) -> Iterator[bytes]:
    from vaultgit.edits import changelog
    from vaultgit.edits.edit import message
    from vaultgit.edits.edit import new_id

    lines: list[changelog.Line] = []
    when = START
    for number in range(commits):
        when = START + timedelta(minutes=MINUTES * number)
        edit_id, subject = new_id(_At(when, number)), f"notes/note-{number % NOTES}: line {number}"
        text = message(subject, "a conversation said so", [("Agent", "codex"), ("Session", "s1"), ("Edit", edit_id)])
        who = b"codex <codex@agents.vaultgit.invalid> %d +0000\n" % int(when.timestamp())
        data = b"# Note\n\nline %d\n" % number
        yield b"commit refs/heads/main\nauthor " + who + b"committer " + who + b"data %d\n%b\n" % (len(text), text)
        yield b"M 100644 inline notes/note-%d.md\ndata %d\n%b\n" % (number % NOTES, len(data), data)
        lines.append(changelog.line(subject, "codex", when, edit_id))
    files: dict[str, list[changelog.Line]] = {}
    for line in lines:
        files.setdefault(changelog.file_of(line.day, lines[-1].day, 2), []).append(line)
    who = b"committer Pat Person <pat@example.invalid> %d +0000\n" % int(when.timestamp())
    yield b"commit refs/heads/main\n" + who + b"data 17\nvaultgit: set up\n\n"
    yield b"M 100644 inline .vaultgit.toml\ndata 0\n\n"
    for path, some in files.items():
        text = changelog.render(None, some)
        yield b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(text), text)
    yield b"done\n"


def _make(commits: int) -> None:
    folder = os.path.join(place.OUT, "histories", f"{EDITION}-{commits}")
    place.remove(folder)
    os.makedirs(folder)
    git(folder, "init", "-q", ".")
    process = subprocess.Popen(
        ["git", "-C", folder, "fast-import", "--quiet", "--done"], stdin=subprocess.PIPE, env=place.environment()
    )
    assert process.stdin
    for part in _stream(commits):
        process.stdin.write(part)
    process.stdin.close()
    if process.wait():
        raise RuntimeError("fast-import failed")
    git(folder, "reset", "-q", "--hard")
    git(folder, "-c", "pack.window=2", "gc", "--quiet", "--prune=now")
    with open(os.path.join(folder, ".git", "complete"), "w", encoding="ascii"):
        pass


if __name__ == "__main__":
    _make(int(sys.argv[1]))
