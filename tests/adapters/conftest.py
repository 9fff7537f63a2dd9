"""A GitHub with one repository."""

from __future__ import annotations

import pytest

from tests.fake_github import FakeGitHub, Repository
from tests.github_stories import UPSTREAM


@pytest.fixture
def github() -> FakeGitHub:
    return FakeGitHub()


@pytest.fixture
def verl(github: FakeGitHub) -> Repository:
    return github.repository(UPSTREAM)
