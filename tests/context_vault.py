"""A vault in which a task has everything it may need, and much that it must not get."""

from __future__ import annotations

from support import Folder


def note(vault: Folder, path: str, head: str, body: str) -> None:
    vault.write(path, f"---\n{head}\n---\n{body}\n")


def fill(vault: Folder) -> None:
    """Project nova with decisions (two of them replaced, one replaced twice), sessions, people, skills, links, hubs."""
    note(vault, "projects/nova.md", "type: project\nname: Nova\nstatus: active\naliases: [launcher]",
         "# Nova\n\nA rocket for small satellites. Budget in [[nova-budget]].\n\n## Log\n\n- started")  # fmt: skip
    note(vault, "projects/orion.md", "type: project\nname: Orion\nstatus: active\nrepo: git@example.invalid:x/orion-site.git",
         "# Orion\n\nThe website, in Rust.")  # fmt: skip
    for name, day, replaces, text in (
        ("fuel-kerosene", "2026-03-01", "", "Nova burns kerosene."),
        ("fuel-methane", "2026-05-01", "fuel-kerosene", "Nova burns methane."),
        ("fuel-hydrogen", "2026-07-01", "fuel-methane", "Nova burns hydrogen, for the mass."),
        ("launch-site", "2026-06-01", "", "Nova launches from Kiruna."),
        ("paint", "2026-01-01", "", "The hull is white."),
    ):
        link = f'\nreplaces: "[[{replaces}]]"' if replaces else ""
        note(
            vault,
            f"decisions/{name}.md",
            f'type: decision\ndate: {day}\nproject: "[[nova]]"{link}',
            f"# {name}\n\n{text}",
        )
    note(
        vault, "decisions/orion-css.md", 'type: decision\ndate: 2026-08-01\nproject: "[[orion]]"', "# CSS\n\nPlain CSS."
    )
    for day, task, touched in (("2026-10-01", "engine test", "nova"), ("2026-11-20", "engine mount", "nova"),
                               ("2026-11-28", "style sheet", "orion")):  # fmt: skip
        note(vault, f"sessions/{day}-{task.replace(' ', '-')}.md",
             f'type: session\ndate: {day}\nagent: codex\ntask: {task}\ntouched: ["[[{touched}]]"]',
             f"# {task}\n\nWorked on the {task}.")  # fmt: skip
    note(vault, "people/grace-hopper.md", "type: person\nname: Grace Hopper", "Leads propulsion. Likes short meetings.")
    note(vault, "people/dad.md", "type: person\nname: Dad", "Allergic to peanuts. Carries a pen.")
    note(vault, "skills/static-fire.md",
         "type: skill\nname: static-fire\nversion: 2\ntrigger: a static fire test of an engine is planned\n"
         "last_updated: 2026-11-01", "1. Check the mount.\n2. Clear the stand.")  # fmt: skip
    vault.write("notes/nova-budget.md", "# Nova budget\n\nTwo million for the engine. [[hub]]\n")
    vault.write("notes/engine.md", "# Engine\n\nThe engine has nine nozzles. See [[turbopump]].\n")
    vault.write("notes/turbopump.md", "# Turbopump\n\nSpins at 36,000 a minute; the engine needs two.\n")
    vault.write("notes/far.md", "# Far\n\nA poem about winter. [[hub]]\n")
    for n in range(40):
        vault.write(f"garden/bed-{n}.md", f"# Bed {n}\n\nCarrots in row {n}. [[hub]]\n")
    links = " ".join(f"[[bed-{n}]]" for n in range(40))
    vault.write("hub.md", f"# Hub\n\n[[nova]] [[orion]] [[engine]] [[turbopump]] [[nova-budget]] {links}\n")
    note(vault, "daily/2026-11-27.md", "type: daily\ndate: 2026-11-27",
         "# Friday\n\n- bread was bought\n- the nova engine arrived in Kiruna\n- slept")  # fmt: skip
    note(vault, "inbox/2026-11-20-x.md",
         'type: inbox\ndate: 2026-11-20\nagent: codex\ntarget: "[[nova]]"\nreason: engine', "the nova engine, proposed")  # fmt: skip
    vault.write("review.md", "nova engine mount in the review\n")
    vault.write("templates/engine.md", "the nova engine mount template\n")
    vault.write(".obsidian/templates.json", '{"folder": "templates"}\n')
