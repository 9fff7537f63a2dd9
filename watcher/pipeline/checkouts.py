"""The commit of a git checkout, read from its files: HEAD, refs, remotes -> a reading.

Gathers through ``ports.Files``; runs no git.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from watcher.facts.usage import Source
from watcher.pins.addresses import owner_and_name, without_credential
from watcher.pins.gitfiles import parse_gitdir, parse_head, parse_packed_refs, parse_remotes
from watcher.pins.records import Found, NotFound, Outcome, normalise
from watcher.pins.targets import Target
from watcher.ports.files import Files

_LEVELS_UP = 3
"""An installed directory may lie this deep inside its repository (``sglang/python``)."""


def read_checkout(files: Files, path: Path, where: Source, target: Target) -> Outcome:
    """The reading of the checkout at ``path``, or of the target's repository just above it."""
    for directory in (path, *list(path.parents)[:_LEVELS_UP]):
        git_dir = find_git_dir(files, directory)
        if git_dir is None:
            continue
        remotes = _remotes(files, git_dir)
        upstream = _upstream_among(remotes, target)
        if directory != path and not is_repository_of(upstream, target):
            break
        return _reading(files, git_dir, directory, where, target, upstream)
    return NotFound(
        dist=target.dists[0],
        written=str(path),
        where=where,
        reason="there is no git checkout",
        mend="name the directory that holds .git, or set ref in the configuration",
    )


def find_git_dir(files: Files, directory: Path) -> Path | None:
    """The git directory of a checkout, also of a worktree or submodule; None when there is none."""
    pointer = files.read(directory / ".git", limit=4_096)
    if pointer is not None:
        target = parse_gitdir(pointer)
        return directory / target if target else None
    return directory / ".git" if files.read(directory / ".git" / "HEAD") is not None else None


def head_sha(files: Files, git_dir: Path) -> tuple[str | None, str | None]:
    """(sha, ref) of HEAD; either may be None."""
    sha, ref = parse_head(files.read(git_dir / "HEAD", limit=4_096) or "")
    if sha or not ref:
        return sha, ref
    for directory in _ref_directories(files, git_dir):
        loose = files.read(directory / ref, limit=4_096)
        if loose is not None and (found := parse_head(loose)[0]):
            return found, ref
        packed = files.read(directory / "packed-refs", limit=20_000_000) or ""
        if found := parse_packed_refs(packed).get(ref):
            return found, ref
    return None, ref


def is_repository_of(upstream: str | None, target: Target) -> bool:
    """True when ``owner/name`` is the target's repository, a former name of it, or a fork."""
    if upstream is None:
        return False
    name = normalise(upstream.split("/")[-1])
    return upstream.lower() in target.repositories or name in target.dists


def remotes_of(files: Files, directory: Path) -> list[str]:
    """``owner/name`` of every remote of the checkout in a directory."""
    git_dir = find_git_dir(files, directory)
    return list(_remotes(files, git_dir)) if git_dir is not None else []


def _reading(
    files: Files,
    git_dir: Path,
    directory: Path,
    where: Source,
    target: Target,
    upstream: str | None,
) -> Outcome:
    sha, ref = head_sha(files, git_dir)
    if sha is None:
        return NotFound(
            dist=target.dists[0],
            written=ref or "HEAD",
            where=where,
            reason="HEAD names no commit",
            mend="check out a commit there",
            upstream=upstream,
        )
    branch = ref.removeprefix("refs/heads/") if ref else None
    return Found(
        dist=target.dists[0],
        ref=sha,
        where=where,
        upstream=upstream,
        git=directory.resolve().as_uri(),
        note=f'checkout on branch "{branch[:60]}"' if branch else None,
    )


def _remotes(files: Files, git_dir: Path) -> dict[str, str]:
    """``owner/name`` -> address, ``upstream`` and ``origin`` first."""
    remotes: dict[str, str] = {}
    for directory in _ref_directories(files, git_dir):
        remotes |= parse_remotes(files.read(directory / "config", limit=200_000) or "")
    first = [name for name in ("upstream", "origin") if name in remotes]
    ordered = [remotes[name] for name in dict.fromkeys([*first, *remotes])]
    return {name: without_credential(url) for url in ordered if (name := owner_and_name(url))}


def _upstream_among(remotes: dict[str, str], target: Target) -> str | None:
    """The remote that is the upstream, else a fork of it, else any."""
    own = [name for name in remotes if name.lower() in target.repositories]
    forks = [name for name in remotes if is_repository_of(name, target)]
    return next(iter([*own, *forks, *remotes]), None)


def _ref_directories(files: Files, git_dir: Path) -> Iterator[Path]:
    """Where refs may lie: the git directory, and the common one of a worktree."""
    yield git_dir
    common = (files.read(git_dir / "commondir", limit=4_096) or "").strip()
    if common and common.isprintable():
        yield git_dir / common
