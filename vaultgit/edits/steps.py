"""The named steps of landing. Nothing happens at them; the fault tests put a kill -9 there."""

from __future__ import annotations

NAMES = (
    "queue-written",  # the edit is in the queue: from here it may be acknowledged
    "locked",  # the lock is held
    "read",  # branch, index and disk have been read and merged
    "objects",  # commits and blobs are written, held by a landing ref
    "temporaries",  # new files and the next index lie ready
    "planned",  # the plan is on disk
    "index-locked",  # git's index.lock is ours
    "ref-prepared",  # git holds the branch's lock for us
    "disk-first",  # the first file is exchanged
    "disk",  # all files are
    "index",  # the index is
    "ref",  # the branch is: the edit has landed
    "released",  # index.lock is gone
    "dequeued",  # the queue entries are gone
)


def reached(name: str) -> None:
    """Called at each step with its name."""
    assert name in NAMES
