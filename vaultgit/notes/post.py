"""A note as a Post of python-frontmatter (metadata and content), read by our reader; never written by it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from typing import Any

from vaultgit.notes import frontmatter as reader

if TYPE_CHECKING:
    import frontmatter


def load(data: bytes) -> frontmatter.Post:
    """The note's properties and body. Never raises: front matter that does not parse gives no metadata.

    Not `frontmatter.loads`: that strips the body and fails on properties called content or handler.
    """
    import frontmatter

    found = reader.block(data)
    body = data[found.body :] if found else data.removeprefix(reader.BOM)
    post = frontmatter.Post(body.decode("utf-8", "replace"), handler())
    post.metadata = reader.read(data).values
    return post


@functools.cache
def handler() -> Any:
    """What to give to python-frontmatter as `handler=` so that it reads as Obsidian does."""
    from frontmatter.default_handlers import BaseHandler

    class ObsidianHandler(BaseHandler):
        START_DELIMITER = END_DELIMITER = "---"

        def __init__(self) -> None:
            """Without a boundary pattern: our own fence rules hold."""

        def detect(self, text: str) -> bool:
            return reader.block(text.encode()) is not None

        def split(self, text: str) -> tuple[str, str]:
            data = text.encode()
            found = reader.block(data)
            if found is None:
                raise ValueError("no front matter")
            return data[found.start : found.end].decode(), data[found.body :].decode()

        def load(self, fm: str) -> dict[str, Any]:
            return reader.read(f"---\n{fm}\n---\n".encode()).values

    return ObsidianHandler()
