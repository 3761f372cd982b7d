"""Words that name nothing by themselves: nobody wants a note about them.

Fixed lists are for what every vault shares (months, languages, trades, well-known products). What is ordinary in this
vault is told by its own lines: `Usage` counts how each word is written there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vaultgit.passes.consolidate.reading import Line


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION = word_set(
    """a about above according across actually after again against all almost alone along already also although always
    am an and another any anybody anyone anything anyway are around as at away back be because been before behind
    being below beside besides between both but by can cannot could currently did do does doing done down due during
    each either else enough even ever every everybody everyone everything except few finally first for from further
    got had has have having he hence her here hers herself him himself his how however i if in indeed instead into
    is it its itself just last later least less let lets like likely many may maybe me meanwhile might mine more
    most mostly much must my myself near nearly neither never next no nobody none nor not nothing now of off often
    ok okay on once one only onto or other others otherwise our ours out over own per perhaps please probably quite
    rather really right same second see several shall she should similarly since so some somebody someone something
    sometimes soon still such sure than thanks that the their theirs them themselves then there therefore these they
    thing things third this those though three through thus till to today together tomorrow tonight too toward
    towards two under unless unlike until up upon us usually very via was we well were what whatever when whenever
    where whether which while who whole whom whose why will with within without would yes yesterday yet you your
    yours yep nope hmm lol hi hello hey dear fine great good bad new old big small long short high low early late
    left true false null"""
)
# What notes and orders begin with; at the start of a sentence these are no names.
ORDINARY = word_set(
    """add added adding agree agreed allow answer applied apply approve approved ask asked assistant assume avoid
    blocked book bought bring broken bug build building built buy call cancel cancelled cause change changed check
    checked choose chose claim clean clear close closed collect compare complete confirm confirmed consider context
    continue convert copy correct correction count cover create created cut dead deadline decide decided decision
    default delay delete deleted deliver deploy depends describe did discussed document drop dropped edit email
    enable end ensure error even example expect explain export extend fact fail failed fetch file final find finish
    finished fix fixed follow found gave get give given go goal going handle hold idea ignore import improve include
    index input install invoice issue join keep kept know last launch lead learn leave lesson limit link list load
    log look lost made make mark maybe mean measure measured meet meeting merge message migrate milestone missing
    model moved move name need needed needs nice note number only open option order output owner paid paint parse
    pass pay person phone pick plan planned point possible prefer preference price problem process project proposal
    propose proposed provide publish put question quote raise read reason rebuild received record redo reject
    release remaining remember remind reminder remove removed rename replace replaced report request require result
    return review rewrite risk rule run running said save saw say schedule scrap section see send sent set ship show
    side sign size skip sort source split staging start started status stay step stop store summary support switch
    table tag take talk task team tell test tested tests text thought title todo took total track tried try turn
    update updated upgrade use used user using verify version wait waiting walk want warning watch work worked works
    write wrote wrong customer client buyer seller supplier vendor visitor guest guests member members student
    students patient author readers reader reviewer auditor inspector driver neighbour neighbor plumber electrician
    carpenter builder tenant landlord landlady dentist doctor vet nurse teacher editor publisher agent agency bank
    council insurance insurer lawyer accountant manager designer developer developers engineer engineers boss
    colleague everybody documentation docs readme changelog manual compiler linter server client browser database
    api cli app website page form script library package tool tools config settings data money time day days week
    weeks month months year years morning afternoon evening night half part parts people nothing water paper kitchen
    garden room house door window floor wall roof car bus train flight hotel school office shop market city town
    country street road building company firm group committee board court police post mail"""
)
DEPARTMENTS = word_set(
    """accounting accounts admin administration compliance design devops engineering facilities finance hr it legal
    logistics management marketing operations ops payroll platform procurement product purchasing qa reception
    research sales security support sre helpdesk warehouse production billing"""
)
ROLES = word_set(
    """accountant adviser advisor architect assistant aunt boss brother ceo cfo chair co-founder cofounder colleague
    consultant coo cousin coworker co-worker cto dad daughter dentist designer director doctor editor electrician
    father flatmate friend gardener grandfather grandmother granddad grandma head husband illustrator intern
    landlady landlord lawyer lead librarian maintainer manager mentor mother mum mom neighbor neighbour nephew niece
    notary organiser organizer plumber professor proofreader reviewer roommate sister solicitor son supervisor
    surgeon teacher tenant therapist trainer translator treasurer tutor uncle vet wife contact carpenter physio
    coach pianist singer midwife"""
)
_CALENDAR = word_set(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
    thursdays fridays saturdays sundays mon tue tues wed thu thur thurs fri sat sun spring summer autumn winter fall
    christmas easter xmas eve am pm utc gmt cet cest est edt pst pdt q1 q2 q3 q4 ramadan hanukkah pentecost whitsun
    advent"""
)
_LANGUAGES = word_set(
    """english british american german french dutch flemish spanish portuguese italian swedish norwegian danish finnish
    icelandic polish czech slovak russian ukrainian greek turkish arabic hebrew hindi chinese mandarin cantonese
    japanese korean latin swiss austrian belgian irish scottish welsh canadian australian indian european african
    asian hungarian romanian python java javascript typescript rust go golang ruby perl php swift kotlin scala
    haskell erlang elixir clojure lua julia fortran cobol bash sql html css json yaml toml xml csv markdown latex c"""
)
_UNITS = word_set(
    """kg g mg km m cm mm l ml mb gb tb kb kib mib gib hz khz mhz ghz ms s min h px pt em rem usd eur gbp chf sek nok
    dkk euro euros dollar dollars celsius fahrenheit kelvin watt watts volt volts kwh kw"""
)
_PRODUCTS = word_set(
    """airbnb airtable alpine amazon android ansible anthropic apache apple arduino atlassian aurora aws azure
    bitbucket bluetooth calendar canva chatgpt chrome chromium claude cloudflare codex confluence copilot cron
    cursor cypress dataview debian devin discord django docker dropbox edge ethernet excel facebook fastapi fedora
    figma firebase firefox flask gemini git github gitlab gmail google gpt grafana gradle graphql gunicorn homebrew
    icloud ikea instagram internet ios ipad iphone javascript jenkins jest jira jupyter kafka keynote kubernetes
    linear linkedin linux llama mac macbook macos maven mac microsoft mongodb mysql next netflix netlify nginx node
    nodejs notion npm numpy obsidian office ollama openai opencode openssl oracle outlook pandas paypal photoshop
    pip playwright postgres postgresql powerpoint powershell pytest pytorch raspberry react reddit redis sagemaker
    safari salesforce sentry shopify signal siri skype slack spotify sqlite stripe svelte tailscale teams telegram
    terraform trello twitter ubuntu unix usb vercel vim visa vite vue webpack wechat whatsapp wifi wi-fi wikipedia
    windows word wordpress xcode xero youtube zoom zotero pydantic mypy ruff systemd emacs neovim makefile
    dockerfile readme changelog"""
)
NEVER = _CALENDAR | _LANGUAGES | _UNITS | _PRODUCTS
# Folders that hold projects, or hold things for a while; a vault's own folder is no project of it either.
FOLDERS = word_set(
    """src source sources home tmp temp desktop documents downloads dev develop development code coding git github
    repos repo repositories projects project work working workspace workspaces worktree worktrees test tests testing
    scratch playground sandbox misc stuff main master trunk build dist out output bin lib libs app apps backend
    frontend server client web docs doc data notes vault obsidian root user users opt var etc mnt media volumes new
    untitled demo example examples sample samples old archive backup backups checkout clone local private shared
    public node_modules venv env target packages pkg unknown none"""
)
FILES = word_set(
    """readme.md package.json package-lock.json main.py index.js index.ts index.html main.rs main.go app.py __init__.py
    setup.py setup.cfg pyproject.toml makefile dockerfile docker-compose.yml cargo.toml cargo.lock go.mod go.sum
    tsconfig.json .env .gitignore .gitattributes requirements.txt license changelog.md todo.md claude.md agents.md
    gemini.md lib.rs mod.rs utils.py util.py helpers.py conftest.py styles.css style.css config.json config.yaml
    config.yml config.toml settings.json settings.py index.md tests.py test.py types.ts utils.ts"""
)
# Programs and words of code that everybody has.
COMMON_CODE = word_set(
    """git npm npx pnpm yarn pip uv python python3 node deno bun cargo go make cmake docker kubectl ls cat grep rg sed
    awk find curl wget ssh scp rsync tar zip rm cp mv cd mkdir chmod sudo apt brew main master head origin develop
    true false null none nil undefined self this int str string float bool boolean list dict set tuple array object
    map void utf-8 utf8 json yaml toml csv xml html css sql http https localhost get post put delete patch select
    insert update error warning info debug pytest mypy ruff eslint prettier jest vim nano bash zsh sh id name type
    date value key text path file real integer varchar timestamp default print import export return class def
    function const let var async await try except raise test build run start install config env user data index like
    match cp1252 ascii latin1 jq cron crontab systemctl"""
)
_ENDING = re.compile(
    r".{3,}(?:ing|tion|sion|ment|ness|ships?|able|ible|ously?|ally|ized?|ised?|ful|less|ity|ist|ician)"
)


