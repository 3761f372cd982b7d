"""The SDK's server on this process's standard input and output.

Nothing but the protocol may reach standard output, so both streams are put out of everybody's reach before the SDK is
imported: what else reads standard input finds it empty, what else prints goes to standard error.
"""

from __future__ import annotations

import fcntl
import functools
import logging
import os
import re
import signal
from typing import IO
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple
from typing import cast

from vaultgit import __version__
from vaultgit.mcp.desk import Desk
from vaultgit.mcp.schema import INSTRUCTIONS
from vaultgit.mcp.schema import TOOLS

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

GRACE = 10.0  # seconds for the calls at work when the client goes
_READERS = 8  # calls at once that do not write
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # and whole pairs, which are left as they are


class Wire(NamedTuple):
    """The client's two streams."""

    source: IO[bytes]
    sink: IO[bytes]


def claim() -> Wire:
    """Standard input and output, moved to where no child and no stray print finds them."""
    source, sink = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Never closed: a thread may still wait for a line when the process ends.
    return Wire(os.fdopen(source, "rb", closefd=False), os.fdopen(sink, "wb", closefd=False))


def serve(wire: Wire, desk: Desk) -> int:
    """Serves one client until it goes; exit code 0. Does not return where a thread still hangs. Raises ImportError
    where the SDK is not installed."""
    logging.disable(logging.CRITICAL)  # what the SDK logs may hold notes; and nobody may read standard error
    import anyio
    import mcp_types  # noqa: F401  the part that older versions of the SDK do not have

    server = _server(desk)
    ended = anyio.run(_run, server, wire, desk)
    if not _goodbye(desk) or not ended:
        os._exit(0)  # a thread hangs, or waits for a line that the client may never send
    return 0


def _goodbye(desk: Desk) -> bool:
    """What is at work is finished, and the session ended; whether nothing hangs."""
    settled = desk.settled(GRACE)
    desk.leave()
    return settled


def _server(desk: Desk) -> Server[Any]:
    import anyio
    import anyio.to_thread
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

    readers = anyio.CapacityLimiter(_READERS)
    writers = anyio.CapacityLimiter(_READERS)

    async def listed(_: ServerRequestContext[Any], __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[
            types.Tool(
                name=tool.name, description=tool.description, input_schema=tool.schema,
                annotations=types.ToolAnnotations(read_only_hint=not tool.writes, open_world_hint=False)
                if not tool.writes else types.ToolAnnotations(destructive_hint=False, open_world_hint=False),
            )
            for tool in TOOLS.values()
        ])  # fmt: skip

    async def called(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        from vaultgit.mcp import answer

        told = ctx.session.client_params
        client = told.client_info.name if told else ""
        writes = params.name in TOOLS and TOOLS[params.name].writes
        work = functools.partial(desk.answer, params.name, params.arguments or {}, client)
        desk.asked += 1
        try:
            with anyio.fail_after(desk.seconds):
                found = await anyio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=writers if writes else readers
                )
        except TimeoutError:
            again = "it may land yet: read the note first; the very same call again is safe" if writes else "try again"
            found = answer.failure(f"{params.name} took longer than {desk.seconds:g} s and was given up", again)
        finally:
            desk.asked -= 1
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text) for text in found.texts],
            structured_content=found.data, is_error=found.failed,
        )  # fmt: skip

    return Server("vaultgit", version=__version__, instructions=INSTRUCTIONS, on_list_tools=listed, on_call_tool=called)


async def _run(server: Server[Any], wire: Wire, desk: Desk) -> bool:
    """Whether the client has closed its side."""
    import io

    import anyio
    from mcp.server.stdio import stdio_server

    source = _Lines(wire.source, desk)
    sink = anyio.wrap_file(io.TextIOWrapper(wire.sink, encoding="utf-8", newline="\n"))
    async with anyio.create_task_group() as group:
        group.start_soon(_until_told_to_go, desk)
        try:
            async with stdio_server(cast(Any, source), sink) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        except* OSError:
            pass  # the client reads no more
        group.cancel_scope.cancel()
    return source.ended


async def _until_told_to_go(desk: Desk) -> None:
    """A signal ends the process, with what must be done before: a read of standard input cannot be broken off."""
    import anyio
    import anyio.to_thread

    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            await anyio.to_thread.run_sync(_goodbye, desk)
            os._exit(0)


class _Lines:
    """The client's lines, for the SDK: as bytes end them, not where Unicode would. The end comes once the calls that
    are at work are answered: whoever sends all of its questions at once and closes gets all of its answers."""

    def __init__(self, source: IO[bytes], desk: Desk) -> None:
        self.source, self.desk = source, desk
        self.ended = False

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        import anyio
        import anyio.to_thread

        line = await anyio.to_thread.run_sync(self.source.readline, abandon_on_cancel=True)
        if line:
            return answerable(whole(line.decode("utf-8", "replace")))
        self.ended = True
        with anyio.move_on_after(GRACE):
            await anyio.wait_all_tasks_blocked()  # what was read is at work
            while self.desk.asked:  # some may wait for their turn
                await anyio.to_thread.run_sync(self.desk.settled, GRACE)
                await anyio.wait_all_tasks_blocked()  # what is done is answered
        raise StopAsyncIteration


def whole(line: str) -> str:
    """A line without half of a surrogate pair, which clients send of an emoji that they cut: the SDK takes the whole
    message for garbage then, and nobody would ever answer it."""
    if not _HALF.search(line):
        return line
    import json

    try:
        return json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace").decode()
    except (ValueError, RecursionError):
        return line


def answerable(line: str) -> str:
    """A line as it is; but in place of a question that the SDK takes for garbage, for which nobody would ever get an
    answer, one with its id that the SDK answers: that its parameters are invalid."""
    import json

    import mcp_types as types

    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        return line
    except ValueError:
        pass
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return line
    number = given.get("id") if isinstance(given, dict) and "method" in given else None
    if isinstance(number, bool) or not isinstance(number, (int, str)):
        return line
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call"})
