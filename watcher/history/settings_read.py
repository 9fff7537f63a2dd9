"""Changed lines of shipped files -> the settings that they read, and the comparisons they make.

Pure. Knows the ways in which Python code reads a setting (attribute chains, subscripts, ``get``,
``getattr``, command-line options, environment variables) and the keys of YAML files. Every pattern
is linear and works on one line of bounded length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from watcher.facts.diff import Guard

_ROOT: Final = "|".join(
    rf"{word}(?<![^\W_]{word})" for word in ("config", "cfg", "conf", "args", "hparams", "configs")
).join(("(?:", ")"))
"""A root at the start of a word or after an underscore; looked back for, since a search for a word
is many times faster than one for a border.
"""
_CHAIN = re.compile(_ROOT + r"\.([A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){0,6})(\s{0,3}\()?")
_SUBSCRIPTS = re.compile(
    _ROOT + r"((?:\.\w{1,80}){0,4})((?:\[(?:\"[\w.\-/]{1,80}\"|'[\w.\-/]{1,80}')\]){1,6})"
)
_GET = re.compile(
    _ROOT + r"((?:\.(?!get\b|pop\b|setdefault\b)\w{1,80}){0,5})\.(?:get|pop|setdefault)"
    r"\(\s{0,5}[\"']([\w.\-/]{1,80})[\"']"
)
_GETATTR = re.compile(
    r"(?:getattr|hasattr|setattr)\(\s{0,5}[\w.]{0,80}?(?:config|cfg|conf|args|hparams)"
    r"((?:\.\w{1,80}){0,4}),\s{0,5}[\"'](\w{1,80})[\"']"
)
_SELECT = re.compile(
    r"(?:select(?<!\wselect)|update(?<!\wupdate))"
    r"\(\s{0,5}[\w.]{1,80},\s{0,5}[\"']([\w.]{1,120})[\"']"
)
_OPTION = re.compile(r"[\"'\s=]--([A-Za-z][\w\-]{1,60}[\w])")
_ENVIRONMENT = re.compile(
    r"(?:environ(?:\.(?:get|setdefault|pop))?[\[(]|getenv\()\s{0,5}[\"']([A-Z][A-Z0-9_]{2,80})[\"']"
    r"|\benvs\.([A-Z][A-Z0-9_]{2,80})"
)
_YAML_KEY = re.compile(
    r"^[ \t]{0,100}(?:-[ \t]{1,5})?([A-Za-z_][\w.\-]{1,80}):(?=\s|$)", re.MULTILINE
)
_QUOTED_KEY = re.compile(r"[\"']([\w.\-/]{1,80})[\"']")
_METHODS: Final = frozenset(
    {"get", "items", "keys", "values", "pop", "update", "copy", "to_dict", "setdefault"}
)

_NAME: Final = r"([A-Za-z_][\w.]{0,120})"
_LITERAL: Final = r"(\"[^\"\\]{0,80}\"|'[^'\\]{0,80}'|-?\d[\d_.]{0,20}|True\b|False\b|None\b)"
_WITH_LITERAL: Final = r"(==|!=|<=|>=|<|>|is\s{1,3}not|is)\s{0,3}" + _LITERAL
_COMPARED = re.compile(_WITH_LITERAL)
_COMPARISON = re.compile(
    r"(?<![\w.])" + _NAME + r"((?:\[[\"'][\w.\-]{1,80}[\"']\])?)\s{0,3}" + _WITH_LITERAL
)
_AMONG = re.compile(r"in\s{1,3}[\[({]")
_MEMBERSHIP = re.compile(
    r"(?<![\w.])" + _NAME + r"\s{1,3}(not\s{1,3}in|in)\s{1,3}[\[({]([^\[\](){}\n]{1,300})[\])}]"
)
_BARE = re.compile(
    r"\b(?:if|elif|while|and|or|assert)\s{1,3}(not\s{1,3})?"
    r"((?:[A-Za-z_]\w{0,80}\.){1,6}[A-Za-z_]\w{0,80}\b)\s{0,3}(?=:|$|\)|and\b|or\b|,)",
    re.MULTILINE,
)
_ROOTS: Final = frozenset({"self", "config", "cfg", "conf", "args", "hparams", "configs", "cls"})
_ROOT_ENDS: Final = ("_config", "_cfg", "_args")
_LITERALS = re.compile(r"\"[^\"]{0,80}\"|'[^']{0,80}'|-?\d[\d_.]{0,20}|True\b|False\b|None\b")


def keys_read(text: str) -> Iterator[str]:
    """Settings that lines of code read or declare as an option, dotted, without the root."""
    lines = text.split("\n")
    rooted = [line for line in lines if _may_hold_root(line)]
    if rooted:
        yield from _keys_of_roots("\n".join(rooted))
    for line in lines:
        if "--" in line:
            yield from _OPTION.findall(line)
        if "env" in line:
            for quoted, attribute in _ENVIRONMENT.findall(line):
                yield quoted or attribute


def keys_of_yaml(text: str) -> Iterator[str]:
    """The keys that lines of YAML set."""
    yield from _YAML_KEY.findall(text)


def _keys_of_roots(text: str) -> Iterator[str]:
    for chain, call in _CHAIN.findall(text):
        parts = chain.split(".")
        if call or parts[-1] in _METHODS:
            parts.pop()
        if parts:
            yield ".".join(parts)
    for middle, subscripts in _SUBSCRIPTS.findall(text):
        yield ".".join([*middle.split(".")[1:], *_QUOTED_KEY.findall(subscripts)])
    for middle, key in _GET.findall(text) + _GETATTR.findall(text):
        yield ".".join([*middle.split(".")[1:], key])
    yield from _SELECT.findall(text)


def guards_of(text: str) -> Iterator[Guard]:
    """Comparisons of a name with literals, and bare settings in conditions, on lines of code."""
    for line, lowered in zip(text.split("\n"), text.lower().split("\n"), strict=True):
        if "==" in line or "!=" in line or " is " in line or " <" in line or " >" in line:
            yield from _comparisons(line)
        if " in " in line:
            yield from _memberships(line)
        if "." in line and _may_hold_root(lowered):
            for negation, chain in _BARE.findall(line):
                if _is_setting(chain):
                    yield Guard(_guard_key(chain), "falsy" if negation else "truthy", "")


def _may_hold_root(line: str) -> bool:
    return "onf" in line or "cfg" in line or "args" in line or "hparams" in line


def _comparisons(line: str) -> Iterator[Guard]:
    if _COMPARED.search(line) is None:
        return
    for name, subscript, operator, literal in _COMPARISON.findall(line):
        key = _guard_key(name + "".join("." + k for k in _QUOTED_KEY.findall(subscript)))
        yield Guard(key, " ".join(operator.split()), literal.strip("\"'"))


def _memberships(line: str) -> Iterator[Guard]:
    if _AMONG.search(line) is None:
        return
    for name, operator, inside in _MEMBERSHIP.findall(line):
        for literal in _LITERALS.findall(inside)[:12]:
            yield Guard(_guard_key(name), " ".join(operator.split()), literal.strip("\"'"))


def _is_setting(chain: str) -> bool:
    owners = chain.lower().split(".")[:-1]
    return any(
        owner in {"args", "hparams"} or owner.endswith(("config", "cfg", "conf", "_args"))
        for owner in owners
    )


def _guard_key(chain: str) -> str:
    """The chain after its last configuration root (``self.config.actor.strategy`` ->
    ``actor.strategy``).
    """
    parts = chain.strip(".").split(".")
    while len(parts) > 1 and (parts[0] in _ROOTS or parts[0].endswith(_ROOT_ENDS)):
        parts.pop(0)
    return ".".join(parts)
