"""How found problems are printed: as text, as JSON, as annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem
from vaultgit.cli import out

SHORT = 10  # characters of an oid that a person needs


def problems(shape: str, shown: Sequence[Problem], commits: Mapping[Problem, str], *, before: int, prefix: str) -> None:
    """Prints what a check found, and on standard error how much that is.

    `shape`: one of SHAPES. `commits`: problem -> the commit that was judged by itself, "" for a range's end or files as
    they lie. `before`: how many more stand in the baseline. `prefix`: path of the vault inside its repository, with a
    trailing slash.
    """
    SHAPES[shape](shown, commits, prefix)
    if shape == "json":
        return
    out.talk(out.count(len(shown), "problem") if shown else "no problem")
    if before:
        block = "blocks" if before == 1 else "block"
        out.talk(f"{out.count(before, 'problem')} from before, which {block} nothing: vaultgit check --no-baseline")


def _text(shown: Sequence[Problem], commits: Mapping[Problem, str], prefix: str) -> None:  # noqa: ARG001
    for problem in shown:
        out.say(f"{commits[problem][:SHORT]} {problem}".lstrip())


def _json(shown: Sequence[Problem], commits: Mapping[Problem, str], prefix: str) -> None:  # noqa: ARG001
    out.as_json([problem.as_json() | ({"commit": commits[problem]} if commits[problem] else {}) for problem in shown])


def _github(shown: Sequence[Problem], commits: Mapping[Problem, str], prefix: str) -> None:
    for problem in shown:
        place = {"file": prefix + problem.path, "line": str(problem.line), "col": str(problem.column)}
        properties = ({} if problem.path == MESSAGE else place) | {"title": problem.code}
        head = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        # The log shows the text alone, and only ten of a step become annotations: so the place stands in both.
        commit = f" in commit {commits[problem][:SHORT]}" if commits[problem] else ""
        out.say(f"::error {head}::{_data(f'{problem}{commit}')}")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SHAPES: dict[str, Callable[[Sequence[Problem], Mapping[Problem, str], str], None]] = {
    "text": _text,
    "json": _json,
    "github": _github,
}
