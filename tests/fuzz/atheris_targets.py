"""Coverage-guided fuzzing of the same parsers: ``make fuzz``, or with targets and seconds each.

    python -m tests.fuzz.atheris_targets [SECONDS] [TARGET ...]

Needs ``pip install atheris`` (no part of the development requirements). Each target runs in a
process of its own; an input that breaks one is left in ``.fuzz/TARGET``, and the status is 1.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import atheris

FOLDER = Path(".fuzz")
SLOWEST_SECONDS = 10
MOST_MEGABYTES = 1_500
LONGEST_INPUT = 20_000


def fuzz(name: str, seconds: int) -> None:
    """Fuzz one target in this process; ends the process."""
    with atheris.instrument_imports(include=["watcher"]):
        from tests.fuzz.seeds import SEEDS
        from tests.fuzz.targets import TARGETS
    corpus = FOLDER / name / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[name]):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        *(f"-max_total_time={seconds}", f"-timeout={SLOWEST_SECONDS}", "-verbosity=0"),
        *(f"-rss_limit_mb={MOST_MEGABYTES}", f"-max_len={LONGEST_INPUT}"),
        *(f"-artifact_prefix={FOLDER / name}/", str(corpus)),
    ]
    atheris.Setup([name, *options], TARGETS[name])
    atheris.Fuzz()


def main(arguments: list[str]) -> int:
    """Fuzz the targets one after the other."""
    from tests.fuzz.seeds import SEEDS

    seconds = int(arguments[0]) if arguments else 20
    broken = []
    for name in arguments[1:] or list(SEEDS):
        child = os.fork()
        if child == 0:
            os.execv(
                sys.executable,
                [sys.executable, "-m", "tests.fuzz.atheris_targets", "--one", name, str(seconds)],
            )
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(f"{name}: {'broken' if status else 'held'} for {seconds} s", flush=True)
        broken += [name] if status else []
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        fuzz(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
