"""Work done with the write path on behalf of a person or agent: inbox, sessions, reviews."""
