"""Captures of invented people, with what in them deserves a note: the measure of finding without a model.

A vault is a text. `== DAY TIME FOLDER` begins a block, `- ` a captured line. `planted`: what must be proposed, `name:
type`; `fair`: what may be, as a person could well accept it; every other proposal is wrong. The rules were written with
SEEN at hand; UNSEEN, HARD and LATE were scored once (26 of 27, 18 of 24, 19 of 22 right) and then mended by; LAST was
scored (23 of 24) and left alone. All were made up by the one who wrote the rules.
"""

from __future__ import annotations

from typing import NamedTuple

from vaultgit.passes.consolidate.blocks import CaptureBlock


class Vault(NamedTuple):
    name: str
    blocks: tuple[CaptureBlock, ...]
    planted: dict[str, str]
    fair: dict[str, str]


def _vault(name: str, planted: str, fair: str, text: str) -> Vault:
    blocks = []
    for part in text.strip().split("\n== "):
        head, *lines = part.removeprefix("== ").strip().split("\n")
        day, time, *folders = head.split()
        bullets = tuple(line[2:] for line in lines if line.startswith("- "))
        blocks.append(CaptureBlock(f"daily/{day}.md", f"Automatic capture, {time}", bullets, tuple(folders)))
    return Vault(name, tuple(blocks), _names(planted), _names(fair))


def _names(text: str) -> dict[str, str]:
    pairs = (line.rpartition(":") for line in text.strip().split("\n") if line.strip())
    return {name.strip(): kind.strip() for name, _, kind in pairs}


