"""A scripted model on loopback: as much of Anthropic's Messages and OpenAI's Responses as their clients need.

Every request is kept. The first part of the address chooses a fault: /e401, /e500 (an error of that number), /empty
(an answer without text), /cut (the stream ends in the middle), /hang (no answer until the server is closed). What
stands in `calls` is asked for first: (tool, input), each by one request that offers the tool.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from typing import Any


class FakeModel(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Any] = []  # bodies of what asked for an answer
        self.calls: list[tuple[str, Any]] = []  # tools to be called before the answer; a text: Codex's free-form kind
        self.closed = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is what some tests are about."""

    def close(self) -> None:
        self.closed.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeModel

    def log_message(self, *_: Any) -> None:
        """Nothing: what was asked stands in `requests`."""

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [], "models": []})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = self._body()
        fault, path = re.match(r"(?:/(e\d+|empty|cut|hang)(?=/))?([^?]*)", self.path).groups()  # type: ignore[union-attr]
        if path.endswith("/count_tokens"):
            return self._json(200, {"input_tokens": len(body)})
        if not path.endswith(("/messages", "/responses")):
            return self._json(200, {})
        asked = json.loads(body)
        self.server.requests.append(asked)
        if fault == "hang":
            self.server.closed.wait()
            return None
        if fault and fault[1:].isdigit():
            error = {"type": "api_error", "message": f"scripted failure {fault[1:]}"}
            return self._json(int(fault[1:]), {"type": "error", "error": error})
        if fault == "cut" and not asked.get("stream"):
            self.close_connection = True  # a client that tries again without a stream gets no more
            return None
        text = "" if fault == "empty" else self.server.answer
        call = self._call(asked)
        events = _messages(asked, text, call) if path.endswith("/messages") else _responses(asked, text, call)
        if not asked.get("stream"):
            return self._json(200, events[-1])
        return self._stream(events[:-1], cut=fault == "cut")

    def _call(self, asked: Any) -> tuple[str, Any] | None:
        offered = {one.get("name") for one in asked.get("tools") or ()}
        for space in asked.get("tools") or ():
            offered |= {f"{space.get('name')}/{one.get('name')}" for one in space.get("tools") or ()}
        if not self.server.calls or self.server.calls[0][0] not in offered:
            return None
        return self.server.calls.pop(0)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
        return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

    def _json(self, code: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: list[dict[str, Any]], *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            if cut and event["type"] in ("content_block_stop", "response.output_text.delta"):
                return


def _messages(asked: Any, text: str, call: tuple[str, Any] | None) -> list[dict[str, Any]]:
    """The events of a streamed message; last, the whole message."""
    usage, reason = {"input_tokens": 10, "output_tokens": 10}, "tool_use" if call else "end_turn"
    content: dict[str, Any] = {"type": "text", "text": text}
    empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    if call:
        content = {"type": "tool_use", "id": f"toolu_{len(asked['messages'])}", "name": call[0], "input": call[1]}
        empty = {**content, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    whole = {
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": asked["model"], "stop_reason": reason,
        "stop_sequence": None, "usage": usage, "content": [content] if text or call else [],
    }  # fmt: skip
    block = [
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]
    return [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        *(block if text or call else []),
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
        whole,
    ]


def _responses(asked: Any, text: str, call: tuple[str, Any] | None) -> list[dict[str, Any]]:
    """The events of a streamed response; last, the whole response."""
    if call:
        return _called(asked, *call)
    item = {
        "type": "message", "id": "msg_scripted", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }  # fmt: skip
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    whole = {
        "id": "resp_scripted", "object": "response", "created_at": 0, "status": "completed", "model": asked["model"],
        "output": [item] if text else [], "usage": usage,
    }  # fmt: skip
    block = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", "item_id": item["id"], "output_index": 0, "content_index": 0,
         "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]  # fmt: skip
    events = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        *(block if text else []),
        {"type": "response.completed", "response": whole},
    ]
    return [*({**event, "sequence_number": number} for number, event in enumerate(events)), whole]


def _called(asked: Any, name: str, given: Any) -> list[dict[str, Any]]:
    """The same, for a call of a tool; of one in a namespace by NAMESPACE/NAME."""
    space, _, name = name.rpartition("/")
    item = {"id": f"call_item_{len(asked['input'])}", "call_id": f"call_{len(asked['input'])}", "name": name}
    if space:
        item["namespace"] = space
    if isinstance(given, str):
        item |= {"type": "custom_tool_call", "input": given}
    else:
        item |= {"type": "function_call", "arguments": json.dumps(given)}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    whole = {
        "id": "resp_scripted", "object": "response", "created_at": 0, "status": "completed", "model": asked["model"],
        "output": [item], "usage": usage,
    }  # fmt: skip
    events = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return [*({**event, "sequence_number": number} for number, event in enumerate(events)), whole]
