"""Programs in processes of their own, without Python's start and our imports each time: two thirds of what a command
costs here.

A parent that has imported vaultgit, and has done nothing else, forks a child for each program. Nothing but modules is
shared: the child has its own arguments, environment, folder, streams, signals and exit code, and what it does to
its modules ends with it. What an interpreter takes from its environment at the start cannot be changed in a fork:
where that differs, and with VAULTGIT_TEST_COLD=1, Python is started.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

COMMAND_LINE = "from vaultgit.cli.main import main\nraise SystemExit(main())\n"
COLD = "VAULTGIT_TEST_COLD" in os.environ  # as the whole run of tests was started


class Result(NamedTuple):
    """What a program ended with."""

    code: int
    out: str
    err: str


def run(
    code: str, *args: str, cwd: Path | str, env: Mapping[str, str], stdin: bytes = b"", timeout: float = 120,
    new_session: bool = False,
) -> Result:  # fmt: skip
    """What `python -P -c CODE ARGS` ends with; a negative code is a signal's, as subprocess has it.

    `new_session`: as the leader of a session of its own. Raises subprocess.TimeoutExpired after so many seconds.
    """
    words = [sys.executable, "-P", "-c", code, *args]
    if code == COMMAND_LINE:
        words[2:4] = ["-m", "vaultgit"]
    if _parent.free(env):
        try:
            ended = _parent.run(
                {"code": code, "args": args, "cwd": str(cwd), "env": dict(env), "session": new_session}, stdin, timeout
            )
        finally:
            _parent.lock.release()
        if ended is None:
            raise subprocess.TimeoutExpired(words, timeout)
        number, out, err = ended
    else:
        done = subprocess.run(
            words, cwd=cwd, input=stdin, capture_output=True, env=env, timeout=timeout, check=False,
            start_new_session=new_session,
        )  # fmt: skip
        number, out, err = done.returncode, done.stdout, done.stderr
    return Result(number, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))


class _Parent:
    """The parent, started when first needed. It does one thing at a time; who comes meanwhile starts Python."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._started: dict[str, str | None] = {}
        self._socket: socket.socket | None = None

    def free(self, env: Mapping[str, str]) -> bool:
        """Whether it does the next program, and then its lock is taken."""
        if COLD or not self.lock.acquire(blocking=False):
            return False
        if self._process is None or self._process.poll() is not None:
            self._start(env)
        if _shaping(env) == self._started:
            return True
        self.lock.release()
        return False

    def _start(self, env: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())], cwd="/", env=env, pass_fds=[theirs.fileno()],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        self._socket, self._started = ours, _shaping(env)

    def run(self, job: Mapping[str, Any], stdin: bytes, timeout: float) -> tuple[int, bytes, bytes] | None:
        """Exit code, output and error output; None where it took too long."""
        assert self._socket is not None
        inside, to_child = os.pipe()
        from_out, out = os.pipe()
        from_err, err = os.pipe()
        data = json.dumps(job).encode()
        socket.send_fds(self._socket, [len(data).to_bytes(4, "big")], [inside, out, err])
        for descriptor in (inside, out, err):
            os.close(descriptor)
        self._socket.sendall(data)
        pid = int.from_bytes(_exactly(self._socket, 4), "big")
        said = _talk(to_child, stdin, (from_out, from_err), time.monotonic() + timeout)
        if said is None:
            os.kill(pid, signal.SIGKILL)
        code = int.from_bytes(_exactly(self._socket, 4), "big", signed=True)
        return None if said is None else (code, *said)

    def close(self) -> None:
        """Ends it."""
        if self._process is not None and self._socket is not None:
            self._socket.close()
            self._process.communicate()


_parent = _Parent()
atexit.register(_parent.close)


def _shaping(env: Mapping[str, str]) -> dict[str, str | None]:
    """What an interpreter, and modules while they are imported, take from the environment."""
    found: dict[str, str | None] = {
        name: value for name, value in env.items() if name.startswith(("PYTHON", "LC_", "LANG", "GIT_PYTHON", "LD_"))
    }
    return {**found, "git": shutil.which("git", path=env.get("PATH"))}


def _talk(to: int, stdin: bytes, sources: tuple[int, int], until: float) -> tuple[bytes, bytes] | None:
    """What a program says while it is given its input; None where time is up."""
    said: dict[int, list[bytes]] = {source: [] for source in sources}
    rest = memoryview(stdin)
    with selectors.DefaultSelector() as waiting:
        for source in sources:
            waiting.register(source, selectors.EVENT_READ)
        if rest:
            os.set_blocking(to, False)
            waiting.register(to, selectors.EVENT_WRITE)
        else:
            os.close(to)
        try:
            while waiting.get_map():
                left = until - time.monotonic()
                if left <= 0:
                    return None
                for key, _ in waiting.select(left):
                    if key.fd == to:
                        try:
                            rest = rest[os.write(to, rest) :]
                        except BrokenPipeError:  # it needed no more
                            rest = rest[:0]
                        over = not rest
                    else:
                        data = os.read(key.fd, 1 << 16)
                        said[key.fd].append(data)
                        over = not data
                    if over:
                        waiting.unregister(key.fd)
                        os.close(key.fd)
        finally:
            for descriptor in list(waiting.get_map()):
                os.close(descriptor)
    out, err = (b"".join(said[source]) for source in sources)
    return out, err


def _exactly(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


# -- the parent itself ---------------------------------------------------------------------------------------------


def _import_all() -> None:
    import pkgutil
    from contextlib import suppress
    from importlib import import_module

    import vaultgit

    for module in pkgutil.walk_packages(vaultgit.__path__, "vaultgit."):
        if module.name != "vaultgit.__main__" and not module.name.startswith(("vaultgit.mcp", "vaultgit.cli.mcp")):
            with suppress(Exception):  # a program that needs it says so
                import_module(module.name)


def _serve(control: socket.socket) -> str:
    """Forks a child for each program that is asked for; returns the program's code, in the child."""
    while True:
        size, descriptors, _, _ = socket.recv_fds(control, 4, 3)
        if not size:
            os._exit(0)
        job = json.loads(_exactly(control, int.from_bytes(size, "big")))
        pid = os.fork()
        if pid == 0:
            control.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            if job["session"]:
                os.setsid()
            os.environ.clear()
            os.environ.update(job["env"])
            time.tzset()
            os.chdir(job["cwd"])
            sys.argv = ["-c", *job["args"]]
            code: str = job["code"]
            return code
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(pid.to_bytes(4, "big"))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        control.sendall(status.to_bytes(4, "big", signed=True))


def _end(code: int) -> None:
    """Ends as the interpreter does, but for taking apart its modules one by one."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120
    os._exit(code & 0xFF)


if __name__ == "__main__":
    _import_all()
    gc.freeze()  # children copy no page for the collector's marks
    program = compile(_serve(socket.socket(fileno=int(sys.argv[1]))), "<string>", "exec")
    try:
        exec(program, {"__name__": "__main__"})
    except SystemExit as error:
        if not (error.code is None or isinstance(error.code, int)):
            raise
        _end(error.code or 0)
    _end(0)
