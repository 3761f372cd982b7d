"""The checks in CI: a workflow for GitHub Actions, a job for GitLab. Files of the repository's top, whole and ours."""

from __future__ import annotations

import json
import re
import shlex

from vaultgit import resources
from vaultgit.install import block
from vaultgit.vault import Disk

GITHUB = ".github/workflows/vaultgit.yml"
GITLAB = ".gitlab-ci.yml"
GITLAB_INCLUDED = ".gitlab/vaultgit.yml"  # beside a .gitlab-ci.yml that is somebody's own
FILES = {GITHUB: "github", GITLAB: "gitlab", GITLAB_INCLUDED: "gitlab"}
SERVICES = {"github": "GitHub", "gitlab": "GitLab"}


def files(disk: Disk, service: str | None, remarks: list[str]) -> dict[str, bytes]:
    """Path -> text of the files that should stand in a vault at its repository's top: those of ours that are there,
    and that of `service` ("github", "gitlab", None). Files that are somebody's own are left alone, with a remark.
    """
    wanted = [path for path in FILES if _ours(disk, path)]
    if service == "github":
        wanted += [GITHUB] if _free(disk, GITHUB, remarks) else []
    elif service == "gitlab" and (_ours(disk, GITLAB) or disk.read(GITLAB) is None):
        wanted.append(GITLAB)
    elif service == "gitlab" and _free(disk, GITLAB_INCLUDED, remarks):
        wanted.append(GITLAB_INCLUDED)
        if GITLAB_INCLUDED.encode() not in (disk.read(GITLAB) or b""):
            line = f"include: [{{local: /{GITLAB_INCLUDED}}}]"
            remarks.append(f"{GITLAB} is yours and was left alone; to run the checks, add to it: {line}")
    return {path: text(FILES[path]) for path in wanted}


def text(service: str, prefix: str = "") -> bytes:
    """The shipped file of a service, for a vault at `prefix` ("", or with a trailing slash) of its repository."""
    shipped = resources.read("hooks", f"ci/{service}.yaml")
    if not prefix:
        return shipped
    folder = shlex.quote(prefix.rstrip("/"))
    for command in ("check", "verify"):
        shipped = shipped.replace(f" vaultgit {command} -".encode(), f" vaultgit {command} --vault {folder} -".encode())
    names = json.dumps([re.sub(r"([*?+\[\]!\\])", r"\\\1", prefix) + "**", GITHUB], ensure_ascii=False).encode()
    for event in (b'  push:\n    branches: ["**"]\n', b"  pull_request:\n"):
        shipped = shipped.replace(event, event + b"    paths: " + names + b"\n")
    return shipped


def by_hand(service: str, prefix: str) -> str:
    """What to do where the vault is a folder of a larger repository, whose files outside it are not ours to write."""
    place = GITHUB if service == "github" else f"{GITLAB} (or a file that it includes)"
    words = f"{SERVICES[service]} reads only files of the repository's top, outside this vault; put this into {place}:"
    return f"{words}\n{text(service, prefix).decode()}"


def _ours(disk: Disk, path: str) -> bool:
    data = disk.read(path)
    return data is not None and block.find(data, block.HASH) is not None


def _free(disk: Disk, path: str, remarks: list[str]) -> bool:
    if disk.read(path) is None or _ours(disk, path):
        return True
    remarks.append(f"{path} is not ours; it was left alone")
    return False
