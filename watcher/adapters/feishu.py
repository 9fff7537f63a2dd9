"""``ports.Channel`` on the webhook of a Feishu or Lark custom bot."""

from __future__ import annotations

import json
from typing import Final

from watcher.adapters.webhook import Webhook
from watcher.errors import DeliveryError
from watcher.ports.channel import Leftover
from watcher.report.escape import one_line
from watcher.settings import SecretText

_TOO_OFTEN: Final = frozenset({9499, 11232})
"""Codes of an answer that asks for patience: too many requests."""


class FeishuChannel:
    """Posts messages that are already rendered as JSON."""

    def __init__(self, name: str, webhook: SecretText | None, *, step_seconds: float = 15) -> None:
        self.name = name
        self._webhook = webhook
        self._step_seconds = step_seconds

    def send(self, payload: str) -> tuple[Leftover, ...]:
        """Post one message; an error inside an answer of status 200 counts. Raises
        DeliveryError.
        """
        if self._webhook is None:
            mend = "set WATCHER_FEISHU_WEBHOOK"
            raise DeliveryError("no webhook is set", where=self.name, mend=mend)
        webhook = Webhook(self.name, self._webhook.reveal(), step_seconds=self._step_seconds)
        code, said = _outcome(webhook.post(payload).text)
        if code != 0:
            raise DeliveryError(
                f"code {code}: {one_line(said, 120)}",
                where=self.name,
                mend="" if code in _TOO_OFTEN else "see the bot's settings",
                is_permanent=code not in _TOO_OFTEN,
            )
        return ()


def _outcome(text: str) -> tuple[int, str]:
    """Code and message of an answer; 0 for one that names none."""
    try:
        told = json.loads(text)
    except ValueError:
        return 0, ""
    if not isinstance(told, dict):
        return 0, ""
    code = told.get("code", told.get("StatusCode", 0))
    return (code if isinstance(code, int) else 0), str(told.get("msg", ""))
