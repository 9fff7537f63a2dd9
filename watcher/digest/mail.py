"""A digest as one e-mail: HTML with a plain-text twin, headers for lists and threads. Pure.

The same digest under the same key always gives the same bytes, the same Message-ID above all: a
repeated delivery is recognised as one.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from msgspec import Struct

from watcher.digest.record import Digest
from watcher.digest.text import render_text
from watcher.digest.words import subject


class Letter(Struct, frozen=True, kw_only=True):
    """Who gets a mail, and which ones it follows."""

    key: str
    """What makes it one message: channel and day."""
    sender: str
    to: tuple[str, ...]
    made_at: datetime
    parent: str | None = None
    """Message-ID of the digest before it."""
    root: str | None = None
    """Message-ID of the first digest of the thread."""


def message_id(letter: Letter, content: str) -> str:
    """The Message-ID of a content under a delivery key."""
    named = hashlib.sha256(f"{letter.key}\0{content}".encode("utf-8", "replace")).hexdigest()
    return f"<digest.{named[:32]}@{_domain(letter.sender)}>"


def render_mail(digest: Digest, html: str, letter: Letter) -> EmailMessage:
    """The whole mail, seven-bit clean. ``html`` is a complete document."""
    text = render_text(digest)
    mail = EmailMessage(policy=SMTP)
    mail["From"] = letter.sender
    mail["To"] = ", ".join(letter.to)
    mail["Subject"] = subject(digest)
    mail["Date"] = format_datetime(letter.made_at)
    mail["Message-ID"] = message_id(letter, text)
    if letter.parent is not None:
        mail["In-Reply-To"] = letter.parent
        ancestors = dict.fromkeys([letter.root or letter.parent, letter.parent])
        mail["References"] = " ".join(ancestors)
    mail["List-Id"] = f"watcher digest <digest.watcher.{_domain(letter.sender)}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text, cte="quoted-printable")
    mail.add_alternative(html, subtype="html", cte="quoted-printable")
    mail.set_boundary(hashlib.sha256(f"{letter.key}\0{text}".encode()).hexdigest()[:40])
    return mail


def _domain(address: str) -> str:
    domain = address.rpartition("@")[2]
    safe = "".join(char for char in domain if char.isascii() and (char.isalnum() or char in ".-"))
    return safe or "watcher.invalid"
