"""What a short command must not import: each of these would be felt at every call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import git_environment

HEAVY = [
    "sqlmodel",
    "pydantic",
    "sqlalchemy.orm",
    "alembic",
    "github",
    "httpx",
    "requests",
    "fastapi",
    "starlette",
    "uvicorn",
    "mcp",
    "jinja2",
    "hydra",
    "omegaconf",
    "apscheduler",
    "markdown_it",
    "pygments",
]
"""Libraries of the migrations, the page, the service and the API."""
OF_A_SYNC = [
    "watcher.store.schema",
    "watcher.adapters.git.update",
    "watcher.adapters.git.patches",
    "watcher.pipeline.sync",
    "watcher.pipeline.sync_all",
    "watcher.pipeline.pin_sources",
    "watcher.pipeline.link_history",
    "watcher.history.diff",
    "watcher.history.links",
]
PROGRAM = (
    "import sys; from watcher.cli.main import run; status = run(sys.argv[1:]);"
    "print('\\0' + ' '.join(sys.modules)); sys.exit(status)"
)


def modules_of(config: Path, *arguments: str) -> set[str]:
    """The modules that are imported once a command is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--config", str(config), *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=git_environment(),
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("\0")[2].split())


@pytest.mark.parametrize(
    "arguments", [["check", "rollout", "hangs"], ["list"], ["usage"], ["pins"]], ids=" ".join
)
def test_a_reading_command_imports_no_more_than_it_needs(
    example_config: Path, arguments: list[str]
) -> None:
    loaded = modules_of(example_config, *arguments)

    assert loaded & {*HEAVY, *OF_A_SYNC} == set()


def test_an_answer_for_programs_tries_picks_but_needs_no_terminal(example_config: Path) -> None:
    loaded = modules_of(example_config, "check", "rollout", "hangs", "--json")

    assert loaded & {*HEAVY, "rich.console", "watcher.store.schema"} == set()
