"""GitHub's own schema files, from npm at a pinned version, kept outside the project.

``WATCHER_GITHUB_SCHEMA`` names a directory that holds them or may receive them; without it a
directory below the user's cache is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLSchema, build_schema

GRAPHQL = ("@octokit/graphql-schema", "15.26.1", "package/schema.graphql")
OPENAPI = ("@octokit/openapi", "23.0.2", "package/generated/api.github.com.json")


def schema_file(package: str, version: str, member: str) -> Path:
    """One file of a package. Skips the test when there is no npm."""
    home = os.environ.get("WATCHER_GITHUB_SCHEMA") or str(Path.home() / ".cache" / "watcher-tests")
    target = Path(home) / f"{version}-{Path(member).name}"
    plain = Path(home) / Path(member).name
    for found in (target, plain):
        if found.exists():
            return found
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [npm, "pack", "--silent", f"{package}@{version}"]
        packed = subprocess.run(
            command, cwd=scratch, check=True, capture_output=True, text=True, timeout=300
        )
        with tarfile.open(Path(scratch) / packed.stdout.split()[-1]) as archive:
            source = archive.extractfile(member)
            assert source is not None
            part = target.with_suffix(".part")
            part.write_bytes(source.read())
            part.rename(target)
    return target


@cache
def graphql_schema() -> GraphQLSchema:
    return build_schema(schema_file(*GRAPHQL).read_text(), assume_valid=True)


@cache
def openapi() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(schema_file(*OPENAPI).read_text())
    return loaded
