"""Python source to the ways in which it reaches an upstream: imports, calls, patches, subclasses.

Pure; no I/O, nothing is executed: the source is parsed by ``ast`` and names are followed through
imports and plain assignments. Broken source is told, never raised.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Final

from msgspec import Struct, field

from watcher.facts.usage import CodeUse, Source
from watcher.usage.given import GivenSetting, Reading, parse_override

_PATCHERS: Final = frozenset({"patch", "patch.object", "setattr", "monkeypatch.setattr"})
_LOADERS: Final = frozenset({"import_module", "importlib.import_module", "__import__"})
_KEY: Final = re.compile(r"[a-z_]\w*(?:\.\w+)+")
_MAX_USES: Final = 5_000
_MAX_CHAIN: Final = 20


def read_python(text: str, path: str, roots: frozenset[str]) -> Reading:
    """What a Python source says. ``roots``: top-level modules of the upstreams (``verl``)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # a strange escape in the user's source is not our matter
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        return Reading(not_understood=((Source(path, line), f"not Python: {_reason(error)}"),))
    reader = _Reader(path, roots)
    nodes = list(ast.walk(tree))
    for node in nodes:
        reader.read_import(node)
    for node in nodes:
        reader.read_alias(node)
    for node in nodes:
        reader.read_use(node)
    return reader.reading()


def _reason(error: Exception) -> str:
    return (error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__)[
        :200
    ]


class _Reader(Struct):
    """Follows the names of one module."""

    path: str
    roots: frozenset[str]
    names: dict[str, str] = field(default_factory=dict)
    """Local name -> dotted upstream name."""
    modules: set[str] = field(default_factory=set)
    """Dotted names that are imported as modules."""
    uses: dict[tuple[str, str, str], CodeUse] = field(default_factory=dict)
    settings: list[GivenSetting] = field(default_factory=list)

    def reading(self) -> Reading:
        return Reading(code=tuple(self.uses.values()), settings=tuple(self.settings))

    # --- names ---

    def read_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._import_module(alias, node)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module.split(".", 1)[0] not in self.roots:
                return
            self.modules.add(node.module)
            for alias in node.names:
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                symbol = "" if alias.name == "*" else alias.name
                self._add(node.module, symbol, "import", node)

    def _import_module(self, alias: ast.alias, node: ast.stmt) -> None:
        root = alias.name.split(".", 1)[0]
        if root in self.roots:
            self.modules.add(alias.name)
            self.names[alias.asname or root] = alias.name if alias.asname else root
            self._add(alias.name, "", "import", node)

    def read_alias(self, node: ast.AST) -> None:
        """``f = verl.utils.x.f`` gives ``f`` the upstream's name."""
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Attribute | ast.Name):
            return
        dotted = self._dotted(node.value)
        for target in node.targets:
            if dotted and isinstance(target, ast.Name):
                self.names.setdefault(target.id, dotted)

    # --- uses ---

    def read_use(self, node: ast.AST) -> None:
        match node:
            case ast.ClassDef():
                for base in node.bases:
                    self._use(base, "subclass")
            case ast.Call():
                self._call(node)
            case ast.Assign() | ast.AugAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Attribute):
                        self._use(target, "patch")
            case ast.Attribute(ctx=ast.Load()):
                self._use(node, "attribute")
            case ast.Constant(value=str(text)) if "=" in text and "." in text:
                self._override(text, node.lineno)
            case _:
                pass

    def _call(self, node: ast.Call) -> None:
        function = _written(node.func)
        if function in _LOADERS:
            self._named(node, "import")
        elif function in _PATCHERS or function.endswith((".patch", ".patch.object")):
            self._patched(node)
        elif dotted := self._use(node.func, "call"):
            self._keywords(node, dotted)

    def _override(self, text: str, line: int) -> None:
        """``["python", "-m", …, "trainer.nnodes=1"]``: an override handed to a child process."""
        given = parse_override(text, Source(self.path, line)) if len(text) < 2000 else None
        if given and "." in given.key and _KEY.fullmatch(given.key):
            self.settings.append(given)

    def _named(self, node: ast.Call, kind: str) -> None:
        """A dotted upstream name given as a string."""
        first = node.args[0] if node.args else None
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            return
        if first.value.split(".", 1)[0] in self.roots and len(first.value) < 300:
            if kind == "import":
                self._add(first.value, "", kind, node)
            else:
                module, _, symbol = first.value.rpartition(".")
                self._add(module, symbol, kind, node)

    def _patched(self, node: ast.Call) -> None:
        self._named(node, "patch")
        if len(node.args) < 2:
            return
        target, name = node.args[0], node.args[1]
        dotted = self._dotted(target)
        if dotted and isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._add_dotted(f"{dotted}.{name.value}", "patch", node)

    def _keywords(self, node: ast.Call, dotted: str) -> None:
        """``LLM(enable_lora=True)``: literal arguments of an upstream's callable are settings."""
        if not dotted.rpartition(".")[2][:1].isupper():
            return
        for keyword in node.keywords:
            if keyword.arg and isinstance(keyword.value, ast.Constant):
                source = Source(self.path, keyword.value.lineno)
                self.settings.append(
                    GivenSetting(keyword.arg, str(keyword.value.value)[:2000], source)
                )

    def _use(self, node: ast.expr, kind: str) -> str:
        dotted = self._dotted(node)
        if dotted:
            self._add_dotted(dotted, kind, node)
        return dotted

    def _add_dotted(self, dotted: str, kind: str, node: ast.expr) -> None:
        module = self._module_of(dotted)
        symbol = dotted[len(module) :].lstrip(".")
        if symbol:
            self._add(module, symbol, kind, node)

    def _module_of(self, dotted: str) -> str:
        """The longest imported module that begins the name; else all but its last part."""
        head = dotted
        while head:
            head = head.rpartition(".")[0]
            if head in self.modules:
                return head
        return dotted.rpartition(".")[0] or dotted

    def _add(self, module: str, symbol: str, kind: str, node: ast.stmt | ast.expr) -> None:
        key = (module, symbol, kind)
        if key not in self.uses and len(self.uses) < _MAX_USES:
            source = Source(self.path, node.lineno)
            self.uses[key] = CodeUse(
                upstream_module=module, symbol=symbol, kind=kind, source=source
            )

    def _dotted(self, node: ast.expr) -> str:
        """The upstream's dotted name that an expression stands for, or nothing."""
        written = _written(node)
        head, dot, rest = written.partition(".")
        known = self.names.get(head)
        return f"{known}{dot}{rest}" if known else ""


def _written(node: ast.expr) -> str:
    """``a.b.c`` as written; nothing for other expressions."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _MAX_CHAIN:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join(reversed([*parts, node.id]))
