"""A private key goes whole, also where its first or its last line is missing. Keys are put together at run time."""

from __future__ import annotations

import base64
import random
from time import process_time

import pytest

from vaultgit.checks import secrets

DICE = random.Random(11)


def coded(size: int) -> list[str]:
    text = base64.b64encode(DICE.randbytes(size)).decode()
    return [text[at : at + 64] for at in range(0, len(text), 64)]


def ends(name: str, dashes: str = "-----") -> tuple[str, str]:
    first, last = (f"{dashes}{word} {name} PRIVATE" + f" KEY{dashes}" for word in ("BEGIN", "END"))
    return first, last


BODY, PUBLIC = coded(2377), coded(300)
RSA, (SSH2, SSH2_END) = ends("RSA"), ends("SSH2 ENCRYPTED", "---- ")
PGP = [end.replace("KEY", "KEY BLOCK") for end in ends("PGP")]
KEYS = {
    "pem": [RSA[0], *BODY, RSA[1]],
    "encrypted": [RSA[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF", "", *BODY, RSA[1]],
    "putty": ["PuTTY-User" + "-Key-File-3: ssh-rsa", "Encryption: none", "Comment: ada, at home", "Public-Lines: 7", *PUBLIC,
              f"Private-Lines: {len(BODY)}", *BODY, "Private" + "-MAC: " + "0a1b2c3d" * 8],
    "pgp": [PGP[0], "Version: GnuPG v2", "", *BODY, "=aB3d", PGP[1]],
    "ssh.com": [SSH2.strip(), 'Comment: "ada"', *BODY, SSH2_END.strip()],
    "dashes of an editor": [ends("OPENSSH")[0].replace("---", "—"), *BODY, ends("OPENSSH")[1].replace("---", "—")],
}  # fmt: skip
PARTS = {
    "whole": lambda lines: lines,
    "no last line": lambda lines: lines[:-1],
    "no first line": lambda lines: lines[1:],
    "first half": lambda lines: lines[: len(lines) // 2],
    "last half": lambda lines: lines[len(lines) // 2 :],
}
SHAPES = {
    "plain": "\n".join,
    "crlf": "\r\n".join,
    "spaces": " ".join,
    "blank lines": "\n\n".join,
    "json": "\\n".join,
    "json in json": "\\\\n".join,
    "quoted": lambda lines: "\n".join(f"> {line}" for line in lines),
    "indented": lambda lines: "\n".join(f"    {line}" for line in lines),
    "numbered": lambda lines: "\n".join(f"{n:3d}  {line}" for n, line in enumerate(lines, 1)),
    "numbered with colons": lambda lines: "\n".join(f"{n}: {line}" for n, line in enumerate(lines, 1)),
    "list": lambda lines: "\n".join(f"- {line}" for line in lines),
    "table": lambda lines: "\n".join(f"| {line} |" for line in lines),
    "diff": lambda lines: "\n".join(f"+{line}" for line in lines),
    "code": lambda lines: "\n".join(f"`{line}`" for line in lines),
    "strings": lambda lines: "\n".join(f'"{line}\\n" +' for line in lines),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("key", KEYS)
def test_what_there_is_of_a_key_goes(key: str, part: str, shape: str) -> None:
    text = SHAPES[shape](PARTS[part](KEYS[key]))
    got, count = secrets.redact(f"We talk of a key here.\n{text}\nAnd then we go on.")
    assert [line for line in BODY if line in got] == []
    assert count == 1 and got.startswith("We talk of a key here.") and got.endswith("And then we go on.")
    assert secrets.redact(got) == (got, 0)


def test_cut_anywhere_nothing_is_left_of_it_but_less_than_a_line() -> None:
    for key in ("pem", "pgp", "putty"):
        text = "\n".join(KEYS[key])
        for at in range(100, len(text) - 100, 37):
            for rest in (text[:at], text[at:]):
                got, _ = secrets.redact(rest)
                if max((len(word) for word in rest.split()), default=0) >= 32 and (
                    "PRIVATE" in rest or "Private-" in rest
                ):
                    assert not [line for line in BODY if line in got], (key, at)


@pytest.mark.parametrize(
    "text",
    [
        "It ends with " + RSA[1] + ", and the lines before are base64.",
        RSA[0] + "\n...\n" + RSA[1],
        "an internationalization of\n" + RSA[1],
        "the sum is " + "0123456789abcdef" * 4 + "\n" + RSA[1],
        "/home/ada/projects/csv-importer\n" + RSA[1],
        "Private-Lines: 14, then Private-" + "MAC: 00",
    ],
)
def test_a_mention_of_a_keys_end_is_none(text: str) -> None:
    assert secrets.redact(text) == (text, 0)


def test_two_keys_and_what_stands_between_them() -> None:
    one, two = "\n".join(KEYS["pem"]), "\n".join(KEYS["putty"])
    mark = "[REDACTED Private Key]"
    assert secrets.redact(f"a\n{one}\nb\n{two}\nc") == (f"a\n{mark}\nb\n{mark}\nc", 2)
    rest = "\n".join(KEYS["pem"][9:])
    got, count = secrets.redact(f"a\n{one}\nb b b\n{rest}\nc")  # the line end before a rest may be taken as its own
    assert (got.replace(f"\n{mark}", mark), count) == (f"a{mark}\nb b b{mark}\nc", 2)


@pytest.mark.parametrize(
    "unit",
    [KEYS["putty"][0] + "\n", RSA[0] + "\n", RSA[1] + "\n", KEYS["putty"][-1][:20] + "\n", "Private-Lines: 4\n", "- ",
     "a" * 40 + " ", "A: b\n", "\\n", "1 ", BODY[0] + "\n"],
)  # fmt: skip
def test_time_grows_with_the_length_only(unit: str) -> None:
    secrets.redact("\n".join(KEYS["pem"]))
    for before in ("", RSA[0] + "\n" + BODY[0]):
        text = before + unit * (300_000 // len(unit)) + RSA[1]
        began = process_time()
        secrets.redact(text)
        assert process_time() - began < 6  # by the square: 45
