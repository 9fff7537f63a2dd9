"""Mail by a real SMTP server: refusals, rests, time-outs, what is never shown."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

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
