"""A pin becomes the commit that it stands for, or says why it cannot; on a real repository."""

import dataclasses
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from tests.builders import GitRepo
from watcher.adapters.files import read_profile_text
from watcher.adapters.git import GitMirror
from watcher.facts.change import BEFORE_RANGE
from watcher.facts.pin import Pin, ResolvedPin, UnresolvedPin
from watcher.facts.ref import RefKind, RefMatch, Tag
from watcher.facts.usage import Source
from watcher.pins.records import Found, NotFound, Outcome
from watcher.pins.resolve import Upstream, fork_address, refs_to_fetch, resolve
from watcher.settings import PinSetting, PinSource, SourceKind
from watcher.upstreams.load import load_profile
from watcher.upstreams.profile import Profile

UPSTREAM = "verl-project/verl"


@dataclass(frozen=True)
class Line:
    head: str
    branch: str
    tags: tuple[Tag, ...]
    release_branches: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class World:
    """An upstream of five commits with releases on and beside its line, and a fork's commit."""

    shas: dict[str, str]
    upstream: Upstream

    def pin(self, ref: str) -> Pin:
        return resolve(setting(ref=ref), None, self.upstream)

    def read(self, reading: Outcome) -> Pin:
        return resolve(
            setting(source=PinSource(SourceKind.LOCK, "uv.lock")), reading, self.upstream
        )


def setting(**changes: object) -> PinSetting:
    plain = PinSetting(name="verl", upstream=UPSTREAM, git=f"https://github.com/{UPSTREAM}.git")
    return replace(plain, **changes)  # type: ignore[arg-type]


def found(ref: str, **changes: object) -> Found:
    plain = Found(dist="verl", ref=ref, where=Source("uv.lock", 7))
    return replace(plain, **changes)  # type: ignore[arg-type]


