"""SE01. Nothing here looks like a token in the source: all of them are put together at run time."""

from __future__ import annotations

import base64
import json
import os
import random
import re
import string
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from support import examples

from vaultgit import checks
from vaultgit.checks import secrets
from vaultgit.checks.change import FileChange
from vaultgit.checks.problem import MESSAGE

DICE = random.Random(61)
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def some(count, of=ALNUM):
    return "".join(DICE.choice(of) for _ in range(count - 3)) + "aZ7"[: 3 if of is ALNUM else 0].ljust(3, of[0])


def jwt():
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256"}, {"sub": "ada"})]
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), some(43)])


# Text with one secret, and the part of it that must not be seen.
TOKENS = {
    "github": "gh" + "p_" + some(36),
    "github oauth": "gh" + "o_" + some(40),
    "github fine-grained": "github" + "_pat_" + some(30),
    "gitlab": "gl" + "pat-" + some(20),
    "gitlab trigger": "glp" + "tt-" + some(40),
    "gitlab runner": "GR134" + "8941" + some(20),
    "aws id": "AK" + "IA" + some(16, string.ascii_uppercase + "234567"),
    "aws secret": "aws" + "_secret_access_key = " + some(40),
    "slack": "xo" + "xb-" + "123456789012-" + some(24, HEX),
    "slack app": "xa" + "pp-1-" + some(40, string.ascii_uppercase),
    "slack hook": "https://hooks." + "slack.com/services/T" + some(8) + "/B" + some(8) + "/" + some(24),
    "stripe": "sk" + "_live_" + some(24),
    "twilio": "S" + "K" + some(32, HEX),
    "openai old": "sk" + "-" + some(20) + "T3Blbk" + "FJ" + some(20),
    "openai": "sk" + "-proj-" + some(60) + "-_" + some(20),
    "anthropic": "sk" + "-ant-api03-" + some(90) + "-AA",
    "openrouter": "sk" + "-or-v1-" + some(64, HEX),
    "api": "sk" + "-" + some(32, HEX) + "9",
    "google": "AI" + "za" + some(35),
    "google oauth": "GOC" + "SPX-" + some(28),
    "hugging face": "h" + "f_" + some(34),
    "npm": "np" + "m_" + some(36),
    "npmrc": "//registry.example.invalid/:_auth" + "Token=" + "01234567-89ab-cdef-" + "0123-456789abcdef",
    "pypi": "py" + "pi-AgEI" + "cHlwaS5vcmc" + some(80),
    "sendgrid": "S" + "G." + some(22) + "." + some(43),
    "telegram": "123456789" + ":" + "AA" + some(33),
    "discord": "M" + some(23) + "." + some(6) + "." + some(27),
    "azure": "Account" + "Key=" + some(86) + "==",
    "jwt": jwt(),
    "private key": "-----BEGIN " + "OPENSSH PRIVATE" + " KEY-----\\n" + some(70),
    "encrypted key": "-----BEGIN " + "ENCRYPTED PRIVATE" + " KEY----- " + some(64),
    "age": "AGE-SECRET" + "-KEY-1" + some(58, string.ascii_uppercase + "234567"),
    "square": "sq0" + "csp-" + some(43),
    "mailchimp": some(32, HEX) + "-u" + "s12",
    "artifactory": "AK" + "C" + some(70),
    "softlayer": "softlayer" + "_key = " + some(64, HEX),
    "cloudant": "cloudant" + "_password = " + some(64, HEX),
    "ibm": "ibm_cloud" + "_api_key = " + some(44),
    "cos": "cos" + "_secret_access_key = " + some(48, HEX),
    "groq": "gs" + "k_" + some(52),
    "xai": "xa" + "i-" + some(80),
    "perplexity": "ppl" + "x-" + some(48),
    "replicate": "r" + "8_" + some(37),
    "supabase": "sb" + "p_" + some(40, HEX),
    "notion": "nt" + "n_" + some(46),
    "notion old": "secr" + "et_" + some(43),
    "linear": "lin" + "_api_" + some(40),
    "figma": "fig" + "d_" + some(40),
    "airtable": "pa" + "t" + some(14) + "." + some(64, HEX),
    "digitalocean": "dop" + "_v1_" + some(64, HEX),
    "vault": "hv" + "s." + some(90),
    "docker": "dckr" + "_pat_" + some(27),
    "databricks": "da" + "pi" + some(32, HEX),
    "shopify": "shp" + "at_" + some(32, HEX),
    "atlassian": "ATA" + "TT3" + some(180),
    "google access": "ya" + "29." + some(100),
    "stripe webhook": "wh" + "sec_" + some(32),
    "grafana": "gl" + "sa_" + some(32) + "_" + some(8, HEX),
    "grafana cloud": "gl" + "c_ey" + "J" + some(80),
    "sentry": "sntr" + "ys_ey" + "J" + some(80),
    "postman": "PM" + "AK-" + some(24, HEX) + "-" + some(34, HEX),
    "tailscale": "ts" + "key-auth-" + some(12) + "-" + some(32),
    "doppler": "dp" + ".pt." + some(43),
    "pulumi": "pu" + "l-" + some(40, HEX),
    "fly": "Fly" + "V1 fm" + "2_" + some(80),
    "brevo": "xkey" + "sib-" + some(64, HEX) + "-" + some(16),
    "discord hook": "https://discord" + ".com/api/webhooks/" + "123456789012345678" + "/" + some(68),
    "url": "postgres:" + "//kit:" + "Sw0rd-fish" + "-77@db.example.invalid/home",
    "redis": "redis:" + "//:" + "p4ss!$w0rd" + "@cache.example.invalid:6379",
}
VALUE = {"url": "Sw0rd-fish-77", "redis": "p4ss!$w0rd", "npmrc": "01234567-89ab-cdef-0123-456789abcdef"}
VALUE["discord hook"] = TOKENS["discord hook"].removeprefix("https://")


