"""Every regular expression of the package, and strings made to bring each one to its knees.

An attack pumps one part of the expression: what leads to it, then the part (or the whole way up to
it) over and over, then a sign that lets the match fail, so that an expression that backtracks, or
that starts anew at each place, shows it by its time.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests.builders import shipped_profile
from watcher.upstreams.profile import Regex

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _constants as codes
    from re import _parser as parser

ROOT = Path(__file__).parents[2] / "watcher"
CALLS = {"compile", "sub", "split", "match", "search", "fullmatch", "findall", "finditer"}
LONG = 40
"""A repeat that may go on for more than this is worth pumping."""


def compiled_patterns() -> dict[str, re.Pattern[Any]]:
    """Where -> pattern, each expression once."""
    found: dict[tuple[str | bytes, int], tuple[str, re.Pattern[Any]]] = {}
    for where, pattern in [*_in_modules(), *_in_profiles()]:
        found.setdefault((pattern.pattern, pattern.flags), (where, pattern))
    known = {text for text, _ in found}
    for where, pattern in _in_calls():
        if pattern.pattern not in known:
            found.setdefault((pattern.pattern, pattern.flags), (where, pattern))
    return {f"{where} {number}": pattern for number, (where, pattern) in enumerate(found.values())}


def _in_modules() -> Iterator[tuple[str, re.Pattern[Any]]]:
    import watcher

    for module in pkgutil.walk_packages(watcher.__path__, "watcher."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                yield from _inside(value, f"{module.name}.{name}", depth=0)


def _in_profiles() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for file in sorted((ROOT / "upstreams").glob("*.toml")):
        if file.name not in {"common.toml", "index.toml"}:
            yield from _inside(shipped_profile(file.stem), file.stem, depth=0)


def _in_calls() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Literals handed to ``re`` inside functions."""
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=attribute),
                    args=[ast.Constant(value=str() as text), *_],
                ) if attribute in CALLS:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", re.compile(text)


def _inside(value: object, where: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield where, value
    elif isinstance(value, Regex):
        yield where, re.compile(value.pattern, re.IGNORECASE | re.ASCII)
    elif depth > 6:
        return
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _inside(key, where, depth + 1)
            yield from _inside(part, where, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _inside(part, where, depth + 1)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _inside(getattr(value, name, None), where, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _inside(getattr(value, field.name, None), where, depth + 1)


# --- attacks ---


def attacks(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Strings of about a length, made from the pattern."""
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    tree = parser.parse(
        text, pattern.flags & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0)
    )
    for start, body in sorted(set(_pumps(list(tree), ""))):
        if body:
            yield start + body * (length // len(body)) + "\x01"
            whole = start + body
            if start:
                yield whole * (length // len(whole)) + "\x01"
                run = start + body * 200
                yield run * (length // len(run)) + "\x01"
    sample = _sample(list(tree))
    if sample:
        yield sample * (length // len(sample)) + "\x01"
    for sign in " \t\nax0.-_/:#'\"`([{<@=,":
        yield sign * length + "\x01"
    yield "a" + " " * length + "\x01"
    yield ("a" + " " * 50) * (length // 51)


def _pumps(nodes: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """(what leads to a repeat, a sample of its body) for each long repeat."""
    for op, argument in nodes:
        if op in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
            low, high, body = argument
            sample = _sample(list(body))
            if high > LONG:
                yield before, sample
                for other in _others(list(body)):
                    yield before, other
            yield from _pumps(list(body), before)
            before += sample * max(low, 0)
            continue
        for branch in _branches(op, argument):
            yield from _pumps(branch, before)
        before += _sample([(op, argument)])


def _branches(op: Any, argument: Any) -> list[list[Any]]:
    if op is codes.SUBPATTERN:
        return [list(argument[3])]
    if op is codes.ATOMIC_GROUP:
        return [list(argument)]
    if op is codes.BRANCH:
        return [list(branch) for branch in argument[1]]
    if op in {codes.ASSERT, codes.ASSERT_NOT}:
        return [list(argument[1])]
    return []


def _others(body: list[Any]) -> list[str]:
    """More samples of a repeat's body: each branch's, and each member's of a set."""
    found: list[str] = []
    for op, argument in body:
        found += [_sample(branch) for branch in _branches(op, argument) if branch]
        if op is codes.IN and argument[0][0] is not codes.NEGATE:
            found += [_sample([(codes.IN, [member])]) for member in argument[:6]]
    return [text for text in found if text]


def _sample(nodes: list[Any]) -> str:
    return "".join(_one(op, argument) for op, argument in nodes)


def _one(op: Any, argument: Any) -> str:
    if op is codes.LITERAL:
        return chr(argument)
    if op in {codes.NOT_LITERAL, codes.ANY}:
        return "y" if argument != ord("y") else "z"
    if op is codes.IN:
        return _member(argument)
    if op in {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}:
        low, high, body = argument
        return _sample(list(body)) * min(max(low, 1), high)
    if op is codes.BRANCH:
        return _sample(list(argument[1][0]))
    if op is codes.SUBPATTERN:
        return _sample(list(argument[3]))
    if op is codes.ATOMIC_GROUP:
        return _sample(list(argument))
    return ""


CATEGORIES = {
    codes.CATEGORY_DIGIT: "0",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_NOT_WORD: "-",
    codes.CATEGORY_NOT_DIGIT: "a",
}


def _member(members: list[Any]) -> str:
    """One sign of a set."""
    if members and members[0][0] is codes.NEGATE:
        inside = re.compile("[" + "".join(_spelled(op, arg) for op, arg in members[1:]) + "]")
        return next(sign for sign in "ax0 -.:/é\n\x02" if not inside.match(sign))
    op, argument = members[0]
    if op is codes.LITERAL:
        return chr(argument)
    return chr(argument[0]) if op is codes.RANGE else CATEGORIES[argument]


def _spelled(op: Any, argument: Any) -> str:
    if op is codes.LITERAL:
        return re.escape(chr(argument))
    if op is codes.RANGE:
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    return {
        "CATEGORY_DIGIT": r"\d",
        "CATEGORY_SPACE": r"\s",
        "CATEGORY_WORD": r"\w",
        "CATEGORY_NOT_SPACE": r"\S",
        "CATEGORY_NOT_WORD": r"\W",
        "CATEGORY_NOT_DIGIT": r"\D",
    }[str(argument)]


# --- what is called ---

NOT_SEARCHING = {"match", "fullmatch"}
METHODS = r"\.(match|fullmatch|search|sub|subn|split|findall|finditer)\b"


def calls_of(where: str) -> set[str]:
    """How the package uses the pattern of a constant or of a call; searching if that is unsaid."""
    place = where.partition(" ")[0]
    if ".py:" in place:
        file, _, number = place.partition(":")
        line = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        told = re.findall(rf"\bre{METHODS}", line)
        return set(told) if told else {"search"}
    module, _, name = place.rpartition(".")
    file = module.removeprefix("watcher.").replace(".", "/") + ".py"
    files = [ROOT / file] if name.startswith("_") else sorted(ROOT.rglob("*.py"))
    uses = {
        call
        for path in files
        if path.exists()
        for call in re.findall(rf"\b{re.escape(name)}{METHODS}", path.read_text(encoding="utf-8"))
    }
    return uses or {"search"}


def exercise(pattern: re.Pattern[Any], calls: set[str], text: str) -> None:
    """Use the pattern on a text as the package does."""
    given = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    if calls - NOT_SEARCHING:
        for _ in pattern.finditer(given):
            pass
    if "match" in calls:
        pattern.match(given)
    if "fullmatch" in calls:
        pattern.fullmatch(given)
