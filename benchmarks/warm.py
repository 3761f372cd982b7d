"""The caller's side of benchmarks.worker, and the floor of an edit: what git itself cannot do without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from benchmarks import corpus
from benchmarks import measure
from benchmarks import place
from benchmarks.measure import Sample


class Worker:
    """A process that edits a vault from within. Use as a context manager; afterwards `peak` is known (bytes)."""

    def __init__(self, vault: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", vault], cwd=place.ROOT, env=place.environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.peak = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exc: object) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.peak = usage.ru_maxrss * 1024

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the worker died")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def edit(self, *, trace: bool = False) -> dict[str, Any]:
        answer = self.ask(do="edit", trace=trace)
        assert answer["outcome"] == "committed", answer
        return answer


class Floor:
    """A new note and a changelog line put into a plain vault by git alone."""

    def __init__(self, vault: str) -> None:
        self.vault, self.number, self.env = vault, 2, place.environment()
        self.text = corpus.paragraphs()
        self.log = b"# Changelog\n"

    def _next(self) -> tuple[str, bytes]:
        self.number += 4
        path = f"sessions/now/session-{self.number}.md"
        self.log += b"- 2026-11-29 21:10 sessions/now: created (codex) ^01kbe8jk%08d\n" % self.number
        return path, corpus.note(self.number, self.text, 1000)

    def _on_disk(self, path: str, data: bytes) -> None:
        full = os.path.join(self.vault, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as stream:
            stream.write(data)
        with open(os.path.join(self.vault, "changelog.md"), "wb") as stream:
            stream.write(self.log)

    def fast_import(self, count: int = 1) -> Sample:
        """`count` commits by one fast-import, fsynced, then one `git update-index` in the real index."""
        tip = place.git(self.vault, "rev-parse", "HEAD")
        stream, notes = [], []
        for nth in range(count):
            path, data = self._next()
            notes.append((path, data))
            stream.append(b"blob\nmark :%d\ndata %d\n%b\n" % (nth * 3 + 1, len(data), data))
            stream.append(b"blob\nmark :%d\ndata %d\n%b\n" % (nth * 3 + 2, len(self.log), self.log))
            stream.append(
                b"commit refs/heads/main\nmark :%d\ncommitter codex <codex@agents.vaultgit.invalid> %d +0000\n"
                b"data 5\nedit\n\n" % (nth * 3 + 3, int(time.time()))
            )
            stream.append(b"from %b\n" % tip.encode() if nth == 0 else b"")
            stream.append(b"M 100644 :%d %b\nM 100644 :%d changelog.md\n" % (nth * 3 + 1, path.encode(), nth * 3 + 2))
        marks = [nth * 3 + 1 for nth in range(count)] + [(count - 1) * 3 + 2]
        stream.append(b"".join(b"get-mark :%d\n" % mark for mark in marks) + b"done\n")
        made = measure.run(
            ["git", "-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch", "fast-import", "--quiet", "--done"],
            cwd=self.vault, env=self.env, given=b"".join(stream),
        )  # fmt: skip
        paths = [*(path for path, _ in notes), "changelog.md"]
        entries = b"".join(
            b"100644 %b\t%b\0" % (oid, path.encode()) for oid, path in zip(made.out.split(), paths, strict=True)
        )
        index = self.update_index(entries)
        for path, data in notes:
            self._on_disk(path, data)
        return Sample(made.sample.wall + index.wall, made.sample.cpu + index.cpu, max(made.sample.peak, index.peak))

    def update_index(self, entries: bytes | None = None) -> Sample:
        """`git update-index` of a path, or of what is given; git holds index.lock nearly all that time."""
        if entries is None:
            oid = place.git(self.vault, "rev-parse", "HEAD:Home.md")
            self.number += 4
            entries = b"100644 %b\tHome.md\0" % oid.encode()
        command = ["git", "-c", "core.fsync=committed", "update-index", "-z", "--index-info"]
        return measure.run(command, cwd=self.vault, env=self.env, given=entries).sample

    def add_and_commit(self) -> Sample:
        """What a person, or an agent without vaultgit, does; no hook."""
        path, data = self._next()
        self._on_disk(path, data)
        durable = ["git", "-c", "core.fsync=committed"]
        added = measure.run([*durable, "add", "--", path, "changelog.md"], cwd=self.vault, env=self.env).sample
        made = measure.run([*durable, "commit", "-q", "-m", "edit"], cwd=self.vault, env=self.env).sample
        return Sample(added.wall + made.wall, added.cpu + made.cpu, max(added.peak, made.peak))
