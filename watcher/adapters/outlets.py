"""The receivers of the configuration -> outlets: each with its renderer and its channel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

from watcher.adapters.feishu import FeishuChannel
from watcher.adapters.mail import SmtpChannel, mail_payload
from watcher.adapters.slack import SlackChannel
from watcher.adapters.templates import DigestTemplates
from watcher.digest.feishu import render_feishu
from watcher.digest.mail import Letter, render_mail
from watcher.digest.record import Digest
from watcher.digest.slack import render_slack
from watcher.ports.channel import MessageThread, Outlet, RenderedMessage
from watcher.settings import Settings
from watcher.settings.records import ChannelKind, ChannelSetting


def make_outlets(settings: Settings, templates: DigestTemplates) -> list[Outlet]:
    """One outlet for each entry of ``digest.channels``; a webhook is written to once."""
    outlets: dict[str, Outlet] = {}
    mails = 0
    for entry in settings.digest.channels:
        if entry.kind is ChannelKind.EMAIL:
            mails += 1
            name = "email" if mails == 1 else f"email-{mails}"
            outlets[name] = _mail(name, entry, settings, templates)
        else:
            outlets[entry.kind.value] = _webhook(entry.kind, settings)
    return list(outlets.values())


def _mail(
    name: str, entry: ChannelSetting, settings: Settings, templates: DigestTemplates
) -> Outlet:
    return Outlet(
        name=name,
        label=f"e-mail to {', '.join(entry.to)}",
        channel=SmtpChannel(name, settings.secrets.smtp_url),
        render=partial(_render_mail, entry, templates),
    )


def _render_mail(
    entry: ChannelSetting, templates: DigestTemplates, digest: Digest, thread: MessageThread
) -> RenderedMessage:
    letter = Letter(
        key=thread.key,
        sender=entry.sender,
        to=entry.to,
        made_at=thread.made_at,
        parent=thread.parent,
        root=thread.root,
    )
    mail = render_mail(digest, templates.mail_html(digest), letter)
    message = mail_payload(entry.sender, entry.to, mail.as_bytes())
    return RenderedMessage(message=message, message_id=str(mail["Message-ID"]))


def _webhook(kind: ChannelKind, settings: Settings) -> Outlet:
    secrets = settings.secrets
    if kind is ChannelKind.SLACK:
        slack = SlackChannel(kind.value, secrets.slack_webhook)
        return Outlet(name=kind.value, label="Slack", channel=slack, render=_as_json(render_slack))
    feishu = FeishuChannel(kind.value, secrets.feishu_webhook)
    return Outlet(name=kind.value, label="Feishu", channel=feishu, render=_as_json(render_feishu))


def _as_json(
    render: Callable[[Digest], Mapping[str, object]],
) -> Callable[[Digest, MessageThread], RenderedMessage]:
    def rendered(digest: Digest, _thread: MessageThread) -> RenderedMessage:
        return RenderedMessage(message=json.dumps(render(digest), ensure_ascii=False))

    return rendered
