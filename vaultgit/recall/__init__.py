"""Finding notes. Reads only; edits/ is not known here.

What the index knows, from a file up:
- walk: the files on disk, and what tells that one has changed
- tree: the files of a commit
- words: text cut into words, words made stems
- read: what is kept of a note's bytes
- store: the SQLite file with its full-text index
- view: a vault at one state, on disk or of a commit: notes, links
- index: the cache, brought up to date; gives views
- when: `--at`, the commit that is meant

Search:
- question: what was typed, taken apart
- nearest: words that stand in the notes, near one that does not
- candidate: what is handed from the index to the ranking
- asking: a question in the words of one view
- filters: which notes may answer
- gather: the notes that may answer, found and put in order
- rank: that order
- search: what is shown of them

Context for a task:
- excerpt: what of a note fits into so many tokens
- context_notes: the notes that are looked at, each read once
- context_roles: project, decisions, last session, people, skills
- context_words: whether a note has enough of the task
- context_links: what is linked with those
- context_fill: notes put into the budget, and on paper
- context: all of it together

And beside it:
- linked: what links where, and what leads nowhere
- skills, uses: the skills that a commit holds, and when they were used
"""
