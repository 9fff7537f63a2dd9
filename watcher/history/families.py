"""Changes in order -> families: changes that mend one bug, and those loosely related. Pure.

Members are fixes that stand. A change that landed on several branches, or again after a revert,
counts once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Final

from msgspec import Struct, field

from watcher.facts.message import MentionKind
from watcher.history.equivalents import Equivalents
from watcher.history.lookup import ChangeIndex, LinkInput
from watcher.history.reverts import Reverts

_TRACKER: Final = 8
"""An issue that more fixes name is a tracker of work, not one bug."""
_COMMON_ERROR: Final = 6
_LARGEST: Final = 12
"""A larger knot is a topic, not a bug: its members become related."""
_RELATED_LIMIT: Final = 20
_ISSUE_SPAN: Final = timedelta(days=200)
_FOLLOW_UP_SPAN: Final = timedelta(days=200)
_ERROR_SPAN: Final = timedelta(weeks=6)

_ERROR: Final = re.compile(r"\b([A-Z]\w{2,60}(?:Error|Exception))\b: ?([^\n]{15,160})")
_NOT_WORDS: Final = re.compile(r"[\W\d_]+")
_ERROR_LETTERS: Final = 40
_COMMON_NAMES: Final = frozenset(
    {"__call__", "__init__", "__new__", "__post_init__", "apply", "build", "call", "create", "fit"}
    | {"forward", "from_config", "generate", "get", "init", "inner", "load", "main", "register"}
    | {"run", "save", "set", "setup", "step", "test", "train", "update", "wrapper"}
)
"""Function names that two changes share by chance."""


_TELLING: Final = frozenset({MentionKind.ABOUT, MentionKind.INTRODUCED_BY})
"""How a message names the issue that it is about; "fix for #7" blames #7 only if it is a change."""


class Families(Struct):
    """Ordinals of an index's changes."""

    members: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Change -> all members of its family in order of landing, itself included."""
    related: dict[int, tuple[int, ...]] = field(default_factory=dict)
    follow_ups: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Change -> later changes that say they complete it."""


def find_families(index: ChangeIndex, reverts: Reverts, equivalents: Equivalents) -> Families:
    """Families, loose relations and follow-ups of all changes."""
    return _Builder(index, reverts, equivalents).build()


