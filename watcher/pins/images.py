"""A container image reference in, the releases that its tag names out. Pure.

The image of an upstream (``vllm/vllm-openai:v0.8.5``) names a release by its tag; a tag of any
image may name others (``…:vllm0.8.4-torch2.6.0``). Digests, rolling and partial tags name none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from watcher.facts.usage import Source
from watcher.pins.records import Reading, Ref, Refusal, normalise, reading_of
from watcher.pins.versions import is_moving, read_version

_RELEASE_TAG = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+(?:\.?(?:post|rc)[0-9]+)?)(?:[-_+](.*))?")
_PARTIAL_TAG = re.compile(r"v?[0-9]+(?:\.[0-9]+)?(?:[-_.].*)?")
_OTHER_BUILD = re.compile(
    r"(?:^|[-_.])(?:a|alpha|b|beta|dev|nightly|g?[0-9a-f]{7,40})[0-9]*(?:$|[-_.])", re.IGNORECASE
)
"""Words after a version which say that it is not that release."""
_USE_A_RELEASE: Final = (
    "use an image tag that is a release, or set ref to the commit inside the image"
)


class Image(Struct, frozen=True):
    """A split image reference."""

    repository: str
    tag: str
    digest: str

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.repository}{tag}{'@' + self.digest if self.digest else ''}"


def parse_image(written: str) -> Image:
    """``registry:5000/owner/name:tag@sha256:…`` in its parts."""
    name, _, digest = written.strip()[:500].partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    return Image(f"{head}{slash}{last}", tag, digest)


def read_image(written: str, where: Source, dists: Sequence[str]) -> list[Reading]:
    """Readings of an image for the distributions that it is about."""
    image = parse_image(written)
    own = [dist for dist in dists if _is_image_of(image.repository, dist)]
    named = {dist: ref for dist in dists if (ref := _named_in_tag(image.tag, dist))}
    outcomes = named or dict.fromkeys(own, _release_of_tag(image))
    return [
        reading_of(outcome, dist=dist, where=where, written=str(image))
        for dist, outcome in outcomes.items()
    ]


def _is_image_of(repository: str, dist: str) -> bool:
    """True when the image's last part, or its owner, is the upstream's name."""
    parts = [normalise(part) for part in repository.split("/")]
    if any(name in parts[-1:] + parts[-2:-1] for name in (dist, f"{dist}ai", f"{dist}-project")):
        return True
    return bool(parts) and parts[-1].startswith(f"{dist}-")


def _release_of_tag(image: Image) -> Ref | Refusal:
    tag = image.tag
    if not tag:
        what = (
            "a digest, which names no commit" if image.digest else "no tag, so the latest is taken"
        )
        return Refusal(f"the image has {what}", _USE_A_RELEASE)
    if "$" in tag:
        return Refusal(f'the image tag "{tag[:60]}" is set elsewhere', _USE_A_RELEASE)
    match = _RELEASE_TAG.fullmatch(tag)
    if match and match[2] and _OTHER_BUILD.search(match[2]):
        what = f'the image tag "{tag[:60]}" names another build of {match[1]}'
        return Refusal(what, _USE_A_RELEASE)
    if match:
        return read_version(match[1])
    if is_moving(tag) or "latest" in tag or "nightly" in tag:
        return Refusal(f'the image tag "{tag[:60]}" moves', _USE_A_RELEASE)
    why = "names a series, not a release" if _PARTIAL_TAG.fullmatch(tag) else "names no release"
    return Refusal(f'the image tag "{tag[:60]}" {why}', _USE_A_RELEASE)


def _named_in_tag(tag: str, dist: str) -> Ref | Refusal | None:
    """``verl0.5.0`` or ``vllm-0.10.0`` inside a tag."""
    pattern = (
        rf"(?:^|[-_.])(?:{re.escape(dist)})[-_]?v?([0-9]+(?:\.[0-9]+)*(?:\.?(?:post|rc)[0-9]+)?)"
    )
    match = re.search(rf"{pattern}(?=$|[-_]|\.[a-z])", tag, re.IGNORECASE)
    if match is None:
        return None
    if match[1].count(".") < 2:
        what = f'the image tag says "{dist} {match[1]}", a series, not a release'
        return Refusal(what, _USE_A_RELEASE)
    return read_version(match[1])
