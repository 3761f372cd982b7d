"""A vault for dreams: 12 skills that an agent wrote, 60 sessions, pairs that say the same, one that only looks so, and
skills that nobody used for long. Dates lie before support.NOW. And smaller ones, made from objects, for what a dream
would do there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from datetime import timedelta
from pathlib import Path

import pytest
from past import Did
from past import Past
from past import go_on
from support import Folder

from vaultgit.clock import SystemClock
from vaultgit.edits.submit import By
from vaultgit.notes import frontmatter
from vaultgit.passes import dream
from vaultgit.passes.dream.plan import Plan
from vaultgit.passes.dream.plan import Planned
from vaultgit.vault import Vault
from vaultgit.vault import open_vault

TODAY = date(2026, 11, 29)

RELEASE = """\
# Release notes

Use the tags, not the dates.

## Steps

1. List the merged pull requests since the last tag: `git log --merges v1..HEAD`
2. Group them under Added, Changed and Fixed
3. Drop everything that no user can notice
4. Write one line for each, in the past tense, with the number of the pull request
5. Ask a maintainer to read the draft before the tag is pushed

```sh
git tag -a v2 -F notes.txt
```
"""

WEEK = """\
# Looking back on a week

- Read the daily notes from Monday to Sunday
- Collect open threads that nobody answered
- Move finished projects out of the active list
- Write three sentences about what surprised you
- Choose at most three things for the coming week
- Close with a line about sleep and sport
"""

WEEK_REORDERED = """\
# Looking back on a week

- Collect open threads that nobody answered
- Read the daily notes from Monday to Sunday
- Write three sentences about what surprised you
- Move finished projects out of the active list
- Choose at most three things for the coming week
- Close with a line about sleep and sport
"""

CONTACTS = """\
# Bringing address cards in

1. Export the cards from the phone as one vcf file
2. Split the file at each END:VCARD line
3. Match every card with a note in people/ by its full name
4. Add the phone number and the birthday where the note has none
5. List cards without a note in inbox/ for a person to decide
6. Delete the exported file afterwards
"""

CONTACTS_MORE = CONTACTS + "7. Count the cards before and after, and stop when the numbers differ\n"


def _deploy(place: str, last: str) -> str:
    return f"""\
# Deploying

1. Wait until the pipeline of the main branch is green
2. Announce the deployment in the team's channel
3. Run `make deploy TARGET={place}`
4. Watch the error rate of {place} for ten minutes
5. {last}
"""


PRINTER = """\
# The printer in the hall

1. Hold the green button for eight seconds until it blinks twice
2. Install the driver from the vendor's disc, never the generic one
3. Print the page with the address of the device and write it down
4. Give it a fixed address in the router
"""

TRAVEL = """\
# Before a journey

1. Check that the passport is valid for six more months
2. Photograph tickets and papers, and put the pictures into the vault
3. Water the plants and empty the fridge
4. Tell the neighbours who has the key
"""

TAX = """\
# The tax return

1. Gather the twelve salary slips and the yearly statement of the bank
2. Sum donations, with a receipt for each above two hundred
3. Compare with last year's return line by line
4. Send it before the end of July, and keep the confirmation
"""

REVIEW = """\
# Reading a change

