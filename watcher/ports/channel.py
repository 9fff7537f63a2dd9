"""Where a digest goes, and what is sent there. Declarations, no I/O."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from watcher.digest.record import Digest


class Leftover(Struct, frozen=True):
    """Receivers of a message that did not take it while others did."""

    message: str
    """The same message for them alone."""
    error: str
    is_permanent: bool
    """True when trying again cannot help."""


class Channel(Protocol):
    """Where a digest goes: e-mail, Slack, Feishu."""

    name: str

    def send(self, payload: str) -> tuple[Leftover, ...]:
        """Send one fixed message; returns who did not get it though others did.

        Raises DeliveryError when nobody got it (``is_permanent`` tells whether to retry).
        """
        ...


class MessageThread(Struct, frozen=True, kw_only=True):
    """Where a message stands among those of its channel."""

    key: str
    """Of its delivery."""
    made_at: datetime
    parent: str | None = None
    """Message-ID of the one before, for mail."""
    root: str | None = None
    """Message-ID of the first one."""


class RenderedMessage(Struct, frozen=True, kw_only=True):
    """A digest as its channel sends it."""

    message: str
    message_id: str | None = None


class Outlet(Struct, frozen=True, kw_only=True):
    """One receiver of the configuration: what makes its messages, and what sends them."""

    name: str
    """Stable: part of the keys of its deliveries."""
    label: str
    """For people: ``e-mail to rl@example.org``."""
    channel: Channel
    render: Callable[[Digest, MessageThread], RenderedMessage]
