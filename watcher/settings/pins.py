"""One ``[[pins]]`` table in, a ``PinSetting`` out. Pure; raises ConfigError."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from watcher.settings.addresses import (
    PIN_NAME,
    is_http_address,
    refuse_git_address,
    refuse_path,
    refuse_ref,
    upstream_of,
)
from watcher.settings.records import PinSetting, PinSource, SourceKind
from watcher.settings.table import Table, did_you_mean

_SOURCE_FORMS = "installed:DIST, " + ", ".join(
    f"{kind}:{'PATH' if kind in {SourceKind.SUBMODULE, SourceKind.CHECKOUT} else 'FILE'}"
    for kind in SourceKind
    if kind is not SourceKind.INSTALLED
)


def parse_pin(table: Table, root: Path) -> PinSetting:
    """A pin of the configuration in directory ``root``. Raises ConfigError."""
    name = table.required("name", "verl")
    if not PIN_NAME.fullmatch(name) or name == "advisory":
        raise table.error("name", f"is {name!r:.60}", "use letters, digits, dot, dash")
    table = _named(table, name)
    upstream = _upstream(table)
    python = table.optional("python")
    pin = PinSetting(
        name=name,
        upstream=upstream,
        git=_git(table, upstream),
        ref=_ref(table, "ref"),
        source=_source(table),
        python=root / python if python else None,
        since=_since(table),
        patches=table.texts("patches"),
        branch=_ref(table, "branch"),
        api=_api(table),
        paths=_paths(table),
    )
    table.finish()
    if (pin.ref is None) == (pin.source is None):
        what = "and source are both set" if pin.ref else "is missing"
        raise table.error("ref", what, "write either ref or source")
    return pin


def _named(table: Table, name: str) -> Table:
    """The same table, whose errors name the pin instead of counting entries."""
    named = Table(table.values, table.file, f"pins.{name}")
    named.text("name")
    return named


def _upstream(table: Table) -> str:
    written = table.required("upstream", "verl-project/verl")
    upstream = upstream_of(written)
    if upstream is None:
        raise table.error("upstream", f"is {written!r:.60}", 'write "owner/name"')
    return upstream


def _git(table: Table, upstream: str) -> str:
    address = table.optional("git")
    if address is None:
        return f"https://github.com/{upstream}.git"
    if refusal := refuse_git_address(address):
        mend = "write https://…, ssh://…, git@host:… or file:///…"
        if "credential" in refusal:
            mend = "remove it and set GITHUB_TOKEN in the environment"
            address = "…"
        raise table.error("git", f"({address[:60]!r}) {refusal}", mend)
    return address


def _ref(table: Table, key: str) -> str | None:
    ref = table.optional(key)
    if ref is None:
        return None
    if refusal := refuse_ref(ref):
        raise table.error(key, f"({ref[:60]!r}) {refusal}", "write a sha, a tag or a branch")
    return ref


def _source(table: Table) -> PinSource | None:
    written = table.optional("source")
    if written is None:
        return None
    kind, _, name = written.partition(":")
    known = [item.value for item in SourceKind]
    if kind not in known:
        mend = did_you_mean(kind, known) or f"write one of {_SOURCE_FORMS}"
        raise table.error("source", f"has no kind {kind!r:.40}", mend)
    if not name.strip():
        raise table.error("source", "names no file", f"write one of {_SOURCE_FORMS}")
    return PinSource(SourceKind(kind), name.strip())


def _since(table: Table) -> datetime | str | None:
    raw = table.raw("since")
    written = raw.isoformat() if isinstance(raw, date) else table.optional("since")
    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written) if "-" in written else None
        if moment is not None:
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        if isinstance(raw, date):
            mend = "write a date such as 2026-01-31"
            raise table.error("since", "is out of range", mend) from None
    return _ref(table, "since")


def _api(table: Table) -> str | None:
    address = table.text("api", "https://api.github.com")
    if address.lower() == "off":
        return None
    if not is_http_address(address):
        mend = 'write "off" or "https://api.github.com"'
        raise table.error("api", f"is {address!r:.60}", mend)
    return address.rstrip("/")


def _paths(table: Table) -> tuple[str, ...]:
    paths = table.texts("paths")
    for path in paths:
        if refusal := refuse_path(path):
            raise table.error("paths", f"({path[:60]!r}) {refusal}", 'write "torch/distributed"')
    return paths
