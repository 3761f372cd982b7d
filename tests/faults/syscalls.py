"""Which system calls a command makes, and a fault at one of them: strace attaches to the command, or to one of its git
children, before it does anything, and injects a kill or an error at the Nth call of one name.

Where nothing may be traced (no strace, no ptrace in a container), functions of Python's os module are wrapped instead:
fewer calls, and none of git's; `tracing` says which it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

# As x86-64 and arm64 name them; "?" where one of them lacks it.
WRITES = (
    "write", "pwrite64", "writev", "?rename", "renameat", "renameat2", "?link", "linkat", "?unlink", "unlinkat",
    "?rmdir", "?mkdir", "mkdirat", "?symlink", "symlinkat", "ftruncate", "truncate", "fsync", "fdatasync", "openat",
    "fchmod", "?chmod", "fchmodat", "utimensat",
)  # fmt: skip
READS = ("read", "pread64", "openat", "?pipe", "pipe2", "getdents64", "?open", "socket", "dup", "fcntl")
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)")


class Call(NamedTuple):
    """The Nth call of a name, in the command itself (child 0) or in its nth git process."""

    child: int
    name: str
    number: int


@cache
def tracing() -> bool:
    """Whether a process may be traced here."""
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return done.returncode == 0


_ATTACH = """
def attached(words, group):
    import ctypes
    me = os.getpid()
    ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)  # any process may trace this one
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open("/dev/null", os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        os.closerange(3, 256)
        subprocess.run([*words, "-p", str(me)])
        if group:
            try:
                os.killpg(me, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os._exit(0)
    os.wait()
    for _ in range(5000):
        try:
            with open("/proc/self/status") as status:
                if "TracerPid:\\t0\\n" not in status.read():
                    return
        except OSError:  # the fault has come: it is attached
            return
        __import__("time").sleep(0.002)
    raise SystemExit("strace did not attach")
"""


def at(call: Call, fault: str, folder: Path, *, group: bool = False) -> str:
    """A prelude (faulty.run_faulty) with a fault at a call: "signal=SIGKILL", "error=EIO". `group`: when the command
    ends, so do its git children. `folder`: for files of ours."""
    if not tracing():
        return _wrapped(call, fault)
    inject = ["-qq", "-e", f"trace={call.name}", f"--inject={call.name}:{fault}:when={call.number}"]
    if call.child == 0:
        return f"{_ATTACH}\nattached({['strace', '-o', str(folder / 'strace.log'), *inject]!r}, {group})\n"
    return _shimmed(folder, f'[ "$n" = {call.child} ] && exec strace -D -o "$here/strace.log" {" ".join(inject)} ')


def recorded(folder: Path, names: tuple[str, ...], *, children: bool) -> str:
    """A prelude that has strace write down calls; `read_back` reads them."""
    trace = ["-qq", "-s", "0", "-e", f"trace={','.join(names)}"]
    if not children:
        return f"{_ATTACH}\nattached({['strace', '-o', str(folder / 'strace.log'), *trace]!r}, False)\n"
    return _shimmed(folder, f'exec strace -D -o "$here/child-$n.log" {" ".join(trace)} ')


def _shimmed(folder: Path, line: str) -> str:
    """A prelude with a `git` first in PATH that knows which call of git it is."""
    shim = folder / "shim"
    shim.mkdir(exist_ok=True)
    real = shutil.which("git")
    program = shim / "git"
    program.write_text(
        '#!/bin/sh\nhere=${0%/*}\nn=1\nwhile ! mkdir "$here/number-$n" 2>/dev/null; do n=$((n + 1)); done\n'
        f'{line}{real} "$@"\nexec {real} "$@"\n'
    )
    program.chmod(0o755)
    return f"os.environ['PATH'] = {str(shim)!r} + os.pathsep + os.environ['PATH']\n"


def read_back(folder: Path, *, writes: bool) -> list[Call]:
    """What a recorded run called, in order. `writes`: of openat only what makes or opens a file for writing."""
    found: list[Call] = []
    logs = sorted(folder.glob("shim/child-*.log"), key=lambda path: int(path.stem.split("-")[1]))
    for path in (folder / "strace.log", *logs):
        if not path.exists():
            continue
        child = 0 if path.name == "strace.log" else int(path.stem.split("-")[1])
        numbers: Counter[str] = Counter()
        for line in path.read_text(errors="replace").splitlines():
            call = _CALL.match(line)
            if call:
                name, rest = call.groups()
                numbers[name] += 1
                if not (writes and name == "openat" and "O_CREAT" not in rest and "O_WRONLY" not in rest):
                    found.append(Call(child, name, numbers[name]))
    return found


# -- without strace ----------------------------------------------------------------------------------------------------

WRAPPED = ("write", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "fsync", "ftruncate", "open")


def _wrapped(call: Call, fault: str) -> str:
    """The same, at a function of the module os."""
    kind, _, value = fault.partition("=")
    what = f"os.kill(os.getpid(), signal.{value})" if kind == "signal" else (
        f"raise OSError(errno.{value}, os.strerror(errno.{value}), str(args[0]))"
    )  # fmt: skip
    return (
        f"whole, left = os.{call.name}, [{call.number}]\n"
        "def wrapped(*args, **named):\n"
        f"    if {call.name!r} == 'open' and not args[1] & (os.O_CREAT | os.O_WRONLY): return whole(*args, **named)\n"
        "    left[0] -= 1\n"
        f"    if left[0] == 0: {what}\n"
        "    return whole(*args, **named)\n"
        f"os.{call.name} = wrapped\n"
    )


def of_python() -> list[Call]:
    """What is wrapped where nothing can be traced: more than a command makes; a fault that is not met harms nothing."""
    return [Call(0, name, number) for name in WRAPPED for number in range(1, 13)]
