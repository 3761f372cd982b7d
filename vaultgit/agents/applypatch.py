"""The patches of Codex's tool `apply_patch`: the files that one wrote, and what it replaced. Raises nothing.

*** Begin Patch
*** Update File: notes/a.md
@@
 a line that stays
-a line that goes
+a line that comes
*** Add File: notes/b.md
+all of it
*** End Patch
"""

from __future__ import annotations

from vaultgit.agents.tool import Swap
from vaultgit.agents.tool import Wrote

_ADD, _UPDATE, _DELETE, _MOVE = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "


def wrote(patch: str) -> list[Wrote]:
    """The files that it changed. What one was that it moved or deleted is not known."""
    found: list[Wrote] = []
    kind, path, moved = "", "", False
    pieces: list[tuple[list[str], list[str]]] = []

    def end() -> None:
        if kind == _ADD:
            text = "".join(f"{line}\n" for _, new in pieces for line in new)
            found.append(Wrote(path, None, text, True))
        elif kind == _UPDATE:
            swaps = tuple(Swap(tuple(old), tuple(new)) for old, new in pieces if old or new)
            found.append(Wrote(path, None, None, bool(swaps) and not moved, swaps))
        elif kind == _DELETE:
            found.append(Wrote(path, None, None, known=False))

    for line in patch.split("\n"):
        named = next((one for one in (_ADD, _UPDATE, _DELETE) if line.startswith(one)), "")
        if named or line.startswith("*** End Patch"):
            end()
            kind, path, moved, pieces = named, line[len(named) :].strip(), False, [([], [])]
        elif line.startswith(_MOVE):
            found.append(Wrote(path, None, None, known=False))
            path, moved = line[len(_MOVE) :].strip(), True
        elif line.startswith("@@"):
            pieces.append(([], []))
        elif kind and not line.startswith("***"):
            old, new = pieces[-1]
            sign, words = line[:1], line[1:]
            if sign in ("-", " ", ""):
                old.append(words)
            if sign in ("+", " ", ""):
                new.append(words)
    return found
