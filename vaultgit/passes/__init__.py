"""Work done with the write path on behalf of a person or agent.

- session: an agent's session. session_store: what is known between two commands; session_facts: what it did;
  session_note: its note; session_names: what that is called; session_end: writing it
- briefing: context as text for a model; companion: beside a conversation; refused: text of an agent that a rule refused
- inbox: what waits there, and what a person decides
- review, acceptance, choice, publish: actions of a review branch, dropped, accepted, chosen, pushed
- reviewmd, boxes: review.md, which passes share; its boxes for review branches
- sync/: a remote: fetch, bring in, push, review branches
- skills: found, made, listed, used. molt, suggest: their next versions; what could be molted. stale, mentions: which
  nobody used, and who counts on one; stepview: an action as steps
- agentskills, skillexport, skillimport, exported: skills as folders outside the vault
- capture/, consolidate/, dream/: conversations into daily notes, captures into proposals, all skills looked at once
- engines/, likeness/, join/: what writes text; which skills say the same; two bodies made one
"""
