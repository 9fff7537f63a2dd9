"""Diffs of the mirror's commits: the streaming walk, one commit for showing, stable patch-ids."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from watcher.adapters.git.attributes import SETTINGS, SILENT, attributes
from watcher.adapters.git.lines import line_batches, split_lines, split_records
from watcher.adapters.git.process import EMPTY_TREE, Git
from watcher.adapters.git.repository import shallow_commits
from watcher.adapters.git.walk import order, revisions

PLAIN: Final = (
    *("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--submodule=short", "--ignore-submodules=none"),
)
DIFF: Final = ("-p", "-U0", "-M50%", *PLAIN)
LOG: Final = (*DIFF, "--diff-merges=first-parent", "--no-notes", "--no-show-signature")
START: Final = b"\x01"
LOST: Final = b"\x02"
LOST_REASON: Final = b"missing on the remote"
ID_BATCH: Final = 200
LARGEST_PATCH: Final = 32 * 1024 * 1024


def read_patches(
    git: Git,
    span: tuple[str | None, str],
    *,
    paths: Sequence[str],
    first_parent: bool,
    lost: Sequence[str],
) -> Iterator[list[bytes]]:
    """The lines that ``ports.Mirror.patches`` promises for ``base..tip``."""
    stdin = revisions(git, *span)
    walk = order(first_parent=first_parent)
    with _with_attributes(git, paths) as reader:
        if not lost:
            log = ["log", *LOG, *walk, "--format=%x01%H", "--stdin"]
            yield from line_batches(reader.stream(log, stdin=stdin))
            return
        broken = _touching(reader, walk, stdin, frozenset(lost))
        listing = ["rev-list", *walk, "--stdin"]
        shas = [line.decode("ascii") for line in split_lines(reader.stream(listing, stdin=stdin))]
        for run in _runs(shas, broken):
            if run[0] in broken:
                yield from _around(reader, run[0], broken[run[0]])
            else:
                log = ["log", *LOG, "--no-walk=unsorted", "--format=%x01%H", "--stdin"]
                names = "".join(f"{sha}\n" for sha in run).encode()
                yield from line_batches(reader.stream(log, stdin=names))


def read_patch(git: Git, sha: str, *, context: int, paths: Sequence[str]) -> Iterator[bytes]:
    """Chunks of one commit's diff against its first parent, in full as ``git apply`` takes it."""
    yield from read_tree_diff(git, parent_tree(git, sha), sha, paths, context=context)


def read_tree_diff(
    git: Git, before: str, after: str, paths: Sequence[str], *, context: int = 3
) -> Iterator[bytes]:
    """Chunks of the diff of two trees or commits, in full as ``git apply`` takes it."""
    options = ["-r", "-p", "-M50%", f"-U{max(0, context)}", "--full-index", "--binary", *PLAIN]
    limits = [f":(top,literal){path}" for path in paths]
    size = 0
    with _with_attributes(git, silent=()) as reader:
        arguments = ["diff-tree", *options, before, after, "--", *limits]
        for chunk in reader.stream(arguments):
            yield chunk
            size += len(chunk)
            if size > LARGEST_PATCH:
                return


def read_patch_ids(git: Git, shas: Sequence[str], lost: Sequence[str]) -> dict[str, str]:
    """Stable patch-id of each commit; merges, empty diffs and unreadable commits are left out."""
    boundary = shallow_commits(git.directory)
    wanted = [sha for sha in dict.fromkeys(shas) if sha not in boundary]
    ids: dict[str, str] = {}
    with _with_attributes(git, silent=()) as reader:
        for start in range(0, len(wanted), ID_BATCH):
            batch = wanted[start : start + ID_BATCH]
            if lost:
                names = "".join(f"{sha}\n" for sha in batch).encode()
                broken = _touching(reader, ["--no-walk=unsorted"], names, frozenset(lost))
                batch = [sha for sha in batch if sha not in broken]
            names = "".join(f"{sha}\n" for sha in batch).encode()
            command = ["diff-tree", "--stdin", "--root", "-r", "-p", "-M50%", *PLAIN]
            ids |= _patch_ids(git, b"".join(reader.stream(command, stdin=names)))
    return ids


def patch_id_of_text(git: Git, patch: str) -> str | None:
    """Stable patch-id of a patch file's text, None when it holds no diff."""
    output = git.run(
        ["patch-id", "--stable"], stdin=patch.encode("utf-8", "surrogateescape")
    ).output
    words = output.split()
    return words[0].decode("ascii") if words else None


def _patch_ids(git: Git, text: bytes) -> dict[str, str]:
    listed = git.read(["patch-id", "--stable"], stdin=text).decode("ascii").splitlines()
    return {sha: patch_id for patch_id, sha in (line.split() for line in listed)}


def parent_tree(git: Git, sha: str) -> str:
    """What a commit is compared with: its first parent, or the empty tree for a root."""
    outcome = git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{sha}^1"])
    return outcome.output.decode("ascii").strip() if outcome.is_good else EMPTY_TREE


def _touching(
    git: Git, walk: Sequence[str], stdin: bytes, lost: frozenset[str]
) -> dict[str, list[bytes]]:
    """Commit -> paths whose old or new content is among the lost objects."""
    names = frozenset(oid.encode("ascii") for oid in lost)
    raw = ["log", *walk, "--raw", "-z", "--no-renames", "--no-abbrev", "--format=%x01%H"]
    records = split_records(
        git.stream([*raw, "--diff-merges=first-parent", "--stdin"], stdin=stdin), 8192
    )
    broken: dict[str, list[bytes]] = {}
    sha = ""
    for record in records:
        text = record.lstrip(b"\n")
        if text.startswith(START):
            sha = text[1:41].decode("ascii")
        elif text.startswith(b":"):
            path = next(records, b"")
            if names.intersection(text.split()[2:4]):
                broken.setdefault(sha, []).append(path)
    return broken


def _runs(shas: Sequence[str], broken: Mapping[str, object]) -> Iterator[list[str]]:
    """The commits in order: each broken one alone, the others in stretches between them."""
    run: list[str] = []
    for sha in shas:
        if sha not in broken:
            run.append(sha)
            continue
        if run:
            yield run
        yield [sha]
        run = []
    if run:
        yield run


def _around(git: Git, sha: str, paths: Sequence[bytes]) -> Iterator[list[bytes]]:
    """One commit's lines without the files that cannot be read."""
    told = [LOST + path + b"\0" + LOST_REASON for path in paths]
    yield [START + sha.encode("ascii"), *told, b""]
    limits = [f":(top,exclude,literal){os.fsdecode(path)}" for path in paths]
    command = ["diff-tree", "-r", *DIFF, parent_tree(git, sha), sha, "--", ".", *limits]
    yield from line_batches(git.stream(command))


@contextmanager
def _with_attributes(
    git: Git, paths: Sequence[str] = (), *, silent: Sequence[str] = SILENT
) -> Iterator[Git]:
    """The same git with our attributes and with nothing of the user's or the upstream's."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".attributes") as file:
        file.write(attributes(paths, silent))
        file.flush()
        settings = {**(git.settings or {}), **SETTINGS, "core.attributesFile": file.name}
        yield replace(git, settings=settings)
