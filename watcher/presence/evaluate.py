"""Labelled (pin, fix) pairs and verdicts -> the table of ``watcher evaluate --presence``.

Pure. The caller judges each pair; here the pairs are read and the verdicts counted by group.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from watcher.errors import ConfigError
from watcher.facts.presence import Presence

_SHA = re.compile(r"[0-9a-f]{40}")
_EXPECTED: Final = frozenset(
    {Presence.PRESENT, Presence.ABSENT, Presence.CONTAINED, Presence.WITHDRAWN}
)


class PresenceCase(Struct, frozen=True):
    """A pair with the presence that it should be given."""

    upstream: str
    pin: str
    fix: str
    expected: Presence
    group: str


class PresenceTable(Struct, frozen=True):
    """Verdicts by group."""

    groups: Mapping[str, Mapping[Presence, int]]
    expected: Mapping[str, Presence]

    def document(self) -> dict[str, dict[str, dict[str, int]]]:
        """The contract's JSON: ``{"groups": {GROUP: {"present": n, ...}}}``."""
        return {
            "groups": {
                group: {presence.value: counts.get(presence, 0) for presence in Presence}
                for group, counts in self.groups.items()
            }
        }


def parse_cases(text: str, *, where: str) -> list[PresenceCase]:
    """Cases of a JSON-lines file. Raises ConfigError naming the line."""
    return [
        _case(line, f"{where}:{number}")
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]


def _case(line: str, where: str) -> PresenceCase:
    try:
        held = json.loads(line)
        case = PresenceCase(
            upstream=str(held["upstream"]),
            pin=str(held["pin"]),
            fix=str(held["fix"]),
            expected=Presence(held["expected"]),
            group=str(held.get("group") or held["expected"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            "not a presence case",
            where=where,
            mend='one JSON object a line with "upstream", "pin", "fix" and "expected"',
        ) from error
    if not _SHA.fullmatch(case.pin) or not _SHA.fullmatch(case.fix):
        raise ConfigError("pin and fix are full shas", where=where, mend="write 40 hex digits")
    if case.expected not in _EXPECTED:
        raise ConfigError(
            f"{case.expected} cannot be expected",
            where=where,
            mend="write present, absent, contained or withdrawn",
        )
    return case


def tabulate(judged: Iterable[tuple[PresenceCase, Presence]]) -> PresenceTable:
    """Count verdicts by group, groups in order of name."""
    counts: dict[str, dict[Presence, int]] = {}
    expected: dict[str, Presence] = {}
    for case, presence in judged:
        expected.setdefault(case.group, case.expected)
        row = counts.setdefault(case.group, {})
        row[presence] = row.get(presence, 0) + 1
    return PresenceTable(dict(sorted(counts.items())), expected)
