"""A pin as verdicts ask for it: where it stands, what it carries, what other changes are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from watcher.facts.change import Change
from watcher.facts.links import Links
from watcher.facts.pin import ResolvedPin
from watcher.facts.presence import Verdict
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.items import item_name
from watcher.pipeline.landed_line import StoredLine
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.presence.contained import Containment
from watcher.presence.landed import landed, landed_line
from watcher.presence.verdict import PinView, judge


class PinState:
    """A pin as verdicts ask for it: where it stands, what it carries, what others are called."""

    def __init__(
        self,
        store: Store,
        pin: ResolvedPin,
        horizon: Horizon,
        contained: Mapping[str, Containment],
        links: Mapping[str, Links],
    ) -> None:
        self.pin = pin
        self.links = links
        self._contained = contained
        self._view = PinView(pin.position, horizon.position)
        self._store = store
        self._line = StoredLine(store, pin.upstream)

    def know(self, changes: Iterable[Change]) -> None:
        """Take in changes that verdicts may name: each spares a question to the store."""
        for change in changes:
            self._line.add(landed(change))

    def verdict(self, change: Change) -> Verdict:
        """Presence of a change."""
        links = self.links.get(change.sha)
        return judge(change, links, self._view, self._line, self._contained.get(change.sha))

    def verdicts(self, changes: Sequence[Change]) -> dict[str, Verdict]:
        """Presence of many changes with one question to the store, by sha."""
        wanted = {sha for change in changes for sha in _named_by(self.links.get(change.sha))}
        which = ChangeFilter(shas=tuple(wanted), off_line=None, parts=frozenset())
        named = self._store.changes(self.pin.upstream, which) if wanted else []
        line = landed_line([*changes, *named])
        return {
            change.sha: judge(
                change,
                self.links.get(change.sha),
                self._view,
                line,
                self._contained.get(change.sha),
            )
            for change in changes
        }

    def name_of(self, sha: str) -> str:
        """Item name of a change by its sha."""
        landed = self._line.by_sha(sha)
        return item_name(self.pin.name, None if landed is None else landed.number, sha)

    def holds(self, sha: str) -> bool:
        """True when the pin has a change, in its history or by backport."""
        landed = self._line.by_sha(sha)
        position = None if landed is None else landed.position
        is_older = position is not None and position <= self.pin.position
        return is_older or sha in self._contained or sha in self.pin.carried

    def family_state(self, links: Links | None) -> tuple[tuple[str, str], ...]:
        """``you have 1 of 3; left: …`` for a change with a family."""
        if links is None or len(links.family) < 2:
            return ()
        members = _once(links.family, self.links)
        left = [sha for sha in members if not self._has_any(sha)]
        words = f"you have {len(members) - len(left)} of {len(members)}"
        if left:
            words += "; left: " + ", ".join(self.name_of(sha) for sha in left)
        return (("family_state", words),)

    def _has_any(self, sha: str) -> bool:
        links = self.links.get(sha)
        return any(self.holds(one) for one in (sha, *(links.equivalents if links else ())))


def _once(family: Iterable[str], links: Mapping[str, Links]) -> list[str]:
    """Members of a family, equivalents counted once."""
    members: list[str] = []
    for sha in family:
        equivalents = links[sha].equivalents if sha in links else ()
        if not any(other in members for other in equivalents):
            members.append(sha)
    return members


def _named_by(links: Links | None) -> tuple[str, ...]:
    if links is None:
        return ()
    ends = (links.withdrawn_by, links.relanded_as)
    return (*links.reverts, *links.named_origins, *(sha for sha in ends if sha))
