"""Sync: what another clone's remote has comes in, what is here goes out (docs/sync.md).

`run` does one sync from beginning to end and tells its `outcome`; `remote` looks, fetches and pushes, through `talk`
(one git command) and `words` (what its words mean); `agreed` remembers what both had last and refuses a remote that
lost it; `travel` carries review branches; `count` tells what went which way.
"""
