"""SE01: a token, key or password that is about to enter history, where no later edit can take it out again.

The finding is done by the plugins of the detect-secrets library (without its entropy, keyword and IP address
ones: in prose they are nearly always wrong), and by patterns for what the library does not know. Importing
the library costs 200 ms, so a text reaches it only when `_HINT` or `_HINT_FOLDED` says that some plugin may
find something.

Judged: the lines that no file of the change had before (an old secret does not block every later edit, nor a
move), names of new files, and the commit message. Not judged: a line with `<!-- allow-secret -->`, `%%
allow-secret %%`, `# allow-secret` or `pragma: allowlist secret`, where a person wrote it; nor `third_party`.
The baseline remembers the `fingerprint` of a value: another secret in the same note is a new one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

from vaultgit.checks import keyblock
from vaultgit.checks.problem import MESSAGE
from vaultgit.checks.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
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

# The slow ones run only where this stands, case-folded: one takes cubic time on a long run of `sk-`.
_NEEDS = {
    "Artifactory Credentials": r"akc|ap",
    "Cloudant Credentials": r"cl",
    "IBM Cloud IAM Key": r"key|pw|pass|token",
    "IBM COS HMAC Credentials": r"secret|key",
    "OpenAI Token": r"t3blbkfj",
    "SoftLayer Credentials": r"sl|softlayer",
}

# What the library (1.5.0) lacks. No `|` at the top of a pattern that begins with `\b` or `(?<!`.
# The value is group 1 where there is one.
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
    ("Groq Token", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("xAI Token", r"\bxai-[A-Za-z0-9]{60,}"),
    ("Perplexity Token", r"\bpplx-[A-Za-z0-9]{40,}"),
    ("Replicate Token", r"\br8_[A-Za-z0-9]{37,}"),
    ("Supabase Token", r"\bsbp_[a-f0-9]{40,}"),
    ("Notion Token", r"\b(?:ntn|secret)_[A-Za-z0-9]{43,}"),
    ("Linear Token", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("Figma Token", r"\bfig[dou]r?_[\w-]{40,}"),
    ("Airtable Token", r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("DigitalOcean Token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Vault Token", r"\bhv[sbr]\.[\w-]{24,}"),
    ("Docker Token", r"\bdckr_[po]at_[\w-]{27,}"),
    ("Databricks Token", r"\bdapi[a-f0-9]{32}"),
    ("Shopify Token", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("Atlassian Token", r"\bATATT3[\w=-]{60,}"),
    ("Google OAuth Token", r"\bya29\.[\w-]{30,}"),
    ("Stripe Webhook Secret", r"\bwhsec_[A-Za-z0-9+/]{32,}"),
    ("Grafana Token", r"\bglsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("Grafana Token", r"\bglc_eyJ[A-Za-z0-9+/=]{30,}"),
    ("Sentry Token", r"\bsntrys_eyJ[\w+/=]{40,}"),
    ("Sentry Token", r"\bsntryu_[a-f0-9]{64}"),
    ("Postman Token", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("Tailscale Token", r"\btskey-[a-z]+-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}"),
    ("Doppler Token", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,}"),
    ("Pulumi Token", r"\bpul-[a-f0-9]{40}"),
    ("Fly Token", r"\bFlyV1 fm\d[ar]?_[\w+/=-]{40,}"),
    ("Brevo Token", r"\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ("Discord Webhook", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,}/[\w-]{60,}"),
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
    # Tails of many prefixes at once: rare in prose, and cheaper than a branch for each.
    r"|_[A-Za-z0-9+/]{30}|-[A-Za-z0-9]{20}|_[po]at_[\w-]{27}|fig[dou]r?_[\w-]{40}|ATATT3|FlyV1 fm"
    r"|\.(?<=hv[sbr]\.)[\w-]{24}|\.(?<=ya29\.)[\w-]{30}|\.(?<=\bdp\.)[a-z]{2,5}\.|\.[a-f0-9]{64}"
    r"|PMAK-|_eyJ|api[a-f0-9]{32}"
)
_HINT_FOLDED = re.compile(  # for the case-folded text: faster than ignoring case
    r"key[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}|token[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}"
    r"|p(?:wd|w|ass|assword)[\"']?\]?[ :=>]+[\"']?[a-z0-9_-]{24}|aws_?secret_?access_?key"
    r"|aws.{0,20}?(?:key|pwd|pw|pass|token).{0,24}?['\"][0-9a-z/+]{40}"
    r"|xox[abposr]-[\d-]|hooks\.slack\.com/|/api/(?:v\d+/)?webhooks/|softlayer.com/|cloudant\.com"
)

_SHORTEST = 6  # characters of a word that may hold a secret: `://:a@`
_RUN = 24  # what the patterns that allow a blank before a value want that to have, at least
_LONG_RUN = re.compile(r"[A-Za-z0-9_-]{24}|[A-Za-z0-9/+]{40}")
_PHRASES = ("PRIVATE KEY", "FlyV1 fm")  # and what else has a blank inside

# Not compiled until a text needs them.
_CAPTURES_A_PREFIX = ("GitHub Token", "GitLab Token")
_TAIL = r"[\w-]*"
_JWT_TAIL = r"[\w=-]*(?:\.[\w=+/-]+)?"
_ALLOWED = r"(?i)pragma: allowlist secret|(?:<!--|%%|#|//)\s*allow-secret\b"
# Whose pattern in the library ends anywhere in a longer run, such as base64 of a picture.
_UNBOUNDED = ("AWS Access Key", "Artifactory Credentials", "Twilio API Key")
_SAMPLE = (  # in the secret part of a value
    r"(?i)example|placeholder|redacted|x{4}|\*{4}|(?:your|my)[-_](?:\w+[-_])?(?:key|token|secret|password)"
    r"|(?:key|token|secret)[-_]here|(?:change|replace)[-_]?(?:me|this)"
)
_SAMPLE_JWT = "zdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"  # jwt.io: {"sub":"1234567890","name":"John Doe
_SAMPLE_HOST = (
    r"(?i)@(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|(?:[\w-]+\.)*example(?:\.(?:com|org|net))?)(?![\w.-])"
)
_WINDOW = 20_000  # of a longer line, a pattern sees that much at a time:
_OVERLAP = 4_000  # the last part only for the values that begin before it
_THIRD_PARTY = re.compile(
    r"(?:.*/)?\.obsidian/(?:plugins/[^/]+/(?:main\.js|styles\.css|manifest\.json)|(?:themes|snippets)/.*)",
    re.DOTALL,
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
        if third_party(file.path):
            continue
        if file.added:
            found += [_problem(redact(file.path)[0], one._replace(line=1, column=1)) for one in findings(file.path)]
        text = _text(file)
        if not may_hold(text):
            continue
        if known is None:
            known = _lines_before(change)
        ignored = _ignored(known, allowed=change.agent is None)
        found += [_problem(file.path, finding) for finding in _in_lines(text, ignored)]
    if change.message is not None:
        found += [_problem(MESSAGE, finding) for finding in findings(change.message)]
    return found


def findings(text: str) -> list[Finding]:
    """Every secret in `text`, in order, none overlapping; allow comments and baseline are not asked."""
    return list(_in_lines(text)) if may_hold(text) else []


def redact(text: str) -> tuple[str, int]:
    """The text with `[REDACTED kind]` in place of every secret, and how many there were.

    Of a private key the whole block goes, or what there is of it. Allow comments do not count here: the text may come
    from anywhere. Whoever shortens a text does it after this: what is cut is not known any more.
    """
    blocks = [(start, end, "Private Key") for start, end in keyblock.spans(text)]
    if not blocks and not may_hold(text):
        return text, 0
    spans = [(finding.start, finding.end, finding.kind) for finding in _in_lines(text)]
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
    """False where certainly nothing finds a secret in `text`; costs no import.

    Seeking in words that could be one is four times as fast as in the whole text: what is shorter than any secret, or
    a short word of letters only, is none (but for those of Artifactory). Few patterns reach over a blank.
    """
    words = [
        word
        for word in set(text.split())
        if len(word) >= _SHORTEST and (len(word) >= _RUN or not word.isalpha() or word.startswith(("AP", "AKC")))
    ]
    if any(len(word) >= _RUN and _LONG_RUN.search(word) for word in words):
        return bool(_HINT.search(text) or _HINT_FOLDED.search(text.casefold()))
    joined = " ".join(words)
    return (
        bool(_HINT.search(joined) or _HINT_FOLDED.search(joined.casefold()))
        or any(phrase in text for phrase in _PHRASES)
    )  # fmt: skip


def is_allowed(line: str) -> bool:
    """Whether a line itself says that it holds no secret."""
    return re.search(_ALLOWED, line) is not None


def third_party(path: str) -> bool:
    """Code of Obsidian's plugins and themes: nobody here wrote it. Their settings (data.json) are not code."""
    return _THIRD_PARTY.fullmatch(path) is not None


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


