"""What tests of sync over http share: git's own http-backend on loopback, with logins and faults; and a terminal."""

from __future__ import annotations

import base64
import fcntl
import http.server
import os
import pty
import selectors
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path

# In a session of its own, with standard input as its terminal.
_AT_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
assert fcntl and termios  # what the line above needs


class Web:
    """A server. `login`: who may come in, `NAME:WORD` ("": everybody); `guarded`: what an address must hold for that to
    count; `pages`: what is answered instead where an address holds a word: a status, and the address to go on to."""

    def __init__(self, root: Path) -> None:
        self.root, self.url = root, ""
        self.login = self.guarded = ""
        self.pages: dict[str, tuple[int, str]] = {}


class _Handler(http.server.BaseHTTPRequestHandler):
    web: Web

    def _serve(self) -> None:
        web = self.web
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        for word, (status, onward) in web.pages.items():
            if word in self.path:
                self._page(status, {"Location": onward} if onward else {})
                return
        given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if web.login and web.guarded in self.path and given != web.login:
            self._page(401, {"WWW-Authenticate": 'Basic realm="git"'})
            return
        path, _, query = self.path.partition("?")
        env = {
            **os.environ, "GIT_PROJECT_ROOT": str(web.root), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": "x",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(data)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }  # fmt: skip
        said = subprocess.run(["git", "http-backend"], input=data, env=env, capture_output=True, check=False)
        head, _, body = said.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _serve

    def _page(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"<html>Welcome to our hotel</html>\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(root: Path) -> Iterator[Web]:
    """The repositories in a folder, over http."""
    web = Web(root)
    handler = type("Handler", (_Handler,), {"web": web})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    web.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def at_terminal(*words: str, cwd: Path, answers: Mapping[str, str] = {}) -> tuple[int, str]:
    """A program at a terminal of its own: its exit code, and all that stood there. `answers`: what is typed at a prompt
    that begins so. Fails where it asks something else, and waits."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _AT_TERMINAL, *words], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    said, typed = b"", 0
    with selectors.DefaultSelector() as waiting:
        waiting.register(ours, selectors.EVENT_READ)
        while True:
            if not waiting.select(60):
                process.kill()
                raise AssertionError(f"it waits: {said.decode()}")
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # all have closed it
                data = b""
            if not data:
                break
            said += data
            line = said[typed:].decode("utf-8", "replace").rpartition("\n")[2].rpartition("\r")[2]
            for begin, answer in answers.items():
                if line.startswith(begin) and line.endswith(": "):
                    os.write(ours, f"{answer}\n".encode())
                    typed = len(said)
    os.close(ours)
    return process.wait(), said.decode("utf-8", "replace")
