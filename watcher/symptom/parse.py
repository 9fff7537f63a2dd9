"""Words, a log and overrides -> a Symptom.

Pure; the log is an iterator of lines and is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from watcher.facts.symptom import Frame, Symptom
from watcher.symptom.environment import find_versions, may_state_version
from watcher.symptom.frames import installed_package
from watcher.symptom.log import MAX_SETTINGS, LogFacts, read_log
from watcher.symptom.settings import find_settings, merge_settings, parse_override

MAX_TEXT: Final = 20_000
"""Characters of the user's words that are looked at."""

_PACKAGES = """
accelerate apex bitsandbytes datasets deepspeed flash_attn flashinfer hydra liger_kernel
lmdeploy mbridge megatron mindspeed nemo numpy omegaconf onnxruntime outlines peft pydantic
pytorch_lightning ray sglang tensordict tensorrt_llm torch torch_npu torchao torchaudio
torchdata torchtitan torchvision transformer_engine transformers triton trl unsloth veomni verl
vllm vllm_ascend wandb xformers xgrammar
"""
PACKAGES: Final = frozenset(_PACKAGES.split())
"""Packages of the field that count when a log or the user names them."""

_WORD = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]{1,30}(?:[_-][A-Za-z0-9]{1,20}){0,3}(?![\w/-])")
_DIGIT_WORDS: Final = {
    "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "sixteen": 16, "单": 1, "一": 1, "两": 2, "二": 2, "双": 2, "三": 3, "四": 4,
    "五": 5, "六": 6, "七": 7, "八": 8, "十六": 16,
}  # fmt: skip
_GPUS = re.compile(
    r"(?<![\w.])(?P<number>\d{1,4}|one|single|two|three|four|five|six|seven|eight|sixteen)"
    r"[ -]?(?:x ?)?(?:[A-Za-z]{1,3}\d{1,4}[A-Za-z]{0,3} )?(?:gpus?|cards?|npus?|devices?)\b"
    r"|(?P<chinese>\d{1,4}|十六|[单一两二双三四五六七八])\s?[张块]?(?:卡|gpu)",
    re.IGNORECASE,
)
_GPU_KEYS = re.compile(r"(?:^|[._-])(?:nproc[_-]per[_-]node|n[_-]?gpus[_-]per[_-]node|ngpus?)$")


def parse_symptom(
    text: str = "", log: Iterable[str] | None = None, overrides: Sequence[str] = ()
) -> Symptom:
    """What went wrong, from the user's words, the lines of a log and ``key=value`` overrides.

    Never raises on content: what is not understood stays in ``text`` or ``lines``.
    """
    words = text[:MAX_TEXT].strip()
    facts = read_log(words.splitlines() if log is None and "\n" in words else (log or ()))
    settings = merge_settings(
        [[parse_override(one) for one in overrides], facts.settings, find_settings(words)],
        limit=MAX_SETTINGS,
    )
    versions = dict.fromkeys((*facts.versions, *find_versions(words)))
    return Symptom(
        text=words,
        errors=facts.errors,
        followers=facts.followers,
        frames=facts.frames,
        code=facts.code,
        config=settings,
        lines=facts.lines if log is not None else (),
        versions=tuple(versions),
        packages=_packages(words, facts),
        gpus=_gpus(words, settings),
    )


def _packages(words: str, facts: LogFacts) -> tuple[str, ...]:
    """Packages that frames, errors and words name, in order of appearance."""
    found: dict[str, None] = {}
    for frame in facts.frames:
        for name in _packages_of_frame(frame):
            found[name] = None
    told = (line for line in facts.lines if not may_state_version(line))
    for line in (words, *facts.errors, *facts.followers, *told):
        for word in _WORD.findall(line):
            name = word.lower().replace("-", "_")
            if name in PACKAGES:
                found[name] = None
    return tuple(found)


def _packages_of_frame(frame: Frame) -> list[str]:
    installed = installed_package(frame.path)
    if installed:
        return [installed.lower()]
    return [part for part in frame.path.lower().split("/")[:-1] if part in PACKAGES][-1:]


def _gpus(words: str, settings: Sequence[tuple[str, str]]) -> int | None:
    """How many devices the settings or else the words speak of."""
    for key, value in settings:
        if _GPU_KEYS.search(key) and value.isdigit() and len(value) <= 4:
            return int(value)
    match = _GPUS.search(words)
    if not match:
        return None
    number = (match["number"] or match["chinese"]).lower()
    return int(number) if number.isdigit() else _DIGIT_WORDS[number]
