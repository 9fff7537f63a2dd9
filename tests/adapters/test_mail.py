"""Mail by a real SMTP server: refusals, rests, time-outs, what is never shown."""

from __future__ import annotations

import json
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult

from tests.receivers import MailServer, free_port, mail_server, silent_port
from watcher.adapters.mail import SmtpChannel, mail_payload, parse_smtp_address
from watcher.errors import DeliveryError
from watcher.settings import SecretText

MAIL = b"From: w@example.org\r\nSubject: hello\r\n\r\nfirst\r\n.a line with a dot\r\n"
PAYLOAD = mail_payload("w@example.org", ["a@example.org", "b@example.org"], MAIL)


@pytest.fixture(scope="module")
def running() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def server(running: MailServer) -> MailServer:
    running.mails.clear()
    running.data_replies.clear()
    running.refused.clear()
    return running


def channel(address: str, **bounds: float) -> SmtpChannel:
    return SmtpChannel("email", SecretText(address), **bounds)  # type: ignore[arg-type]


def refusal(address: str, payload: str = PAYLOAD, **bounds: float) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        channel(address, **bounds).send(payload)
    return caught.value


def test_a_mail_arrives_to_the_last_byte(server: MailServer) -> None:
    assert channel(server.address).send(PAYLOAD) == ()

    assert server.mails == [(("a@example.org", "b@example.org"), MAIL)]


@pytest.mark.parametrize(
    ("reply", "is_permanent"), [("451 try later", False), ("552 too large", True)]
)
def test_a_refused_content_says_whether_to_try_again(
    server: MailServer, reply: str, is_permanent: bool
) -> None:
    server.data_replies.append(reply)

    error = refusal(server.address)

    assert error.is_permanent is is_permanent
    assert reply in str(error)
    assert server.mails == []


def test_receivers_who_were_refused_are_left_over_and_the_others_have_it(
    server: MailServer,
) -> None:
    to = [f"{name}@example.org" for name in "abc"]
    server.refused = {to[1]: "450 greylisted", to[2]: "550 nobody here"}

    leftovers = channel(server.address).send(mail_payload("w@example.org", to, MAIL))

    assert [tuple(json.loads(one.message)["to"]) for one in leftovers] == [(to[1],), (to[2],)]
    assert [one.is_permanent for one in leftovers] == [False, True]
    assert "greylisted" in leftovers[0].error
    assert server.mails == [((to[0],), MAIL)]


def test_when_every_receiver_is_refused_the_mildest_answer_decides(server: MailServer) -> None:
    server.refused = {"a@example.org": "550 nobody", "b@example.org": "450 later"}

    assert not refusal(server.address).is_permanent


def test_a_server_that_is_not_there_or_says_nothing_is_tried_again() -> None:
    absent = refusal(f"smtp://127.0.0.1:{free_port()}")
    with silent_port() as port:
        silent = refusal(f"smtp://127.0.0.1:{port}", step_seconds=0.1)

    assert (absent.is_permanent, silent.is_permanent) == (False, False)
    assert "timed out" in str(silent)


def test_a_slow_conversation_ends_within_its_bound(server: MailServer) -> None:
    server.on_receiver = lambda _: time.sleep(0.4)
    started = time.monotonic()
    try:
        error = refusal(server.address, total_seconds=0.2, step_seconds=5)
    finally:
        server.on_receiver = lambda _: None

    assert not error.is_permanent
    assert time.monotonic() - started < 2


def test_a_password_is_not_sent_in_the_clear(server: MailServer) -> None:
    error = refusal(f"smtp+starttls://me:hunter2@127.0.0.1:{server.port}")

    assert "no TLS" in str(error)
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("text", ["", "hunter2", "http://h", "smtp://", "smtp://h:x", "smtp://[x"])
def test_a_wrong_address_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(DeliveryError, match="SMTP_URL") as caught:
        parse_smtp_address(text)

    assert "hunter2" not in str(caught.value)


def test_an_address_is_read_with_its_defaults() -> None:
    parsed = parse_smtp_address("smtps://me%40work:p%3Aw@mail.example.org")

    assert (parsed.port, parsed.user) == (465, "me@work")
    assert parsed.password is not None
    assert parsed.password.reveal() == "p:w"
    assert "p:w" not in repr(parsed)


def test_an_address_that_no_server_can_take_is_given_up(server: MailServer) -> None:
    payload = mail_payload("w@example.org", ["用户@example.org"], MAIL)

    assert refusal(server.address, payload).is_permanent


# --- TLS ---


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine, with its key in the same file."""
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", *words.split(), *subject, "-keyout", str(file), "-out", str(file) + ".c"]
    subprocess.run(command, check=True, capture_output=True)
    file.write_text(file.read_text() + Path(f"{file}.c").read_text())
    return file


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


def serving(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


class Doorman:
    """Lets in who knows the password."""

    def __call__(self, _server: Any, _session: Any, _envelope: Any, _how: str, told: Any) -> Any:
        return AuthResult(success=told.password == b"hunter2", handled=False)


@pytest.mark.parametrize("scheme", ["smtps", "smtp+starttls", "smtp"])
def test_a_mail_goes_through_tls_after_signing_in(certificate: Path, scheme: str) -> None:
    options: dict[str, Any] = {"authenticator": Doorman()}
    if scheme == "smtps":
        options |= {"ssl_context": serving(certificate), "auth_require_tls": False}
    else:
        options |= {"tls_context": serving(certificate), "auth_required": True}
    with mail_server(**options) as server:
        address = f"{scheme}://me:hunter2@127.0.0.1:{server.port}"
        SmtpChannel("email", SecretText(address), tls=trusting(certificate)).send(PAYLOAD)
        wrong = address.replace("hunter2", "hunter3")
        with pytest.raises(DeliveryError, match="mend user and password") as caught:
            SmtpChannel("email", SecretText(wrong), tls=trusting(certificate)).send(PAYLOAD)

    assert len(server.mails) == 1
    assert caught.value.is_permanent
    assert "hunter3" not in str(caught.value)


def test_a_server_that_nobody_vouches_for_gets_nothing(certificate: Path) -> None:
    with mail_server(tls_context=serving(certificate)) as server:
        error = refusal(f"smtp://127.0.0.1:{server.port}")

    assert "certificate" in str(error)
    assert server.mails == []
