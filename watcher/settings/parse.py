"""``watcher.toml`` (or ``[tool.watcher]``) and the environment in, a validated ``Settings`` out.

Pure; the text is handed in. Raises ConfigError: one line with file, key and mend.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from pathlib import Path

from watcher.errors import ConfigError
from watcher.facts.item import Tier
from watcher.settings.addresses import is_http_address, refuse_path
from watcher.settings.pins import parse_pin
from watcher.settings.records import (
    AllQuiet,
    ChannelKind,
    ChannelSetting,
    DigestSettings,
    Hardware,
    IgnoreEnd,
    IgnoreSetting,
    PinSetting,
    ScheduleSettings,
    Settings,
    StoreSettings,
    UsageSettings,
    WebSettings,
)
from watcher.settings.secrets import parse_secrets
from watcher.settings.table import Table, did_you_mean
from watcher.settings.toml_text import load_toml

_ITEM = re.compile(r"[A-Za-z0-9._-]+#[0-9]{1,9}|[A-Za-z0-9._-]+@[0-9a-f]{7,40}|advisory:[\w.-]+")
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
_SQLITE_FILE = re.compile(r"(sqlite(?:\+\w+)?:///)([^?]*)(\?.*)?")
_AT_LINE = re.compile(r"^(.*?)\s*\(at line (\d+), column \d+\)$")


def parse_settings(
    toml_text: str,
    *,
    origin: Path,
    environment: Mapping[str, str],
    read: Callable[[Path], str | None] | None = None,
) -> Settings:
    """Settings of a configuration file's text.

    ``origin`` is the file's absolute path, ``read`` reads the files that ``…_FILE`` secrets name.
    Raises ConfigError.
    """
    file = origin.name
    top = Table(_load(toml_text, origin), file, environment=environment)
    pins = _pins(top, origin.parent)
    settings = Settings(
        origin=origin,
        store=_store(top.table("store"), origin.parent),
        pins=pins,
        usage=_usage(top.table("usage")),
        digest=_digest(top.table("digest")),
        schedule=_schedule(top.table("schedule")),
        web=_web(top.table("web")),
        ignore=tuple(_ignore(entry, pins) for entry in top.tables("ignore")),
        profiles=_profiles(top),
        advisories=_advisories(top.table("advisories")),
        secrets=parse_secrets(environment, read=read),
    )
    top.finish()
    return settings


def _load(text: str, origin: Path) -> dict[str, object]:
    try:
        data = load_toml(text)
    except ValueError as error:
        raise _syntax_error(str(error), origin.name) from error
    if origin.name != "pyproject.toml":
        return data
    tool = data.get("tool")
    section = tool.get("watcher") if isinstance(tool, dict) else None
    if not isinstance(section, dict):
        mend = 'add [tool.watcher], or run "watcher init"'
        raise ConfigError("has no table [tool.watcher]", where=origin.name, mend=mend)
    return section


def _syntax_error(message: str, file: str) -> ConfigError:
    one_line = " ".join(message.split())[:200]
    match = _AT_LINE.match(one_line)
    where, what = (f"{file}:{match[2]}", match[1]) if match else (file, one_line)
    return ConfigError(
        f"not valid TOML: {what}", where=where, mend='texts need quotes, lists brackets: key = "…"'
    )


def _pins(top: Table, root: Path) -> tuple[PinSetting, ...]:
    pins: dict[str, PinSetting] = {}
    for entry in top.tables("pins"):
        pin = parse_pin(entry, root)
        if pin.name in pins:
            what = f'is "{pin.name}", as is an earlier pin'
            raise entry.error("name", what, "give each pin its own name")
        _check_shared(entry, pin, pins)
        pins[pin.name] = pin
    return tuple(pins.values())


def _check_shared(entry: Table, pin: PinSetting, pins: Mapping[str, PinSetting]) -> None:
    """Pins of one upstream share its mirror, so they must agree on what is mirrored."""
    for other in pins.values():
        if other.upstream.lower() != pin.upstream.lower():
            continue
        for key in ("upstream", "branch", "api", "paths"):
            if getattr(other, key) != getattr(pin, key):
                what = f'differs from that of pin "{other.name}" of the same upstream'
                raise entry.error(key, what, "write the same in both")


def _store(table: Table, root: Path) -> StoreSettings:
    url = table.text("url", "sqlite:///watcher.db")
    if not re.match(r"[a-z][a-z0-9+]*://", url):
        raise table.error("url", "is not a database address", 'write url = "sqlite:///watcher.db"')
    mirrors = table.text("mirrors", ".watcher/mirrors")
    table.finish()
    return StoreSettings(url=_absolute_sqlite(url, root), mirrors=root / mirrors)


def _absolute_sqlite(url: str, root: Path) -> str:
    match = _SQLITE_FILE.fullmatch(url)
    if not match or match[2] in {"", ":memory:"} or match[2].startswith("file:"):
        return url
    return f"{match[1]}{root / match[2]}{match[3] or ''}"


def _usage(table: Table) -> UsageSettings:
    paths = table.texts("paths")
    for path in paths:
        if refusal := refuse_path(path):
            raise table.error("paths", f"{path!r:.60} {refusal}", "write upstream's path")
    usage = UsageSettings(
        config=table.texts("config"),
        code=table.texts("code"),
        keywords=table.texts("keywords"),
        paths=paths,
        gpus=table.integer("gpus", low=1, high=1_000_000),
        hardware=table.choice("hardware", Hardware),
    )
    table.finish()
    return usage


def _digest(table: Table) -> DigestSettings:
    digest = DigestSettings(
        at=_time_of_day(table),
        timezone=_timezone(table),
        tier=table.choice("tier", Tier) or Tier.LIKELY,
        channels=tuple(_channel(entry) for entry in table.tables("channels")),
        all_quiet=table.choice("all_quiet", AllQuiet) or AllQuiet.NEVER,
        limit=table.integer("limit", low=1, high=1000, default=20) or 20,
    )
    table.finish()
    return digest


def _time_of_day(table: Table) -> time:
    raw = table.raw("at")
    if isinstance(raw, time):
        return raw.replace(second=0, microsecond=0, tzinfo=None)
    text = table.text("at", "09:00")
    match = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text, re.ASCII)
    if not match:
        raise table.error("at", f"is {text!r:.40}", 'write a time of day such as "09:00"')
    return time(int(match[1]), int(match[2]))


def _timezone(table: Table) -> str:
    name = table.text("timezone", "UTC")
    if name == "UTC":
        return name
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError) as error:
        guess = did_you_mean(name, zoneinfo.available_timezones())
        mend = guess or 'write a name such as "Asia/Shanghai"'
        raise table.error("timezone", f"is {name!r:.40}, not a time zone", mend) from error
    return name


def _channel(entry: Table) -> ChannelSetting:
    kind = entry.choice("type", ChannelKind)
    if kind is None:
        raise entry.error("type", "is missing", 'write type = "email", "slack" or "feishu"')
    if kind is not ChannelKind.EMAIL:
        entry.finish()
        return ChannelSetting(kind=kind)
    sender = entry.required("from", "watcher@example.org")
    to = entry.texts("to")
    if not to:
        raise entry.error("to", "names nobody", 'write to = ["you@example.org"]')
    for key, address in [("from", sender), *(("to", receiver) for receiver in to)]:
        if not _ADDRESS.fullmatch(address):
            raise entry.error(key, f"{address!r:.60} is no address", "write name@example.org")
    entry.finish()
    return ChannelSetting(kind=kind, sender=sender, to=to)


def _schedule(table: Table) -> ScheduleSettings:
    usual = ScheduleSettings()
    schedule = ScheduleSettings(
        sync_every=table.duration("sync_every", usual.sync_every),
        stale_after=table.duration("stale_after", usual.stale_after),
    )
    table.finish()
    return schedule


def _web(table: Table) -> WebSettings:
    url = table.optional("url")
    if url is not None and not is_http_address(url):
        raise table.error("url", "is not an http(s) address", 'write "https://watcher.example.org"')
    header = table.optional("user_header")
    if header is not None and not re.fullmatch(r"[A-Za-z0-9-]{1,60}", header):
        raise table.error("user_header", "is no header name", 'write "X-Forwarded-User"')
    host = table.text("host", "127.0.0.1")
    if not re.fullmatch(r"[A-Za-z0-9.:_-]{1,255}", host):
        raise table.error("host", f"is {host!r:.40}", 'write an address such as "127.0.0.1"')
    port = table.integer("port", low=1, high=65_535, default=8765) or 8765
    table.finish()
    return WebSettings(
        host=host, port=port, url=url.rstrip("/") if url else None, user_header=header
    )


def _ignore(entry: Table, pins: tuple[PinSetting, ...]) -> IgnoreSetting:
    item = entry.required("item", "verl#6601")
    if not _ITEM.fullmatch(item):
        raise entry.error("item", f"is {item!r:.60}", "write verl#6601, verl@SHA or advisory:SLUG")
    name = re.split("[#@:]", item)[0]
    known = [pin.name for pin in pins]
    if name != "advisory" and name not in known:
        mend = did_you_mean(name, known) or f"known pins: {', '.join(known) or 'none'}"
        raise entry.error("item", f'names no pin: "{name}"', mend)
    ignore = IgnoreSetting(item=item, reason=entry.text("reason"), until=_until(entry))
    entry.finish()
    return ignore


def _until(entry: Table) -> date | IgnoreEnd | None:
    raw = entry.raw("until")
    if isinstance(raw, datetime):
        return raw.date()
    if isinstance(raw, date):
        return raw
    text = entry.text("until").lower()
    if text in list(IgnoreEnd):
        return IgnoreEnd(text)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        mend = 'write "2027-01-01", "released" or "pin-moves"'
        raise entry.error("until", f"is {text!r:.40}", mend) from error


def _profiles(top: Table) -> dict[str, dict[str, object]]:
    table = top.table("profiles")
    overlays: dict[str, dict[str, object]] = {}
    for name, overlay in table.values.items():
        if not isinstance(overlay, dict):
            raise table.error(name, "is not a table", f"write [profiles.{name[:40]}]")
        overlays[name] = overlay
    return overlays


def _advisories(table: Table) -> tuple[str, ...]:
    files = table.texts("files")
    table.finish()
    return files
