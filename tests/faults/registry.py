"""All kinds of bad days that are tried."""

from __future__ import annotations

import broken
import clocks
import kills
import people
import places
import programs
from trial import Fault

# In this order: a short run of all meets every kind early.
FAULTS: tuple[Fault, ...] = (
    *kills.FAULTS, *places.FAULTS, *clocks.FAULTS, *programs.FAULTS, *broken.FAULTS, *people.FAULTS,
)  # fmt: skip
assert len({fault.name for fault in FAULTS}) == len(FAULTS)
