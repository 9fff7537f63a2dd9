"""A scratch project that pins an upstream, and ranges of a wanted length of that upstream."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tests.benchmarks.measure import NOTE_PEAK, PEAK_FILE, Cost, environment, run

_LAUNCH: Final = """\
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=1024 \\
    data.max_prompt_length=512 data.max_response_length=1024 data.truncation=error \\
    actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.fsdp_config.param_offload=True \\
    actor_rollout_ref.actor.fsdp_config.optimizer_offload=True \\
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.mode=async \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 actor_rollout_ref.rollout.n=5 \\
    trainer.n_gpus_per_node=8 trainer.nnodes=1 trainer.save_freq=20 trainer.test_freq=5
"""
"""What the user of a project runs: its settings are looked for in every change."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A local repository to measure on."""

    name: str
    url: str
    branch: str = "main"

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.url.removeprefix("file://"))

    def git(self, *arguments: str) -> str:
        """Standard output of a git command in it."""
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def before(self, count: int) -> str:
        """The commit after which the branch has so many changes, at most."""
        line = self.git("rev-list", "--first-parent", f"-n{count + 1}", self.branch).split()
        return line[-1]

    def held_back(self, directory: Path, count: int) -> Upstream:
        """A repository on the same objects whose branch lacks the last so many changes.

        The objects are those of this one: what is measured must be able to move a branch on.
        """
        if not (directory / "HEAD").exists():
            clone = ["git", "clone", "-q", "--bare", "--shared", str(self.path), str(directory)]
            subprocess.run(clone, check=True, capture_output=True)
        held = replace(self, url=directory.as_uri())
        held.git("config", "uploadpack.allowFilter", "true")
        held.git("config", "pack.window", "0")
        held.move_on(self, count)
        return held

    def move_on(self, whole: Upstream, count: int) -> None:
        """Put the branch at the whole upstream's, less so many changes."""
        self.git("update-ref", f"refs/heads/{self.branch}", whole.before(count))


@dataclass(frozen=True, slots=True)
class BenchProject:
    """A configuration in a folder of its own."""

    directory: Path
    scratch: Path

    @classmethod
    def make(cls, scratch: Path, upstream: Upstream, ref: str) -> BenchProject:
        """Pin ``ref`` of an upstream; its history begins there."""
        directory = scratch / f"{upstream.name.replace('/', '+')}-{ref[:12]}"
        directory.mkdir(parents=True)
        (directory / "watcher.toml").write_text(
            f'[[pins]]\nname = "pinned"\nupstream = "{upstream.name}"\nref = "{ref}"\n'
            f'since = "{ref}"\ngit = "{upstream.url}"\nbranch = "{upstream.branch}"\n'
            'api = "off"\n\n'
            '[usage]\nconfig = ["run.sh"]\nkeywords = ["offload", "load_state_dict"]\n'
            'gpus = 8\nhardware = "cuda"\n',
            encoding="utf-8",
        )
        (directory / "run.sh").write_text(_LAUNCH, encoding="utf-8")
        return cls(directory, scratch)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of its commands."""
        return environment() | {PEAK_FILE: str(self.directory / "peak")}

    def command(self, *arguments: str) -> list[str]:
        """A command line of watcher."""
        start = f"{NOTE_PEAK}from watcher.cli.main import main; main()"
        return [sys.executable, "-c", start, "--quiet", *arguments]

    def watcher(
        self, *arguments: str, stdin: Path | None = None, stdout: Path | None = None
    ) -> Cost:
        """Run watcher once."""
        command = self.command(*arguments)
        return run(command, self.directory, self.variables, stdin, stdout)

    def module(self, name: str, *arguments: str, stdout: Path | None = None) -> Cost:
        """Run one of these benchmarks' own modules in its folder."""
        variables = self.variables | {"PYTHONPATH": str(Path.cwd())}
        command = [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments]
        return run(command, self.directory, variables, stdout=stdout)

    def disk_mb(self) -> dict[str, float]:
        """Size of what it keeps, by kind."""
        sizes = {"store": 0.0, "index": 0.0, "lines": 0.0, "mirror": 0.0}
        for path in self.directory.rglob("*"):
            if path.is_file():
                sizes[_kind_of(path.relative_to(self.directory))] += path.stat().st_size / 1e6
        return sizes

    def changes(self) -> int:
        """How many changes the store holds."""
        import sqlite3

        with sqlite3.connect(self.directory / "watcher.db") as store:
            return int(store.execute("SELECT count(*) FROM change").fetchone()[0])


def _kind_of(path: Path) -> str:
    if path.name.startswith("watcher."):
        return "store"
    told = str(path)
    return "index" if ".index" in told else "lines" if ".lineage" in told else "mirror"
