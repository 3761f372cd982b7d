"""SE01: a token, key or password that is about to enter history, where no later edit can take it out again.

The finding is done by the plugins of the detect-secrets library (without its entropy, keyword and IP address
ones: in prose they are nearly always wrong), and by patterns for what the library does not know. Importing
the library costs 200 ms, so a text reaches it only when `_HINT` or `_HINT_FOLDED` says that some plugin may
find something.

Judged: the lines that no file of the change had before (an old secret does not block every later edit, nor a
move), names of new files, and the commit message. Not judged: a line with `<!-- allow-secret -->`, `%%
allow-secret %%`, `# allow-secret` or `pragma: allowlist secret`, where a person wrote it; and values that
stand in the baseline, whose entry for a path holds strings `SE01:` + `fingerprint(value)`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vaultgit.checks.change import Change
    from vaultgit.checks.change import FileChange

# Module of the plugin -> its class. Left out besides those named above: npm, whose pattern takes quadratic
# time on a long line of links and misses tokens outside .npmrc (ours takes both).
PLUGINS = {
    "artifactory": "ArtifactoryDetector",
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "basic_auth": "BasicAuthDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cloud_iam": "IbmCloudIamDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "openai": "OpenAIDetector",
    "private_key": "PrivateKeyDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}

# What the library (1.5.0) lacks. The value is group 1 where there is one.
_OWN = (
    ("Anthropic Token", r"(?<![A-Za-z0-9])sk-ant-[\w-]{20,}"),
    ("OpenRouter Token", r"(?<![A-Za-z0-9])sk-or-[\w-]{20,}"),
    ("OpenAI Token", r"(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-[\w-]{20,}"),
    ("API Token", r"(?<![A-Za-z0-9-])sk-[A-Za-z0-9]{32,}"),
    ("GitHub Token", r"github_pat_\w{22,}"),
    ("Google API Key", r"AIza[\w-]{35}"),
    ("Google OAuth Secret", r"GOCSPX-[\w-]{28}"),
    ("Hugging Face Token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("NPM Token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("NPM Token", r":_authToken=\s*(npm_[^\s\"']+|[A-Fa-f0-9-]{36})"),
    ("Slack Token", r"\bxapp-[0-9]-[A-Za-z0-9-]{30,}"),
    ("AWS Secret Key", r"(?i)aws_?secret_?access_?key[\"']?\s*[:=]\s*[\"']?([a-z0-9/+]{40})(?![a-z0-9/+])"),
    (
        "Private Key",
        r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-[0-9]|AGE-SECRET-KEY-1[0-9A-Z]{50,}",
    ),
    ("Basic Auth Credentials", r"://[^\s:/?#@\[\]]*:([^\s/@,()'\"<>`{}|\\\[\]]+)@"),
)

# Supersets of all these patterns: a test proves that they miss nothing that a plugin or one of ours finds.
# Each branch begins with a literal, which lets `re` skip through a text three times as fast.
_HINT = re.compile(
    r"AKC[a-zA-Z0-9]{10}|AP[\dA-F][a-zA-Z0-9]{8}|A(?:3T[A-Z0-9]|[BKS]IA|CCA)[0-9A-Z]{16}|AC[a-z0-9]{32}"
    r"|AccountKey=|AIza[\w-]{35}|AGE-SECRET-KEY-1|BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|GR1348941|GOCSPX-"
    r"|PuTTY-User-Key-File-|M[\w-]{23,25}\.[\w-]{6}\.[\w-]{27}|N[\w-]{23,25}\.[\w-]{6}\.[\w-]{27}"
    r"|O[\w-]{23,25}\.[\w-]{6}\.[\w-]{27}|SG\.[\w-]{22}\.|SK[a-z0-9]{32}"
    r"|T3BlbkFJ|eyJ[\w=-]{7}|gh[oprsu]_\w{36}|github_pat_|gloas-"
    r"|hf_[A-Za-z0-9]{30}|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent)-[\w-]{20}|k_live_|npm_[A-Za-z0-9]{36}"
    r"|pypi-Ag|sq0csp-|xapp-[0-9]|sk-(?<![A-Za-z0-9]sk-)[\w-]{20}|-us[0-9]|:(?<=\d{8}:)[\w-]{35}"
    r"|://[^\s:/?#\[\]@]*:[^\s/@]+@|:_authToken="
)
_HINT_FOLDED = re.compile(  # for the case-folded text: faster than ignoring case
    r"key[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}|token[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}"
    r"|p(?:wd|w|ass|assword)[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}|aws_?secret_?access_?key"
    r"|aws.{0,20}?(?:key|pwd|pw|pass|token).{0,24}?['\"][0-9a-z/+]{40}"
    r"|xox[abposr]-[\d-]|hooks\.slack\.com/|softlayer.com/|cloudant\.com"
)

# Not compiled until a text needs them.
_CAPTURES_A_PREFIX = ("GitHub Token", "GitLab Token")
_TAIL = r"[\w-]*"
_JWT_TAIL = r"[\w=-]*(?:\.[\w=+/-]+)?"
_ALLOWED = r"(?i)pragma: allowlist secret|(?:<!--|%%|#|//)\s*allow-secret\b"
_KEY_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----BEGIN)[\s\S])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\\[rn]|\s)+[\w+/=]{16,})*)"  # cut off: the lines that are still key
    r"|PuTTY-User-Key-File-[0-9](?:[\s\S]*?Private-MAC: [0-9a-f]+)?"
)
_PLACEHOLDER = (
    r"(?i)\.+|…|x+|\*+|[$%<{\[].*|pass(?:word|wd|phrase)?|pwd?|secret|token|change-?me|example"
    r"|your[-_]?\w*|redacted"
)


class Finding(NamedTuple):
    """A secret in a text: offsets of its value, where that is, what it is."""

    start: int
    end: int
    line: int
    column: int
    kind: str
    value: str


def check(change: Change) -> list[Problem]:
    """SE01, one problem a value and place; the value is masked."""
    found: list[Problem] = []
    known: frozenset[str] | None = None
    for file in change.files:
        accepted = frozenset(change.rules.baseline.get(file.path, ()))
        if file.added:
            found += _in_name(file.path, accepted)
        text = _text(file)
        if not may_hold(text):
            continue
        if known is None:
            known = _lines_before(change)
        for finding in _new(text, known, allowed=change.agent is None):
            if f"SE01:{fingerprint(finding.value)}" not in accepted:
                found.append(_problem(file.path, finding))
    if change.message is not None:
        found += [_problem(MESSAGE, finding) for finding in findings(change.message)]
    return found


def findings(text: str) -> list[Finding]:
    """Every secret in `text`, in order, none overlapping; allow comments and baseline are not asked."""
    if not may_hold(text):
        return []
    found: list[Finding] = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        found += _in_line(line, number, start)
        start += len(line) + 1
    return found


def redact(text: str) -> tuple[str, int]:
    """The text with `[REDACTED kind]` in place of every secret, and how many there were.

    Of a private key the whole block goes. Allow comments do not count here: the text may come from anywhere.
    """
    if not may_hold(text):
        return text, 0
    blocks = [(match.start(), match.end(), "Private Key") for match in re.finditer(_KEY_BLOCK, text)]
    spans = [(finding.start, finding.end, finding.kind) for finding in findings(text)]
    out: list[str] = []
    done = count = 0
    for start, end, kind in sorted(blocks + spans, key=lambda span: (span[0], -span[1])):
        if end <= done:
            continue
        out += [text[done : max(start, done)], f"[REDACTED {kind}]"]
        done = end
        count += 1
    return "".join([*out, text[done:]]), count


def may_hold(text: str) -> bool:
    """False where certainly nothing finds a secret in `text`; costs no import."""
    return bool(_HINT.search(text) or _HINT_FOLDED.search(text.casefold()))


def fingerprint(value: str) -> str:
    """What the baseline remembers of an accepted value: the first 16 hex digits of its SHA-256."""
    from hashlib import sha256

    return sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _text(file: FileChange) -> str:
    data = file.after or b""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data and not file.path.lower().endswith(".md"):
        return ""  # a picture, an archive: its bytes look like anything
    return data.decode("utf-8", "replace")


def _lines_before(change: Change) -> frozenset[str]:
    """Lines that stand somewhere in the parents' versions of the changed files: also after a note moved."""
    versions = (data.decode("utf-8", "replace") for file in change.files for data in file.before if data)
    return frozenset(line.strip() for text in versions for line in text.split("\n"))


