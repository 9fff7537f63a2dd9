"""Sends what waits in the outbox: each message until it arrives, or is given up after the last try.

The content was fixed when the message was queued. A worker leases a message, sends it, records the
outcome. One that dies in between is survived by the lease: the message is sent by the next. Only
between the receiver's yes and our note of it a message may go out twice, the same to the letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from watcher.errors import DeliveryError
from watcher.ports.channel import Channel, Leftover
from watcher.ports.clock import Clock
from watcher.ports.delivery import Delivery
from watcher.ports.store import Store
from watcher.report.escape import one_line

BACK_OFF: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360))
"""Waits between tries: after the sixth failure a message is given up."""
LEASE: Final = timedelta(minutes=10)
"""How long one try may take: longer than every channel's own bound."""
MOST_ATTEMPTS: Final = 2 * (len(BACK_OFF) + 1)
"""Tries with those that ended in the death of the worker."""
LONGEST_WAIT: Final = timedelta(hours=6)
TOLD: Final = "digest-told"
"""Kind of the documents that hold what a message tells."""
LAST: Final = "digest-last"
"""Kind of the documents that hold the latest envelope that arrived, its message left out."""
REST: Final = "+"
"""In a key: a part of a message for those who did not take it at first."""
_MOST_AT_ONCE: Final = 50
_LOST_SINCE: Final = timedelta(days=14)
_LOOKED_AT: Final = 120


class Envelope(Struct, frozen=True, kw_only=True):
    """A message as it lies in the outbox."""

    message: str
    """What the channel sends, to the letter."""
    told: str
    """Key of the document with what the receiver knows once it has arrived."""
    seen: dict[str, list[str]] = field(default_factory=dict)
    """Pin name -> items that it speaks of."""
    message_id: str | None = None
    root: str | None = None
    """Message-ID of the first mail of the thread."""

    def encode(self) -> str:
        """As stored."""
        return msgspec.json.encode(self).decode()


def open_envelope(payload: str) -> Envelope | None:
    """The envelope of a stored payload, or None for one that cannot be read."""
    try:
        return msgspec.json.decode(payload, type=Envelope)
    except msgspec.DecodeError:
        return None


def due_day(now: datetime, at: time, timezone: str) -> date:
    """The latest day whose digest is due: its time of day has come in the user's zone.

    A time that a change to summer time skips comes with the clock's next hour; one that occurs
    twice comes the first time.
    """
    zone = ZoneInfo(timezone)
    today = now.astimezone(zone).date()
    moment = datetime.combine(today, at, tzinfo=zone)
    return today if moment.timestamp() <= now.timestamp() else today - timedelta(days=1)


def lost_deliveries(store: Store, now: datetime) -> list[Delivery]:
    """Messages given up in the last two weeks, newest first."""
    return [
        one
        for one in store.deliveries(limit=_LOOKED_AT)
        if one.state == "given-up" and now - one.created_at <= _LOST_SINCE
    ]


def unmended_losses(store: Store, now: datetime) -> list[Delivery]:
    """The lost messages after which nothing has arrived on the same channel."""
    arrived: dict[str, datetime] = {}
    for one in store.deliveries(limit=_LOOKED_AT):
        if one.state == "sent":
            arrived.setdefault(one.channel, one.created_at)
    return [
        one
        for one in lost_deliveries(store, now)
        if one.channel not in arrived or arrived[one.channel] <= one.created_at
    ]


class Postman(Struct, frozen=True, kw_only=True):
    """Delivers what is due. Any number of them may work on one store."""

    store: Store
    channels: Mapping[str, Channel]
    clock: Clock

    def deliver_due(self) -> list[Delivery]:
        """Try everything that is due once; the outcomes as recorded."""
        done: list[Delivery] = []
        while len(done) < _MOST_AT_ONCE:
            claimed = self.store.claim_delivery(self.clock.now(), LEASE)
            if claimed is None:
                break
            done.append(self._deliver(claimed))
        return done

    def _deliver(self, claimed: Delivery) -> Delivery:
        envelope = open_envelope(claimed.payload)
        channel = self.channels.get(claimed.channel)
        if envelope is None or channel is None:
            reason = "its content cannot be read" if channel else "the channel is no longer there"
            return self._finish(replace(claimed, state="given-up", error=reason))
        if claimed.attempts > MOST_ATTEMPTS:
            reason = f"{claimed.attempts} tries, the last ones cut short"
            return self._finish(replace(claimed, state="given-up", error=reason))
        try:
            leftovers = channel.send(envelope.message)
        except DeliveryError as error:
            return self._finish(self._failed(claimed, error))
        for place, leftover in enumerate(leftovers):
            self._queue_rest(claimed, envelope, leftover, place)
        sent = self._finish(replace(claimed, state="sent", error=None, next_try_at=None))
        if REST not in claimed.key:
            self.store.save_document(LAST, claimed.channel, replace(envelope, message="").encode())
        for pin, items in envelope.seen.items():
            self.store.mark_seen(pin, items)
        return sent

    def _failed(self, claimed: Delivery, error: DeliveryError) -> Delivery:
        told = one_line(str(error), 400)
        if error.is_permanent or claimed.attempts > len(BACK_OFF):
            return replace(claimed, state="given-up", error=told, next_try_at=None)
        wait = BACK_OFF[claimed.attempts - 1]
        if error.retry_after_seconds is not None:
            asked = timedelta(seconds=min(error.retry_after_seconds, 86_400.0))
            wait = min(max(wait, asked), LONGEST_WAIT)
        next_try = self.clock.now() + wait
        return replace(claimed, state="pending", error=told, next_try_at=next_try)

    def _queue_rest(
        self, claimed: Delivery, envelope: Envelope, leftover: Leftover, place: int
    ) -> None:
        now = self.clock.now()
        lost = leftover.is_permanent
        rest = Delivery(
            key=f"{claimed.key}{REST}{place + 1}",
            channel=claimed.channel,
            payload=replace(envelope, message=leftover.message).encode(),
            state="given-up" if lost else "pending",
            attempts=1 if lost else 0,
            next_try_at=None if lost else now + BACK_OFF[0],
            created_at=now,
            error=one_line(leftover.error, 400),
        )
        self.store.add_delivery(rest)

    def _finish(self, outcome: Delivery) -> Delivery:
        self.store.finish_delivery(outcome)
        return outcome
