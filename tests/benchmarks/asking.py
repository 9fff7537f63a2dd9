"""What answers cost: ``check`` beside ``git log --grep`` and plain BM25, a log, ``list``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.benchmarks.bench import Bench, Synced
from tests.benchmarks.measure import (
    COST_HEAD,
    IMPORT,
    Cost,
    best,
    cost_row,
    import_cost,
    run,
    table,
)
from tests.benchmarks.project import Upstream

_LOG_MB: Final = 50
_ROUNDS: Final = 3
_WORD = re.compile(r"[A-Za-z][\w.]{3,}")


def check(bench: Bench) -> None:
    """Print the table of ``check`` for each subject."""
    for one in bench.synced():
        words = words_asked(one.upstream)
        project, scratch = one.project, one.project.directory
        answer = scratch / "answer.json"
        project.watcher("check", *words, "--json", stdout=answer)
        items = len(json.loads(answer.read_text(encoding="utf-8"))["items"])
        cost = _best(one, "check", *words)
        lines = scratch / "lines"
        span = f"{one.subject.ref}..{one.upstream.branch}"
        every = _grep(one, span, [*_patterns(words), "--all-match"], lines)
        some = _grep(one, span, _patterns(words), lines)
        plain = project.module("plain", *words, stdout=lines)
        rows = [
            (*COST_HEAD, "answers"),
            (*cost_row("`check` with five words", cost), f"{items}, ranked"),
            (*cost_row("`git log --grep`, all five words", every[0]), str(every[1])),
            (*cost_row("`git log --grep`, any of them", some[0]), f"{some[1]:,}, by date"),
            (*cost_row("plain BM25 over the same changes", plain), "ranked"),
            (*cost_row(IMPORT, import_cost(bench.scratch)), ""),
        ]
        table(f"Check: {one.title}", rows)
        print(f"\nThe words were: {' '.join(words)}", flush=True)


def log(bench: Bench) -> None:
    """Print what a large log through standard input costs."""
    one = next(bench.synced())
    size = 5 if bench.quick else _LOG_MB
    path = bench.scratch / "train.log"
    write_log(path, size * 1024 * 1024)
    cost = one.project.watcher("check", "--log", "-", stdin=path)
    rows = [COST_HEAD, cost_row(f"`check --log -`, {size} MB", cost)]
    table("A log through a pipe (goal 5 s, 300 MB)", rows)


def list_(bench: Bench) -> None:
    """Print the table of ``list`` and ``show`` for each subject."""
    for one in bench.synced():
        project = one.project
        middle = one.upstream.before(project.changes() // 2)
        first = project.watcher("list")
        rows = [
            COST_HEAD,
            cost_row("`list`, the first after a sync", first),
            cost_row("`list` again", _best(one, "list")),
            cost_row("`list --all --json`", project.watcher("list", "--all", "--json")),
            cost_row("`list --at` the middle", project.watcher("list", "--at", f"pinned={middle}")),
            cost_row("`show`", _best(one, "show", _some_item(one))),
        ]
        table(f"List: {one.title}", rows)


def _some_item(one: Synced) -> str:
    answer = one.project.directory / "all.json"
    one.project.watcher("list", "--all", "--json", "--limit", "1", stdout=answer)
    return str(json.loads(answer.read_text(encoding="utf-8"))["items"][0]["id"])


def _best(one: Synced, *arguments: str) -> Cost:
    command = one.project.command(*arguments)
    return best(command, one.project.directory, one.project.variables, rounds=_ROUNDS)


def _patterns(words: Sequence[str]) -> list[str]:
    return [f"--grep={word}" for word in words]


def _grep(one: Synced, span: str, patterns: Sequence[str], lines: Path) -> tuple[Cost, int]:
    """Cost and number of hits of ``git log --grep`` over the mirror's messages."""
    git = ["git", "-C", str(one.upstream.path), "log", "--first-parent", "-i", "-F", "--oneline"]
    cost = run([*git, *patterns, span], lines.parent, one.project.variables, stdout=lines)
    return cost, len(lines.read_bytes().splitlines())


def words_asked(upstream: Upstream) -> list[str]:
    """Five words of the title of a fix that lies in the past: what somebody may ask about it."""
    titles = upstream.git("log", "--first-parent", "-n400", "--format=%s", upstream.branch)
    fixes = [title for title in titles.splitlines() if re.search(r"(?i)\bfix", title)]
    for title in reversed(fixes):
        told = re.sub(r"^(?:\[[^\]]*\]\s*)*(?:fix:?)?|\(#\d+\)", "", title, flags=re.IGNORECASE)
        words = list(dict.fromkeys(_WORD.findall(told)))
        if len(words) >= 5:
            return words[:5]
    return ["rollout", "hangs", "after", "offload", "reload"]


def write_log(path: Path, size: int) -> None:
    """A training log with progress bars, warnings of many ranks and one traceback near its end."""
    frame = (
        '  File "/opt/lib/engine/trainer/part_1.py", line 31, in gather_actor_1\n    gather(x)\n'
    )
    end = f"Traceback (most recent call last):\n{frame * 9}RuntimeError: shard mask differs\n"
    with path.open("w", encoding="utf-8") as stream:
        step = 0
        while stream.tell() < size - len(end):
            step += 1
            worker = f"(WorkerDict pid={4000 + step % 8})"
            stream.write(
                f"{worker} [rank{step % 8}]: step:{step} - actor/loss:{step / 7:.5f}"
                f" - reward/mean:{step / 9:.4f}\n\x1b[36m{worker}\x1b[0m"
                f" WARNING 11-25 03:26:13 [core.py:708] cache block {step} is evicted\r"
                f"Training Progress: {step % 100}%|###   | {step}/90000 [03:21<11:02,  1.2s/it]\n"
            )
        stream.write(end)
