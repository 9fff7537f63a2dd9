"""The files of the example upstream ``example/rltrain``, in the forms they take over time. Pure."""

from __future__ import annotations

from typing import Final

MAIN: Final = '''"""Entry point."""

from rltrain.checkpoint import load_checkpoint, save_checkpoint
from rltrain.engine import ActorEngine
from rltrain.rollout import update_weights


def main(config):
    return ActorEngine(config), load_checkpoint, save_checkpoint, update_weights
'''

OFFLOAD_BLOCKING: Final = '''"""Moves a sharded model between the GPU and host memory."""

import torch


def iter_shards(model):
    for name, param in model.named_parameters():
        yield name, param.local_shard()


@torch.no_grad()
def offload_to_cpu(model):
    """Bring every shard to the host and free the GPU."""
    for name, shard in iter_shards(model):
        host = shard.to("cpu")
        model.set_shard(name, host)
    torch.cuda.empty_cache()


@torch.no_grad()
def load_to_gpu(model, device):
    for name, shard in iter_shards(model):
        model.set_shard(name, shard.to(device))
'''

OFFLOAD_ASYNC: Final = OFFLOAD_BLOCKING.replace(
    """        host = shard.to("cpu")
        model.set_shard(name, host)
""",
    """        host = pinned_buffer(shard)
        host.copy_(shard, non_blocking=True)
        model.set_shard(name, host)
""",
).replace(
    """@torch.no_grad()
def offload_to_cpu""",
    """def pinned_buffer(shard):
    return torch.empty(shard.shape, dtype=shard.dtype, pin_memory=True)


@torch.no_grad()
def offload_to_cpu""",
)

OFFLOAD_MENDED: Final = OFFLOAD_ASYNC.replace(
    """        model.set_shard(name, host)
    torch.cuda.empty_cache()
""",
    """        model.set_shard(name, host)
    torch.cuda.current_stream().synchronize()
    torch.cuda.empty_cache()
""",
).replace(
    "        host.copy_(shard, non_blocking=True)\n",
    "        host.copy_(shard, non_blocking=shard.is_evenly_split)\n",
)

CHECKPOINT: Final = '''"""Writes and reads training state."""

import torch


def save_checkpoint(model, path, step):
    state = {name: shard.cpu() for name, shard in model.shards()}
    torch.save({"step": step, "state": state}, path)


def load_checkpoint(model, path):
    payload = torch.load(path)
    model.load_shards(payload["state"])
    return payload["step"]
'''

CHECKPOINT_MENDED: Final = CHECKPOINT.replace(
    "shard.cpu() for name, shard in model.shards()}\n",
    "shard.detach().cpu() for name, shard in model.shards()}\n    torch.cuda.synchronize()\n",
)

ENGINE: Final = '''"""Chooses how the actor is sharded and runs its phases."""

from rltrain.offload import load_to_gpu, offload_to_cpu


class ActorEngine:
    def __init__(self, config):
        self.config = config
        self.sharded = config.actor.strategy in ("fsdp", "fsdp2")

    def leave_training(self, model):
        if self.config.actor.offload:
            offload_to_cpu(model)

    def enter_training(self, model, device):
        if self.config.actor.offload:
            load_to_gpu(model, device)
'''

ENGINE_PREFETCH: Final = (
    ENGINE.replace(
        "            load_to_gpu(model, device)\n",
        "            load_to_gpu(model, device)\n            self.prefetch(model)\n",
    )
    + """
    def prefetch(self, model):
        for shard in model.next_shards():
            shard.record_stream()
"""
)

ROLLOUT: Final = '''"""Sends weights to the vLLM rollout."""


def update_weights(client, model):
    for name, shard in model.shards():
        client.send(name, shard)
    client.flush()
'''

ROLLOUT_MENDED: Final = ROLLOUT.replace(
    "    client.flush()\n",
    "    if not client.flush(timeout=client.config.rollout.sync_timeout):\n"
    '        raise TimeoutError("weight sync did not finish")\n',
)

NPU: Final = '''"""Ascend NPU helpers."""


def set_device(index):
    return f"npu:{index}"
'''

NPU_MENDED: Final = NPU.replace(
    'return f"npu:{index}"', 'return f"npu:{index % visible_devices()}"'
)

MEGATRON: Final = '''"""Megatron weight layout."""


def merge_qkv(query, key, value):
    return [query, key, value]
'''

MEGATRON_MENDED: Final = MEGATRON.replace("[query, key, value]", "interleave(query, key, value)")

CONFIG: Final = """actor:
  strategy: fsdp
  offload: false
rollout:
  name: vllm
  sync_timeout: 600
trainer:
  n_gpus_per_node: 8
"""

README: Final = "# rltrain\n\nTrains language models with rewards.\n"
