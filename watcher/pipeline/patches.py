"""``show ITEM --patch``: a fix as it applies to the pin, for a checkout or for site-packages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from watcher.errors import MirrorError, RangeError, WatcherError
from watcher.facts.change import Change
from watcher.facts.diff import TouchedFile
from watcher.facts.presence import Presence
from watcher.pipeline.installed import active_prefixes, prefix_of, site_directories
from watcher.pipeline.routes import RouteFinder
from watcher.pipeline.show import Shown
from watcher.ports.change_filter import ChangeFilter, Part
from watcher.ports.files import Files
from watcher.ports.store import Store
from watcher.report.escape import one_line
from watcher.report.item_report import is_compiled, is_installed
from watcher.report.words import short
from watcher.settings import PinSetting
from watcher.settings.records import SourceKind


class Patch(Struct, frozen=True, kw_only=True):
    """A patch with what must be known before it is applied."""

    text: str
    """Header lines and diff; undecodable bytes are surrogate escapes."""
    needs_build: bool = False


def find_site(
    files: Files,
    setting: PinSetting,
    module: str,
    *,
    root: Path,
    environment: Mapping[str, str],
    prefixes: Sequence[Path] = (),
) -> str | None:
    """The site-packages directory with an installed upstream's package; None for a checkout."""
    if setting.source is None or setting.source.kind is not SourceKind.INSTALLED or not module:
        return None
    if setting.python is not None:
        wanted = [prefix_of(setting.python)]
    else:
        wanted = [*active_prefixes(files, root, environment), *prefixes]
    sites = (site for prefix in wanted for site in site_directories(files, prefix))
    return next((str(site) for site in sites if files.names(site / module)), None)


def make_patch(shown: Shown, finder: RouteFinder, store: Store) -> Patch:
    """The patch of a shown change as it applies to its pin.

    Raises WatcherError when there is none: the pin has it, it conflicts, it is outside the range.
    """
    item, change = shown.report.item, shown.change
    if item.presence is Presence.CONTAINED:
        raise WatcherError("your pin already has it", where=item.id, mend="nothing to apply")
    outcome = finder.trials.pick_with_prerequisites(change)
    if not outcome.is_clean:
        told = outcome.not_tried or f"it conflicts in {', '.join(outcome.conflicts[:8])}"
        raise WatcherError(one_line(told, 400), where=item.id, mend="see its routes, or upgrade")
    shas = (*outcome.prerequisites, change.sha)
    which = ChangeFilter(shas=shas, off_line=None, parts=frozenset({Part.FILES}))
    picked = store.changes(change.upstream, which) or [change]
    files = [file for one in picked for file in one.diff.files]
    module = finder.pinned.followed.profile.module
    is_wheel = finder.place.package is not None
    wanted = [one for one in files if not is_wheel or is_installed(one, module)]
    diff = _diff(shown, finder, shas, wanted) if wanted else ""
    if not diff:
        what = "touches nothing that a wheel installs" if wanted != files else "changes nothing"
        raise WatcherError(f"it {what} at your pin", where=item.id, mend="nothing to apply")
    left = sorted({one.path for one in files} - {one.path for one in wanted})
    header = _header(shown, finder, picked, left)
    return Patch(
        text="".join(f"# {line}\n" for line in header) + diff, needs_build=is_compiled(wanted)
    )


def _diff(
    shown: Shown, finder: RouteFinder, shas: Sequence[str], files: Iterable[TouchedFile]
) -> str:
    paths = dict.fromkeys(path for one in files for path in (one.path, one.old_path) if path)
    try:
        diff = finder.pinned.followed.mirror.picked_patch(shown.pin.sha, shas, paths=tuple(paths))
    except (RangeError, MirrorError) as error:
        raise WatcherError(error.what, where=shown.report.item.id, mend=error.mend) from error
    return diff or ""


def _header(
    shown: Shown, finder: RouteFinder, picked: Sequence[Change], left: Sequence[str]
) -> Iterator[str]:
    item = shown.report.item
    yield one_line(f"{item.id} {item.title}", 200)
    names = dict.fromkeys((shown.pin.ref, shown.pin.sha))
    yield one_line(f"as it applies to {shown.pin.upstream} at {', '.join(names)}")
    for one in picked:
        what = "holds" if one.sha == shown.change.sha else "needs and holds"
        yield f"{what} {short(one.sha)} {one_line(one.message.title, 120)}"
    if left:
        yield "left out, not installed: " + one_line(", ".join(left), 400)
    if any(is_compiled(one.diff.files) for one in picked):
        yield "touches compiled code: rebuild after it"
    if finder.place.package is None:
        yield "apply in a checkout of the pin: git apply"
    else:
        yield f"apply: patch -p1 -d {shlex.quote(finder.place.site or 'SITE_PACKAGES')}"
