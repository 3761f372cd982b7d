"""Gemini CLI."""

from __future__ import annotations

NAME = "gemini-cli"
MARKERS = ("GEMINI_CLI",)
SESSION = "GEMINI_SESSION_ID"
