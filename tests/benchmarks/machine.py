"""The machine that numbers come from, in one line each."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path


def describe(now: datetime | None = None) -> list[tuple[str, str]]:
    """What decides on times: processor, memory, versions; and the date."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout
    return [
        ("date", f"{now or datetime.now(UTC):%Y-%m-%d}"),
        ("processor", f"{processor(_read)}, {cores} cores"),
        ("memory", memory(_read)),
        ("system", f"{platform.system()} {platform.release()}"),
        ("Python", platform.python_version()),
        ("git", git.removeprefix("git version ").strip() or "none"),
        ("SQLite", sqlite3.sqlite_version),
        ("load at the start", " ".join(f"{one:.1f}" for one in os.getloadavg())),
    ]


def processor(read: Callable[[str], str]) -> str:
    """The processor's name by the system's files, else by Python."""
    for line in read("/proc/cpuinfo").splitlines():
        name, _, told = line.partition(":")
        if name.strip() == "model name":
            return told.strip()
    return platform.processor() or platform.machine()


def memory(read: Callable[[str], str]) -> str:
    """Size of the memory, or that it is not told."""
    for line in read("/proc/meminfo").splitlines():
        if line.startswith("MemTotal:"):
            return f"{int(line.split()[1]) / 1024 / 1024:.0f} GiB"
    return "not told"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