def _ignored(known: frozenset[str], *, allowed: bool) -> Callable[[str], bool]:
    return lambda line: line.strip() in known or (allowed and is_allowed(line))


def _in_lines(text: str, ignored: Callable[[str], bool] | None = None) -> Iterator[Finding]:
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        # A text of one line was asked by the caller.
        if (len(line) == len(text) or len(line) > _WINDOW or may_hold(line)) and not (ignored and ignored(line)):
            for start, stop, kind in _in_line(line, text, offset):
                yield Finding(offset + start, offset + stop, number, start + 1, kind, line[start:stop])
        offset += len(line) + 1


def _in_line(line: str, text: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Spans of what is found in `line`, which stands at `offset` in `text`."""
    begin = end = 0
    while True:
        stop = min(begin + _WINDOW, len(line))
        owned = stop if stop == len(line) else stop - _OVERLAP  # what begins behind is the next window's
        if len(line) <= _WINDOW or may_hold(line[begin:stop]):
            spans = (*_by_own(line, begin, stop), *_by_library(line, begin, stop))
            for start, after, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
                if end <= start < owned and not (
                    kind == "Private Key" and line[start] != "A" and not keyblock.follows(text, offset + start)
                ):
                    yield start, after, kind
                    end = after
        if stop == len(line):
            return
        begin = max(owned, end)


def _by_own(line: str, begin: int, stop: int) -> Iterator[tuple[int, int, str]]:
    for kind, pattern in _OWN:
        if line.find(_literal(pattern), begin, stop) < 0:
            continue
        for match in re.compile(pattern).finditer(line, begin, stop):
            start, end = match.span(match.re.groups)
            if _plausible(kind, line, start, end):
                # What the window cut off.
                yield start, _with_tail(line, end, _TAIL) if end == stop else end, kind


@cache
def _literal(pattern: str) -> str:
    """What a value must begin with by one of our patterns: seeking that is much faster than `re` is with `\\b`."""
    match = re.match(r"(?:\\b|\(\?<!\[[^]]+\]\))([A-Za-z0-9_-]+)", pattern)
    return match[1] if match else ""


def _by_library(line: str, begin: int, stop: int) -> Iterator[tuple[int, int, str]]:
    folded = line[begin:stop].casefold()
    for plugin in _plugins():
        kind = plugin.secret_type
        if not re.search(_NEEDS.get(kind, ""), folded):
            continue
        for pattern in plugin.denylist:
            done = begin
            for match in pattern.finditer(line, begin, stop):
                if match.start() < done:
                    continue
                # Some patterns capture the value, some only a prefix of it, some take white space around it
                # along.
                group = int(pattern.groups > 0 and kind not in _CAPTURES_A_PREFIX)
                value = match[group].strip(' \t"=:')
                start = match.start(group) + match[group].index(value)
                end = start + len(value)
                found = next(iter(plugin.analyze_string(match[0])), None) is not None
                if not found or not _plausible(kind, line, start, end):
                    continue
                if group == 0:
                    end = _with_tail(line, end, _JWT_TAIL if kind == "JSON Web Token" else _TAIL)
                yield start, end, kind
                done = end


def _with_tail(line: str, end: int, tail: str) -> int:
    match = re.compile(tail).match(line, end)
    return match.end() if match else end


def _plausible(kind: str, line: str, start: int, end: int) -> bool:
    """False for what a plugin takes for a secret and is a word, a name of a note or a placeholder."""
    value = line[start:end]
    if kind == "Basic Auth Credentials":
        return _plausible_password(line, start, end)
    if kind == "Private Key":
        return True
    if _is_sample(value):
        return False
    if kind in _UNBOUNDED and re.search(r"[A-Za-z0-9+/]", line[max(start - 1, 0) : start] + line[end : end + 1]):
        return False
    if kind == "Artifactory Credentials":
        return len(value) >= 40 and _is_mixed(value[3:])
    if kind in ("IBM Cloud IAM Key", "Telegram Bot Token"):
        return value != value.lower() and value != value.upper()
    if kind == "JSON Web Token":
        return _SAMPLE_JWT not in value
    if kind == "Notion Token" or kind == "Figma Token":
        return _is_mixed(value)
    if kind in ("API Token", "OpenAI Token", "Anthropic Token", "OpenRouter Token", "Hugging Face Token"):
        return any(c.isdigit() or c.isupper() for c in value)
    return True


def _is_mixed(value: str) -> bool:
    return all(re.search(some, value) for some in ("[a-z]", "[A-Z]", "[0-9]"))


def _is_sample(value: str) -> bool:
    secret = value[-16:]  # longer than any prefix leaves of a token
    return (len(set(secret)) <= 3 and not _is_mixed(secret)) or re.search(_SAMPLE, value) is not None


def _plausible_password(line: str, start: int, end: int) -> bool:
    value = line[start:end]
    user = line[line.rfind("://", max(start - 200, 0), start) + 3 : start - 1]
    if len(value) <= 2 or value == user or re.fullmatch(_PLACEHOLDER, value) or line.startswith("@sha256:", end):
        return False
    return re.compile(_SAMPLE_HOST).match(line, end) is None


def _problem(path: str, finding: Finding) -> Problem:
    # Of a short password four characters would be most of it.
    shown = finding.value[: 4 if len(finding.value) >= 16 else 1]
    what = f"a secret: {finding.kind}, {shown}…"
    mend = "take it out, renew it where it is used; if it is none, a person adds <!-- allow-secret --> there"
    return Problem(path, finding.line, finding.column, "SE01", what, mend, fingerprint(finding.value))


@cache
def _plugins() -> list[Any]:
    from importlib import import_module

    return [getattr(import_module(f"detect_secrets.plugins.{name}"), kind)() for name, kind in PLUGINS.items()]