SEEN = (
    _vault(
        "invoices",
        """Marta: person
        Ilse: person
        csv-import: project
        Norrland: concept
        Bexley: concept
        dialects.py: concept""",
        """Quist: concept
        amount_cents: concept
        duplicate invoice: concept
        invoice numbers: concept""",
        """
== 2026-11-01 21:10 csv-import
- decision: “Integer cents everywhere, column amount_cents, and we never go back to float. Migrate the old rows too.” (you)
- decision: “No pandas: it is 100 MB in the image and it eats leading zeros of invoice numbers. csv module and a dialect table per supplier.” (assistant) “ok no pandas, agreed” (you)
- context: “dates in Bexley are DD/MM/YYYY not MM/DD, they are British.” (you)
- open: “I think b but I have to ask Marta in accounting, she may need the rejected ones listed.” (you)
== 2026-11-02 09:20 csv-import
- context: “Norrland re-sends corrected invoices under the same number” (you)
- idea: “a --preview flag that prints the first 20 normalised rows without touching the db. Marta would love that.” (you)
- decision: “Only log when the fallback was used.” (you)
- context: “The dialect table is in `src/importer/dialects.py`, one entry per supplier.” (assistant)
== 2026-11-03 17:40 csv-import
- context: “Quist uses semicolons and decimal commas” (assistant)
- open: “Old REAL column still to be dropped, needs a word from you.” (assistant)
- decision: “from Norrland we take only the last revision, the rest goes into the rejects table” (you)
- context: “Wrong dates in the Bexley file came from Excel on their side.” (assistant)
== 2026-11-05 11:00 csv-import
- context: “tests for `dialects.py` pass: 14 of 14, the Quist file included” (assistant)
- open: “ask Ilse whether she can send the Norrland price list as CSV, not PDF” (you)
- reminder: “on Monday: tell Marta that duplicates are listed in rejects.csv now” (you)
""",
    ),
    _vault(
        "restaurant",
        """Joost: person
        Amira: person
        Dunsmore Farm: concept
        Harbour Street: concept
        tasting menu: concept""",
        """menu-costing: project
        chestnut soup: concept""",
        """
== 2026-10-02 22:15 menu-costing
- decision: “The tasting menu goes to seven courses, not nine: the kitchen cannot plate nine on a Friday.” (you)
- open: “Ask Joost whether the walk-in fridge can be repaired before the inspection” (you)
- context: “Food cost of the chestnut soup is 2.10 per portion, 31 % of its price.” (assistant)
== 2026-10-04 10:05 menu-costing
- context: “Lamb comes from Dunsmore Farm from now on, 14.20 a kilo, delivered on Tuesdays” (you)
- decision: “No more lunch service on Mondays, it loses about 300 euros each time.” (you)
- open: “the council wants the fire plan for Harbour Street by the 20th” (you)
== 2026-10-07 23:30
- idea: “a small tasting menu for the bar, three courses, 29 euros” (you)
- context: “Amira says the new oven is 15 degrees too hot on the left side” (you)
- open: “order of chestnuts: Dunsmore Farm has none before the 25th” (you)
== 2026-10-11 16:45 menu-costing
- context: “Rent for Harbour Street goes up by 4 % in January.” (you)
- decision: “the tasting menu gets a vegetarian version at the same price” (you)
- context: “Saturday: 64 covers, 11 no-shows, the deposit is worth it” (assistant)
- correction: “no, actually the deposit is 20 a head, not 25” (you)
""",
    ),
    _vault(
        "embedded",
        """Pieter: person
        Sanne Verhoef: person
        greenhouse-node: project
        `moistd`: concept
        Kestrel: concept""",
        """Hoorn: concept
        frost_guard: concept
        soil sensors: concept""",
        """
== 2026-09-01 20:10 greenhouse-node
- decision: “LoRa, not Wi-Fi: the far tunnel is 400 m from the house.” (you)
- context: “Sensor board is the Kestrel rev C; rev B browns out below 3.1 V.” (assistant)
- context: “we build `moistd`, a daemon that reads the soil sensors every ten minutes and sends one packet” (you)
== 2026-09-03 19:00 greenhouse-node
- open: “Pieter is on call this week, tell him before flashing the gateway” (you)
- finding: “measured: deep sleep draws 11 µA, the Kestrel runs 14 months on two AA cells” (assistant)
- decision: “Readings are stored as UTC and shown in Europe/Berlin.” (you)
== 2026-09-08 21:45 greenhouse-node
- dead-end: “The DHT22 drifts by 6 % after a wet night; SHT41 instead.” (assistant)
- context: “`moistd` crashed when the RTC went back in March, `frost_guard` did not” (assistant)
- open: “order 20 more boards, ask our supplier contact Sanne Verhoef for the October price” (you)
== 2026-09-12 08:30 greenhouse-node firmware-tests
- decision: “Frost alarm at 2 °C, not 0: by then it is too late. `frost_guard` sends it by SMS.” (you)
- context: “Next batch of the soil sensors arrives in Hoorn on the 19th” (assistant)
- open: “is the antenna of the Kestrel allowed in the US? FCC says maybe” (you)
""",
    ),
    _vault(
        "thesis",
        """Adeyemi: person
        Lotte: person
        Ghent: concept
        Halyard corpus: concept
        thesis: project
        inter-annotator agreement: concept""",
        """Halyard: concept
        Brandt: person
        [[Attention drift]]: concept""",
        """
== 2026-05-02 15:00 thesis
- decision: “chapter 3 is about the Halyard corpus only, the web data goes to the appendix” (you)
- open: “my supervisor Professor Adeyemi wants the outline by the 12th” (you)
- context: “see [[Attention drift]] for the argument against window sizes” (you)
== 2026-05-06 09:30 thesis
- context: “the Halyard corpus has 4,120 dialogues, 311 of them without speaker labels” (assistant)
- idea: “use the reading group in Ghent as annotators” (you)
- decision: “We follow Brandt 2019 and drop turns under three words.” (assistant) “yes do that” (you)
== 2026-05-13 22:10 thesis
- open: “Lotte has not replied about the room, phone Lotte on Thursday” (you)
- finding: “inter-annotator agreement is 0.71 on the pilot, 0.64 without the guidelines” (assistant)
- context: “Travel to Ghent: train at 7:12, back at 18:40; the university pays second class” (assistant)
== 2026-05-20 18:00 thesis
- decision: “inter-annotator agreement is reported as alpha, not kappa, because labels overlap” (you)
- open: “Who prints posters in Ghent on a weekend?” (you)
- context: “The reviewers asked for error bars; Halyard corpus licence forbids publishing raw text.” (assistant)
- done: “Bibliography cleaned: 14 duplicates, Brandt was in there three times.” (assistant)
- correction: “no: inter-annotator agreement on the final set is 0.69” (you)
""",
    ),
)

