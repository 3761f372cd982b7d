"""How git merges notes and changelog.md, and what it leaves out: asked of git itself."""

from __future__ import annotations

import os

from vaultgit import resources
from vaultgit.install import block
from vaultgit.install.doctor.finding import Finding
from vaultgit.install.doctor.finding import Part
from vaultgit.install.doctor.finding import problem
from vaultgit.install.doctor.finding import remark
from vaultgit.install.doctor.program import is_gone
from vaultgit.vault import Disk
from vaultgit.vault import Vault

_UNION = ("changelog.md", "changelog/2026-01.md", ".vaultgit/declined.md")
_NOTE = "a note.md"  # of no folder and no special name
_ATTRIBUTES = ".gitattributes"
_IGNORE = ".gitignore"
_AS_TEXT = "both sides' version and date lines conflict in every merge"


def look(vault: Vault) -> Part:
    found = [*_driver(vault), *_attributes(vault), *_ignored(vault), *_glued(vault)]
    return Part("merging", found, "notes by property, changelog.md by union")


def _driver(vault: Vault) -> list[Finding]:
    about, words = "git config merge.vaultgit.driver", vault.repo.setting("merge.vaultgit.driver")
    if not words:
        return [problem("driver-missing", about, "is not set", f"notes merge as text: {_AS_TEXT}", "vaultgit init")]
    gone = is_gone(words.partition(";")[0])
    if gone:
        risk = f"notes merge as text: {_AS_TEXT}"
        return [problem("driver-gone", about, f"{gone} is gone", risk, "install it, then: vaultgit init")]
    return []


def _attributes(vault: Vault) -> list[Finding]:
    how = _merges(vault)
    cause, mend = _cause(vault)
    found = []
    wrong = [f"{path}: merge is {how[path]}, should be union" for path in _UNION if how[path] != "union"]
    if wrong:
        risk = "merges and reverts conflict in changelog.md, or lose lines of it"
        found.append(problem("attributes", _ATTRIBUTES, cause, risk, mend, wrong))
    if how[_NOTE] == "unspecified":
        found.append(problem("attributes-notes", _ATTRIBUTES, cause, f"notes merge as text: {_AS_TEXT}", mend))
    elif how[_NOTE] != "vaultgit":
        what = f"notes merge as a line of yours says ({how[_NOTE]}), not by property"
        mend = "nothing, if you want that; else take merge out of that line, then: vaultgit init"
        found.append(remark("attributes-theirs", _ATTRIBUTES, what, _AS_TEXT, mend))
    return found


def _merges(vault: Vault) -> dict[str, str]:
    names = [vault.prefix + path for path in (*_UNION, _NOTE)]
    out = os.fsdecode(vault.repo.run("check-attr", "-z", "merge", "--", *names)).split("\0")
    return {name[len(vault.prefix) :]: value for name, value in zip(out[0::3], out[2::3], strict=False)}


def _cause(vault: Vault) -> tuple[str, str]:
    """Why git does not do as our lines say, and what mends that."""
    data = Disk(vault.root).read(_ATTRIBUTES)
    here = block.find(data, block.HASH) if data is not None else None
    if here is None:
        return "our lines are gone", "vaultgit init"
    if here.edited:
        return "our lines were edited", f"delete them in {_ATTRIBUTES}, with their markers, then: vaultgit init"
    return "another line overrides ours", f"move that line of {_ATTRIBUTES} (or .git/info/attributes) above ours"


def _ignored(vault: Vault) -> list[Finding]:
    data = Disk(vault.root).read(_IGNORE)
    if data is not None and block.find(data, block.HASH):
        return []
    wanted = resources.read("hooks", "gitignore").decode().split()
    names = {f"{vault.prefix}{line}{'x' if line.endswith('/') else ''}": line for line in wanted}
    asked = "\0".join(names).encode("utf-8", "surrogateescape")
    env = {"GIT_LITERAL_PATHSPECS": "0"}  # it refuses to be told so
    said = vault.repo.call("check-ignore", "--no-index", "-z", "--stdin", input=asked, env=env)
    if said.returncode > 1:
        return []
    left_out = set(os.fsdecode(said.stdout).split("\0"))
    missing = [line for name, line in names.items() if name not in left_out]
    if not missing:
        return []
    risk = "Obsidian's window layout and trash come into every commit"
    return [remark("ignore", _IGNORE, "our lines are gone", risk, "vaultgit init", missing)]


def _glued(vault: Vault) -> list[Finding]:
    """What was appended to a file whose last line, ours, did not end."""
    found = []
    for path in (_ATTRIBUTES, _IGNORE):
        data = Disk(vault.root).read(path) or b""
        here = block.find(data, block.HASH)
        if here is not None and here.glued:
            line = data[here.end :].partition(b"\n")[0].decode("utf-8", "replace").strip()
            found.append(remark("glued", path, f"our last line runs into yours: {line}", "yours does nothing",
                                "vaultgit init puts it on a line of its own"))  # fmt: skip
    return found
