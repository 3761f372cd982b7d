"""What a note is: front matter, links, schema. Bytes in, bytes out; no git, no file system."""
