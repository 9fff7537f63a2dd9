"""Repeated text of every awkward kind is read in linear time by every parser."""

from collections.abc import Callable
from time import process_time

import pytest

from watcher.errors import ConfigError
from watcher.facts.usage import Source
from watcher.pins.gitfiles import parse_gitmodules, parse_head, parse_packed_refs, parse_remotes
from watcher.pins.images import read_image
from watcher.pins.lockfiles import parse_lock
from watcher.pins.metadata import InstalledTexts, read_installed
from watcher.pins.requirements import parse_requirements
from watcher.pins.scripts import parse_script


def _installed(text: str) -> None:
    read_installed(
        InstalledTexts(dist="a", where="b", metadata=text, direct_url=text, version_file=text)
    )


PARSERS: dict[str, Callable[[str], object]] = {
    "script": lambda text: parse_script(text, "a.sh", ["verl"]),
    "requirements": lambda text: parse_requirements(text, "a.txt"),
    "conda": lambda text: parse_requirements(f"- {text}", "a.yml"),
    "lock": lambda text: parse_lock(text, "uv.lock"),
    "image": lambda text: read_image(text, Source("a"), ["verl"]),
    "submodules": parse_gitmodules,
    "remotes": parse_remotes,
    "head": parse_head,
    "refs": parse_packed_refs,
    "installed": _installed,
}
REPEATED = [
    "a",
    "a.",
    "a/",
    "$A",
    "${A:-",
    "\n",
    " ",
    "[",
    "'",
    "\\",
    "A=A ",
    "git clone ",
    "1.",
    "@",
]


@pytest.mark.parametrize("name", PARSERS)
def test_repeated_text_takes_linear_time(name: str) -> None:
    started = process_time()
    for piece in REPEATED:
        try:
            PARSERS[name](f"pip install {piece * 5_000}\n{piece * 5_000}")
        except ConfigError as error:
            assert name == "lock", error  # noqa: PT017  only a lock may be refused
    assert process_time() - started < 3
