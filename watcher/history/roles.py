"""A path of an upstream's tree -> what the file is for. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from watcher.facts.diff import Role

_CI: Final = re.compile(
    r"(?:^|/)(?:\.github|\.buildkite|\.circleci|\.ci|\.jenkins|\.gitlab|ci)/|(?:^|/)\.pre-commit"
    r"|^\.[a-z][a-z-]*\.ya?ml$|(?:^|/)CODEOWNERS$|(?:^|/)\.?mergify",
    re.IGNORECASE,
)
_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|unit_tests|integration_tests|e2e|special_e2e)/"
    r"|(?:^|/)test_[^/]*$|_test\.(?:py|cpp|cc|cu)$|(?:^|/)conftest\.py$",
    re.IGNORECASE,
)
_BUILD: Final = re.compile(
    r"(?:^|/)(?:CMakeLists\.txt|setup\.(?:py|cfg)|pyproject\.toml|MANIFEST\.in|Makefile"
    r"|Dockerfile[^/]*|[^/]*\.Dockerfile|requirements[^/]*\.(?:txt|in)|constraints[^/]*\.txt"
    r"|BUILD(?:\.bazel)?|WORKSPACE)$|(?:^|/)requirements/[^/]+$|^docker/|\.cmake$",
    re.IGNORECASE,
)
_DOCS: Final = re.compile(
    r"\.(?:md|rst|txt|png|svg|ipynb|po|pot|jpe?g|gif|pdf|csv)$|(?:^|/)docs?/|(?:^|/)LICENSE[^/]*$",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"(?:^|/)(?:examples?|recipes?|tutorials?)/|^(?:benchmarks?|scripts?|tools)/", re.IGNORECASE
)
_SOURCE: Final = re.compile(
    r"\.(?:py|pyx|pyi|cu|cuh|cpp|cc|cxx|c|h|hpp|hip|asc|triton|rs|js|ts|proto|jinja2?|j2)$",
    re.IGNORECASE,
)
_CONFIG: Final = re.compile(r"\.(?:ya?ml|toml|json|jsonl|cfg|ini|sh|in|env)$", re.IGNORECASE)


@lru_cache(maxsize=65_536)
def path_role(path: str) -> Role:
    """What a touched file is for, by its path alone. Never raises.

    Tests win over code and CI over tests; a script of the example directories is an example
    whatever its language.
    """
    if _CI.search(path):
        return Role.CI
    if _TEST.search(path):
        return Role.TEST
    if _BUILD.search(path):
        return Role.BUILD
    if _DOCS.search(path):
        return Role.DOCS
    return _content_role(path)


def _content_role(path: str) -> Role:
    is_source = _SOURCE.search(path) is not None
    if not is_source and not _CONFIG.search(path):
        return Role.OTHER
    if _EXAMPLE.search(path):
        return Role.EXAMPLE
    return Role.SOURCE if is_source else Role.CONFIG
