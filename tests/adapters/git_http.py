"""A git server on loopback: ``git http-backend`` behind ``http.server``, with faults to choose."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

from tests.builders import git_environment


@dataclass
class GitServer:
    """What the server does; change it between requests."""

    root: Path
    url: str = ""
    authorization: str | None = None
    """Header value without which everything is 401."""
    moved: dict[str, str] = field(default_factory=dict)
    """First path segment -> the new one, told by 301."""
    is_dumb: bool = False
    """Serve plain files only, as an old web server would."""
    settings: dict[str, str] = field(default_factory=dict)
    stall_after: int | None = None
    """Bytes of an answer after which the server waits for ``released``."""
    stalled: Event = field(default_factory=Event)
    released: Event = field(default_factory=Event)
    seen: list[str] = field(default_factory=list)
    """Request lines."""


@contextmanager
def git_server(root: Path) -> Iterator[GitServer]:
    """Serve all repositories below ``root``."""
    state = GitServer(root)

    class Handler(_Handler):
        server_state = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_state: GitServer
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def log_message(self, *_: object) -> None:
        pass

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _answer(self, body: bytes) -> None:
        state = self.server_state
        state.seen.append(self.requestline)
        first, _, rest = self.path.lstrip("/").partition("/")
        wanted = state.authorization
        if wanted is not None and self.headers.get("Authorization") != wanted:
            self._send(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
        elif first in state.moved:
            self._send(301, [("Location", f"{state.url}/{state.moved[first]}/{rest}")], b"")
        elif state.is_dumb:
            self._send_file()
        else:
            self._run_backend(body)

    def _send_file(self) -> None:
        target = self.server_state.root / self.path.split("?")[0].lstrip("/")
        found = target.is_file()
        self._send(200 if found else 404, [], target.read_bytes() if found else b"")

    def _run_backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        environment = git_environment() | {
            "GIT_PROJECT_ROOT": str(self.server_state.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "GIT_CONFIG_COUNT": str(len(self.server_state.settings)),
        }
        for index, (key, value) in enumerate(self.server_state.settings.items()):
            environment |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
        command = ["git", "http-backend"]
        done = subprocess.run(
            command, input=body, env=environment, capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        rows = [line.partition(": ") for line in head.decode().split("\r\n") if line]
        headers = {name: value for name, _, value in rows}
        status = int(headers.pop("Status", "200").split()[0])
        self._send(status, list(headers.items()), content)

    def _send(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        state = self.server_state
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        cut = (
            state.stall_after if "git-upload-pack" in self.path and self.command == "POST" else None
        )
        if cut is None or len(content) <= cut:
            self.wfile.write(content)
            return
        self.wfile.write(content[:cut])
        self.wfile.flush()
        state.stalled.set()
        state.released.wait(30)
