"""The vault that the demo begins with: what somebody might have written down in a year."""

from __future__ import annotations

_WEEK = (
    "# Looking back on a week\n\n1. Read the daily notes from Monday to Sunday\n"
    "2. Collect open threads that nobody answered\n3. Move finished projects out of the active list\n"
    "4. Write three sentences about what surprised you\n5. Choose at most three things for the coming week\n"
)


def _skill(name: str, trigger: str, day: str, steps: str) -> str:
    head = f"type: skill\nname: {name}\nversion: 1\ntrigger: {trigger}\nlast_updated: {day}"
    return f"---\n{head}\n---\n{steps}"


def _decision(day: str, project: str, text: str, replaces: str = "") -> str:
    more = f'replaces: "[[{replaces}]]"\n' if replaces else ""
    return f'---\ntype: decision\ndate: {day}\nproject: "[[{project}]]"\n{more}---\n{text}'


NOTES = {
    ".obsidian/app.json": "{}\n",
    "Home.md": "# Home\n\n- [[nova]]\n- [[allotment]]\n- [[ada-lovelace]]\n",
    "people/ada-lovelace.md": (
        "---\ntype: person\nname: Ada Lovelace\naliases: [Ada]\n---\n# Ada\n\nBorn 1816.\n\n## Met\n\n- at the fair\n"
    ),
    "people/Dad.md": "Call on Sundays. He cannot hear the phone when the radio is on.\n",
    "people/marta-olsen.md": (
        "---\ntype: person\nname: Marta Olsen\naliases: [Marta]\n---\nRuns the library in Halden.\n"
        "Allergic to peanuts. Birthday 14 March. Prefers a call to an email.\n"
    ),
    "people/jonas-weber.md": (
        "---\ntype: person\nname: Jonas Weber\n---\nElectrician, did the wiring of the [[nova|kiosk]].\n"
        "Charges 60 euros an hour, never on Fridays.\n"
    ),
    "projects/nova.md": (
        "---\ntype: project\nname: Nova\nstatus: active  # since May\ndecisions:\n"
        '  - "[[2026-05-12-paper-roll]]"\n  - "[[2026-09-03-label-printer]]"\n---\n'
        "# Nova\n\nA kiosk for the library of [[marta-olsen]].\n\n"
        "## Open\n\n- which printer\n\n## Log\n\n- 3 May: first sketch\n"
    ),
    "projects/allotment.md": (
        "---\ntype: project\nname: Allotment\nstatus: active\n---\n# Allotment\n\nPlot 17, behind the railway.\n\n"
        "- rent is due on 1 October\n- the neighbours lend us their wheelbarrow\n- slugs ate the lettuce in June\n"
    ),
    "decisions/2026-05-12-paper-roll.md": _decision(
        "2026-05-12", "nova", "# Receipts on a paper roll\n\nThe kiosk prints receipts on 80 mm thermal paper.\n"
    ),
    "decisions/2026-09-03-label-printer.md": _decision(
        "2026-09-03", "nova",
        "# Labels instead of a paper roll\n\nThe kiosk prints on adhesive labels: the paper roll jammed every week.\n",
        replaces="2026-05-12-paper-roll",
    ),
    "sessions/2026-09-02-why-the-roll-jams.md": (
        "---\ntype: session\ndate: 2026-09-02\nagent: codex\ntask: find out why the roll jams\n"
        'touched: ["[[nova]]"]\n---\nThe roll jams when the hall is damp. Measured for a week, 11 jams.\n'
    ),
    "skills/review-a-pr.md": _skill(
        "review-a-pr", "user asks for a review", "2026-11-01",
        "1. Read the description\n2. Run the tests\n3. Read the diff\n",
    ),
    "skills/weekly-review.md": _skill("weekly-review", "user wants to look back on the week", "2026-11-01", _WEEK),
    "skills/look-back.md": _skill(
        "look-back", "user wants to look back on the week", "2026-11-08",
        _WEEK + "6. Close with a line about sleep and sport\n",
    ),
    "notes/Sourdough.md": (
        "# Sourdough\n\nFeed the starter twice a day, 1:2:2. "
        "Bake at 240 °C with steam for 20 minutes, then 25 without.\n"
    ),
    "notes/Bicycle.md": (
        "# Bicycle\n\nThe inner tube is 28 inches with a Presta valve. "
        "New brake pads in April. Frame number in the shed.\n"
    ),
    "notes/Heating.md": (
        "# Heating\n\nThe boiler shows F28 when the gas pressure is low: close the valve, wait a minute, restart.\n"
        "Serviced every autumn.\n"
    ),
    "notes/Lissabon 2027.md": (
        "# Lissabon 2027\n\nTrain to Paris, then the night bus. The flat near Graça costs 84 a night and takes dogs.\n"
    ),
    "notes/Books.md": (
        "# Books\n\n- The Dispossessed: lent to Jonas in February\n- A Pattern Language: at the library\n"
    ),
}  # fmt: skip
