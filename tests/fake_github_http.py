"""The fake GitHub behind a loopback socket, or behind an httpx transport without one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from tests.fake_github import FakeGitHub, Reply, Request


@contextmanager
def served(github: FakeGitHub) -> Iterator[str]:
    """The base address of the fake on loopback."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self._reply(self.rfile.read(int(self.headers.get("content-length", 0))))

        def do_GET(self) -> None:
            self._reply(b"")

        def _reply(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = github.answer(Request(self.command, self.path, headers, body))
            if reply.is_dropped:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self._write(reply)

        def _write(self, reply: Reply) -> None:
            if reply.is_truncated:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
            elif reply.is_slow:
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
            else:
                self.wfile.write(reply.body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class InProcess(httpx.BaseTransport):
    """Asks the fake without a socket."""

    def __init__(self, github: FakeGitHub) -> None:
        self._github = github

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Request(request.method, request.url.raw_path.decode(), headers, request.read())
        reply = self._github.answer(asked)
        if reply.is_dropped:
            raise httpx.RemoteProtocolError("the server broke the connection", request=request)
        if reply.is_truncated:
            return httpx.Response(reply.status, headers=reply.headers, stream=_Broken(reply.body))
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)


class _Broken(httpx.SyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body[: len(self._body) // 2]
        raise httpx.RemoteProtocolError("the connection broke")


def loopback() -> httpx.BaseTransport:
    """A real transport that no proxy of the environment can redirect."""
    return httpx.HTTPTransport()
