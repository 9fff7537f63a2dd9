"""The item that a decision is about, by the name that somebody typed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from watcher.advisories.record import Advisory
from watcher.errors import UsageError
from watcher.facts.change import Change
from watcher.facts.item import Item
from watcher.facts.kind import Kind
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.items import Judgement, issue_item, item_name
from watcher.pipeline.pinned import Pinned
from watcher.pipeline.show import ItemName, parse_item_name
from watcher.ports.change_filter import ChangeFilter
from watcher.ports.store import Store
from watcher.report.escape import one_line


class ItemFinder(Struct, frozen=True, kw_only=True):
    """Knows the changes, issues and advisories that a name may mean."""

    store: Store
    pins: Sequence[Pinned]
    advisories: Sequence[Advisory]

    def find(self, text: str) -> tuple[Item, ResolvedPin | None]:
        """The item, without judgement, and its pin where resolved. Raises UsageError."""
        if text.startswith("advisory:"):
            return self._advisory(text), None
        name = parse_item_name(text)
        one = next((one for one in self.pins if one.name == name.pin), None)
        if one is None:
            mend = f"the pins are {', '.join(one.name for one in self.pins) or 'none'}"
            raise UsageError(f"no pin is named `{one_line(name.pin, 40)}`", mend=mend)
        found = self._change(name, one) or self._issue(name, one)
        if found is None:
            mend = "see `watcher list --all` for the items that there are"
            raise UsageError("nothing of this name is known", where=one_line(text, 80), mend=mend)
        return found, one.pin if isinstance(one.pin, ResolvedPin) else None

    def _advisory(self, text: str) -> Item:
        known = next((one for one in self.advisories if one.id == text), None)
        if known is None:
            mend = "see `watcher list` for their names"
            raise UsageError("no such advisory", where=one_line(text, 80), mend=mend)
        return Item(id=known.id, pin="", kind=Kind.ADVISORY, title=known.title)

    def _change(self, name: ItemName, one: Pinned) -> Item | None:
        upstream = one.setting.upstream
        if name.number is not None:
            shas = self.store.find_changes(upstream, name.number)
        else:
            full = None if one.walk is None else one.followed.mirror.resolve(name.sha or "")
            shas = [] if full is None else [full]
        if not shas:
            return None
        which = ChangeFilter(shas=tuple(shas), off_line=None, parts=frozenset())
        changes = self.store.changes(upstream, which)
        return self._item(one.name, changes[-1]) if changes else None

    def _item(self, pin: str, change: Change) -> Item:
        links = self.store.links(change.upstream, [change.sha]).get(change.sha)
        return Item(
            id=item_name(pin, change.number, change.sha),
            pin=pin,
            kind=change.message.kind,
            number=change.number,
            sha=change.sha,
            title=change.message.title,
            first_release=None if links is None else links.first_release,
        )

    def _issue(self, name: ItemName, one: Pinned) -> Item | None:
        if name.number is None:
            return None
        issues = self.store.issues(one.setting.upstream, [name.number], frozenset())
        return (
            issue_item(one.name, issues[0], Judgement(), mended_by=None, detail="")
            if issues
            else None
        )
