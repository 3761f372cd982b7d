"""Skills for the tests of likeness: one real enough to be found, and what makes others out of it."""

from __future__ import annotations

from collections.abc import Sequence

from vaultgit.passes.likeness import Found
from vaultgit.passes.likeness import Text
from vaultgit.passes.likeness import find

TRIGGER = "Use when a release of the web shop is due and its notes must reach the customers."
BODY = """# Ship a release

Before the first step, look at the board: every ticket of the milestone is closed or moved.

## Steps

1. Pull the newest main and run the whole test suite on a clean checkout.
2. Collect the titles of all merged requests since the last tag.
3. Sort them into features, fixes and chores; throw the chores away.
4. Write the notes in the words of a customer, two lines for each feature.
5. Tag the commit and push the tag to the origin.
6. Watch the pipeline until the image is in the registry.
7. Tell the support desk which tickets they can answer now.

## When it goes wrong

- If the pipeline is red, fix it on a branch and tag again with the next number.
- If the notes were sent too early, post a correction in the same thread.

```bash
git log --oneline --merges v1..HEAD > merged.txt
scripts/release.sh --notes notes.txt
```
"""


def skill(name: str = "ship-a-release", trigger: str = TRIGGER, body: str = BODY, **resources: str) -> Text:
    return Text(
        f"skills/{name}.md", name, trigger, body, {path.replace("_", "."): oid for path, oid in resources.items()}
    )


def changed(old: str, new: str, text: Text | None = None, name: str = "release-the-shop") -> Text:
    """The skill under another name, with one thing changed in its body."""
    text = text or skill()
    assert old in text.body
    return text._replace(key=f"skills/{name}.md", name=name, body=text.body.replace(old, new))


def judged(*texts: Text) -> Found:
    return find(texts)


def why(one: Text, other: Text) -> str:
    """ "" if they are one, else what speaks against it; fails when they are not even alike."""
    found = find([one._replace(key="1"), other._replace(key="2")])
    assert len(found.duplicates) + len(found.related) == 1, "they are not alike at all"
    return "".join(pair.why for pair in found.related)


def merged(found: Found) -> Sequence[tuple[str, str]]:
    return [(pair.one, pair.other) for pair in found.duplicates]


def noise(count: int) -> list[Text]:
    """Skills that have nothing to do with each other."""
    made = []
    for number in range(count):
        word = "".join("bcdfghjklm"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(1000 + number))
        steps = "\n".join(f"- The {word}{n} goes to the {word[::-1]}{n} when the {word}s{n} wait." for n in range(9))
        made.append(Text(f"noise/{word}.md", word, f"Use for {word} and {word[::-1]} of the {word}s.", steps, {}))
    return made