UNSEEN = (
    _vault(
        "house",
        """Wiktor: person
        Halloran: person
        Lower Mill: concept
        heat pump: concept
        house-renovation: project""",
        """Vaillant: concept""",
        """
== 2026-03-03 20:00 house-renovation
- decision: “The heat pump goes behind the shed, 4 m from the neighbour's bedroom window.” (you)
- open: “get a second offer, Vaillant or another brand, before Easter” (you)
- context: “Lower Mill is a conservation area: the front windows must stay wooden.” (assistant)
- open: “ask Wiktor if the attic beams carry 180 kg of water tank” (you)
== 2026-03-09 21:15 house-renovation
- context: “Grant covers 35 % of the heat pump, at most 11,000 euros, forms by 30 June” (assistant)
- open: “Mrs Halloran next door has to agree in writing” (you)
- decision: “No underfloor heating upstairs. Radiators stay.” (you)
== 2026-03-15 18:40 house-renovation
- context: “Wiktor thinks the beams are fine but the floor needs another joist” (you)
- open: “permit for Lower Mill takes eight weeks, file it now” (assistant)
- dead-end: “Insulating from inside: mould risk at the north wall, dropped.” (assistant)
== 2026-03-22 09:05 house-renovation
- decision: “we take the Vaillant offer, the other one had no service within 100 km” (you)
- context: “heat pump needs a 16 A circuit of its own; the board has one slot left” (assistant)
- reminder: “Call the bank about the instalment on Wednesday” (you)
- done: “Deposit of 2,400 paid, receipt in the blue folder.” (you)
""",
    ),
    _vault(
        "web shop",
        """Fatima: person
        Jonas Ek: person
        payments-rewrite: project
        `ledger-sync`: concept
        Brightpath: concept
        Project Osprey: project""",
        """Oslo: concept
        checkout_v2: concept
        idempotency keys: concept
        idempotency key: concept""",
        """
== 2026-06-01 10:00 payments-rewrite
- **Decision**: Refunds go through `ledger-sync` as well, so that the books match by the evening.
- **Open**: Fatima (finance) still has to confirm the cut-off time.
- Idempotency keys are kept for 72 hours; Stripe keeps theirs for 24.
== 2026-06-02 16:20 payments-rewrite
- The nightly run of `ledger-sync` took 41 minutes; an index on settled_at brought it to 3.
- Brightpath sends webhooks twice when their queue is slow. We drop the second one by its idempotency key.
- Rollout of checkout_v2 waits until Project Osprey has moved the sessions.
== 2026-06-04 11:45 payments-rewrite
- Decided: feature flag per country, Norway first, because the Oslo office can test it with real cards.
- According to Jonas Ek the old endpoint has 14 callers left.
- Error budget for June is used up; no deploys on Fridays.
== 2026-06-08 17:00 payments-rewrite
- The sandbox of Brightpath rejects amounts over 9,999.99; production does not.
- Project Osprey is two weeks late; sessions move on the 22nd.
- Oslo found a rounding error of 0.01 NOK in refunds of three items.
- TODO: README of the repo still names the old queue.
== 2026-06-10 09:30 payments-rewrite tmp.x8Gh2k
- Fixed: the retry loop in `worker.py` slept for 0 seconds. GitHub Actions did not catch it.
- We agreed to keep the idempotency key in the log line.
""",
    ),
    _vault(
        "novel",
        """Beatriz: person
        Saltmarsh: concept
        Tom: person
        second-draft: project
        lighthouse scene: concept""",
        """Ines: concept
        Ines Varga: concept
        Old Harrow: concept""",
        """
== 2026-01-04 23:00 second-draft
- decision: “Ines leaves on the ferry, she does not die. The lighthouse scene moves to the end of part two.” (you)
- context: “part one is 41,000 words, the plan says 35,000” (assistant)
- open: “my editor Beatriz gets the first ten chapters in February” (you)
== 2026-01-09 22:30 second-draft
- idea: “the village should be called Saltmarsh, not Hollin” (you)
- decision: “past tense everywhere, and nobody says 'suddenly'” (you)
- context: “The lighthouse scene has two contradicting tides: low at nine, high at ten.” (assistant)
== 2026-01-15 21:00 second-draft
- context: “In Saltmarsh the church bell has been broken since the flood; used in chapters 2, 9 and 14” (assistant)
- open: “would Ines know how to row? check against chapter 5” (you)
- decision: “cut the dentist subplot” (you)
== 2026-01-21 20:10 second-draft
- open: “Tom asked for a synopsis of one page, not two” (you)
- context: “Names used so far: Ines, Old Harrow, the twins, Father Quill.” (assistant)
- idea: “lighthouse scene from the keeper's view, in the second person?” (you)
- context: “The ferry from Saltmarsh runs twice a week in winter” (assistant)
- decision: “Old Harrow keeps the dog. No more changes to the dog.” (you)
""",
    ),
    _vault(
        "club",
        """Gareth: person
        Priya: person
        Ashdown: concept
        Wexcombe: concept
        youth league: concept""",
        """club-site: project
        Priya Raman: person
        Ashdown Road: concept
        fixture list: concept""",
        """
== 2026-08-01 19:30 club-site
- decision: “Training of the under-12s moves to Wexcombe while the pitch is re-sown” (you)
- context: “the fixture list comes as an iCal feed, the league changes it without a word” (assistant)
- open: “remind Gareth to book the minibus for the 14th” (you)
== 2026-08-05 21:00 club-site
- context: “Changing rooms in Ashdown have no hot water until September.” (you)
- decision: “fees stay at 85 pounds, siblings half” (you)
- open: “Does the youth league allow five substitutes? The PDF of 2025 says three.” (assistant)
== 2026-08-09 18:15 club-site
- context: “The youth league plays on Sundays from October” (you)
- open: “Priya from marketing offered to print shirts, get a price” (you)
- fact: “Parking at Wexcombe: 30 places, none for coaches” (you)
== 2026-08-16 20:45
- decision: “we go to Ashdown by train, the minibus has no belts in the back row” (you)
- context: “Python script for the fixture list runs every Monday at 6” (assistant)
- open: “youth league wants the player list with birth dates by the 1st” (you)
- context: “Gate code for Wexcombe changed, Gareth has the new one” (you)
== 2026-08-20 10:00 club-site
- done: “fixture list shows home games in bold now” (assistant)
- idea: “Let parents swap lifts on the site. Nothing fancy, a table.” (you)
""",
    ),
)

