"""The write path: the only way bytes get into notes and history.

From what is asked to an edit:
- edit: what an edit is: paths, bytes, bases, line, reason; and its commit message
- compose: write, set, append and delete made into bytes
- readable: which paths are there to be read by name
- move: files under new names, with the links that follow
- undo: what takes back edits or a merge
- unlanded: what waits in the queue, laid over the disk for whoever wrote it
- seen: which notes were clean at the last look
- record: what an agent's own tools wrote on disk
- decisions: a project's list of decisions, kept by the edit that adds one
- inboxnote, inboxmemory: a note that waits for a person; what became of proposals before
- judge: the checks, asked of an edit

From an edit to disk and history (DESIGN section 5):
- submit: the front door: checks, queue, landing
- batch: many edits at once
- queue: edits saved, one file each
- lock: one writer at a time
- busy, place: what stands in the way of all, or of one note
- land: drains the queue in rounds
- landing: what a branch, its index and its files shall become, and carrying that out
- round, slots: one round of edits, merged in memory; its paths as branch, index and disk hold them
- merge, textmerge, mergedriver: the note-aware three-way merge; of text; as git calls it
- plan, apply: what a round does, and doing it
- exchange, steps: a file put in its place in one step; named places for the fault tests
- recover, repair: after a killed writer; after git's own race
- takeback: what a killed sync left in files, and nothing finishes
- outcome: what became of an edit, in words and keys

From another line of history to disk and history:
- integrate: bringing it in, landed like an edit
- sides, joined: whose text stands; whether a merged note can
- aside, byhand: what goes to the inbox; what only a person's git should bring in
- twins, blocks: inbox notes that both sides made of one text; review.md, suggestion by suggestion
- same: the merge of what is the same, one commit on every machine
- afterwards, attributes: empty folders, modes, what git knows of files; .gitattributes that came in with their files

The changelog:
- changelog, ledger, verify: its text; the lines that history says it has; whether both agree

Review branches:
- branches, chain: one commit an action beside the vault; commits built anew from objects alone
"""