def value(name):
    return VALUE.get(name, TOKENS[name].rpartition(" = ")[2])


def places(problems):
    return [(p.path, p.line, p.column, p.code) for p in problems]


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("agent", [None, "codex"])
def test_se01_finds_and_masks(change, name, agent):
    line = f"the kitchen light uses {TOKENS[name]} ok"
    found = secrets.check(change(("n/home.md", b"# Home\n", f"# Home\nä {line}\n".encode()), agent=agent))
    column = len("ä ") + line.index(value(name).removeprefix("-----").removesuffix("-----")) + 1
    assert places(found) == [("n/home.md", 2, column, "SE01")]
    assert value(name) not in str(found[0]) and "…" in found[0].message


@pytest.mark.parametrize("name", TOKENS)
def test_se01_in_the_message_and_in_a_file_name(change, name):
    found = secrets.check(change(message=f"subject\n\n{TOKENS[name]}"))
    assert [(p.path, p.line, p.code) for p in found] == [(MESSAGE, 3, "SE01")]
    found = secrets.check(change((f"n/ {TOKENS[name]} .md", None, b"")))
    assert [p.code for p in found] == ["SE01"]
    assert value(name) not in str(found[0])


@pytest.mark.parametrize("name", TOKENS)
def test_redact(name):
    got, count = secrets.redact(f"the kitchen light uses {TOKENS[name]} ok\nand more")
    assert count == 1
    assert value(name) not in got and value(name)[-8:] not in got
    assert re.fullmatch(r"the kitchen light uses \S*( = )?\[REDACTED [\w ]+\]\S* ok\nand more", got)
    assert secrets.redact(got) == (got, 0)


