"""The same verbs for MCP clients, over standard input and output, with the official SDK (the extra `mcp`).

- schema: what clients are told, tools and rules
- server: the SDK and the two streams; desk: takes a call, opens the vault, answers; call, answer: what goes in, and out
- connection: who is at the other end
- finding, notes, work: the tools
"""
