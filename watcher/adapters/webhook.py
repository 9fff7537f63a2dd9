"""Posts JSON to a webhook once, within a bounded time. The address is a secret and never shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Thread
from typing import Final

import httpx
from msgspec import Struct

from watcher.errors import DeliveryError
from watcher.report.escape import one_line

STEP_SECONDS: Final = 15.0
"""Bound of connecting, and of every pause while sending and receiving."""
TOTAL_SECONDS: Final = 60.0
"""Bound of the whole exchange: well under the lease of a delivery."""
_ANSWER_LIMIT: Final = 4_000
_TRY_AGAIN: Final = frozenset({408, 425, 429})


class Answer(Struct, frozen=True):
    """What a webhook said to a message that it took."""

    status: int
    text: str


class Webhook:
    """One webhook address."""

    def __init__(
        self,
        name: str,
        address: str,
        *,
        step_seconds: float = STEP_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
    ) -> None:
        self._name = name
        self._address = address
        self._step_seconds = step_seconds
        self._total_seconds = total_seconds

    def post(self, body: str) -> Answer:
        """Post once; no redirect is followed. Raises DeliveryError for all but a 2xx answer."""
        try:
            status, text, headers = self._exchange(body)
        except httpx.TimeoutException as error:
            raise DeliveryError("no answer in time", where=self._name) from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            mend = "mend the webhook's address"
            raise DeliveryError("not an http(s) address", where=self._name, mend=mend) from error
        except httpx.HTTPError as error:
            what = f"cannot be reached: {type(error).__name__}"
            raise DeliveryError(what, where=self._name) from error
        if 200 <= status < 300:
            return Answer(status, text)
        raise self._refusal(status, text, headers)

    def _exchange(self, body: str) -> tuple[int, str, Mapping[str, str]]:
        """One request and its answer, in a thread of its own: however slowly the other side sends
        its bytes, this returns or raises in time.
        """
        outcome: list[tuple[int, str, Mapping[str, str]] | httpx.HTTPError | httpx.InvalidURL] = []

        def work() -> None:
            try:
                outcome.append(self._request(body))
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                outcome.append(error)

        worker = Thread(target=work, daemon=True, name=f"webhook {self._name}")
        worker.start()
        worker.join(self._total_seconds)
        if not outcome:
            raise httpx.ReadTimeout("the answer trickles in")
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]

    def _request(self, body: str) -> tuple[int, str, Mapping[str, str]]:
        headers = {
            "content-type": "application/json; charset=utf-8",
            "accept-encoding": "identity",
        }
        with (
            httpx.Client(timeout=self._step_seconds, follow_redirects=False) as client,
            client.stream(
                "POST", self._address, content=body.encode(), headers=headers
            ) as response,
        ):
            text = b""
            for chunk in response.iter_raw():
                text += chunk
                if len(text) > _ANSWER_LIMIT:
                    break
            told = text[:_ANSWER_LIMIT].decode("utf-8", "replace")
            return response.status_code, told, response.headers

    def _refusal(self, status: int, text: str, headers: Mapping[str, str]) -> DeliveryError:
        is_permanent = status < 500 and status not in _TRY_AGAIN
        said = one_line(text, 120)
        return DeliveryError(
            f"HTTP {status}" + (f": {said}" if said else ""),
            where=self._name,
            mend="mend the webhook's address" if is_permanent else "",
            is_permanent=is_permanent,
            retry_after_seconds=_retry_after(headers.get("retry-after", "")),
        )


def _retry_after(value: str) -> float | None:
    """Seconds of a ``Retry-After`` header, a number or a date; None for anything else."""
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