def _new(text: str, known: frozenset[str], *, allowed: bool) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() in known or (allowed and re.search(_ALLOWED, line)):
            continue
        yield from _in_line(line, number, 0)


def _in_line(line: str, number: int, offset: int) -> list[Finding]:
    if not may_hold(line):
        return []
    spans = sorted((*_by_own(line), *_by_library(line)), key=lambda span: (span[0], -span[1]))
    found: list[Finding] = []
    end = 0
    for start, stop, kind in spans:
        if start >= end:
            found.append(Finding(offset + start, offset + stop, number, start + 1, kind, line[start:stop]))
            end = stop
    return found


def _by_own(line: str) -> Iterator[tuple[int, int, str]]:
    for kind, pattern in _OWN:
        for match in re.finditer(pattern, line):
            group = match.re.groups
            if _plausible(kind, match[group], line[match.end(group) :]):
                yield *match.span(group), kind


def _by_library(line: str) -> Iterator[tuple[int, int, str]]:
    for plugin in _plugins():
        kind = plugin.secret_type
        for pattern in plugin.denylist:
            for match in pattern.finditer(line):
                # Some patterns capture the value, some only a prefix of it, some take white space around it
                # along.
                group = int(pattern.groups > 0 and kind not in _CAPTURES_A_PREFIX)
                value = match[group].strip(' \t"=:')
                start = match.start(group) + match[group].index(value)
                stop = start + len(value)
                found = next(iter(plugin.analyze_string(match[0])), None) is not None
                if not found or not _plausible(kind, value, line[stop:]):
                    continue
                if group == 0:
                    tail = re.match(_JWT_TAIL if kind == "JSON Web Token" else _TAIL, line[stop:])
                    stop += tail.end() if tail else 0
                yield start, stop, kind


