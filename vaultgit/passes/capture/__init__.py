"""Capture: what is worth remembering of the agents' conversations goes into the daily notes, by itself.

run        one run: its lock, its rounds, its edits                reading   what is new in a log, by day
syncing    cursors brought up to what history and the queue say    logs      finding and reading log files
covered    the `Captured:` trailers                                cursors   the cache of what was read
state      how the last run went; when the engine is asked again   block     what is written into the note
rules      what is worth it, told without a model                  aimed     instructions to AI tools, left out
"""