# Full of what looks like a name: firms that are asked and that say things, orders that begin with a capital, titles, nouns
# of German, products.
HARD = (
    _vault(
        "operations",
        """Noor: person
        Karin Lindqvist: person
        infra-terraform: project
        `edge-proxy`: concept""",
        """Hetzner: concept
        Frankfurt: concept
        certificate renewal: concept
        failover: concept""",
        """
== 2026-02-01 08:10 infra-terraform
- decision: “Move the read replica to Frankfurt. Ask Hetzner for the price of a second floor rack.” (you)
- context: “Cloudflare says the origin was down for 4 minutes; Grafana shows nothing.” (assistant)
- open: “Check whether Terraform plans still drift after Update 7” (assistant)
== 2026-02-02 13:30 infra-terraform
- done: “Replaced `edge-proxy` 1.4 by 1.6 on Alpha, Beta follows on Tuesday.” (assistant)
- context: “Support says the Ticket is closed. Nobody answered from Sales.” (you)
- decision: “Rollback Plan: Snapshot First, Then Migrate” (assistant)
- reminder: “Renew the TLS certificate, the CA mails Security only.” (you)
== 2026-02-03 17:00 infra-terraform scratch
- finding: “`edge-proxy` leaks 3 MB per hour under HTTP/2, fixed by the patch in main” (assistant)
- open: “Noor is on call from Friday; Kubernetes wants a version bump before that” (you)
- context: “Docs say Hetzner bills by the hour; the Invoice says by the month.” (you)
== 2026-02-06 10:45 infra-terraform
- decision: “No Redis for sessions: Postgres is fast enough, and one thing less to page about.” (you)
- context: “Karin Lindqvist prefers the maintenance window at 05:00 UTC, and so does QA” (you)
- open: “Monitoring must page Primary before Secondary” (assistant)
- idea: “Let Renovate open the PRs on Mondays only” (you)
""",
    ),
    _vault(
        "german",
        """bachelorarbeit: project
        messplan.py: concept""",
        """Frau Dr. Weiss: person
        Weiss: person
        Herr Okonkwo: person
        Okonkwo: person
        Jena: concept""",
        """
== 2026-04-01 18:00 bachelorarbeit
- decision: “Die Messung läuft in Jena, nicht im Keller, weil der Boden dort schwingt.” (you)
- context: “Der Laser driftet um 3 pm in der Stunde, das Fenster muss zu bleiben.” (assistant)
- open: “Frau Dr. Weiss fragen, ob die Arbeit auf Englisch sein darf” (you)
== 2026-04-03 19:30 bachelorarbeit
- context: “Die Auswertung steht in `messplan.py`, eine Funktion pro Kanal.” (assistant)
- decision: “Keine Mittelung über Nacht, der Drift ist zu groß.” (you)
- open: “Laser und Kamera brauchen eine gemeinsame Uhr, Vorschlag bis Montag” (you)
== 2026-04-08 21:00 bachelorarbeit
- finding: “Mit Fenster zu: Drift 0,4 pm, die Kamera verliert jedes 200. Bild.” (assistant)
- context: “`messplan.py` liest jetzt auch die Daten der zweiten Kamera” (assistant)
- open: “Termin für die Messung in Jena mit Herr Okonkwo abstimmen” (you)
""",
    ),
    _vault(
        "consultancy",
        """Dmitri: person
        Svea Holm: person
        Aldgate audit: concept
        Brackwater: concept
        proposal-q3: project""",
        """Aldgate: concept
        Terravolt: concept
        Copenhagen: concept
        data room: concept""",
        """
== 2026-07-01 09:00 proposal-q3
- **Brackwater**: wants the numbers for Q2 split by plant, not by country.
- Dmitri and I present on the 14th in Copenhagen; slides in English.
- Email Brackwater that the data room opens on Monday.
== 2026-07-02 18:20 proposal-q3
- Terravolt says it will not share meter data before the NDA is signed.
- Legal wants three changes in the NDA. Finance asked for a cap.
- The Excel model breaks when Brackwater has a month without sales. Fixed in Sheet 3.
== 2026-07-06 11:10 proposal-q3
- Svea Holm is the new CFO of the client, she reads only the first page.
- Rates: Senior 1,150, Junior 700, no discount for July and August.
- The data room has 212 files, 40 of them without a date.
== 2026-07-09 16:00 proposal-q3
- Decision: the Aldgate audit is out of scope, because nobody can promise the dates.
- Hotel in Copenhagen booked, two nights, free cancellation until the 12th.
- PowerPoint ate the fonts again; export as PDF from now on.
- Open: who owns the data room after the project? Ask Terravolt and the bank.
== 2026-07-13 20:00 proposal-q3
- Dmitri sends the deck to Svea Holm tonight, appendix on the Aldgate audit included.
""",
    ),
    _vault(
        "health",
        """Mbeki: person
        Yusuf: person
        Rosalind: person""",
        """Pinewood: concept
        blood pressure: concept
        ibuprofen: concept""",
        """
== 2026-10-10 07:30
- context: “Blood pressure this week 138/88 on average, mornings are worse” (assistant)
- open: “ask Dr. Mbeki whether the second tablet is still needed” (you)
- reminder: “Blood test at Pinewood on Thursday, nothing to eat before” (you)
== 2026-10-14 20:00
- fact: “My brother Yusuf has the same allergy, penicillin.” (you)
- decision: “No coffee after two. Tea is fine.” (you)
- context: “Sleep: 6 h 10 on average, Sunday was best” (assistant)
== 2026-10-19 21:15
- open: “Pharmacist said not to take ibuprofen with it, check with Pinewood” (you)
- context: “blood pressure 131/84 without coffee, Thursday missing” (assistant)
- idea: “Walk with Rosalind on Wednesdays instead of the gym, she lives next to the park” (you)
== 2026-10-25 09:00
- context: “Clocks went back. Blood pressure cuff shows the old hour.” (you)
- open: “Physio wants an MRI of the left knee. Insurance pays half.” (you)
""",
    ),
)