1. Read the description, then the tests, then the code
2. Run the change once by hand
3. Name what is good before what is missing
4. Ask about names that took you two readings
"""

# name: (trigger, body, the day an agent wrote it)
SKILLS = {
    "release-notes": ("a release is being prepared and needs notes", RELEASE, "2025-05-01"),
    "write-release-notes": ("a release is being prepared and needs notes", RELEASE, "2025-09-01"),
    "weekly-review": ("the user wants to look back on the week", WEEK, "2025-05-02"),
    "review-of-the-week": ("the user wants to look back on the week", WEEK_REORDERED, "2025-10-01"),
    "import-contacts": ("address cards from a phone should become people notes", CONTACTS, "2025-05-03"),
    "contacts-from-phone": ("address cards from a phone should become people notes", CONTACTS_MORE, "2025-11-01"),
    "deploy-to-staging": ("a branch should go to staging", _deploy("staging", "Leave it there for the testers"), "2025-05-04"),
    "deploy-to-production": (
        "a branch should go to production", _deploy("production", "Roll back at the first alarm"), "2025-05-04",
    ),
    "printer-setup": ("the printer in the hall does not print", PRINTER, "2025-05-05"),
    "travel-checklist": ("the user leaves for a journey", TRAVEL, "2025-05-06"),
    "tax-return": ("the tax return is due", TAX, "2025-05-07"),
    "code-review": ("the user asks for a review of a change", REVIEW, "2025-05-08"),
}  # fmt: skip
USED = ("release-notes", "weekly-review", "import-contacts", "deploy-to-staging", "deploy-to-production", "code-review")
LAST_USED = {"printer-setup": "2025-08-20", "travel-checklist": "2026-04-10", "tax-return": "2025-07-15"}


def skill(name: str, trigger: str, body: str, day: str, more: str = "") -> str:
    return f"---\ntype: skill\nname: {name}\nversion: 1\ntrigger: {trigger}\nlast_updated: {day}\n{more}---\n{body}"


def session(day: str, number: int, *skills: str) -> tuple[str, str]:
    links = "".join(f'  - "[[{name}]]"\n' for name in skills)
    text = (
        f"---\ntype: session\ndate: {day}\nagent: codex\ntask: work {number}\ntouched: []\nskills:\n{links}---\nDone.\n"
    )
    return f"sessions/{day}-work-{number}.md", text


def dreaming(vault: Folder) -> Folder:
    """Adds skills and sessions to a vault that is set up, by an agent, each on its day."""
    for name, (trigger, body, day) in SKILLS.items():
        more = "pinned: true\n" if name == "tax-return" else ""
        vault.write(f"skills/{name}.md", skill(name, trigger, body, day, more))
        _commit(vault, f"skills/{name}: created", day, f"skills/{name}.md")
    days = [(LAST_USED[name], name) for name in LAST_USED]
    days += [((TODAY - timedelta(days=5 + 6 * n)).isoformat(), USED[n % len(USED)]) for n in range(57)]
    for number, (day, name) in enumerate(days):
        path, text = session(day, number, name)
        vault.write(path, text)
    vault.write("projects/nova.md", vault.read("projects/nova.md") + "\nHow we ship: [[write-release-notes]]\n")
    _commit(vault, "sessions: of two years", "2026-11-24", "sessions", "projects")
    return vault


def _commit(vault: Folder, subject: str, day: str, *paths: str) -> None:
    when = f"{day}T12:00:00+01:00"
    vault.git("add", "--", *paths)
    vault.git(
        "commit", "--quiet", "--no-verify", "-m", subject, "-m", "Seen often.", "-m", "Agent: codex", "--author",
        "codex <codex@agents.vaultgit.invalid>", env={"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
    )  # fmt: skip


# -- small ones ----------------------------------------------------------------------------------------------------

ALL = "[dream]\nmax_share = 1.0\n"
WEEKLY = "the user wants to look back on the week"
CARDS = "address cards from a phone should become people notes"
RELEASED = "a release is being prepared and needs notes"
FILLED = {
    "skills/printer-setup.md": skill("printer-setup", "the printer in the hall does not print", PRINTER, "2026-11-01"),
    "skills/travel-checklist.md": skill("travel-checklist", "the user leaves for a journey", TRAVEL, "2026-11-01"),
    "skills/code-review.md": skill("code-review", "the user asks for a review of a change", REVIEW, "2026-11-01"),
}


def release(
    name: str, day: str = "2026-01-01", more: str = "", trigger: str = RELEASED, body: str = RELEASE
) -> dict[str, str]:
    return {f"skills/{name}.md": skill(name, trigger, body, day, more)}


def weeks(more: str = "", other: str = "") -> dict[str, str]:
    return {
        "skills/weekly-review.md": skill("weekly-review", WEEKLY, WEEK, "2026-01-01", more),
        "skills/review-of-the-week.md": skill("review-of-the-week", WEEKLY, WEEK_REORDERED, "2026-02-01", other),
    }


def contacts() -> dict[str, str]:
    return {
        "skills/import-contacts.md": skill("import-contacts", CARDS, CONTACTS, "2026-01-01"),
        "skills/contacts-from-phone.md": skill("contacts-from-phone", CARDS, CONTACTS_MORE, "2026-02-01"),
    }


PAIR = {**release("release-notes"), **release("write-release-notes", "2026-02-01")}
KEPT, GONE = "skills/release-notes.md", "skills/write-release-notes.md"


def silent_crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name, which has nothing to say; put before the machine's own."""
    program = tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


class Dreamer:
    """A vault whose commits an agent made, with all of them on disk, and what a dream would do there."""

    def __init__(self, past: Past) -> None:
        self.past, self.folder = past, past.folder
        self.vault: Vault | None = None

    def write(self, files: Mapping[str, str | None], settings: str = ALL, agent: str = "codex") -> None:
        did = [Did("2026-11-20", files, "skills: written", agent, reason="Seen often.")]
        if self.vault is None:
            self.vault = self.past([], settings=settings)
            did[0] = did[0]._replace(files={**FILLED, ".vaultgit.toml": settings, **files})
        go_on(self.vault, did)
        self.folder.git("reset", "--quiet", "--hard")

    def plan(self, *, again: bool = False) -> Plan:
        assert self.vault is not None
        with (opened := open_vault(self.vault.root)).repo:  # settings and rules as they are now
            return dream.plan(opened, SystemClock(), again=again)

    def propose(self) -> str:
        """The name of the branch that the plan becomes."""
        assert self.vault is not None
        with (opened := open_vault(self.vault.root)).repo:
            made = dream.propose(opened, SystemClock(), dream.plan(opened, SystemClock()), By("codex"))
        assert made is not None and made[1] == {}
        return made[0].name

    def accept(self, name: str) -> None:
        self.folder.git("merge", "--quiet", "--no-ff", "-m", "accepted", name)
        self.folder.git("branch", "--quiet", "-D", name)


def becomes(action: Planned) -> dict[str, str | None]:
    """What an action makes of each path."""
    return {c.path: None if c.new is None else c.new.decode() for c in action.action.changes}


def values(text: str | None) -> dict[str, object]:
    return frontmatter.read((text or "").encode()).values


def only(plan: Plan) -> Planned:
    assert len(plan.actions) == 1, plan
    return plan.actions[0]


def related(plan: Plan) -> str:
    """The one reason why a pair is not merged."""
    assert (plan.actions, len(plan.related)) == ([], 1), plan
    return plan.related[0].why
