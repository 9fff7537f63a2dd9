"""The example upstream's story: a feature that breaks, its mend days later, and what lies around.

Pure: gives the fast-import stream, the user's launch script and the user's ``watcher.toml``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from watcher.demo import sources
from watcher.demo.history import FIRST_DAY, HistoryWriter

UPSTREAM: Final = "example/rltrain"

LAUNCH_SCRIPT: Final = """#!/bin/bash
# Three GPUs; the actor moves to host memory while vLLM generates.
python -m rltrain.main \\
    actor.strategy=fsdp2 \\
    actor.offload=True \\
    rollout.name=vllm \\
    trainer.n_gpus_per_node=3
"""


def watcher_toml(remote: str) -> str:
    """The user's configuration; ``remote`` is the ``file://`` address of the example upstream."""
    return f"""[store]
url = "sqlite:///watcher.db"
mirrors = ".watcher/mirrors"

[[pins]]
name = "rltrain"
upstream = "{UPSTREAM}"
ref = "v1.1.0"
git = "{remote}"
api = "off"

[usage]
config = ["run.sh"]
paths = ["rltrain/offload.py"]
gpus = 3
"""


def write_history(first_day: datetime = FIRST_DAY) -> bytes:
    """The upstream's history as a fast-import stream; the default branch is ``main``."""
    history = HistoryWriter(first_day)
    _until_the_first_release(history)
    shipped = _until_the_release_that_breaks(history)
    _after_the_release(history, shipped)
    return history.stream()


def _until_the_first_release(history: HistoryWriter) -> None:
    history.commit(
        "main",
        "Start rltrain",
        {
            "README.md": sources.README,
            "rltrain/__init__.py": "",
            "rltrain/main.py": sources.MAIN,
            "rltrain/offload.py": sources.OFFLOAD_BLOCKING,
            "rltrain/engine.py": sources.ENGINE,
            "rltrain/checkpoint.py": sources.CHECKPOINT,
            "rltrain/rollout.py": sources.ROLLOUT,
            "rltrain/config/trainer.yaml": sources.CONFIG,
        },
        day=0,
    )
    history.commit("main", "[npu] feat: run on Ascend (#3)", {"rltrain/npu.py": sources.NPU}, day=2)
    first = history.commit(
        "main",
        "[megatron] feat: Megatron actor (#5)",
        {"rltrain/megatron.py": sources.MEGATRON},
        day=4,
    )
    history.tag("v1.0.0", first)


def _until_the_release_that_breaks(history: HistoryWriter) -> int:
    history.commit(
        "main",
        "[doc] chore: say how to install (#8)",
        {"README.md": sources.README + "\nInstall with pip.\n"},
        day=9,
    )
    history.commit(
        "main",
        "[fsdp] feat: switch phases faster by copying shards asynchronously (#12)\n\n"
        "Offloading blocked the actor for seconds. Copy into pinned host memory instead.\n",
        {"rltrain/offload.py": sources.OFFLOAD_ASYNC},
        day=12,
    )
    shipped = history.commit(
        "main",
        "[trainer] feat: prefetch the next shards (#14)",
        {"rltrain/engine.py": sources.ENGINE_PREFETCH},
        day=15,
    )
    history.tag("v1.1.0", shipped)
    return shipped


def _after_the_release(history: HistoryWriter, shipped: int) -> None:
    history.commit(
        "main",
        "[npu] fix: choose a visible device (#16)",
        {"rltrain/npu.py": sources.NPU_MENDED},
        day=16,
    )
    history.commit(
        "main",
        "[fsdp] fix: garbled rollout after CPU offload with uneven shards (#17)\n\n"
        "With a number of GPUs that does not divide a dimension the last shard is padded from a\n"
        "buffer that the asynchronous copy has not filled yet, so vLLM receives broken weights "
        "and\n"
        "answers in garbage. Wait for the copy; copy blocking when shards are uneven.\n"
        "Introduced by #12.\n\nFixes #15\n",
        {"rltrain/offload.py": sources.OFFLOAD_MENDED},
        day=17,
    )
    history.commit(
        "main",
        "[trainer] fix: Revert prefetch of the next shards (#18)\n\nReverts example/rltrain#14\n",
        {"rltrain/engine.py": sources.ENGINE},
        day=18,
    )
    history.commit(
        "main",
        "[megatron] fix: interleave merged qkv weights (#19)",
        {"rltrain/megatron.py": sources.MEGATRON_MENDED},
        day=19,
    )
    history.commit(
        "main",
        "[ckpt] fix: checkpoint saved before the offload copy finished (#20)\n\n"
        "Follow-up to #17, same defect in save_checkpoint.\n",
        {"rltrain/checkpoint.py": sources.CHECKPOINT_MENDED},
        day=20,
    )
    head = history.commit(
        "main",
        "[rollout] fix: weight sync waits forever when the server is gone (#21)",
        {"rltrain/rollout.py": sources.ROLLOUT_MENDED},
        day=21,
    )
    history.tag("v1.2.0", head)
    history.commit(
        "main",
        "[doc] fix: typo in the readme (#22)",
        {"README.md": sources.README + "\nInstall it with pip.\n"},
        day=22,
    )
    history.fork("release/v1.1", shipped)
    history.commit(
        "release/v1.1",
        "[fsdp] fix: wait for offload copies (backport of #17) (#23)",
        {"rltrain/offload.py": sources.OFFLOAD_MENDED},
        day=23,
    )
