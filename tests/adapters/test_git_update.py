"""The mirror's update: what it holds afterwards, and what it survives."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from tests.adapters.git_mirror import Heard, make_mirror, mirror_of, request
from tests.builders import GIT_EPOCH, GitRepo
from watcher.errors import MirrorError


def day(number: int) -> datetime:
    return GIT_EPOCH + timedelta(days=number)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """Two years, a commit every 30 days; releases one commit off main; an old release branch."""
    repo = GitRepo(tmp_path_factory.mktemp("git") / "upstream")
    for number in range(25):
        repo.squash("feat: step", number, {"a.py": f"x = {number}\n"}, date=day(30 * number))
        if number == 2:
            repo.branch("release/0.1")
            repo.commit({"version": "0.1"}, "release 0.1", day(61))
            repo.tag("v0.1.0")
            repo.switch("main")
        if number == 18:
            repo.branch("release/1.0")
            repo.commit({"version": "1.0"}, "release 1.0", day(545))
            repo.tag("v1.0.0", annotated=True)
            repo.switch("main")
    return repo


@pytest.fixture
def upstream(template: GitRepo, tmp_path: Path) -> GitRepo:
    return template.copy(tmp_path / "upstream")


def numbers(repo: GitRepo, shas: list[str]) -> list[str]:
    return [repo.git("show", "-s", "--format=%s", sha).partition("#")[2].strip(")") for sha in shas]


def test_history_starts_ninety_days_before_the_fork_point_of_the_pin(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    state = mirror.state()
    assert state is not None

    assert state.head == upstream.sha("main")
    assert state.base is not None
    assert numbers(upstream, [state.base]) == ["15"]
    assert len(list(mirror.messages(state.base, state.head))) == 9


def test_a_release_off_the_branch_has_its_merge_base_inside(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    pin = mirror.resolve("v1.0.0")
    assert pin == upstream.sha("v1.0.0")

    fork = mirror.merge_base(pin, upstream.sha("main"))

    assert fork == upstream.sha("v1.0.0~1")
    assert mirror.fork_point(pin, upstream.sha("main")) == fork


def test_only_tags_and_release_branches_younger_than_the_history_are_held(
    upstream: GitRepo, tmp_path: Path
) -> None:
    state = mirror_of(upstream, tmp_path / "m", "v1.0.0").state()
    assert state is not None

    assert [tag.name for tag in state.tags] == ["v1.0.0"]
    assert state.tags[0].committed_at == day(545)
    assert state.release_branches == (("release/1.0", upstream.sha("release/1.0")),)


def test_an_earlier_since_deepens(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    state = mirror.update(request(upstream.url, "v1.0.0", since="v0.1.0"), Heard())

    assert len(list(mirror.messages(state.base, state.head))) > 20
    assert {tag.name for tag in state.tags} == {"v0.1.0", "v1.0.0"}
    assert mirror.merge_base(upstream.sha("v0.1.0"), state.head) == upstream.sha("v0.1.0~1")


def test_since_may_be_a_time(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", since=day(610))
    state = mirror.state()
    assert state is not None

    assert state.base == upstream.sha("main~3")


def test_the_whole_history_has_no_base(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", since=datetime(2000, 1, 1, tzinfo=UTC))
    state = mirror.state()
    assert state is not None

    assert state.base is None
    assert len(list(mirror.messages(None, state.head))) == 25


def test_a_second_update_with_nothing_new_fetches_nothing(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    heard = Heard()
    state = mirror.update(request(upstream.url, "v1.0.0"), heard)

    assert state.fetched_bytes == 0
    assert not heard.tasks
    assert state == mirror.state()


def test_new_commits_and_a_new_pin_are_fetched(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    landed = upstream.squash("fix: late", 99, {"b.py": "y\n"}, date=day(760))
    heard = Heard()
    state = mirror.update(request(upstream.url, "v1.0.0", "release/1.0"), heard)

    assert state.head == landed
    assert mirror.read(landed, "b.py") == b"y\n"
    assert "Receiving objects" in heard.tasks


def test_a_commit_that_no_branch_holds_is_fetched_by_its_name(
    upstream: GitRepo, tmp_path: Path
) -> None:
    upstream.branch("side", "main~3")
    pin = upstream.commit({"own.py": "mine\n"}, "local work", day(700))
    upstream.switch("main").git("update-ref", "refs/pull/7/head", pin)
    upstream.git("branch", "-D", "side")
    mirror = mirror_of(upstream, tmp_path / "m", pin)

    assert mirror.resolve(pin) == pin
    assert mirror.merge_base(pin, upstream.sha("main")) == upstream.sha("main~3")


def test_a_commit_of_a_fork_is_fetched_from_the_fork(upstream: GitRepo, tmp_path: Path) -> None:
    fork = upstream.copy(tmp_path / "fork")
    pin = fork.branch("own", "main~10").commit({"own.py": "mine\n"}, "local work", day(500))
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(upstream.url, pin, extra_remotes=(fork.url,)), Heard())
    again = mirror.update(request(upstream.url, pin, "v1.0.0", extra_remotes=(fork.url,)), Heard())

    assert state.missing_refs == again.missing_refs == ()
    assert mirror.merge_base(pin, state.head) == upstream.sha("main~10")
    assert state.notes == (f"{pin[:9]} is a commit of {fork.url}",)


def test_what_cannot_be_had_is_told_with_its_reason(upstream: GitRepo, tmp_path: Path) -> None:
    nowhere = "1" * 40
    mirror = make_mirror(tmp_path / "m")
    state = mirror.update(request(upstream.url, "v9.9", nowhere, "abcd123", "--all"), Heard())

    assert dict(state.missing_refs) == {
        "v9.9": "no such tag or branch",
        "--all": "no such tag or branch",
        nowhere: "the remote does not have this commit",
        "abcd123": "not one commit of the mirrored history; write all 40 digits",
    }


def test_a_force_push_a_moved_tag_and_deleted_refs_are_followed(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    upstream.git("reset", "-q", "--hard", "main~2")
    head = upstream.squash("fix: other", 50, {"a.py": "x = 50\n"}, date=day(800))
    moved = upstream.tag("v1.0.0", "main~5")
    upstream.git("branch", "-D", "release/1.0")
    upstream.git("branch", "release/1", "main~4")
    state = mirror.update(request(upstream.url, "v1.0.0"), Heard())

    assert state.head == head
    assert mirror.resolve("v1.0.0") == moved
    assert dict(state.release_branches) == {"release/1": upstream.sha("release/1")}


def test_merging_an_old_branch_does_not_bring_its_old_history(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    upstream.branch("old", "main~24")
    upstream.commit({"old.py": "1\n"}, "begun long ago", day(20))
    upstream.commit({"old.py": "2\n"}, "finished now", day(750))
    upstream.switch("main").merge("old", "Merge pull request #60", day(751))
    state = mirror.update(request(upstream.url, "v1.0.0"), Heard())

    everything = list(mirror.messages(None, state.head, first_parent=False))
    assert all(message.committed_at > day(400) for message in everything)
    assert len(list(mirror.messages(state.base, state.head))) == 10


def test_an_unknown_branch_is_told_with_those_that_exist(upstream: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(MirrorError, match=r"no branch 'trunk'.*the remote has main"):
        make_mirror(tmp_path / "m").update(request(upstream.url, branch="trunk"), Heard())


def test_an_unknown_since_is_told(upstream: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(MirrorError, match=r"since: no ref 'v7'"):
        make_mirror(tmp_path / "m").update(request(upstream.url, since="v7"), Heard())


def test_a_remote_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MirrorError, match="there is no such repository"):
        make_mirror(tmp_path / "m").update(request(f"file://{tmp_path}/none"), Heard())


def test_git_that_is_not_installed_is_told(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "m", git="no-such-git")
    with pytest.raises(MirrorError, match=r"git is not installed \(install git"):
        mirror.update(request(upstream.url), Heard())


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% /tmp/x",
        "--upload-pack=touch x",
        "git://example.org/x",
        "https://-oProxyCommand=x/y",
        "https://",
        "file:///tmp/x\n--y",
        "/plain/path",
        "https://[broken/x",
        "ssh://-x/y",
    ],
)
def test_an_address_that_could_execute_something_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(MirrorError, match="not an address that is allowed"):
        make_mirror(tmp_path / "m").update(request(address), Heard())


def test_a_password_in_the_address_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(MirrorError) as error:
        make_mirror(tmp_path / "m").update(request("https://me:s3cret@example.org/x"), Heard())
    assert "s3cret" not in str(error.value)


def test_left_over_locks_and_half_packs_do_not_matter(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    left = ["shallow.lock", "packed-refs.lock", "refs/heads/main.lock", "objects/pack/tmp_pack_x"]
    for name in left:
        (tmp_path / "m" / name).write_bytes(b"half")
    landed = upstream.squash("fix: more", 90, {"c.py": "z\n"}, date=day(770))
    state = mirror.update(request(upstream.url, "v1.0.0"), Heard())

    assert state.head == landed
    assert not any((tmp_path / "m" / name).exists() for name in left)


def test_a_second_update_waits_and_then_names_the_holder(upstream: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "m.holder").write_text("process 4711")
    mirror = make_mirror(tmp_path / "m", lock_seconds=0.05)
    with (
        FileLock(str(tmp_path / "m.lock")),
        pytest.raises(MirrorError, match=r"process 4711 is updating this mirror"),
    ):
        mirror.update(request(upstream.url), Heard())


@pytest.mark.parametrize("damage", ["pack", "HEAD", "objects"])
def test_a_damaged_mirror_is_told_with_the_way_to_a_new_one(
    damage: str, upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    state = mirror.state()
    assert state is not None
    if damage == "pack":
        for pack in (tmp_path / "m" / "objects" / "pack").glob("*.pack"):
            pack.chmod(0o644)
            pack.write_bytes(pack.read_bytes()[:200])
    elif damage == "HEAD":
        (tmp_path / "m" / "HEAD").write_bytes(b"\0\0")
    else:
        shutil.rmtree(tmp_path / "m" / "objects")
    with pytest.raises(MirrorError, match=r"damaged.*\(delete .*/m; `watcher sync` rebuilds it\)"):
        list(mirror.patches(state.base, state.head))


def test_a_state_file_that_cannot_be_read_is_made_anew(upstream: GitRepo, tmp_path: Path) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    before = mirror.state()
    (tmp_path / "m" / "watcher.json").write_text('{"version": 1, "state": []}')

    assert mirror.state() is None
    after = mirror.update(request(upstream.url, "v1.0.0"), Heard())
    assert before is not None
    assert (after.head, after.base, after.tags) == (before.head, before.base, before.tags)


def test_the_check_for_doctor_finds_damage_and_nothing_else(
    upstream: GitRepo, tmp_path: Path
) -> None:
    mirror = mirror_of(upstream, tmp_path / "m", "v1.0.0")
    assert mirror.check() is None
    for pack in (tmp_path / "m" / "objects" / "pack").glob("*.pack"):
        pack.unlink()
    assert mirror.check() is not None


def test_a_large_first_fetch_is_announced(upstream: GitRepo, tmp_path: Path) -> None:
    heard = Heard()
    mirror = make_mirror(tmp_path / "m")
    mirror.update(request(upstream.url, "v1.0.0", large=True, size_hint_mb=30), heard)
    mirror.update(request(upstream.url, "v0.1.0", large=True, size_hint_mb=30), heard)

    assert heard.notes == [f"first fetch of {upstream.url}: about 30 MB for 1,000 changes"]