LATE = (
    _vault(
        "game",
        """Oskar: person
        tile-quest: project
        mapgen.rs: concept
        Thornwick: concept
        boss fight: concept""",
        """Camille: person
        navmesh: concept
        spawn_table: concept
        Steam page: concept""",
        """
== 2026-03-01 20:00 tile-quest
- decision: “One currency only. Gems are gone, they made every shop screen ugly.” (you)
- context: “`mapgen.rs` needs 90 ms for Thornwick and 12 for every other map” (assistant)
- open: “Oskar wants the boss fight to be skippable after three deaths” (you)
== 2026-03-02 21:30 tile-quest
- finding: “Profiled: 70 % of the time is the navmesh, Bevy rebuilds it each frame.” (assistant)
- decision: “yes, cache the navmesh, and never rebuild it while the player moves” (you)
- context: “Steam page goes live on 12 May, Nintendo needs six weeks more” (you)
== 2026-03-06 23:10 tile-quest
- idea: “rain in Thornwick that puts out torches” (you)
- dead-end: “Fixed point math for the boss fight: desync after 40 minutes, not worth it” (assistant)
- open: “the music for Thornwick comes from Camille, she is late again” (you)
== 2026-03-10 19:20 tile-quest
- done: “Split `mapgen.rs` in three; `spawn_table` is data now.” (assistant)
- context: “Playtest: five of eight gave up at the boss fight” (you)
- reminder: “Send Camille the new door sounds.” (you)
- decision: “Text in English and Spanish at launch, French later.” (you)
""",
    ),
    _vault(
        "school",
        """Thackeray: person
        Ravi: person
        Elmstead: concept
        science fair: concept""",
        """Nina: person
        lunch money: concept""",
        """
== 2026-09-07 20:15
- context: “Nina has maths on Mondays and swimming on Thursdays, bring the blue bag” (you)
- open: “tell Ms Thackeray about the nut allergy before the trip” (you)
- decision: “No phone before breakfast. Same rule for us.” (you)
== 2026-09-11 21:00
- reminder: “Form for the Elmstead trip has to be signed by Friday” (you)
- context: “Bus to Elmstead leaves at 8:10 from gate B” (assistant)
- idea: “science fair: a battery of lemons, or a seismograph from a phone?” (you)
== 2026-09-18 19:40
- decision: “seismograph it is. Lemons were last year at the science fair.” (you)
- open: “ask Ravi, her partner for the project, if Saturday works” (you)
- fact: “Lunch money is 3.40 a day since August, paid by app” (you)
== 2026-09-25 18:30
- finding: “The phone samples at 100 Hz, enough for a slammed door.” (assistant)
- context: “Science fair is on 9 October in the gym, set up from two” (you)
- open: “Who can drive them? Grandma says she can, Uncle Leo maybe.” (you)
""",
    ),
    _vault(
        "library",
        """Anselm: person
        pgwatch-lite: project
        `pgw`: concept
        Tobiah Krantz: person
        connection pooler: concept""",
        """PgBouncer: concept
        ring buffer: concept
        Lisbon: concept
        query_plans: concept""",
        """
== 2026-11-01 09:00 pgwatch-lite
- **Decision:** the CLI is called `pgw`; `pgwatch` is taken on PyPI.
- **Open:** Does PgBouncer hide the client address? Anselm said yes, the manual says no.
- Metrics go into a ring buffer of 64 MB. Oldest go first.
== 2026-11-02 14:20 pgwatch-lite
- `pgw top` refreshes twice a second; Windows Terminal flickers.
- The connection pooler must be named in each row, because two of them may be in front of one database.
- Removed the Prometheus exporter. Nobody used it, said Tobiah Krantz.
== 2026-11-05 10:10 pgwatch-lite
- Release 0.3 on Thursday. Changelog, tag, then the talk in Lisbon.
- Through a connection pooler the wait events are wrong: PgBouncer shows idle.
- Ubuntu 24.04 ships psycopg 3.1; we need 3.2. Install From Wheel Instead.
== 2026-11-09 16:00 pgwatch-lite
- Tobiah Krantz reviewed the ring buffer and found an off-by-one at the wrap.
- Lisbon talk: 20 minutes, demo of `pgw` on a laptop, no network.
- A test for each connection pooler: PgBouncer, Odyssey, Supavisor.
- Fixed by Anselm: `query_plans` grew without end.
""",
    ),
    _vault(
        "garden",
        """Hedda: person
        Crowhurst: concept
        Old Orchard: concept
        compost heap: concept""",
        """Bramley: concept
        Bramley apple: concept
        garden-log: project
        seed list: concept""",
        """
== 2026-04-02 18:00 garden-log
- context: “Soil in the Old Orchard is 5.2, too sour for the plums” (assistant)
- open: “ask Hedda for cuttings of the white currant” (you)
- decision: “the compost heap moves behind the shed” (you)
== 2026-04-09 19:10 garden-log
- reminder: “Order from Crowhurst before the 20th, they sell out of Bramley first” (you)
- fact: “Last frost was on 11 May in 2024 and on 3 May in 2025.” (assistant)
- idea: “Bees? Not this year.” (you)
== 2026-04-17 20:00 garden-log
- context: “compost heap reached 61 degrees in the middle” (you)
- decision: “Plant the Bramley in the Old Orchard, not by the road.” (you)
- done: “Planted peas, two rows. Garlic looks fine.” (you)
== 2026-04-25 18:45 garden-log
- context: “Crowhurst delivered the wrong rootstock, M9 in place of MM106” (you)
- open: “Return it or keep it? Crowhurst pays the postage.” (you)
- finding: “Slugs come from the compost heap side, traps there caught 40” (assistant)
- context: “RHS advises against lime in Spring.” (assistant)
""",
    ),
)

