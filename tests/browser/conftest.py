"""A real Chromium before the pages of the embedded example, served on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.builders import git_environment
from tests.stories import SilentProgress
from watcher.demonstration import example
from watcher.web.app import create

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the example's pages are served."""
    with example(git_environment()) as app:
        app.sync(SilentProgress())
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            server = uvicorn.Server(uvicorn.Config(create(app), log_level="error"))
            thread = threading.Thread(target=server.run, args=([listener],))
            thread.start()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    if not Path(CHROMIUM).exists():
        pytest.skip("needs Debian's chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@dataclass
class Reader:
    """A reader's window, and what went wrong in it."""

    context: BrowserContext
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        """A page of the site; whatever leaves the host or reaches the console is noted."""
        page = self.context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", lambda request: self._check(request.url))
        page.goto(self.address + path)
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.complaints.append(f"{kind}: {text}")

    def _check(self, url: str) -> None:
        if not url.startswith((self.address, "blob:", "data:")):
            self.complaints.append(f"left the host: {url}")


@pytest.fixture
def reader(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Reader]:
    """A window of (width, scheme, has_scripts) as the test asks; complaints fail the test."""
    width, scheme, has_scripts = getattr(request, "param", (1440, "light", True))
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        java_script_enabled=has_scripts,
        reduced_motion="reduce",
    )
    window = Reader(context, address)
    yield window
    context.close()
    assert window.complaints == []
