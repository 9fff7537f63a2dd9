"""Slack and Feishu by a real webhook: which answers are final, what is asked, what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from tests.receivers import Hook, free_port, hook, trickling_port
from watcher.adapters.feishu import FeishuChannel
from watcher.adapters.slack import SlackChannel
from watcher.adapters.webhook import Webhook
from watcher.errors import DeliveryError
from watcher.settings import SecretText


@pytest.fixture(scope="module")
def running() -> Iterator[Hook]:
    with hook() as told:
        yield told


@pytest.fixture
def receiver(running: Hook) -> Hook:
    running.posts.clear()
    running.replies.clear()
    return running


def slack(address: str, seconds: float = 5) -> SlackChannel:
    return SlackChannel("slack", SecretText(address), step_seconds=seconds)


def refusal(channel: SlackChannel | FeishuChannel) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        channel.send("{}")
    return caught.value


def test_a_message_is_posted_as_it_is(receiver: Hook) -> None:
    assert slack(receiver.address).send('{"text": "é"}') == ()

    assert receiver.posts == [("/hook/secret-token", '{"text": "é"}'.encode())]


@pytest.mark.parametrize(
    ("status", "is_permanent"),
    [(429, False), (500, False), (503, False), (408, False), (404, True), (403, True), (302, True)],
)
def test_a_refusal_says_whether_to_try_again(
    receiver: Hook, status: int, is_permanent: bool
) -> None:
    receiver.replies.append((status, {"Location": "http://127.0.0.1:1/"}, "no_service\n<b>"))

    error = refusal(slack(receiver.address))

    assert error.is_permanent is is_permanent
    assert f"HTTP {status}: no_service <b>" in str(error)
    assert "secret-token" not in str(error)


@pytest.mark.parametrize(("value", "seconds"), [("90", 90.0), ("soon", None), ("", None)])
def test_the_wait_that_is_asked_for_is_told(
    receiver: Hook, value: str, seconds: float | None
) -> None:
    receiver.replies.append((429, {"Retry-After": value}, ""))

    assert refusal(slack(receiver.address)).retry_after_seconds == seconds


def test_silence_and_absence_are_tried_again(receiver: Hook) -> None:
    receiver.hold = Event()
    try:
        silent = refusal(slack(receiver.address, seconds=0.1))
    finally:
        receiver.hold.set()
        receiver.hold = None
    absent = refusal(slack(f"http://127.0.0.1:{free_port()}/secret-token"))

    assert (silent.is_permanent, absent.is_permanent) == (False, False)
    assert "in time" in str(silent)
    assert "secret-token" not in f"{absent} {silent}"


def test_an_answer_that_trickles_in_is_not_waited_for() -> None:
    with trickling_port() as port:
        webhook = Webhook("slack", f"http://127.0.0.1:{port}/", step_seconds=5, total_seconds=0.3)
        with pytest.raises(DeliveryError, match="in time") as caught:
            webhook.post("{}")

    assert not caught.value.is_permanent


@pytest.mark.parametrize("address", ["no address", "ftp://host/x", "http://[::1"])
def test_what_is_no_address_is_told(address: str) -> None:
    assert "address" in str(refusal(slack(address)))


def test_a_missing_webhook_says_what_to_set() -> None:
    assert "WATCHER_SLACK_WEBHOOK" in str(refusal(SlackChannel("slack", None)))
    assert "WATCHER_FEISHU_WEBHOOK" in str(refusal(FeishuChannel("feishu", None)))


@pytest.mark.parametrize(
    ("answer", "is_permanent"),
    [
        ('{"code": 19024, "msg": "Key Words Not Found"}', True),
        ('{"code": 11232, "msg": "frequency limited"}', False),
    ],
)
def test_feishu_says_no_with_status_200(receiver: Hook, answer: str, is_permanent: bool) -> None:
    receiver.replies.append((200, {}, answer))

    error = refusal(FeishuChannel("feishu", SecretText(receiver.address)))

    assert error.is_permanent is is_permanent


@pytest.mark.parametrize(
    "answer", ['{"code": 0, "msg": "success"}', '{"StatusCode": 0}', "[]", "<"]
)
def test_feishu_says_yes(receiver: Hook, answer: str) -> None:
    receiver.replies.append((200, {}, answer))

    assert FeishuChannel("feishu", SecretText(receiver.address)).send("{}") == ()