def _plausible(kind: str, value: str, rest: str) -> bool:
    """False for what a plugin takes for a secret and is a word, a name of a note or a placeholder."""
    if "EXAMPLE" in value:  # as in AWS's own documentation
        return False
    if kind == "Artifactory Credentials":
        return any(c.isdigit() for c in value)
    if kind in ("IBM Cloud IAM Key", "Telegram Bot Token"):
        return value != value.lower() and value != value.upper()
    if kind == "Basic Auth Credentials":
        return len(value) > 2 and not re.fullmatch(_PLACEHOLDER, value) and not rest.startswith("@sha256:")
    if kind in ("API Token", "OpenAI Token", "Anthropic Token", "OpenRouter Token", "Hugging Face Token"):
        return any(c.isdigit() or c.isupper() for c in value)
    return True


def _in_name(path: str, accepted: frozenset[str]) -> list[Problem]:
    return [
        _problem(redact(path)[0], finding._replace(line=1, column=1))
        for finding in findings(path)
        if f"SE01:{fingerprint(finding.value)}" not in accepted
    ]


def _problem(path: str, finding: Finding) -> Problem:
    # Of a short password four characters would be most of it.
    shown = finding.value[: 4 if len(finding.value) >= 16 else 1]
    what = f"a secret: {finding.kind}, {shown}…"
    mend = "take it out, renew it where it is used; if it is none, a person adds <!-- allow-secret --> there"
    return Problem(path, finding.line, finding.column, "SE01", what, mend)


@cache
def _plugins() -> list[Any]:
    from importlib import import_module

    return [getattr(import_module(f"detect_secrets.plugins.{name}"), kind)() for name, kind in PLUGINS.items()]
