"""Which landed changes a pin carries: on its branch above the fork point, or as patch files.

Worked out once for a pin and a head, and kept in the store.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from watcher.errors import ConfigError
from watcher.facts.change import Change
from watcher.facts.pin import ResolvedPin
from watcher.pipeline.followed import FollowedUpstream
from watcher.pipeline.horizon import Horizon
from watcher.pipeline.pinned import Pinned
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.files import Files
from watcher.ports.json import Json
from watcher.ports.store import Store
from watcher.presence.contained import Carried, CarriedCommit, Containment, find_contained
from watcher.settings import Settings

_PATCH_LIMIT: Final = 5_000_000
_SUBJECT: Final = re.compile(r"^Subject:\s*(?:\[PATCH[^\]]{0,40}\]\s*)?(.{1,500})$", re.MULTILINE)
_TARGET: Final = re.compile(r"^\+\+\+ b/([^\t\r\n]{1,500})", re.MULTILINE)
_FORMAT: Final = 1


class _PatchFile(Struct, frozen=True):
    name: str
    text: str


class CarriedReader(Struct, frozen=True, kw_only=True):
    """Reads what pins carry."""

    store: Store
    files: Files
    settings: Settings

    def contained(
        self, pinned: Pinned, pin: ResolvedPin, horizon: Horizon
    ) -> Mapping[str, Containment]:
        """Sha of a landed change after the fork point -> how the pin has it.

        Raises ConfigError for a patch pattern that matches nothing, and MirrorError.
        """
        patches = self._patch_files(pinned)
        if not pin.carried and not patches:
            return {}
        key = f"{pin.upstream}@{pin.sha}"
        made_from = _name_of(horizon, patches)
        kept = _from_json(self.store.document("contained", key), made_from)
        if kept is not None:
            return kept
        found = self._find(pinned.followed, pin, horizon, patches)
        self.store.save_document("contained", key, _to_json(found, made_from))
        return found

    def _find(
        self,
        followed: FollowedUpstream,
        pin: ResolvedPin,
        horizon: Horizon,
        patches: Sequence[_PatchFile],
    ) -> dict[str, Containment]:
        which = ChangeFilter(
            after=pin.position, until=horizon.position, parts=frozenset({Part.FILES})
        )
        changes = self.store.changes(pin.upstream, which)
        touched = _touched(followed, pin, patches)
        same = [one.sha for one in changes if _paths(one) in touched]
        ids = followed.mirror.patch_ids(same) if same else {}
        carried = Carried(_commits(followed, pin, patches))
        found = ((one.sha, find_contained(one, carried, ids)) for one in changes)
        return {sha: containment for sha, containment in found if containment is not None}

    def _patch_files(self, pinned: Pinned) -> list[_PatchFile]:
        found = []
        for pattern in pinned.setting.patches:
            paths = self.files.find(self.settings.root, [pattern.removeprefix("./")])
            if not paths:
                where, mend = f"pins.{pinned.name}.patches", "name existing files"
                raise ConfigError(f"`{pattern}` matches no file", where=where, mend=mend)
            for path in paths:
                name = path.relative_to(self.settings.root).as_posix()
                text = self.files.read(path, limit=_PATCH_LIMIT) or ""
                found.append(_PatchFile(name, text))
        return found


def _commits(
    followed: FollowedUpstream, pin: ResolvedPin, patches: Iterable[_PatchFile]
) -> list[CarriedCommit]:
    raws = followed.mirror.messages(pin.fork_point, pin.sha, first_parent=False)
    messages = {raw.sha: raw.message for raw in raws} if pin.carried else {}
    ids = followed.mirror.patch_ids(pin.carried) if pin.carried else {}
    commits = [
        CarriedCommit(sha, messages[sha], ids.get(sha)) for sha in pin.carried if sha in messages
    ]
    for patch in patches:
        subject = _SUBJECT.search(patch.text)
        patch_id = followed.mirror.patch_id_of_text(patch.text)
        commits.append(
            CarriedCommit(patch.name, subject[1] if subject else "", patch_id, is_patch_file=True)
        )
    return commits


def _touched(
    followed: FollowedUpstream, pin: ResolvedPin, patches: Iterable[_PatchFile]
) -> set[frozenset[str]]:
    """The sets of paths that carried commits touch: equal patches touch equal paths."""
    sets = {frozenset(_TARGET.findall(patch.text)) for patch in patches}
    if pin.carried:
        from watcher.history.diff import parse_log  # not needed once the answer is kept

        lines = followed.mirror.patches(pin.fork_point, pin.sha, first_parent=False)
        sets |= {frozenset(file.path for file in diff.files) for diff in parse_log(lines)}
    return sets - {frozenset()}


def _paths(change: Change) -> frozenset[str]:
    return frozenset(file.path for file in change.diff.files)


def _name_of(horizon: Horizon, patches: Iterable[_PatchFile]) -> str:
    hashed = hashlib.sha256(f"{_FORMAT}:{horizon.head}".encode())
    for patch in patches:
        hashed.update(f"\0{patch.name}\0{patch.text}".encode("utf-8", "replace"))
    return hashed.hexdigest()


def _to_json(found: Mapping[str, Containment], made_from: str) -> Json:
    rows: dict[str, Json] = {
        sha: [one.holder, one.how, one.is_patch_file] for sha, one in found.items()
    }
    return {"from": made_from, "found": rows}


def _from_json(kept: object, made_from: str) -> dict[str, Containment] | None:
    if not isinstance(kept, dict) or kept.get("from") != made_from:
        return None
    return {
        str(sha): Containment(str(row[0]), str(row[1]), bool(row[2]))
        for sha, row in kept["found"].items()
    }
