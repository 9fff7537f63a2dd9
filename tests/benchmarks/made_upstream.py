"""A made-up upstream of any length, the same on every machine, for benchmarks without a mirror.

Its files are as long and its changes as large as those of a busy training library; its words are
drawn from a small list. It shows growth and start-up well, real upstreams show the rest.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.project import Upstream
from watcher.demo.history import HistoryWriter

_NOUNS = ("actor", "critic", "rollout", "worker", "buffer", "shard", "gradient", "reward", "mask")
_VERBS = ("gather", "scatter", "offload", "reload", "clip", "split", "merge", "flush", "route")
_PARTS = ("trainer", "worker", "rollout", "model", "data", "utils")
_FILES = 120
_FUNCTIONS = 40


def make_upstream(directory: Path, changes: int) -> Upstream:
    """A bare repository with so many changes after its first commit.

    Made in a process of its own: what a parent holds would count as memory of its children.
    """
    command = [sys.executable, "-m", "tests.benchmarks.made_upstream", str(directory), str(changes)]
    subprocess.run(command, check=True)
    return Upstream("acme/engine", directory.as_uri())


def _write(directory: Path, changes: int) -> None:
    dice = random.Random(7)
    writer = HistoryWriter()
    files = {f"engine/{dice.choice(_PARTS)}/part_{n}.py": _new_file(dice) for n in range(_FILES)}
    writer.commit("main", "first", {path: "\n".join(lines) for path, lines in files.items()}, day=0)
    for number in range(1, changes + 1):
        touched = dice.sample(sorted(files), dice.randint(1, 5))
        for path in touched:
            _edit(files[path], dice)
        title = f"[{dice.choice(_PARTS)}] {dice.choice(['fix', 'feat', 'perf'])}: {_words(dice, 6)}"
        body = "\n".join(_words(dice, 12) for _ in range(dice.randint(2, 20)))
        texts = {path: "\n".join(files[path]) for path in touched}
        writer.commit("main", f"{title} (#{number})\n\n{body}", texts, day=number / 8)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(directory)], check=True)
    command = ["git", "-C", str(directory), "fast-import", "--quiet", "--done"]
    subprocess.run(command, input=writer.stream(), check=True)


def _new_file(dice: random.Random) -> list[str]:
    lines = ["import torch", ""]
    for _ in range(_FUNCTIONS):
        lines += [f"def {dice.choice(_VERBS)}_{dice.choice(_NOUNS)}_{dice.randrange(900)}(x):"]
        lines += [_line(dice) for _ in range(8)] + ["    return x", ""]
    return lines


def _edit(lines: list[str], dice: random.Random) -> None:
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(3, len(lines) - 3)
        lines[at : at + dice.randint(0, 3)] = [_line(dice) for _ in range(dice.randint(1, 6))]


def _line(dice: random.Random) -> str:
    left, right = dice.choice(_NOUNS), dice.choice(_NOUNS)
    called = f'{dice.choice(_VERBS)}({right}, config["{left}_{right}"], {dice.randrange(99)})'
    return f"    {left} = {called}"


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choice(dice.choice((_NOUNS, _VERBS))) for _ in range(count))


if __name__ == "__main__":
    _write(Path(sys.argv[1]), int(sys.argv[2]))
