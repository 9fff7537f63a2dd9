"""How many devices and machines the user runs on, from what the settings say.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.usage import Setting
from watcher.usage.values import as_number, is_suffix

_DEVICES: Final = ("n_gpus_per_node", "nproc_per_node", "num_gpus_per_node", "gpus_per_node")
_MACHINES: Final = ("nnodes", "num_nodes", "num_machines", "nodes")
_PRODUCTS: Final = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")
_VISIBLE: Final = ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


class Scale(Struct, frozen=True):
    """Devices in all and machines; None where nothing tells."""

    gpus: int | None
    nodes: int | None


def read_scale(settings: Sequence[Setting], environment: Iterable[tuple[str, str]]) -> Scale:
    """Devices and machines of a run. What the user wrote goes before the upstream's defaults."""
    own = [item for item in settings if not item.is_default]
    nodes = _largest(own, _MACHINES)
    devices = _largest(own, _DEVICES)
    if devices is not None:
        return Scale(devices * (nodes or 1), nodes)
    visible = [
        len([part for part in value.split(",") if part.strip()])
        for name, value in environment
        if name in _VISIBLE and "$" not in value
    ]
    if visible:
        return Scale(visible[-1], nodes)
    product = 1
    for name in _PRODUCTS:
        product *= _largest(own, (name,)) or 1
    return Scale(product if product > 1 else None, nodes)


def _largest(settings: Sequence[Setting], suffixes: tuple[str, ...]) -> int | None:
    found = [
        int(number)
        for item in settings
        if any(is_suffix(suffix, item.key) for suffix in suffixes)
        and (number := as_number(item.value)) is not None
        and 0 < number < 1_000_000
    ]
    return max(found, default=None)
