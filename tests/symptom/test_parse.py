"""Words, logs and overrides together."""

from __future__ import annotations

import pytest

from watcher.facts.symptom import Frame
from watcher.symptom.frames import PathIndex, find_frame, installed_package, map_frames
from watcher.symptom.parse import parse_symptom
from watcher.symptom.settings import find_settings, parse_override


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("输出乱码 fsdp2 offload 3卡", 3),
        ("garbled output with 3 gpus", 3),
        ("两张卡训练卡住", 2),
        ("八卡 NPU", 8),
        ("hangs on eight cards", 8),
        ("8 H100 GPUs", 8),
        ("在4090上跑", None),
        ("the step count is 3", None),
    ],
)
def test_the_number_of_devices_is_read_from_words(text: str, gpus: int | None) -> None:
    assert parse_symptom(text).gpus == gpus


def test_settings_tell_the_number_of_devices_before_words_do() -> None:
    assert parse_symptom("4 gpus", overrides=["trainer.n_gpus_per_node=3"]).gpus == 3


def test_overrides_come_before_what_the_log_and_the_words_say() -> None:
    symptom = parse_symptom("with a.b=3", ["run a.b=2"], ["a.b=1", "--eager"])

    assert symptom.config == (("a.b", "1"), ("eager", ""), ("a.b", "2"), ("a.b", "3"))


def test_packages_are_named_by_frames_and_words() -> None:
    log = [
        '  File "/usr/lib/python3/site-packages/sglang/srt/x.py", line 1, in f',
        "[pip3] numpy==1",
    ]

    assert parse_symptom("vllm breaks", log).packages == ("sglang", "vllm")


def test_a_traceback_pasted_into_the_words_is_read() -> None:
    pasted = 'It dies:\nTraceback (most recent):\n  File "/a/b/c.py", line 1, in f\nKeyError: x'

    symptom = parse_symptom(pasted)

    assert symptom.errors == ("KeyError: x",)
    assert symptom.frames == (Frame("/a/b/c.py", "f", 1),)


def test_nothing_given_is_an_empty_symptom() -> None:
    assert parse_symptom("  ").is_empty
    assert not parse_symptom("", None, ["a=1"]).is_empty


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("改成actor.strategy=fsdp2，就崩", [("actor.strategy", "fsdp2")]),
        ("++model.path='x' +a.b=True", [("a.b", "True")]),
        ("--tensor-parallel-size 4 --eager", [("tensor-parallel-size", "4"), ("eager", "")]),
        ("--dtype=half", [("dtype", "half")]),
        ("HF_HUB_OFFLINE=1 python x", [("HF_HUB_OFFLINE", "1")]),
        ("a = b, x=1, 1.5=2", []),
    ],
)
def test_settings_are_found_in_free_text(text: str, settings: list[tuple[str, str]]) -> None:
    assert find_settings(text) == settings


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a.b=c", ("a.b", "c")),
        ("+a.b=c=d", ("a.b", "c=d")),
        ("--flag value", ("flag", "value")),
        ("--flag=value", ("flag", "value")),
        ("choice=['x', 'y']", ("choice", "['x', 'y']")),
        ("NAME", ("NAME", "")),
        ("n>1", ("n>1", "")),
    ],
)
def test_an_override_is_read_in_any_spelling(text: str, pair: tuple[str, str]) -> None:
    assert parse_override(text) == pair


PATHS = PathIndex(["engine/utils/memory.py", "engine/io/memory.py", "setup.py", "csrc/attn.cu"])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/usr/lib/python3/site-packages/engine/utils/memory.py", "engine/utils/memory.py"),
        ("/workspace/engine/engine/io/memory.py", "engine/io/memory.py"),
        ("../csrc/attn.cu", "csrc/attn.cu"),
        ("/elsewhere/memory.py", None),
        ("/home/user/setup.py", None),
        ("C:\\engine\\utils\\memory.py", "engine/utils/memory.py"),
    ],
)
def test_a_frame_finds_its_upstream_file_whatever_the_prefix(path: str, found: str | None) -> None:
    assert PATHS.locate(path) == found


def test_frames_outside_the_upstream_are_left_out() -> None:
    frames = [Frame("/x/torch/nn.py", "call"), Frame("/x/engine/io/memory.py", "read", 3)]

    assert map_frames(frames, PATHS) == (Frame("engine/io/memory.py", "read", 3),)


def test_an_installed_file_names_its_package() -> None:
    assert installed_package("/a/dist-packages/torch_npu/x.py") == "torch_npu"
    assert installed_package("/a/b.py") is None


def test_a_line_without_a_frame_has_none() -> None:
    assert find_frame("step 1: all is well") is None
