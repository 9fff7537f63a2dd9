"""Functions and classes of the upstream that the user's code calls, patches or subclasses.

Pure. A monkey-patch of a changed function is the strongest tie: the fix may never run, or the patch
may break.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from watcher.facts.change import Change
from watcher.facts.diff import TouchedFile
from watcher.facts.item import EvidenceKind
from watcher.facts.usage import CodeUse
from watcher.matching.rules.context import UsageContext
from watcher.matching.rules.signal import Signal
from watcher.usage.import_graph import module_of_path

_STRENGTH: Final = {
    "patch": 1.0,
    "subclass": 0.9,
    "call": 0.8,
    "attribute": 0.6,
    "import": 0.5,
    "entry": 0.5,
}
_VERBS: Final = {"patch": "patches", "subclass": "subclasses", "call": "calls"}


def symbol_signals(change: Change, context: UsageContext) -> Iterator[Signal]:
    """The strongest use of a changed symbol, and of a changed module."""
    if not context.code:
        return
    best: tuple[float, CodeUse, TouchedFile] | None = None
    touched: tuple[CodeUse, TouchedFile] | None = None
    for file in change.diff.files:
        module = module_of_path(file.old_path or file.path)
        for use in _uses_of(module, context) if module else ():
            touched = touched or (use, file)
            symbol = _symbol_in(module or "", use)
            strength = _STRENGTH.get(use.kind, 0.5)
            if _is_changed(symbol, file) and (best is None or strength > best[0]):
                best = strength, use, file
    if best is not None:
        strength, use, file = best
        verb = _VERBS.get(use.kind, "uses")
        yield Signal(
            "symbol",
            strength,
            EvidenceKind.SYMBOL,
            f"changes {use.symbol} in {file.path}, which your code {verb} ({use.source})",
        )
    elif touched is not None:
        use, file = touched
        yield Signal(
            "module_used",
            1.0,
            EvidenceKind.IMPORT,
            f"touches {file.path}, which your code imports ({use.source})",
        )


def _uses_of(module: str, context: UsageContext) -> Iterator[CodeUse]:
    """Uses of a module, also through its package (``from verl.workers import fsdp_workers``)."""
    yield from context.code.get(module, ())
    package, _, name = module.rpartition(".")
    for use in context.code.get(package, ()):
        if use.symbol == name or use.symbol.startswith(f"{name}."):
            yield use


def _symbol_in(module: str, use: CodeUse) -> str:
    """The symbol as the module itself names it."""
    if use.upstream_module == module:
        return use.symbol
    return use.symbol.partition(".")[2]


def _is_changed(symbol: str, file: TouchedFile) -> bool:
    """True when a changed function is the symbol, lies in it, or is a method of that name."""
    if not symbol:
        return False
    return any(
        name == symbol
        or name.startswith(f"{symbol}.")
        or (name.rpartition(".")[2] == symbol.rpartition(".")[2] and "." not in name)
        for name in file.functions
    )