@pytest.mark.parametrize(
    "line",
    [
        "see https://example.invalid/a:b and mail ada@example.invalid",
        "git@github.com:ada/notes.git, ssh://git@host.invalid:22/x",
        "http://localhost:8080/@scope/pkg",
        "docker://alpine:3.18@sha256:" + "ab" * 32,
        "postgres://user:password@host/db, https://USER:$TOKEN@host, https://a:<token>@host, x://u:****@h",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "the key: 2026-11-29-a-long-kebab-name-that-has-44-chars-x",
        "task-organisation-of-the-whole-department, risk-proj-planning-for-the-coming-year",
        "20261129:a-long-lower-case-slug-behind-a-day-number",
        "an ANTICIPATED APPENDICITIS in APARECIERON",
        "password: hunter2, api_key = something",
        "192.0.2.17 and 8.8.8.8",
        "AK" + "IA" + "IOSFODNN7EXAMPLE",
        "the token is a JSON Web Token, its header begins with eyJ",
        # inside a longer run
        "data:image/png;base64,iVBORw0KGgo" + "AK" + "IA" + "Q" * 3 + "ZXW12345678AB" + "x/9k=",
        "b" + "S" + "K" + "0a1b2c3d" * 4,
        "A" + "C" + "0a1b2c3d" * 4 + "/",
        # a mention of a key, not the key
        "begins with -----BEGIN " + "RSA PRIVATE" + " KEY-----, then base64, see " + "ab12" * 10,
        "-----BEGIN " + "RSA PRIVATE" + " KEY-----\n...\n-----END " + "RSA PRIVATE" + " KEY-----",
        "PuTTY" + "-User-Key-File-3: is how a .ppk begins",
        # placeholders
        "gh" + "p_" + "x" * 36,
        "gh" + "p_" + "ab0" * 12,
        "AK" + "IA" + "X" * 16,
        "sk" + "-ant-api03-your-key-here-0000-Zz9-Zz9",
        "sk" + "-proj-Example-of-a-key-12345678",
        "postgres://app:" + "Sw0rd-77@localhost:5432/db",
        "https://ada:" + "Sw0rd-77@api.example.com/x",
        "amqp://guest:" + "guest@mq.invalid",
        "AK" + "C" + "aB3" * 8,
        "AK" + "C" + "ab3d" * 12,
        "ey"
        + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
        + ".ey"
        + "JzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
        + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        # prefixes in prose
        "secret_santa_list_for_the_whole_family_this_year, xai-based, pul-over, ya29. hvs. dp.pt. FlyV1 fm2_ gsk_",
        "secret_thiswordhasnodigitnorcapitalanditisverylong",
        "[REDACTED GitHub Token] https://kit:[REDACTED Basic Auth Credentials]@db.invalid",
        "^01jdx3k9m2qtw7ab",
        "![[Pasted image 20261129211000.png]] [[notes/some-very-long-note-name-with-many-words|alias]]",
    ],
)
def test_se01_passes(change, line):
    assert secrets.check(change(("a.md", None, line.encode()), message=f"x\n\n{line}")) == []
    assert secrets.redact(line) == (line, 0)


@pytest.mark.parametrize(
    "token",
    ["gh" + "p_" + "Zz9" * 12, "AK" + "IA" + "QZXW12345678ABCD", "sk" + "-or-v1-" + "0a1b2c3d" * 8,
     "postgres://kit:" + "Sw0rd-fish-77" + "@db.example.invalid/home"],
)  # fmt: skip
def test_se01_made_up_values_that_are_no_placeholders(token):
    assert len(secrets.findings(f"the kitchen light uses {token} ok")) == 1


def test_se01_not_in_third_party_code(change):
    data = TOKENS["github"].encode()
    for name in ("plugins/x/main.js", "plugins/x/styles.css", "plugins/x/manifest.json", "themes/N/theme.css",
                 "snippets/a.css"):  # fmt: skip
        assert secrets.check(change((f".obsidian/{name}", None, data))) == []
    for name in ("plugins/x/data.json", "plugins/main.js", "app.json"):
        assert len(secrets.check(change((f".obsidian/{name}", None, data)))) == 1


