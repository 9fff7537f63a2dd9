"""What a bug report says of the machine: system, Python, packages, CUDA, driver, devices.

Gathers through ``ports.Files`` alone: nothing of the environment is imported or run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from watcher.pins.records import normalise
from watcher.ports.files import Files
from watcher.symptom.parse import PACKAGES

_NVIDIA: Final = Path("/proc/driver/nvidia")
_ASCEND: Final = Path("/usr/local/Ascend/driver/version.info")
_AMD: Final = Path("/sys/module/amdgpu/version")
_MORE: Final = frozenset(
    {"hydra-core", "mbridge", "megatron-bridge", "megatron-core", "nvidia-nccl-cu12", "sgl-kernel"}
    | {"nvidia-nccl-cu13", "torch-memory-saver", "nvidia-cudnn-cu12", "transferqueue"}
)
_TOLD: Final = frozenset(normalise(name) for name in PACKAGES) | _MORE
_PRETTY: Final = re.compile(r'^PRETTY_NAME="?([^"\n]{1,100})', re.MULTILINE)
_TORCH_CUDA: Final = re.compile(
    r"^(cuda|hip)\b[^=\n]{0,40}=\s{0,4}['\"]([^'\"\n]{1,40})", re.MULTILINE
)
_DRIVER: Final = re.compile(r"NVRM version:[^\n]{0,200}?\s(\d{3}\.[\d.]{1,20})")
_MODEL: Final = re.compile(r"^Model:\s{0,20}(\S[^\n]{0,80})", re.MULTILINE)
_PYTHON: Final = re.compile(r"python(3\.\d{1,2})")


class Machine(Struct, frozen=True, kw_only=True):
    """What the operating system told the process about itself."""

    system: str
    """Kernel and architecture, ``Linux-6.1.0-x86_64``."""
    python: str
    """Of the interpreter that runs watcher."""
    host: str
    user: str
    home: str


def system_rows(files: Files, machine: Machine, sites: Sequence[Path]) -> list[tuple[str, str]]:
    """Operating system and Python."""
    release = _PRETTY.search(files.read(Path("/etc/os-release"), limit=4_096) or "")
    name = f"{release[1]}, " if release else ""
    versions = [found[1] for site in sites if (found := _PYTHON.search(str(site)))]
    python = versions[0] if versions else f"{machine.python} (of watcher itself)"
    return [("OS", f"{name}{machine.system}"), ("Python", python)]


def package_rows(packages: Mapping[str, str]) -> list[tuple[str, str]]:
    """The packages that upstreams ask for, by name."""
    return sorted((name, version) for name, version in packages.items() if name in _TOLD)


def device_rows(files: Files, sites: Sequence[Path]) -> list[tuple[str, str]]:
    """CUDA of torch, driver and devices; empty where nothing is told."""
    rows = []
    for site in sites:
        built = _TORCH_CUDA.search(files.read(site / "torch" / "version.py", limit=4_096) or "")
        if built:
            rows.append((f"{built[1].upper()} of torch", built[2]))
            break
    driver = _DRIVER.search(files.read(_NVIDIA / "version", limit=4_096) or "")
    if driver:
        rows.append(("NVIDIA driver", driver[1]))
    models = Counter(_models(files))
    rows += [("GPU", f"{number} x {model}") for model, number in sorted(models.items())]
    for path, what in ((_ASCEND, "Ascend driver"), (_AMD, "amdgpu driver")):
        text = (files.read(path, limit=4_096) or "").strip()
        if text:
            rows.append((what, text.splitlines()[0][:80].removeprefix("Version=")))
    return rows


def has_devices(rows: Sequence[tuple[str, str]]) -> bool:
    """True when a driver or device is among the rows."""
    return any("driver" in name or name == "GPU" for name, _ in rows)


def _models(files: Files) -> list[str]:
    gpus = _NVIDIA / "gpus"
    texts = [files.read(gpus / name / "information", limit=4_096) for name in files.names(gpus)]
    return [found[1].strip() for text in texts if (found := _MODEL.search(text or ""))]
