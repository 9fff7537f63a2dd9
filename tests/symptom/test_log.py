"""Logs of the field, in all their dress."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from watcher.symptom.log import LogFacts, read_log

BOXED = """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /home/engine/train/main.py:42 in main                                        │
│                                                                              │
│    41                                                                        │
│ ❱  42     run(config)                                                        │
│                                                                              │
│ /home/engine/utils/memory.py:120 in move_to_cpu                              │
│ ❱ 120     model.cpu()                                                        │
╰──────────────────────────────────────────────────────────────────────────────╯
RuntimeError: the storage is on another device"""

CHAINED = """\
Traceback (most recent call last):
  File "/opt/engine/load.py", line 3, in load
    weights[name]
KeyError: 'lm_head'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/opt/engine/start.py", line 9, in start
    raise RuntimeError("load failed") from error
RuntimeError: load failed
ray.exceptions.RayTaskError(RuntimeError): ray::Worker.start() (pid=3, ip=10.0.0.1)"""

INTERLEAVED = """\
(WorkerDict pid=1) Traceback (most recent call last):
(WorkerDict pid=2) Traceback (most recent call last):
(WorkerDict pid=1)   File "/a/one.py", line 1, in first
(WorkerDict pid=2)   File "/a/two.py", line 2, in second
(WorkerDict pid=1)     do_this()
(WorkerDict pid=2)     do_that()
(WorkerDict pid=1) library.Odd: message of the first
(WorkerDict pid=2) ValueError: message of the second"""

PREFIXED = """\
\x1b[36m(Core pid=188)\x1b[0;0m ERROR 11-25 03:26:13 [core.py:708] EngineCore failed to start.
(Core pid=188) ERROR 11-25 03:26:13 [core.py:708] Traceback (most recent call last):
(Core pid=188) ERROR 11-25 03:26:13 [core.py:708]   File "/x/engine/core.py", line 6, in run
(Core pid=188) ERROR 11-25 03:26:13 [core.py:708]     core = Core()
(Core pid=188) ERROR 11-25 03:26:13 [core.py:708] ValueError: no blocks left
[rank1]: Traceback (most recent call last):
[rank1]:   File "/x/trainer/train.py", line 5, in step
[rank1]:     main()
[rank1]: torch._dynamo.exc.Unsupported: call_function"""

NATIVE = """\
[rank0]:[E1130 03:11:22.1 NCCL.cpp:616] Watchdog caught collective operation timeout
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  NCCL error in: ../csrc/distributed/Utils.hpp:219, unhandled system error
../aten/cuda/IndexKernel.cu:92: operator(): block: [0,0,0] Assertion `index < size` failed."""

PY_SPY = """\
Thread 0x7F (idle): "MainThread"
    all_reduce (engine/distributed.py:2501)
    step (engine/worker.py:88)"""


def read(text: str) -> LogFacts:
    return read_log(text.split("\n"))


@pytest.mark.parametrize(
    ("text", "errors", "frames"),
    [
        (BOXED, ["RuntimeError: the storage is on another device"], ["main", "move_to_cpu"]),
        (CHAINED, ["KeyError: 'lm_head'", "RuntimeError: load failed"], ["load", "start"]),
        (
            INTERLEAVED,
            ["library.Odd: message of the first", "ValueError: message of the second"],
            ["first", "second"],
        ),
        (
            PREFIXED,
            ["ValueError: no blocks left", "torch._dynamo.exc.Unsupported: call_function"],
            ["run", "step"],
        ),
        (PY_SPY, [], ["all_reduce", "step"]),
    ],
    ids=["rich box", "chained", "interleaved ranks", "prefixes", "py-spy"],
)
def test_a_traceback_gives_its_errors_and_functions(
    text: str, errors: list[str], frames: list[str]
) -> None:
    facts = read(text)

    assert list(facts.errors) == errors
    assert [frame.function for frame in facts.frames] == frames


def test_compiled_code_tells_its_errors_and_places() -> None:
    facts = read(NATIVE)

    assert len(facts.errors) == 4
    assert [frame.path for frame in facts.frames] == [
        "../csrc/distributed/Utils.hpp",
        "../aten/cuda/IndexKernel.cu",
    ]


def test_an_error_that_reports_another_death_is_a_follower() -> None:
    assert read(CHAINED).followers[0].startswith("ray.exceptions.RayTaskError")
    assert read(PREFIXED).followers == ("EngineCore failed to start.",)


def test_quoted_code_is_kept_apart_from_errors() -> None:
    assert read(BOXED).code == ("run(config)", "model.cpu()")
    assert "weights[name]" in read(CHAINED).code


def test_settings_and_versions_of_a_log_are_found() -> None:
    facts = read("[pip3] numpy==1.26.4\npython -m engine a.strategy=fsdp2 --eager\nEngine v1")

    assert facts.settings == (("a.strategy", "fsdp2"), ("eager", ""))
    assert facts.versions == (("numpy", "1.26.4"),)


def test_progress_bars_are_no_lines() -> None:
    facts = read("step 1 done\n  7%|▋   | 3/50 [00:11<02:09, 35.7it/s]\rstep 2 done\n-----")

    assert facts.lines == ("step 1 done", "step 2 done")


def test_the_same_error_of_many_ranks_counts_once() -> None:
    text = "\n".join(f"[rank{rank}]: ValueError: rank {rank} is out of blocks" for rank in range(8))

    assert len(read(text).errors) == 1


def long_log(lines: int) -> Iterator[str]:
    for at in range(lines):
        yield f'(Worker pid={at % 50})   File "/x/file{at}.py", line {at}, in function_{at}'
        yield f"(Worker pid={at % 50}) ValueError: {'abcdefgh'[at % 8] * (at % 700)}"
        yield f"step {at} of the run"


def test_memory_does_not_grow_with_the_log() -> None:
    tracemalloc.start()
    facts = read_log(long_log(4_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(facts.errors) <= 300
    assert len(facts.frames) <= 300
    assert peak < 3_000_000


@pytest.mark.parametrize(
    "piece", ["a.", "/", "--a ", "A_", 'File "', "(pid=", "[", "a=", "Error: "]
)
def test_hostile_lines_take_linear_time(piece: str) -> None:
    started = time.process_time()
    read_log([piece * 100_000] * 100)

    assert time.process_time() - started < 1