class _Builder(Struct):
    index: ChangeIndex
    reverts: Reverts
    equivalents: Equivalents
    parent: dict[int, int] = field(default_factory=dict)
    loose: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    later: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def build(self) -> Families:
        self._by_issue()
        self._by_mention()
        self._by_error()
        return self._collect()

    # --- ties ---

    def _by_issue(self) -> None:
        strong: dict[int, dict[int, None]] = defaultdict(dict)
        weak: dict[int, dict[int, None]] = defaultdict(dict)
        for at, change in enumerate(self.index.changes):
            one = self._one(at)
            for number, is_strong in self._issues(change):
                table = strong if is_strong and self._may_join(one) else weak
                table[number][one] = None
        for number, members in strong.items():
            if len(members) > _TRACKER:
                continue
            for first, second in pairwise(sorted(members)):
                self._tie(first, second, _ISSUE_SPAN)
            for other in list(weak.get(number, ()))[:_RELATED_LIMIT]:
                for member in members:
                    self._relate(other, member)

    def _issues(self, change: LinkInput) -> Iterator[tuple[int, bool]]:
        """(issue number, is what the change is about)."""
        for number in change.closes:
            if not self.index.is_change(number):
                yield number, True
        for mention in change.message.mentions:
            if mention.number is not None and not self.index.is_change(mention.number):
                yield mention.number, mention.kind in _TELLING

    def _by_mention(self) -> None:
        for at, change in enumerate(self.index.changes):
            for mention in change.message.mentions:
                if mention.kind in {MentionKind.BACKPORT_OF, MentionKind.REVERTS}:
                    continue
                named = self.index.resolve(mention, before=at, branch=change.branch)
                if named is None:
                    continue
                one, other = self._one(at), self._one(named)
                if one == other:
                    continue
                if mention.kind is MentionKind.FOLLOW_UP:
                    self.later[other].add(one)
                    self._tie(other, one, _FOLLOW_UP_SPAN)
                elif mention.kind is MentionKind.ABOUT and self._share_function(one, other):
                    self._tie(other, one, _FOLLOW_UP_SPAN)
                self._relate(one, other)

    def _by_error(self) -> None:
        by_error: dict[str, dict[int, None]] = defaultdict(dict)
        for at, change in enumerate(self.index.changes):
            if not change.is_fix or "rror" not in change.message.body:
                continue
            for error in _errors(change.message.body):
                by_error[error][self._one(at)] = None
        for members in by_error.values():
            if not 1 < len(members) <= _COMMON_ERROR:
                continue
            for first, second in pairwise(sorted(members)):
                if self._share_function(first, second):
                    self._tie(first, second, _ERROR_SPAN)
                elif self._is_within(first, second, _ERROR_SPAN):
                    self._relate(first, second)

    # --- judging ---

    def _one(self, ordinal: int) -> int:
        """The change that stands for all landings of the same one."""
        at = self.reverts.relanded_as.get(ordinal, ordinal)
        return self.equivalents.representative(at, self.index)

    def _may_join(self, at: int) -> bool:
        return self.index.changes[at].is_fix and at not in self.reverts.withdrawn_by

    def _is_within(self, one: int, other: int, span: timedelta) -> bool:
        first, second = (self.index.changes[at].message.committed_at for at in (one, other))
        return abs(first - second) <= span

    def _share_function(self, one: int, other: int) -> bool:
        shared = self.index.changes[one].functions & self.index.changes[other].functions
        return bool(shared - _COMMON_NAMES)

    def _tie(self, one: int, other: int, span: timedelta) -> None:
        if self._may_join(one) and self._may_join(other) and self._is_within(one, other, span):
            self.parent[self._root(other)] = self._root(one)
        else:
            self._relate(one, other)

    def _relate(self, one: int, other: int) -> None:
        if one != other:
            self.loose[one].add(other)
            self.loose[other].add(one)

    def _root(self, at: int) -> int:
        root = at
        while (above := self.parent.get(root, root)) != root:
            root = above
        while (above := self.parent.get(at, at)) != root:
            self.parent[at] = root
            at = above
        return root

    # --- result ---

    def _collect(self) -> Families:
        groups: dict[int, list[int]] = defaultdict(list)
        for at in sorted({*self.parent, *self.parent.values()}):
            groups[self._root(at)].append(at)
        found = Families()
        for group in groups.values():
            if 1 < len(group) <= _LARGEST:
                for at in group:
                    found.members[at] = tuple(group)
            else:
                for first, second in pairwise(group):
                    self._relate(first, second)
        for at in range(len(self.index.changes)):
            self._fill(found, at)
        return found

    def _fill(self, found: Families, at: int) -> None:
        one = self._one(at)
        family = found.members.get(one, ())
        if family:
            found.members[at] = family
        elif one not in self.loose and one not in self.later:
            return
        near = {o for member in (family or (one,)) for o in self.loose.get(member, ())}
        near |= {member for other in near for member in found.members.get(other, ())}
        if related := sorted(near - set(family) - {one, at}):
            found.related[at] = tuple(related[:_RELATED_LIMIT])
        if later := sorted(self.later.get(one, ())):
            found.follow_ups[at] = tuple(later)


def _errors(body: str) -> Iterable[str]:
    """Error lines of a body as keys: class and the first letters of the message."""
    return {
        f"{match.group(1)}:{_NOT_WORDS.sub('', match.group(2)).lower()[:_ERROR_LETTERS]}"
        for match in list(_ERROR.finditer(body))[:20]
    }
