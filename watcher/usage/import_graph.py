"""Which modules of an upstream import which, and what a run can reach from where it starts.

Pure: sources in, a graph out that goes to JSON and back (made once per upstream and sha). Imports
are read by linear patterns instead of a full parse: a thousand files take a second, broken ones are
no trouble, and imports inside functions count as well.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field

_FORMAT: Final = "imports/1"
_MAX_SOURCE: Final = 1_000_000
_MAX_NAMES: Final = 200
_FROM: Final = re.compile(
    r"^[ \t]*from[ \t]+([\w.]++)[ \t]+import[ \t]+(\([^()]{0,8000}\)|[^\n(]{1,2000})",
    re.MULTILINE,
)
_IMPORT: Final = re.compile(r"^[ \t]*import[ \t]+([\w., \t]{1,2000})", re.MULTILINE)
_STRING: Final = re.compile(r"['\"]([A-Za-z_]\w*(?:\.\w+){1,12})['\"]")
_PROGRAM: Final = re.compile(r"config_name\s*=\s*['\"]([\w./-]{1,200})['\"]")
_COMMENT: Final = re.compile(r"#[^\n]*")


class ImportGraph(Struct, frozen=True):
    """Imports among the modules of one upstream at one commit."""

    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dotted module -> modules of the same upstream that it imports."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a primary configuration -> modules that start with it."""


def build_import_graph(sources: Iterable[tuple[str, str]]) -> ImportGraph:
    """The graph over (path, text) of Python sources."""
    texts: dict[str, tuple[str, str]] = {}
    for path, text in sources:
        if module := module_of_path(path):
            package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
            texts[module] = package, _COMMENT.sub("", text[:_MAX_SOURCE])
    modules = frozenset(texts)
    programs: dict[str, list[str]] = {}
    imports: dict[str, tuple[str, ...]] = {}
    for module, (package, text) in sorted(texts.items()):
        names = _imported(package, text)
        named = {known for name in names if (known := _known(name, modules))}
        parents = {parent for name in named for parent in _parents(name) if parent in modules}
        imports[module] = tuple(sorted((named | parents) - {module}))
        for found in _PROGRAM.finditer(text):
            programs.setdefault(found.group(1).removesuffix(".yaml"), []).append(module)
    return ImportGraph(imports, {name: tuple(users) for name, users in programs.items()})


def reach(graph: ImportGraph, starts: Iterable[str]) -> dict[str, int]:
    """Module -> number of imports between the start and it; 0 for the starts themselves.

    A start that is no module counts as the module that holds it (``verl.trainer.main_ppo.main``).
    """
    modules = frozenset(graph.imports)
    found = {known: 0 for start in starts if (known := _known(start, modules))}
    queue = deque(found)
    while queue:
        module = queue.popleft()
        for target in graph.imports.get(module, ()):
            if target not in found:
                found[target] = found[module] + 1
                queue.append(target)
    return found


def module_of_path(path: str) -> str | None:
    """``verl/utils/x.py`` as ``verl.utils.x``; a package's ``__init__`` as the package."""
    if not path.endswith(".py"):
        return None
    stem = path.removesuffix(".py").removeprefix("src/").removesuffix("/__init__")
    return stem.replace("/", ".")


def graph_to_json(graph: ImportGraph) -> str:
    """Compact JSON of a graph."""
    names = sorted(graph.imports)
    index = {name: position for position, name in enumerate(names)}
    edges = [[index[target] for target in graph.imports[name]] for name in names]
    programs = {name: list(users) for name, users in graph.programs.items()}
    data = {"format": _FORMAT, "modules": names, "edges": edges, "programs": programs}
    return json.dumps(data, separators=(",", ":"))


def graph_from_json(text: str) -> ImportGraph | None:
    """The graph, or None when the text is not what ``graph_to_json`` writes today."""
    try:
        data = json.loads(text)
        if data["format"] != _FORMAT:
            return None
        names = [str(name) for name in data["modules"]]
        edges = zip(names, data["edges"], strict=True)
        return ImportGraph(
            {name: tuple(names[target] for target in targets) for name, targets in edges},
            {str(name): tuple(map(str, users)) for name, users in data["programs"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _imported(package: str, text: str) -> Iterator[str]:
    """Dotted names that a source imports or names in a string."""
    for found in _IMPORT.finditer(text):
        for part in found.group(1).split(",")[:_MAX_NAMES]:
            yield part.split(" as ")[0].strip()
    for found in _FROM.finditer(text):
        base = _absolute(found.group(1), package)
        yield base
        for part in found.group(2).strip("()").split(",")[:_MAX_NAMES]:
            yield f"{base}.{part.split(' as ')[0].strip()}"
    for found in _STRING.finditer(text):
        yield found.group(1)


def _absolute(name: str, package: str) -> str:
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = package.split(".")
    parents = parts[: len(parts) - level + 1]
    return ".".join([*parents, name.lstrip(".")]).rstrip(".")


def _parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for size in range(1, len(parts)):
        yield ".".join(parts[:size])


def _known(name: str, modules: frozenset[str]) -> str | None:
    """The longest beginning of a dotted name that is a module below the top-level package."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        head = ".".join(parts[:size])
        if head in modules and (size > 1 or len(parts) == 1):
            return head
    return None
