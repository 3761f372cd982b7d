"""Consolidate: what recurs in captures becomes proposals in review.md, and what a person ticks there becomes notes.

`blocks` reads captures, `finding` and `drafting` make proposals of them, `rounds` puts those into review.md, `deciding`
does what is ticked. It never writes a note that nobody accepted.
"""
