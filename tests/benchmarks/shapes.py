"""The sizes and habits of the upstreams that are made up for the benchmarks.

Numbers were counted on real histories: files of a tree and their sizes, files and hunks of a
change, changes a day, the length of messages, the share of reverts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How an upstream looks and lives."""

    key: str
    """Its short name on the command line, and how its messages are written."""
    name: str
    """``owner/name``: the profile of that upstream reads it."""
    files: int
    """Files of the tree at the first commit."""
    changes: int
    """Changes of the range that is synced."""
    a_day: int
    """Changes a day."""
    median_bytes: int
    """Median size of a file; the mean is nearly twice that."""
    touched: float
    """Mean number of files of a change."""
    reverts: float
    """Share of the changes that take another one back."""
    roots: tuple[tuple[str, int], ...]
    """Top folders with the share of the tree's files that they hold, per cent."""
    modules: tuple[str, ...]
    """What titles name in brackets."""


_VERL: Final = Shape(
    key="verl",
    name="verl-project/verl",
    files=1_200,
    changes=3_000,
    a_day=5,
    median_bytes=5_400,
    touched=5.4,
    reverts=0.01,
    roots=(("verl", 45), ("tests", 20), ("examples", 20), ("docs", 10), ("recipe", 5)),
    modules=("fsdp", "megatron", "rollout", "vllm", "sglang", "trainer", "ckpt", "data", "worker"),
)
_VLLM: Final = Shape(
    key="vllm",
    name="vllm-project/vllm",
    files=4_500,
    changes=10_000,
    a_day=37,
    median_bytes=5_400,
    touched=5.0,
    reverts=0.015,
    roots=(("vllm", 50), ("csrc", 12), ("tests", 25), ("examples", 5), ("docs", 8)),
    modules=("Bugfix", "Core", "Kernel", "Model", "V1", "Frontend", "ROCm", "LoRA", "Quantization"),
)
_PYTORCH: Final = Shape(
    key="pytorch",
    name="pytorch/pytorch",
    files=60_000,
    changes=20_000,
    a_day=50,
    median_bytes=3_600,
    touched=4.5,
    reverts=0.05,
    roots=(("torch", 35), ("aten/src/ATen", 15), ("c10", 3), ("test", 27), ("docs", 5),
           ("third_party", 12), ("tools", 3)),
    modules=("FSDP2", "dtensor", "inductor", "dynamo", "export", "c10d", "MPS", "ROCm", "xpu"),
)  # fmt: skip

SHAPES: Final = {shape.key: shape for shape in (_VERL, _VLLM, _PYTORCH)}


def scaled(shape: Shape, changes: int) -> Shape:
    """The same upstream with a shorter history, and a tree that is smaller by as much."""
    files = max(60, shape.files * changes // shape.changes)
    return replace(shape, changes=changes, files=min(files, shape.files))
