"""A program that is forked from a parent with our modules ends as one that Python starts, and leaves nothing to the next."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import warm
from warm import Result

from vaultgit.cli.main import COMMANDS


def cold(code: str, *args: str, stdin: bytes = b"") -> Result:
    words = [sys.executable, "-P", "-c", code, *args]
    done = subprocess.run(words, input=stdin, env=os.environ, capture_output=True, check=False)
    return Result(done.returncode, *(out.decode("utf-8", "surrogateescape") for out in (done.stdout, done.stderr)))


def forked(code: str, *args: str, stdin: bytes = b"", timeout: float = 60) -> Result:
    return warm.run(code, *args, cwd=os.getcwd(), stdin=stdin, env=os.environ, timeout=timeout)


PROGRAMS = {
    "nothing": "pass",
    "an exit code": "raise SystemExit(3)",
    "one too large": "raise SystemExit(259)",
    "None": "raise SystemExit(None)",
    "words": "raise SystemExit('words')",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "an interrupt": "import os, signal; signal.signal(2, signal.SIG_DFL); os.kill(os.getpid(), 2)",
    "both streams": "import sys; print('out'); print('err', file=sys.stderr)",
    "arguments": "import sys; print(sys.argv)",
    "its folder": "import os; print(os.getcwd())",
    "its environment": "import os, time; print(sorted(os.environ.items()), time.tzname)",
    "a pipe for input": "import os, sys; print(sys.stdin.isatty(), sys.stdin.seekable(), os.fstat(0).st_mode)",
    "input": "import sys; sys.stdout.write(sys.stdin.read()[::-1])",
    "no input wanted": "print('done')",
    "at exit": "import atexit; atexit.register(print, 'bye')",
    "a thread": "import threading, time; threading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()",
    "a child that talks on": "import subprocess; subprocess.Popen(['sh', '-c', 'sleep 0.05; echo late'])",
    "a full stream": "import os, sys; print('x'); os.dup2(os.open('/dev/full', os.O_WRONLY), 1)",
    "names": "import sys; sys.stdout.reconfigure(errors='surrogateescape'); print(__name__, sys.argv[1])",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_it_ends_as_a_program_that_python_starts(code: str) -> None:
    given = ("a b", "", "no\udcff utf8"), b"line\n" * 50_000
    one, other = forked(code, *given[0], stdin=given[1]), cold(code, *given[0], stdin=given[1])
    assert one.code == other.code and one.out == other.out
    assert one.err == other.err or "Exception ignored" in other.err


def test_an_exception_is_told() -> None:
    one, other = (run("x = {}\nx['gone']") for run in (forked, cold))
    assert one.code == other.code == 1 and one.err.splitlines()[-1] == other.err.splitlines()[-1] == "KeyError: 'gone'"


def test_nothing_is_left_to_the_next() -> None:
    forked(
        "import os, signal, vaultgit; os.environ['X'] = '1'; vaultgit.__version__ = 'mine'; os.chdir('/'); os.umask(0o77)"
    )
    said = forked(
        "import os, vaultgit; print(os.environ.get('X'), vaultgit.__version__, os.getcwd(), oct(os.umask(0)))"
    ).out
    assert (
        said
        == cold(
            "import os, vaultgit; print(os.environ.get('X'), vaultgit.__version__, os.getcwd(), oct(os.umask(0)))"
        ).out
    )
    numbers = {forked("import os, random; print(os.getpid(), random.random())").out for _ in range(3)}
    assert len(numbers) == 3


def test_it_is_ended_when_time_is_up_and_the_next_one_runs() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        forked("import signal; signal.pause()", timeout=0.2)
    assert forked("print('next')").out == "next\n"


def test_two_at_once(tmp_path: Path) -> None:
    """Each waits for the other."""
    os.mkfifo(tmp_path / "a")
    os.mkfifo(tmp_path / "b")
    codes = [
        "open('a', 'w').close(); open('b').close(); print(1)",
        "open('a').close(); open('b', 'w').close(); print(2)",
    ]
    said: list[str] = []

    def run(code: str) -> None:
        said.append(warm.run(code, cwd=tmp_path, env=os.environ, timeout=30).out)

    threads = [threading.Thread(target=run, args=(code,)) for code in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["1\n", "2\n"]


def test_what_an_interpreter_takes_at_its_start_holds() -> None:
    said = warm.run(
        "import sys; print(sys.stdout.encoding)", cwd=".", env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert said.out == "iso8859-1\n"
    assert warm.run("import sys; print(sys.flags.safe_path)", cwd=".", env=os.environ).out == "True\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_imports_what_it_needs_when_python_starts_it(name: str) -> None:
    """The parent has imported all modules, so a fork cannot show one that is missing."""
    done = subprocess.run([sys.executable, "-P", "-m", "vaultgit", name, "--help"], capture_output=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith(b"Usage: vaultgit "), done