def is_ordinary(key: str) -> bool:
    """Whether a capital at the start of a sentence says nothing about a word."""
    return (
        key in FUNCTION
        or key in ORDINARY
        or key in DEPARTMENTS
        or key in ROLES
        or key in NEVER
        or _ENDING.fullmatch(key) is not None
        or (key.endswith("s") and key[:-1] in ORDINARY)
    )


class Usage:
    """How the lines of a vault write its words."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = len(lines)
        self.lower: Counter[str] = Counter()  # lines that write it small
        self.inside: Counter[str] = Counter()  # lines that write it with a capital within a sentence
        self.all: Counter[str] = Counter()
        capitals = words = small_words = count = 0
        for line in lines:
            small, inside, every = set(), set(), set()
            for token in line.tokens:
                every.add(token.key)
                if token.text[:1].islower():
                    small.add(token.key)
                elif not token.opens and not token.linked:
                    inside.add(token.key)
                    capitals += token.text[1:].islower()
                words += not token.opens
                small_words += token.key in FUNCTION
                count += 1
            self.lower.update(small)
            self.inside.update(inside)
            self.all.update(every)
        # Where every noun has a capital (German), or every word (titles), a capital names nothing.
        self.capitals_tell = capitals <= 0.22 * words or words < 20
        # In other languages than ours the lists above know no article from a noun.
        self.words_tell = small_words >= 0.2 * count

    def is_common(self, key: str) -> bool:
        """Whether the vault writes a word small about as often as with a capital."""
        return self.lower[key] * 3 > self.inside[key]

    def is_everywhere(self, keys: Iterable[str]) -> bool:
        """Whether any of the words is in so many lines that it says nothing."""
        return any(self.all[key] > max(12, self.lines * 0.12) for key in keys)
