"""What runs on a forge: the checks, and where it is asked for the dream, which pushes its branch. For GitHub a workflow
each, since only the dream's may write; for GitLab jobs of one file. Files of the repository's top, whole and ours.
"""

from __future__ import annotations

import json
import re
import shlex

from vaultgit import resources
from vaultgit.install import block
from vaultgit.vault import Disk

GITHUB = ".github/workflows/vaultgit.yml"
GITHUB_DREAM = ".github/workflows/vaultgit-dream.yml"
GITLAB = ".gitlab-ci.yml"
GITLAB_INCLUDED = ".gitlab/vaultgit.yml"  # beside a .gitlab-ci.yml that is somebody's own
FILES = {GITHUB: "github", GITHUB_DREAM: "github-dream", GITLAB: "gitlab", GITLAB_INCLUDED: "gitlab"}
WORDS = {
    "github": "the checks, on GitHub",
    "github-dream": "the dream once a week, on GitHub",
    "gitlab": "the checks, on GitLab",
    "gitlab-dream": "the checks and the dream, on GitLab",
}
_DREAM_JOB = b"\nvaultgit-dream:\n"  # of a GitLab file that has the dream


def files(disk: Disk, service: str | None, remarks: list[str], *, dream: bool = False) -> dict[str, tuple[str, bytes]]:
    """Path -> what it is, and text, of the files that should stand in a vault at its repository's top: those of ours
    that are there, and those of `service` ("github", "gitlab", None), with the dream where it is wanted. Files that
    are somebody's own are left alone, with a remark.
    """
    wanted = [path for path in FILES if _ours(disk, path)]
    if service == "github":
        names = (GITHUB, GITHUB_DREAM) if dream else (GITHUB,)
        wanted += [path for path in names if _free(disk, path, remarks)]
    elif service == "gitlab" and (_ours(disk, GITLAB) or disk.read(GITLAB) is None):
        wanted.append(GITLAB)
    elif service == "gitlab" and _free(disk, GITLAB_INCLUDED, remarks):
        wanted.append(GITLAB_INCLUDED)
        if GITLAB_INCLUDED.encode() not in (disk.read(GITLAB) or b""):
            line = f"include: [{{local: /{GITLAB_INCLUDED}}}]"
            remarks.append(f"{GITLAB} is yours and was left alone; to run it, add to it: {line}")
    found = {}
    for path in dict.fromkeys(wanted):
        name = FILES[path]
        if name == "gitlab" and (_DREAM_JOB in _plain(disk, path) or (dream and service == "gitlab")):
            name = "gitlab-dream"
        found[path] = (WORDS[name], text(name))
    return found


def text(name: str, prefix: str = "") -> bytes:
    """A shipped file, one of WORDS, for a vault at `prefix` ("", or with a trailing slash) of its repository."""
    shipped = resources.read("hooks", f"ci/{name}.yaml")
    if name == "gitlab-dream":
        shipped = resources.read("hooks", "ci/gitlab.yaml") + b"\n" + shipped
    if not prefix:
        return shipped
    folder = shlex.quote(prefix.rstrip("/"))
    for command in ("check", "verify", "dream", "review list"):
        shipped = shipped.replace(f"vaultgit {command} --".encode(), f"vaultgit {command} --vault {folder} --".encode())
    names = json.dumps([re.sub(r"([*?+\[\]!\\])", r"\\\1", prefix) + "**", GITHUB], ensure_ascii=False).encode()
    for event in (b'  push:\n    branches: ["**"]\n', b"  pull_request:\n"):
        shipped = shipped.replace(event, event + b"    paths: " + names + b"\n")
    return shipped


def by_hand(service: str, prefix: str, *, dream: bool = False) -> str:
    """What to do where the vault is a folder of a larger repository, whose files outside it are not ours to write."""
    if service == "github":
        texts = [(GITHUB, "github"), *([(GITHUB_DREAM, "github-dream")] if dream else [])]
    else:
        texts = [(f"{GITLAB} (or a file that it includes)", "gitlab-dream" if dream else "gitlab")]
    forge = "GitHub" if service == "github" else "GitLab"
    return "\n".join(
        f"{forge} reads only files of the repository's top, outside this vault; put this into {place}:\n"
        f"{text(name, prefix).decode()}"
        for place, name in texts
    )


def _ours(disk: Disk, path: str) -> bool:
    data = disk.read(path)
    return data is not None and block.find(data, block.HASH) is not None


def _plain(disk: Disk, path: str) -> bytes:
    return (disk.read(path) or b"").replace(b"\r\n", b"\n")


def _free(disk: Disk, path: str, remarks: list[str]) -> bool:
    if disk.read(path) is None or _ours(disk, path):
        return True
    remarks.append(f"{path} is not ours; it was left alone")
    return False
