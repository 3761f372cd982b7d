"""Two filters of git's for tests, as git-crypt and git-lfs are ones: `crypt` stores ciphertext, `far` a pointer to what
lies in a store elsewhere."""

from __future__ import annotations

from pathlib import Path

from support import Folder

_PROGRAM = r"""#!/bin/sh
text=$(mktemp); trap 'rm -f "$text"' EXIT; cat > "$text"
case $1 in
crypt-clean)
    if [ "$(head -c 6 "$text")" = SEALED ]; then cat "$text"
    else printf 'SEALED\0'; tr a-zA-Z n-za-mN-ZA-M < "$text"; fi;;
crypt-smudge)
    if [ "$(head -c 6 "$text")" = SEALED ]; then tail -c +8 "$text" | tr a-zA-Z n-za-mN-ZA-M; else cat "$text"; fi;;
far-clean)
    if [ "$(head -c 8 "$text")" = "pointer " ]; then cat "$text"
    else sum=$(sha256sum < "$text" | cut -c1-64); cp "$text" "$2/$sum"; echo "pointer $sum"; fi;;
far-smudge)
    echo x >> "$2/asked"
    if [ "$(head -c 8 "$text")" = "pointer " ]; then
        cat "$2/$(cut -c9- "$text")" 2>/dev/null || { echo "object is gone from the store" >&2; exit 1; }
    else cat "$text"; fi;;
esac
"""


def program(folder: Path) -> Path:
    made = folder / "filter.sh"
    if not made.exists():
        made.write_text(_PROGRAM)
        made.chmod(0o755)
        store(folder).mkdir()
    return made


def store(folder: Path) -> Path:
    return folder / "store"


def configured(place: Folder, *names: str) -> None:
    """Both filters, or those named, in a clone's config; they are beside it."""
    beside = place.root.parent
    for name in names or ("crypt", "far"):
        for way in ("clean", "smudge"):
            place.git("config", f"filter.{name}.{way}", f"{program(beside)} {name}-{way} {store(beside)}")
        place.git("config", f"filter.{name}.required", "true")


def attributes(place: Folder, *lines: str) -> None:
    """Other lines of .gitattributes than before, and all that they are about stored anew, as `git lfs track` and
    `untrack` would have it; staged."""
    kept = [line for line in place.read(".gitattributes").splitlines() if "filter=" not in line and "eol=" not in line]
    place.write(".gitattributes", "\n".join([*kept, *lines]) + "\n")
    place.git("add", ".gitattributes")
    place.git("add", "--renormalize", ".")


def stored(place: Folder, name: str) -> bytes:
    """What git stores."""
    return place.try_git("cat-file", "blob", name).out.encode("utf-8", "surrogateescape")
