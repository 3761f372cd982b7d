"""Runs a program that may hang, flood, ignore what it is told, or leave children behind.

It gets a session of its own: nothing of it can ask at our terminal, and all of it can be ended at once, by the time
limit, by too long an output, or because we are interrupted. Whatever it started there ends with it, too.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from types import FrameType
from typing import IO
from typing import NamedTuple

GRACE = 2.0  # seconds between "please end" and "end"
_TICK = 0.1  # how soon it is seen that we are interrupted, or that only its children keep its output open
_CHUNK = 65536
_KEPT = 4000  # bytes of standard error that are kept: its end


class Ended(NamedTuple):
    """How it ended. `code`: None where it did not start, or was ended by us; `why` says so in words."""

    code: int | None
    out: bytes = b""
    err: bytes = b""
    why: str = ""


def run(
    argv: Sequence[str],
    *,
    stdin: bytes,
    folder: str,
    env: Mapping[str, str],
    seconds: float,
    most: int,
    grace: float = GRACE,
) -> Ended:
    """Runs `argv` in `folder` for at most `seconds`, and keeps at most `most` bytes of what it prints."""
    with _Interruptions() as came:
        try:
            child = subprocess.Popen(
                argv, cwd=folder, env=env, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                preexec_fn=_with_us() if sys.platform == "linux" else None,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            return Ended(None, why=f"could not be started: {getattr(error, 'strerror', None) or error}")
        talk, why = _Talk(child, stdin, most), "was interrupted"
        try:
            why = talk.until(time.monotonic() + seconds, came)
        finally:
            talk.close()
            if why:
                _end(child, grace)
            else:
                _signal(child, signal.SIGKILL)  # what it left behind
        if why == "time":
            why = f"gave no answer within {seconds:g} s"
        return Ended(None if why else child.returncode, bytes(talk.out), bytes(talk.err), why)


def _with_us() -> Callable[[], None]:
    """What makes the kernel end a child when we are killed, which nothing of ours could do any more (Linux)."""
    import ctypes

    prctl, ours = ctypes.CDLL(None).prctl, os.getpid()

    def ends_with_us() -> None:
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != ours:  # we were gone before
            os._exit(1)

    return ends_with_us


class _Talk:
    """The pipes of a child: all three at once, so that neither side waits for the other for ever."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes, most: int) -> None:
        assert child.stdin and child.stdout and child.stderr
        self.child, self.left, self.most = child, memoryview(stdin), most
        self.out, self.err = bytearray(), bytearray()
        self.pipes: tuple[IO[bytes], ...] = (child.stdin, child.stdout, child.stderr)
        self.ready = selectors.DefaultSelector()
        for pipe in self.pipes:
            os.set_blocking(pipe.fileno(), False)
        self.ready.register(child.stdin, selectors.EVENT_WRITE, self._write)
        self.ready.register(child.stdout, selectors.EVENT_READ, self._read)
        self.ready.register(child.stderr, selectors.EVENT_READ, self._read_error)

    def until(self, deadline: float, interrupted: Callable[[], bool]) -> str:
        """Goes on until the child has ended; "time", or why it is to be ended before that, in words."""
        while not interrupted():
            ended = self.child.poll() is not None  # asked first: what it printed before is there by then
            if ended and not self.ready.get_map():
                return ""
            if time.monotonic() >= deadline:
                return "" if ended else "time"
            if not self.ready.get_map():  # it closed all of them, and lives on
                _wait(self.child, _TICK)
                continue
            happened = self.ready.select(0 if ended else _TICK)
            for key, _ in happened:
                key.data(key.fileobj)
            if len(self.out) > self.most:
                return f"printed more than {self.most:,} bytes"
            if ended and not any(key.events & selectors.EVENT_READ for key, _ in happened):
                return ""  # only its children hold the pipes now
        return "was interrupted"

    def close(self) -> None:
        self.ready.close()
        for pipe in self.pipes:
            try:
                pipe.close()
            except OSError:
                pass  # what it never read

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self.left = self.left[os.write(pipe.fileno(), self.left[:_CHUNK]) :] if self.left else self.left
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.left = memoryview(b"")  # it reads no further: its right
        if not self.left:
            self.ready.unregister(pipe)
            pipe.close()

    def _read(self, pipe: IO[bytes]) -> None:
        self.out += self._chunk(pipe)

    def _read_error(self, pipe: IO[bytes]) -> None:
        self.err += self._chunk(pipe)
        del self.err[:-_KEPT]

    def _chunk(self, pipe: IO[bytes]) -> bytes:
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not data:
            self.ready.unregister(pipe)
        return data


def _end(child: subprocess.Popen[bytes], grace: float) -> None:
    """Ends the child and all of its group, first with a word, and leaves no zombie."""
    _signal(child, signal.SIGTERM)
    try:
        _wait(child, grace)
    finally:
        _signal(child, signal.SIGKILL)
        child.wait()


def _wait(child: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # nobody there any more (macOS says it the other way)


class _Interruptions:
    """What tells us to end is only noted while a child of ours runs, and raised once the child is gone. Raised at once
    it could strike before we know the child, or while we end it."""

    def __enter__(self) -> Callable[[], bool]:
        self.came = False
        usual = {
            signal.SIGINT: signal.default_int_handler,
            signal.SIGTERM: signal.SIG_DFL,
            signal.SIGHUP: signal.SIG_DFL,
        }
        here = threading.current_thread() is threading.main_thread()  # no other one may
        self.before = {n: was for n, was in usual.items() if here and signal.getsignal(n) == was}
        for number in self.before:
            signal.signal(number, self._note)
        return lambda: self.came

    def __exit__(self, *exc: object) -> None:
        for number, was in self.before.items():
            signal.signal(number, was)
        if self.came:
            raise KeyboardInterrupt

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.came = True
