"""``ports.Channel`` on an SMTP server: one fixed mail, every receiver accounted for.

Addresses: ``smtps://user:password@host:465`` (TLS from the start), ``smtp+starttls://host:587``
(TLS required), ``smtp://host:25`` (TLS where the server offers it).
"""

from __future__ import annotations

import json
import smtplib
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from watcher.errors import DeliveryError
from watcher.ports.channel import Leftover
from watcher.report.escape import one_line
from watcher.settings import SecretText

STEP_SECONDS: Final = 30.0
"""Bound of connecting, and of every answer."""
TOTAL_SECONDS: Final = 240.0
"""Bound of the whole conversation: well under the lease of a delivery."""
_PORTS: Final = {"smtps": 465, "smtp": 25, "smtp+starttls": 587}
_MEND: Final = "set WATCHER_SMTP_URL to smtps://user:password@host:465"
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class SmtpAddress(Struct, frozen=True, kw_only=True):
    """A parsed ``WATCHER_SMTP_URL``."""

    scheme: str
    host: str
    port: int
    user: str | None = None
    password: SecretText | None = None


def parse_smtp_address(text: str) -> SmtpAddress:
    """The parts of an address. Raises DeliveryError, which never holds the secret."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise DeliveryError("WATCHER_SMTP_URL is not an address", mend=_MEND) from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise DeliveryError("WATCHER_SMTP_URL is not an SMTP address", mend=_MEND)
    password = None if parts.password is None else SecretText(unquote(parts.password))
    return SmtpAddress(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        user=unquote(parts.username) if parts.username else None,
        password=password,
    )


def mail_payload(sender: str, to: Sequence[str], mail: bytes) -> str:
    """A mail with its envelope, as the outbox keeps it."""
    return json.dumps({"from": sender, "to": list(to), "mail": mail.decode("ascii")})


class SmtpChannel:
    """Sends mails that are already rendered to the last byte."""

    def __init__(
        self,
        name: str,
        address: SecretText | None,
        *,
        step_seconds: float = STEP_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.name = name
        self._address = address
        self._step_seconds = step_seconds
        self._total_seconds = total_seconds
        self._tls = tls

    def send(self, payload: str) -> tuple[Leftover, ...]:
        """Send one mail. Raises DeliveryError when no receiver got it."""
        if self._address is None:
            raise DeliveryError("no mail server is set", where=self.name, mend=_MEND)
        address = parse_smtp_address(self._address.reveal())
        letter = json.loads(payload)
        try:
            with self._conversation(address) as smtp:
                refused = _hand_over(smtp, letter)
        except smtplib.SMTPResponseException as error:
            raise _refusal(self.name, error.smtp_code, error.smtp_error) from error
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise _failure(self.name, error) from error
        return _leftovers(letter, refused)

    @contextmanager
    def _conversation(self, address: SmtpAddress) -> Iterator[smtplib.SMTP]:
        smtp = self._connect(address)
        guard = Timer(self._total_seconds, _hang_up, [smtp])
        guard.daemon = True
        guard.start()
        try:
            self._secure(smtp, address)
            if address.user is not None and address.password is not None:
                smtp.login(address.user, address.password.reveal())
            yield smtp
        finally:
            guard.cancel()
            smtp.close()  # no QUIT: its answer would stand between the server's yes and our note

    def _connect(self, address: SmtpAddress) -> smtplib.SMTP:
        name, timeout = _own_name(), self._step_seconds
        if address.scheme == "smtps":
            return smtplib.SMTP_SSL(
                address.host, address.port, name, timeout=timeout, context=self._context()
            )
        return smtplib.SMTP(address.host, address.port, name, timeout=timeout)

    def _secure(self, smtp: smtplib.SMTP, address: SmtpAddress) -> None:
        smtp.ehlo_or_helo_if_needed()
        if address.scheme == "smtps":
            return
        if smtp.has_extn("starttls"):
            smtp.starttls(context=self._context())
            smtp.ehlo_or_helo_if_needed()
            return
        is_exposed = address.user is not None and address.host not in _LOCAL
        if address.scheme == "smtp+starttls" or is_exposed:
            raise DeliveryError(
                "the server offers no TLS", where=self.name, mend=_MEND, is_permanent=True
            )

    def _context(self) -> ssl.SSLContext:
        return self._tls or ssl.create_default_context()


def _hand_over(smtp: smtplib.SMTP, letter: dict[str, object]) -> dict[str, tuple[int, str]]:
    """Give the mail to the server; what it said to receivers that it refused.

    Raises SMTPResponseException when the server refuses the mail or every receiver.
    """
    to = letter["to"]
    receivers = [str(one) for one in to] if isinstance(to, list) else []
    code, said = smtp.mail(str(letter["from"]))
    _expect(code, said, smtp)
    refused: dict[str, tuple[int, str]] = {}
    for receiver in receivers:
        code, said = smtp.rcpt(receiver)
        if code == 421:
            raise smtplib.SMTPResponseException(code, said)
        if code not in {250, 251}:
            refused[receiver] = (code, said.decode("utf-8", "replace"))
    if len(refused) == len(receivers):
        code, text = min(refused.values(), default=(550, "no receiver"))
        raise smtplib.SMTPResponseException(code, text)
    code, said = smtp.data(str(letter["mail"]).encode("ascii"))
    _expect(code, said, smtp)
    return refused


def _expect(code: int, said: bytes, smtp: smtplib.SMTP) -> None:
    if code != 250:
        smtp.close()
        raise smtplib.SMTPResponseException(code, said)


def _leftovers(
    letter: dict[str, object], refused: dict[str, tuple[int, str]]
) -> tuple[Leftover, ...]:
    """One leftover for those to try again, one for those that will never take it."""
    leftovers = []
    for is_permanent in (False, True):
        these = {to: said for to, said in refused.items() if (said[0] >= 500) is is_permanent}
        if these:
            error = "; ".join(f"{to}: {code} {said}" for to, (code, said) in these.items())
            message = json.dumps(letter | {"to": list(these)})
            leftovers.append(Leftover(message, one_line(error, 400), is_permanent))
    return tuple(leftovers)


def _refusal(name: str, code: int, said: bytes | str) -> DeliveryError:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    what = f"the server says {code} {one_line(text, 160)}"
    is_login = code in {530, 534, 535}
    mend = "mend user and password in WATCHER_SMTP_URL" if is_login else ""
    return DeliveryError(what, where=name, mend=mend, is_permanent=code >= 500)


def _failure(name: str, error: Exception) -> DeliveryError:
    if isinstance(error, UnicodeError):
        what = "an address or the password needs plain ASCII"
        return DeliveryError(what, where=name, is_permanent=True)
    if isinstance(error, TimeoutError):
        return DeliveryError("no answer from the mail server in time", where=name)
    told = one_line(str(error), 160) or type(error).__name__
    return DeliveryError(f"the mail server cannot be used: {told}", where=name)


def _hang_up(smtp: smtplib.SMTP) -> None:
    """End a conversation that takes too long, whatever it waits for."""
    if smtp.sock is not None:
        try:
            smtp.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            smtp.sock.close()


def _own_name() -> str:
    """How we greet: the full host name, else an address literal; never a slow look-up."""
    name = socket.gethostname()
    is_full = "." in name and all(char.isalnum() or char in ".-" for char in name)
    return name if is_full and name.isascii() else "[127.0.0.1]"