def test_se01_a_private_key_over_several_lines(change):
    head = "-----BEGIN " + "RSA PRIVATE" + " KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,00\r\n\r\n"
    putty = "PuTTY" + "-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: a\nPublic-Lines: 6\n"
    for text in (f"a\n{head}{some(64)}\r\n", f"a\n{putty}{some(64)}\n"):
        assert [p.line for p in secrets.check(change(("a.txt", b"a\n", text.encode())))] == [2]


def test_se01_judges_new_lines_only(change):
    old = f"a\nuses {TOKENS['github']} ok\n".encode()
    assert secrets.check(change(("a.md", old, b"top\n" + old.replace(b"\n", b"\r\n")))) == []
    assert secrets.check(change(FileChange("a.md", (b"other", old), old + b"more"))) == []
    assert secrets.check(change(("a.md", old, None), ("b.md", None, old))) == []
    assert places(secrets.check(change(("a.md", b"a\n", old)))) == [("a.md", 2, 6, "SE01")]
    assert places(secrets.check(change(FileChange("a.md", (), old)))) == [("a.md", 2, 6, "SE01")]


@pytest.mark.parametrize(
    "comment",
    ["<!-- allow-secret -->", "%% allow-secret %%", "# allow-secret", "<!-- pragma: allowlist secret -->"],
)
def test_se01_allow_comment_of_a_person(change, comment):
    line = f"uses {TOKENS['github']} {comment}\n"
    assert secrets.check(change(("a.md", None, line.encode()))) == []
    assert len(secrets.check(change(("a.md", None, f"{comment}\n{line}uses {TOKENS['gitlab']}".encode())))) == 1
    assert len(secrets.check(change(("a.md", None, line.encode()), agent="codex"))) == 1
    assert secrets.check(change(("a.md", line.encode(), b"more\n" + line.encode()), agent="codex")) == []


def test_se01_baseline(change, rules_of):
    accepted = f"SE01:{secrets.fingerprint(TOKENS['github'])}"
    rules = rules_of({".vaultgit/baseline.json": json.dumps({"a.md": [accepted]}).encode()})
    data = f"{TOKENS['github']}\n{TOKENS['gitlab']}\n".encode()
    assert [p.line for p in checks.run(change(("a.md", None, data), rules=rules), ["secrets"])] == [2]
    assert [p.line for p in checks.run(change(("b.md", None, data), rules=rules), ["secrets"])] == [1, 2]


def test_se01_two_in_a_line_and_encodings(change):
    line = f"{TOKENS['github']} {TOKENS['gitlab']}"
    assert [p.column for p in secrets.check(change(("a.txt", None, line.encode())))] == [1, 42]
    assert len(secrets.check(change(("a.txt", None, line.encode("utf-16"))))) == 2
    assert len(secrets.check(change(("a.md", None, b"\0\xff" + line.encode())))) == 2
    assert secrets.check(change(("a.png", None, b"\0" + line.encode()))) == []


def test_a_short_value_is_masked_nearly_whole(change):
    found = secrets.check(change(("a.md", None, b"x://kit:" + b"abcde@host")))
    assert "a…" in found[0].message and "ab" not in found[0].message


def test_redact_takes_a_whole_private_key():
    begin, end = ("-----{} {} PRIVATE" + " KEY-----" for _ in range(2))
    head, foot = begin.format("BEGIN", "RSA"), end.format("END", "RSA")
    body = "\n".join(some(64) for _ in range(5))
    assert secrets.redact(f"a {head}\n{body}\n{foot} b") == ("a [REDACTED Private Key] b", 1)
    escaped = f"{head}\n{body}\n{foot}".replace("\n", "\\n")
    assert secrets.redact(f'{{"key": "{escaped}"}}') == ('{"key": "[REDACTED Private Key]"}', 1)
    assert secrets.redact(f"a {head}\n{body}\nb is cut off") == ("a [REDACTED Private Key]\nb is cut off", 1)


