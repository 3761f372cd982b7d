"""Where links lead, told again and more simply than the program does: what is not plain leads nowhere here."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from urllib.parse import unquote

_WIKI = re.compile(rb"\[\[([^\[\]|#^\n]+)")
_CODE = re.compile(rb"(?ms)^ *(```|~~~).*?(?:^ *\1|\Z)|`[^`\n]+`")  # nobody's links
_MARKDOWN = re.compile(rb"\]\(<?([^()<>#\s]+\.md)[#)>]")


def leads(notes: Mapping[str, bytes]) -> dict[str, list[str | None]]:
    """Note -> what each of its links leads to, in their order; None for no note, several, and what is no path."""
    named: dict[str, list[str]] = defaultdict(list)
    for path in notes:
        named[_key(posixpath.basename(path))].append(path)
    bare = {path: _CODE.sub(b"", data) for path, data in notes.items()}
    return {
        path: [
            *(_wiki(found, named) for found in _WIKI.findall(data)),
            *(_markdown(found, path, notes) for found in _MARKDOWN.findall(data)),
        ]
        for path, data in bare.items()
    }


def _key(path: str) -> str:
    return path.casefold().removesuffix(".md")


def _wiki(target: bytes, named: Mapping[str, list[str]]) -> str | None:
    wanted = _key(target.decode("utf-8", "replace").strip().rstrip("\\"))
    if wanted.startswith((".", "/")):
        return None
    twins = [path for path in named.get(posixpath.basename(wanted), ()) if f"/{_key(path)}".endswith(f"/{wanted}")]
    exact = [path for path in twins if _key(path) == wanted]
    found = exact if "/" in wanted and exact else twins
    return found[0] if len(found) == 1 else None


def _markdown(target: bytes, path: str, notes: Mapping[str, bytes]) -> str | None:
    named = unquote(target.decode("utf-8", "replace"))
    if ":" in named:
        return None
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
    found = {one for one in (beside, os.path.normpath(named)) if one in notes}
    return found.pop() if len(found) == 1 else None
