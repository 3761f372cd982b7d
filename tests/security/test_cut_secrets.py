"""Promise P11: what is shortened is looked at before: of a token across the cut nobody would know what is left of it."""

from __future__ import annotations

import pytest

from vaultgit.passes.consolidate import reading
from vaultgit.passes.consolidate.inert import LONGEST
from vaultgit.passes.consolidate.inert import inert

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LEFT = TOKEN[:12]


@pytest.mark.parametrize("before", range(LONGEST - 44, LONGEST - 8, 4))
def test_p11_a_token_across_the_end_of_a_shown_line_is_not_shown_in_part(before: int) -> None:
    assert LEFT not in inert(f"{('word ' * LONGEST)[:before]} {TOKEN} and more of it" + " so" * 100)


@pytest.mark.parametrize("before", range(3956, 3992, 4))
def test_p11_a_token_across_the_end_of_a_bullet_is_not_read_in_part(before: int) -> None:
    assert LEFT not in repr(reading.read(f"{('word ' * 4000)[:before]} {TOKEN} and more", 0))