def test_redact_counts():
    got, count = secrets.redact("\n".join(TOKENS.values()))
    assert count == len(TOKENS)
    assert not [name for name in TOKENS if value(name) in got]


# -- the filter before the library ---------------------------------------------------------------------------


def patterns():
    for module, name in secrets.PLUGINS.items():
        for number, pattern in enumerate(getattr(import_module(f"detect_secrets.plugins.{module}"), name).denylist):
            yield pytest.param(pattern, id=f"{module}-{number}")
    for kind, pattern in secrets._OWN:
        yield pytest.param(re.compile(pattern), id=kind)


PROSE = st.sampled_from(["", "the kitchen light uses ", "a\n\nkey = ", '"', "x=", "https://example.invalid/ "])


@pytest.mark.parametrize("pattern", patterns())
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_filter_misses_nothing_that_a_pattern_finds(pattern, data):
    ascii_only = st.characters(min_codepoint=32, max_codepoint=126)
    token = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=ascii_only))
    text = data.draw(PROSE) + token + data.draw(PROSE)
    if pattern.search(text) and not _invalid_jwt(pattern, text):
        assert secrets.may_hold(text)


def _invalid_jwt(pattern, text):
    from detect_secrets.plugins.jwt import JwtTokenDetector

    return pattern in JwtTokenDetector.denylist and not list(JwtTokenDetector().analyze_string(text))


@pytest.mark.parametrize("name", TOKENS)
def test_the_filter_lets_every_token_through(name):
    assert secrets.may_hold(TOKENS[name]) and secrets.may_hold(f"a {TOKENS[name]}. b")


def test_every_plugin_of_the_library_is_used_or_left_out_on_purpose():
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    left_out = {
        "Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector",
        "NpmDetector",
    }  # fmt: skip
    known = {kind.__name__ for kind in get_mapping_from_secret_type_to_class().values()}
    assert known == set(secrets.PLUGINS.values()) | left_out


def test_ordinary_notes_do_not_load_the_library():
    code = (
        "import sys; from vaultgit.checks import secrets; "
        "text = '# Home\\n\\n[a](https://example.invalid/x:y) key: value, '; "
        "text += 'token, password of #42 [[people/ada]]'; "
        "print(secrets.redact(text)[1], secrets.findings(text), 'detect_secrets' in sys.modules)"
    )
    here = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here)
    assert done.stdout.split() == ["0", "[]", "False"]


def test_long_lines_take_linear_time():
    from time import perf_counter

    def seconds(text):
        start = perf_counter()
        secrets.redact(text + " " + TOKENS["github"])
        return perf_counter() - start

    seconds("warm")
    for piece in ("https://localhost:8080/a ", "//a/b", "aws key ", "://a:b"):
        assert seconds(piece * 20_000) < 5


def test_every_place_in_a_long_line_is_judged():
    for name in ("github", "jwt", "anthropic", "vault"):
        for before in (15_990, 19_990, 31_995, 70_000):
            text = ("ab " * before)[:before] + f" {TOKENS[name]} " + "ab " * 10_000
            assert [(f.start, f.value) for f in secrets.findings(text)] == [(before + 1, TOKENS[name])]


def test_a_token_at_the_end_of_a_long_line_of_prefixes_is_found():
    """The line is looked at in windows that overlap: none is too long, none cuts a token."""
    for prefix in ("sk" + "-", "gh" + "p_", "xox" + "b-1-"):
        for length in (19_990, 39_995, 60_000):
            line = (prefix * length)[:length] + " " + TOKENS["github"]
            assert [finding.line for finding in secrets.findings("one\n" + line)][-1:] == [2], (prefix, length)
