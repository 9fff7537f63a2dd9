"""``watcher digest``: show what is new since the last one, or send it, for people and for cron."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from watcher.cli.face import Face
from watcher.errors import ConfigError
from watcher.report.escape import one_line

if TYPE_CHECKING:
    from watcher.digest.record import Digest
    from watcher.pipeline.morning import Morning

_FORMATS = ["text", "html", "slack", "feishu"]


@click.command("digest")
@click.option("--send", "is_sent", is_flag=True, help="Send today's digest, once a day.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent (the default).")
@click.option("--preview", type=click.Choice(_FORMATS), help="Show it as this medium does.")
@click.option("--channel", help="Compare with what this channel was told last.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(
    face: Face,
    *,
    is_sent: bool,
    dry_run: bool,
    preview: str | None,
    channel: str | None,
    as_json: bool,
) -> int:
    """Compose what is new since the last digest; nothing leaves this machine without --send."""
    if is_sent and not dry_run:
        return _send(face, as_json=as_json)
    digest = face.app.preview_digest(_channel(face, channel))
    if as_json:
        face.print_json(_as_json(digest))
    elif digest is None:
        click.echo("Nothing new: nothing would be sent.")
    else:
        click.echo(_rendered(face, digest, preview or "text"), nl=False)
    return 0


def _channel(face: Face, name: str | None) -> str | None:
    """The channel named, or the first one there is."""
    known = [outlet.name for outlet in face.app.outlets]
    if name is not None and name not in known:
        mend = f"the channels are {', '.join(known) or 'none: fill digest.channels'}"
        raise ConfigError(f"no channel is named `{name}`", where="--channel", mend=mend)
    return name or (known[0] if known else None)


def _as_json(digest: Digest | None) -> dict[str, object]:
    from watcher.digest.as_json import digest_json

    if digest is None:
        return {"schema": "watcher/1", "command": "digest", "entries": [], "notices": []}
    return digest_json(digest)


def _rendered(face: Face, digest: Digest, medium: str) -> str:
    import json

    if medium == "html":
        return face.app.digest_html(digest) + "\n"
    if medium == "text":
        from watcher.digest.text import render_text

        return render_text(digest)
    from watcher.digest.feishu import render_feishu
    from watcher.digest.slack import render_slack

    body = render_slack(digest) if medium == "slack" else render_feishu(digest)
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _send(face: Face, *, as_json: bool) -> int:
    if not face.app.outlets:
        mend = 'write channels = [{ type = "slack" }] under [digest]'
        raise ConfigError("names no channel", where="digest.channels", mend=mend)
    morning = face.app.morning(is_asked=True)
    if as_json:
        face.print_json(_morning_json(morning))
    else:
        for line in morning_lines(morning):
            click.echo(line)
    return 1 if any(one.state != "sent" for one in morning.tried) else 0


def morning_lines(morning: Morning) -> list[str]:
    """What became of each channel's digest, a line each."""
    lines = []
    tried = {one.key: one for one in morning.tried}
    for channel, fate in morning.fates.items():
        if f"{channel}:{morning.day.isoformat()}" not in tried:
            lines.append(f"{channel}: {_FATES[fate.value]}")
    for one in tried.values():
        outcome = one.state if one.error is None else f"{one.state}: {one.error}"
        lines.append(one_line(f"{one.key}: {outcome}", 500))
    return lines


_FATES = {
    "queued": "queued",
    "quiet": "nothing new, nothing sent",
    "known": "today's digest was made before",
    "waiting": "waiting for an earlier message, or for the first sync",
}


def _morning_json(morning: Morning) -> dict[str, object]:
    return {
        "schema": "watcher/1",
        "command": "digest",
        "day": morning.day.isoformat(),
        "channels": {name: fate.value for name, fate in morning.fates.items()},
        "deliveries": [
            {"key": one.key, "state": one.state, "attempts": one.attempts, "error": one.error}
            for one in morning.tried
        ],
    }