def profile(**changes: object) -> Profile:
    return replace(load_profile(UPSTREAM, read_profile_text), **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    repo = GitRepo(tmp_path_factory.mktemp("pins") / "verl")
    shas = {name: repo.commit({"a.py": name}, name) for name in ("one", "two", "three")}
    repo.tag("v0.1.0", shas["one"])
    repo.branch("release/v0.2", shas["two"]).switch("release/v0.2")
    shas["released"] = repo.commit({"b.py": "1"}, "cut")
    repo.tag("v0.2.0", annotated=True)
    repo.branch("fork", shas["two"]).switch("fork")
    shas["mine"] = repo.commit({"c.py": "1"}, "local change")
    repo.switch("main").branch("side", shas["two"]).switch("side")
    shas["side"] = repo.commit({"d.py": "1"}, "side work")
    repo.switch("main")
    shas["merge"] = repo.merge("side", "Merge pull request #7 from me/side")
    shas["head"] = repo.commit({"a.py": "head"}, "head")
    repo.git("checkout", "-q", "--orphan", "other")
    shas["stranger"] = repo.commit({"a.py": "other"}, "unrelated")
    repo.switch("main")
    line = [shas[name] for name in ("one", "two", "three", "merge", "head")]
    mirror = GitMirror(repo.path / ".git", environment={"PATH": "/usr/bin:/bin"})
    tags = tuple(
        Tag(name, sha, mirror.committed_at(sha) or pytest.fail("no commit"))
        for name, sha in (("v0.1.0", shas["one"]), ("v0.2.0", shas["released"]))
    )
    upstream = Upstream(
        line=Line(shas["head"], "main", tags, (("release/v0.2", shas["released"]),)),
        lookup=mirror,
        profile=profile(releases={"0.1.5": shas["three"], "0.1.6": "f" * 40}),
        position_of=lambda sha: line.index(sha) if sha in line else None,
    )
    return World(shas, upstream)


def resolved(pin: Pin) -> ResolvedPin:
    assert isinstance(pin, ResolvedPin), pin
    return pin


def refused(pin: Pin) -> UnresolvedPin:
    assert isinstance(pin, UnresolvedPin), pin
    assert pin.mend
    return pin


@pytest.mark.parametrize(
    ("ref", "name"),
    [("v0.1.0", "one"), ("0.1.0", "one"), ("0.1", "one"), ("0.1.5", "three"), ("main", "head")],
)
def test_tag_version_table_and_branch_are_resolved(world: World, ref: str, name: str) -> None:
    pin = resolved(world.pin(ref))

    assert pin.sha == world.shas[name]
    assert pin.fork_point == pin.sha
    assert pin.carried == ()


def test_full_and_abbreviated_shas_are_one_commit(world: World) -> None:
    sha = world.shas["two"]

    assert resolved(world.pin(sha)).sha == resolved(world.pin(sha[:9])).sha == sha
    assert resolved(world.pin(sha)).position == 1


def test_a_branch_is_said_to_move(world: World) -> None:
    assert 'the branch "main" moves' in (resolved(world.pin("main")).note or "")


def test_a_release_beside_the_line_stands_at_its_fork_point(world: World) -> None:
    pin = resolved(world.pin("v0.2.0"))

    assert (pin.sha, pin.fork_point) == (world.shas["released"], world.shas["two"])
    assert pin.branch == "release/v0.2"
    assert pin.carried == (world.shas["released"],)


def test_a_commit_of_ones_own_is_told_as_none_of_upstreams(world: World) -> None:
    pin = resolved(world.pin(world.shas["mine"]))

    assert pin.carried == (world.shas["mine"],)
    assert "not an upstream commit: 1 commit on top of" in (pin.note or "")


def test_a_commit_of_a_merged_side_branch_is_upstreams(world: World) -> None:
    pin = resolved(world.pin(world.shas["side"]))

    assert (pin.fork_point, pin.carried) == (world.shas["two"], (world.shas["side"],))
    assert pin.note is None


def test_a_tag_beside_the_line_and_every_branch_is_told(world: World) -> None:
    line = dataclasses.replace(world.upstream.line, release_branches=())
    upstream = replace(world.upstream, line=line)

    pin = resolved(resolve(setting(ref="v0.2.0"), None, upstream))

    assert pin.note == "tag v0.2.0 lies 1 commit beside main"


def test_a_commit_of_another_history_is_refused(world: World) -> None:
    assert "shares no mirrored history" in refused(world.pin(world.shas["stranger"])).reason


def test_an_abbreviation_of_several_commits_is_refused(world: World) -> None:
    class Ambiguous:
        def look_up(self, ref: str) -> list[RefMatch]:
            return [RefMatch(digit * 40, RefKind.SHA) for digit in "ab"]

    upstream = replace(world.upstream, lookup=Ambiguous())  # type: ignore[arg-type]

    pin = refused(resolve(setting(ref="abcdef0"), None, upstream))

    assert pin.reason == '"abcdef0" is ambiguous: aaaaaaaaaaaa, bbbbbbbbbbbb'


def test_a_source_that_was_not_read_names_no_commit(world: World) -> None:
    source = PinSource(SourceKind.LOCK, "uv.lock")

    pin = refused(resolve(setting(source=source), None, world.upstream))

    assert pin.reason == "lock:uv.lock names no commit"


def test_a_forks_reading_names_the_fork(world: World) -> None:
    pin = resolved(world.read(found(world.shas["two"], upstream="me/verl")))

    assert pin.note == "from the fork me/verl"


def test_the_former_name_of_the_upstream_is_no_fork(world: World) -> None:
    pin = resolved(world.read(found(world.shas["two"], upstream="volcengine/verl")))

    assert pin.note is None


def test_a_fork_point_older_than_the_walk_stands_before_its_range(world: World) -> None:
    upstream = replace(world.upstream, position_of=lambda _: None)

    assert resolved(resolve(setting(ref="v0.1.0"), None, upstream)).position == BEFORE_RANGE


@pytest.mark.parametrize(
    ("ref", "reason", "mend"),
    [
        ("v0.1.1", 'no tag, branch or release "v0.1.1"', "v0.1.0"),
        ("e" * 40, "is not in the mirror (known up to 2026-01-01)", "watcher sync"),
        ("e" * 9, "is not in the mirror (known up to 2026-01-01)", "all 40 digits"),
        ("0.1.6", "release 0.1.6 (ffffffffffff) is not in the mirror", "watcher sync"),
        ("nothing-like-it", "no tag, branch or release", "watcher sync"),
    ],
)
def test_what_the_mirror_does_not_know_is_told(
    world: World, ref: str, reason: str, mend: str
) -> None:
    pin = refused(world.pin(ref))

    assert reason in pin.reason
    assert mend in pin.mend


def test_a_read_version_without_a_tag_names_its_neighbours(world: World) -> None:
    pin = refused(world.read(found("0.1.7", is_version=True)))

    assert pin.reason == "uv.lock:7: no release 0.1.7 is tagged or listed"
    assert pin.mend == "near releases: v0.1.0, v0.2.0"


def test_a_listed_release_that_is_not_mirrored_is_told(world: World) -> None:
    assert "not in the mirror" in refused(world.read(found("0.1.6", is_version=True))).reason


def test_a_branch_in_a_read_source_is_no_pin(world: World) -> None:
    assert '"main" is a branch and moves' in refused(world.read(found("main"))).reason


def test_a_refused_reading_keeps_its_place_reason_and_mend(world: World) -> None:
    where = Source("uv.lock", 7)
    reading = NotFound(dist="verl", written=">=1", where=where, reason="is a range", mend="pin one")

    pin = refused(world.read(reading))

    assert (pin.ref, pin.reason, pin.mend) == (">=1", "uv.lock:7: is a range", "pin one")


def test_refs_and_forks_to_fetch_are_named() -> None:
    fork = found("1a2b3c4d", upstream="me/verl", git="https://github.com/me/verl.git")
    local = found("1a2b3c4d", git="file:///home/me/verl")
    own = found("1a2b3c4d", upstream=UPSTREAM, git="https://github.com/verl-project/verl")
    table = profile(releases={"0.1.5": "a" * 40})

    assert refs_to_fetch(setting(ref="0.1.5"), None, table) == ("0.1.5", "a" * 40)
    assert refs_to_fetch(setting(), fork, table) == ("1a2b3c4d",)
    assert fork_address(setting(), fork, table) == "https://github.com/me/verl.git"
    assert fork_address(setting(), local, table) == "file:///home/me/verl"
    assert fork_address(setting(), own, table) is None
    assert fork_address(setting(), None, table) is None