# Written when the rules were done, and left alone.
LAST = (
    _vault(
        "choir",
        """Margit: person
        Leopold: person
        St Alban: concept
        choir-planner: project
        Fauré: concept""",
        """Alban: concept
        Requiem: concept
        Fauré Requiem: concept
        summer concert: concept
        dress rehearsal: concept""",
        """
== 2026-05-01 21:00 choir-planner
- decision: “The summer concert is in St Alban, not in the town hall, since the organ there is tuned” (you)
- open: “I still have to ask Margit whether the altos can stay until ten” (you)
- fact: “the Fauré takes 37 minutes, the motets 14” (assistant)
== 2026-05-05 22:40 choir-planner
- reminder: “Remind me on Sunday to print the programme, 180 copies” (you)
- decision: “ok, then tickets are 12 euros, students 6” (you); “Prices set: 12 and 6.” (assistant)
- open: “Leopold said he could play the organ for the Fauré, but not on the 14th” (you)
== 2026-05-12 19:15 choir-planner
- correction: “no, the dress rehearsal is on Thursday, not Friday” (you)
- fact: “Chairs for St Alban: 220, of which 40 have to come from the school” (you)
- idea: “record the summer concert with two microphones and give it to the sponsors” (you)
== 2026-05-20 20:30 choir-planner
- task: “Make the seating plan for the dress rehearsal” (you)
- decision: “Nobody sings without a folder. Black, A4.” (you)
- fact: “The bishop's office allows the summer concert until 22:00” (assistant)
""",
    ),
    _vault(
        "sensor lab",
        """Yuki: person
        Dr Salgado: person
        peakfit.py: concept
        spectra-pipeline: project
        Meridian: concept""",
        """Salgado: person
        fit_window: concept
        baseline correction: concept
        Zurich: concept""",
        """
== 2026-08-03 17:20 spectra-pipeline
- task: “Read the Meridian files and fit the three peaks” (you)
- fact: “The Meridian writes big-endian floats, header 512 bytes” (assistant)
- decision: “yes, use peakfit.py from the old repo, with the tests” (you)
- open: “check with Dr Salgado if we may publish the raw spectra” (you)
== 2026-08-04 11:05 spectra-pipeline
- fact: “peakfit.py fails on negative counts; baseline correction first” (assistant)
- correction: “Actually the baseline correction must not touch the first 20 channels” (you)
- idea: “Let fit_window grow with the energy” (you)
== 2026-08-06 18:45 spectra-pipeline
- open: “Yuki wants the plots as SVG, the journal wants TIFF” (you)
- fact: “Meridian lost its calibration after the power cut, run 118 to 131 are off by 0.4 keV” (assistant)
- decision: “Runs 118 to 131 are never used, not even for the background” (you)
== 2026-08-10 09:50 spectra-pipeline
- fact: “Tests: 31 passed. NumPy 2 changed the printing, SciPy did not.” (assistant)
- reminder: “remind me to bring the samples back from Zurich” (you)
- decision: “baseline correction is a spline with seven knots” (you)
- fact: “fit_window is 3 keV at 59 keV” (assistant)
""",
    ),
    _vault(
        "bookshop",
        """Agnieszka: person
        shelf-scanner: project
        Kestrel Books: concept
        Gardners: concept
        `isbn-lookup`: concept""",
        """reading group: concept
        Kestrel: concept
        Bath: concept""",
        """
== 2026-09-14 18:30 shelf-scanner
- **Decision**: `isbn-lookup` caches for 30 days, because the free quota is 500 a day.
- **Context**: Gardners delivers on Tuesday and Friday; returns only with a printed label.
- Agnieszka is on holiday until the 28th; the till stays as it is until then.
== 2026-09-16 12:00 shelf-scanner
- Kestrel Books asks for 45 % and pays the freight.
- The scanner reads upside-down codes wrong; `isbn-lookup` now checks the digit.
- **Open**: who hosts the reading group in October?
== 2026-09-21 17:10 shelf-scanner
- Gardners was down on Saturday, orders went out on Monday.
- Two crates from Kestrel Books came without an invoice.
- Reading group: eleven people, Middlemarch in two parts. Wine from the shop next door.
== 2026-09-25 19:45 shelf-scanner
- Square and Shopify both lose the tax code of gift cards.
- **Idea**: sell the window display of the Bath branch as a bundle.
- The reading group wants large print, ask Gardners.
- Lighting: warm white, 2700 K. IKEA has none.
""",
    ),
    _vault(
        "migration",
        """Hanne: person
        Tobias: person
        crm-migration: project
        contact_merge.sql: concept
        Polaris: concept""",
        """Odense: concept
        Aarhus: concept
        duplicate contacts: concept
        legacy_id: concept""",
        """
== 2026-11-10 16:00 crm-migration
- decision: “We keep legacy_id in every table, otherwise nobody can check the counts” (you)
- fact: “Polaris exports 2,000 rows at a time, then it wants a new token” (assistant)
- open: “my boss Hanne has to sign the cut-over date” (you)
== 2026-11-11 10:30 crm-migration
- fact: “contact_merge.sql finds 1,204 duplicate contacts, 80 of them are families” (assistant)
- decision: “Families are not duplicate contacts. Same address is not enough.” (you)
- open: “tell Tobias that the phone numbers have no country code” (you)
== 2026-11-13 15:45 crm-migration
- decision: “no, do not delete anything in Polaris, read only for good” (you)
- fact: “Import of Odense took 14 minutes, Aarhus 51” (assistant)
- fact: “duplicate contacts left after the second run: 12” (assistant)
== 2026-11-17 09:00 crm-migration
- correction: “contact_merge.sql runs after the import, not before” (you)
- open: “Accounting asked why Odense is missing in June” (you)
- fact: “Salesforce says the limit is 15,000 calls, Support says 100,000” (assistant)
- task: “Write the letter for the customers in Aarhus” (you)
""",
    ),
)
