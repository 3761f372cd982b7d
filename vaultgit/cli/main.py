"""The command line: `main(argv)` dispatches, and is the one place that turns errors into exit codes.

One file a command, imported when it runs: each has `command`, a click command that returns an exit code or
None. The help of all of them stands in COMMANDS, so that `vaultgit --help` imports none. `hook`, and a plain `search`,
come before click.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence

import vaultgit
from vaultgit import errors
from vaultgit.cli import out
from vaultgit.errors import VaultgitError

# Name: (group of the help page, one line). The command is vaultgit/cli/NAME.py.
COMMANDS = {
    "status": ("Every day", "what waits, what needs you, what agents did"),
    "search": ("Every day", "find notes by plain words, now or as they were"),
    "links": ("Every day", "what a note links to, and what links to it"),
    "log": ("Every day", "edits: of a note, a session, an agent"),
    "why": ("Every day", "who wrote a line, when, and why"),
    "undo": ("Every day", "take back an edit, a session, a note's last edit"),
    "inbox": ("Every day", "notes that wait for you: add, list, show, accept, edit, reject"),
    "review": ("Every day", "what agents propose on branches: list, show, accept, drop, edit, push, apply"),
    "sync": ("Every day", "bring this vault and a git remote in step, by a person, an agent or a timer"),
    "check": ("Every day", "hold notes to their rules"),
    "verify": ("Every day", "prove that changelog.md and history agree"),
    "doctor": ("Every day", "what is wrong with the set-up here, and what mends it"),
    "context": ("Agents", "the notes that a task needs, within a budget"),
    "session": ("Agents", "what you are at: start, note, end, list, show"),
    "read": ("Agents", "a note's bytes, and the oid to pass as --base"),
    "write": ("Agents", "a whole note from standard input"),
    "set": ("Agents", "change properties of a note"),
    "append": ("Agents", "add text to a note"),
    "move": ("Agents", "rename a note; links follow"),
    "delete": ("Agents", "delete a note"),
    "record": ("Agents", "make what your own tools changed on disk your edit"),
    "skill": ("Agents", "procedures agents wrote: list, show, used, new, import, export"),
    "apply": ("Agents", "several notes as one edit, from JSON"),
    "capture": ("Passes", "put what was said with agents into the daily notes"),
    "recap": ("Passes", "capture the conversation at hand, now"),
    "consolidate": ("Passes", "turn captures into suggestions in review.md, and do what you ticked there"),
    "molt": ("Passes", "propose the next version of a skill, as a branch"),
    "dream": ("Passes", "propose a clean-up of all skills, as a branch"),
    "init": ("Set-up", "set up a vault; --remove takes it out again"),
    "schedule": ("Set-up", "start capture, consolidate and sync by themselves: install, remove, show"),
    "agent": ("Set-up", "hooks and /recap in agent clients' settings: install, remove, list"),
    "mcp": ("Set-up", "the same for MCP clients, over standard input and output"),
    "hook": ("Set-up", "what git's hooks and agent clients' hooks call"),
    "demo": ("Set-up", "the main job, tried in a temporary folder"),
}
GROUPS = ("Every day", "Agents", "Passes", "Set-up")
# No room, no rights, a broken disk: a person can mend these, and no code of ours.
_OF_THE_MACHINE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM,
     errno.EACCES, errno.EPERM)
)  # fmt: skip
BROKEN_PIPE = 141  # as a shell says it: 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line (default: the program's own) and returns its exit code; never raises."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        out.prepare_streams()
        code = _dispatch(args)
        out.flush()
    except VaultgitError as error:
        # Of several problems, and of what git said, each line is one already: names in them are quoted.
        several = not vars(error).keys().isdisjoint(("problems", "stderr"))
        message = error.message.replace("\n", "\n  ") if several else error.message
        return _tell(message, error.hint, error.exit_code)
    except KeyboardInterrupt:
        return errors.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`). Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except FileNotFoundError as error:
        if error.filename == "git":
            return _tell("git is not installed, or not on PATH", "apt-get install git", errors.USAGE)
        return _bug(args, error)
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            return _bug(args, error)
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return _tell(f"{where}{error.strerror}", "vaultgit status says what was saved and waits", errors.REFUSED)
    except ImportError as error:
        if (error.name or "vaultgit").startswith("vaultgit"):
            return _bug(args, error)
        hint = "is memory short, or open files (ulimit -n)? Else install vaultgit again"
        return _tell(f"a library cannot be loaded: {error}", hint, errors.REFUSED)
    except Exception as error:
        return _bug(args, error)
    finally:
        if argv is None:
            gc.freeze()  # the process ends: 6 ms less than looking for circles among all that was imported
    return code


def _dispatch(args: list[str]) -> int:
    if args[:1] == ["hook"] and not {"--help", "-h"}.intersection(args):
        from vaultgit.cli import hook

        return hook.run(args[1:])
    if args[:1] == ["search"] and "_VAULTGIT_COMPLETE" not in os.environ:
        from vaultgit.cli import searching

        line = searching.plain(args[1:])
        if line is not None:
            return searching.run(line)
    if args == ["--version"]:
        out.say(f"vaultgit {vaultgit.__version__}")
        return errors.DONE
    from vaultgit.cli import group

    return group.run(args)


def _tell(message: str, hint: str, code: int) -> int:
    """Prints an error. Lines that we write ourselves are indented: another line end is part of a name, and gets no line
    of its own."""
    import re

    for text in (f"vaultgit: {message}", f"  {hint}" if hint else ""):
        if text:
            out.talk(re.sub(r"\n(?! {2})", r"\\n", text))
    return code


def _bug(args: list[str], error: Exception) -> int:
    """A line for the person, and a log for whoever mends it. The log holds no argument and no text of a
    note.
    """
    where = ""
    try:
        where = f"; details are in {out.short(log_of_bug(args, error))}"
    except OSError:
        pass
    words = _masked(" ".join(str(error).split())[:200])
    return _tell(f"a bug of ours: {type(error).__name__}: {words}{where}", "", errors.BUG)


def _masked(words: str) -> str:
    """What an error says may be what somebody typed (P11); where that cannot be looked at, nothing is said."""
    try:
        from vaultgit.checks.secrets import redact

        return redact(words)[0]
    except Exception:
        return "…"


def log_of_bug(args: list[str], error: Exception) -> str:
    """Writes it into the person's state folder; returns its path. Raises OSError where it cannot be written."""
    import traceback
    from datetime import datetime

    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    folder = os.path.join(state, "vaultgit")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    now = datetime.now().astimezone()
    path = os.path.join(folder, f"{now:%Y%m%d-%H%M%S}-{os.getpid()}.log")
    command = args[0] if args and args[0] in COMMANDS else ""
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as log:
        log.write(f"vaultgit {vaultgit.__version__} {command}\n{now.isoformat()}\nPython {sys.version}\n\n")
        link: BaseException | None = error
        while link is not None:
            log.writelines(traceback.format_tb(link.__traceback__))
            log.write(f"{type(link).__module__}.{type(link).__qualname__}\n\n")
            link = link.__cause__ or link.__context__
    return path
