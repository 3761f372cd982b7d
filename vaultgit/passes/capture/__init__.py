"""Capture: what is worth remembering of the agents' conversations goes into the daily notes, by itself.

run        one run: its lock, its rounds, its edits            reading  what is new in a log, by day
syncing    cursors brought up to what history says             logs     finding and reading log files
covered    the `Captured:` trailers                            cursors  the cache of what was read
state      how the last run went; when an engine is asked      batches  what goes into one block
block      what is written, and what an engine is asked        newday   a daily note that is not there yet
rules      what is worth it, told without a model (exchanges, drafts, clauses, answers, cues, superseding …)
aimed      instructions to AI tools, left out
"""
