"""``ports.Channel`` on a Slack incoming webhook."""

from __future__ import annotations

from watcher.adapters.webhook import Webhook
from watcher.errors import DeliveryError
from watcher.ports.channel import Leftover
from watcher.settings import SecretText


class SlackChannel:
    """Posts messages that are already rendered as JSON."""

    def __init__(self, name: str, webhook: SecretText | None, *, step_seconds: float = 15) -> None:
        self.name = name
        self._webhook = webhook
        self._step_seconds = step_seconds

    def send(self, payload: str) -> tuple[Leftover, ...]:
        """Post one message. Raises DeliveryError."""
        if self._webhook is None:
            mend = "set WATCHER_SLACK_WEBHOOK"
            raise DeliveryError("no webhook is set", where=self.name, mend=mend)
        webhook = Webhook(self.name, self._webhook.reveal(), step_seconds=self._step_seconds)
        webhook.post(payload)
        return ()
