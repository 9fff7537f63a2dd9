"""Files of a git directory, as text -> heads, packed refs, submodules, remotes. Pure; no git."""

from __future__ import annotations

import re

from msgspec import Struct

_SECTION = re.compile(r'\s*\[([A-Za-z]+)(?:\s+"([^"]*)")?\]\s*')
_PAIR = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Submodule(Struct, frozen=True):
    """One entry of ``.gitmodules``."""

    name: str
    path: str
    url: str
    line: int


def parse_gitmodules(text: str) -> list[Submodule]:
    """Submodules with a path and an address."""
    modules: list[Submodule] = []
    for name, line, pairs in _sections(text, "submodule"):
        path, url = pairs.get("path", ""), pairs.get("url", "")
        if path and url and not path.startswith(("/", "-")) and ".." not in path.split("/"):
            modules.append(Submodule(name, path, url, line))
    return modules


def parse_remotes(text: str) -> dict[str, str]:
    """Remote name -> address of a git ``config`` file."""
    sections = _sections(text, "remote")
    return {name: pairs["url"] for name, _, pairs in sections if "url" in pairs}


def parse_head(text: str) -> tuple[str | None, str | None]:
    """(sha, None) of a detached ``HEAD`` or a ref file, (None, ref) of a symbolic one."""
    line = text.strip().split("\n")[0].strip()
    if line.startswith("ref:"):
        ref = line.removeprefix("ref:").strip()
        is_plain = ref.startswith("refs/") and ".." not in ref and ref.isprintable()
        return None, ref if is_plain else None
    return (line, None) if _SHA.fullmatch(line) else (None, None)


def parse_packed_refs(text: str) -> dict[str, str]:
    """Ref -> sha of a ``packed-refs`` file."""
    pairs = (line.split(" ", 1) for line in text.split("\n") if line[:1] not in {"#", "^", ""})
    return {
        pair[1].strip(): pair[0] for pair in pairs if len(pair) == 2 and _SHA.fullmatch(pair[0])
    }


def parse_gitdir(text: str) -> str | None:
    """The path in a ``.git`` file (worktrees, submodules), or None."""
    match = re.match(r"gitdir:[ \t]*([^\r\n\x00]+)", text)
    return match[1].strip() if match else None


def _sections(text: str, kind: str) -> list[tuple[str, int, dict[str, str]]]:
    """(name, line, pairs) of the sections of one kind."""
    sections: list[tuple[str, int, dict[str, str]]] = []
    current: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")[:20_000], 1):
        section = _SECTION.match(line[:1000])
        pair = _PAIR.match(line[:1000])
        if section:
            current = {}
            if section[1].lower() == kind:
                sections.append((section[2] or "", number, current))
        elif pair:
            current[pair[1].lower()] = pair[2].strip().strip('"')
    return sections
