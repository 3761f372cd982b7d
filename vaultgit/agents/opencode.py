"""opencode. It hands its session id to nothing that it starts."""

from __future__ import annotations

NAME = "opencode"
MARKERS = ("OPENCODE",)
SESSION = ""
