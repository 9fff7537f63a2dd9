"""Whether the run can import what a change touches, by the upstream's import graph at the pin.

Pure. Nearness is a weak reason; a change all of whose modules exist at the pin and none of which
the run can import is a strong one against.
"""

from __future__ import annotations

from collections.abc import Iterator

from watcher.facts.change import Change
from watcher.facts.diff import FileStatus, Role
from watcher.facts.item import EvidenceKind
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.import_graph import module_of_path


def reach_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """How far the changed modules are from where the run starts."""
    distances = context.distances
    if distances is None:
        return
    modules = [
        module
        for file in change.diff.files
        if file.role is Role.SOURCE
        and file.status is not FileStatus.ADDED
        and (module := module_of_path(file.old_path or file.path))
        and module in context.modules
    ]
    if not modules:
        return
    near = min(modules, key=lambda module: distances.get(module, 10_000))
    if near not in distances:
        yield Signal(
            "unreached",
            1.0,
            EvidenceKind.IMPORT,
            f"touches {near}, which nothing that you start imports",
        )
        return
    steps = distances[near]
    detail = f"touches {near}, {steps} import{'' if steps == 1 else 's'} from what you start"
    yield Signal("reached", 1.0 / (1 + steps), EvidenceKind.IMPORT, detail)
