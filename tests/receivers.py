"""Real receivers of digests on loopback: an SMTP server and a webhook, told what to answer."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from aiosmtpd.controller import Controller


@dataclass
class MailServer:
    """An SMTP server; what it took is in ``mails``."""

    mails: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    """(receivers, content) in order."""
    data_replies: deque[str] = field(default_factory=deque)
    """What it answers to the next contents; then 250."""
    refused: dict[str, str] = field(default_factory=dict)
    """Receiver -> what it is refused with."""
    on_receiver: Callable[[str], None] = lambda _address: None
    on_content: Callable[[bytes], None] = lambda _content: None
    """Called when a content is in, before it is answered."""
    port: int = 0

    @property
    def address(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def messages(self) -> list[EmailMessage]:
        return [message_from_bytes(mail, policy=default) for _, mail in self.mails]  # type: ignore[misc]

    # --- aiosmtpd's hooks ---

    async def handle_RCPT(  # noqa: N802  the library's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        self.on_receiver(address)
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802  the library's name
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        self.on_content(envelope.content)
        reply = self.data_replies.popleft() if self.data_replies else "250 OK"
        if reply.startswith("250"):
            self.mails.append((tuple(envelope.rcpt_tos), envelope.content))
        return reply


@contextmanager
def mail_server(**options: Any) -> Iterator[MailServer]:
    """A running mail server on a free port; options are those of aiosmtpd."""
    server = MailServer(port=free_port())
    controller = Controller(server, hostname="127.0.0.1", port=server.port, **options)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()


@dataclass
class Hook:
    """A webhook; what was posted is in ``posts``."""

    posts: list[tuple[str, bytes]] = field(default_factory=list)
    replies: deque[tuple[int, dict[str, str], str]] = field(default_factory=deque)
    """(status, headers, body) of the next answers; then 200 and ``ok``."""
    arrived: Event = field(default_factory=Event)
    """Set with the first post."""
    hold: Event | None = None
    """Answers wait for it."""
    address: str = ""


@contextmanager
def hook() -> Iterator[Hook]:
    """A running webhook on a free port."""
    told = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.posts.append((self.path, body))
            told.arrived.set()
            if told.hold is not None:
                told.hold.wait(10)
            status, headers, text = told.replies.popleft() if told.replies else (200, {}, "ok")
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(BrokenPipeError, ConnectionResetError):
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told.address = f"http://127.0.0.1:{server.server_address[1]}/hook/secret-token"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield told
    finally:
        if told.hold is not None:
            told.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@contextmanager
def trickling_port() -> Iterator[int]:
    """A port that answers with a byte of a header now and then, and never ends."""
    stop = Event()

    def trickle() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not stop.wait(0.05):
                connection.sendall(b"z")

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = Thread(target=trickle)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stop.set()
            thread.join()


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
