"""Landed changes, links and walks go in and come back the same."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from tests.builders import make_change, make_walk
from watcher.errors import StoreError
from watcher.facts.change import Change
from watcher.facts.diff import DiffFacts, FileStatus, Guard, OriginRecord, Role, TouchedFile
from watcher.facts.kind import Kind
from watcher.facts.links import Links
from watcher.facts.message import Mention, MentionKind, Message
from watcher.facts.ref import Tag
from watcher.ports.change_filter import ALL_PARTS, LIGHT_PARTS, ChangeFilter, Part
from watcher.store.repository import SqlStore

UPSTREAM = "acme/engine"


def no_links() -> list[Links]:
    return []


def save(store: SqlStore, *changes: Change, restart: bool = False) -> int:
    return store.save_walk(make_walk(99), changes, no_links, restart=restart)


def full_change() -> Change:
    return Change(
        upstream=UPSTREAM,
        branch="main",
        position=3,
        message=Message(
            sha="ab" * 20,
            committed_at=datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC),
            subject="[core]! fix: 乱码 (#12)",
            title="fix: 乱码",
            number=12,
            body="Body \u202e with \x1b[31m and 'quotes\"",
            raw_body="raw\r\n\tbody",
            kind=Kind.FIX,
            breaking=True,
            tags=("core",),
            facets=("fsdp",),
            closes=(1, 2),
            mentions=(Mention(MentionKind.FOLLOW_UP, number=4, quote="after #4"),),
            parents=("cd" * 20,),
        ),
        diff=DiffFacts(
            files=(
                TouchedFile(
                    path="new.py",
                    role=Role.SOURCE,
                    status=FileStatus.RENAMED,
                    old_path="old.py",
                    added=1,
                    removed=2,
                    functions=("A.b",),
                ),
                TouchedFile(path="big.bin", role=Role.OTHER, omitted="binary"),
            ),
            identifiers=("a", "b"),
            strings=("x: {}",),
            config_keys=("actor.strategy",),
            guards=(Guard("strategy", "==", "fsdp2"),),
            origins=OriginRecord(scope="code", payload='{"r":[1,2]}'),
        ),
        facets=("fsdp", "cuda"),
        labels=("bug",),
    )


def test_a_change_comes_back_equal_in_every_field(store: SqlStore) -> None:
    change = full_change()

    save(store, change)

    assert store.changes(UPSTREAM) == [change]


@pytest.mark.parametrize("part", list(Part))
def test_a_part_that_is_not_asked_for_stays_empty_and_the_rest_is_whole(
    store: SqlStore, part: Part
) -> None:
    change = full_change()
    save(store, change)
    empty = {
        Part.FILES: replace(change, diff=replace(change.diff, files=())),
        Part.CODE: replace(
            change, diff=DiffFacts(files=change.diff.files, origins=change.diff.origins)
        ),
        Part.ORIGINS: replace(change, diff=replace(change.diff, origins=None)),
        Part.RAW_BODY: replace(change, message=replace(change.message, raw_body="")),
    }

    read = store.changes(UPSTREAM, ChangeFilter(parts=ALL_PARTS - {part}))

    assert read == [empty[part]]


def test_messages_hold_every_change_light_also_off_the_line(store: SqlStore) -> None:
    save(store, full_change(), make_change(7, position=None))

    light = store.messages(UPSTREAM)

    assert [change.number for change in light] == [12, 7]
    assert light[0].diff == DiffFacts(files=full_change().diff.files)


def test_times_come_back_in_utc_whatever_zone_they_had(store: SqlStore) -> None:
    eastern = datetime(2026, 5, 1, 20, 0, tzinfo=timezone(timedelta(hours=8)))
    change = make_change(1)

    save(store, replace(change, message=replace(change.message, committed_at=eastern)))

    read = store.changes(UPSTREAM)[0].message.committed_at
    assert read == eastern
    assert read.tzinfo is UTC


def test_a_naive_time_is_refused_and_nothing_is_kept(store: SqlStore) -> None:
    change = make_change(1)
    naive = replace(change, message=replace(change.message, committed_at=datetime(2026, 5, 1)))  # noqa: DTZ001  the point

    with pytest.raises(StoreError, match="naive time"):
        save(store, make_change(2), naive)

    assert store.changes(UPSTREAM) == []


def test_text_that_no_database_holds_is_stored_readably(store: SqlStore) -> None:
    change = make_change(1, title="a\0b\udcff", body="c\0d\udcff", paths=["p\udcff\0.py"])

    save(store, change)

    read = store.changes(UPSTREAM)[0]
    assert read.message.title == "a\ufffdb\ufffd"
    assert read.diff.files[0].path == "p\ufffd\ufffd.py"
    assert store.changes(UPSTREAM, ChangeFilter(paths=("p\udcff\0.py",))) == [read]


def test_changes_are_filtered_by_position_number_sha_and_path(store: SqlStore) -> None:
    save(store, *(make_change(n, paths=[f"engine/{n % 3}.py", "shared.py"]) for n in range(1, 9)))

    def numbers(**which: object) -> list[int | None]:
        return [change.number for change in store.changes(UPSTREAM, ChangeFilter(**which))]  # type: ignore[arg-type]

    assert numbers(after=2, until=5) == [3, 4, 5]
    assert numbers(numbers=(8, 3, 77)) == [3, 8]
    assert numbers(shas=(f"{4:040x}",)) == [4]
    assert numbers(paths=("engine/0.py",)) == [3, 6]
    assert numbers(paths=("engine/0.py", "shared.py"), after=6) == [7, 8]
    assert numbers(paths=()) == []


def test_a_renamed_file_is_found_by_its_old_path(store: SqlStore) -> None:
    save(store, full_change())

    assert len(store.changes(UPSTREAM, ChangeFilter(paths=("old.py",)))) == 1


def test_bounds_do_not_hide_changes_of_release_branches(store: SqlStore) -> None:
    save(store, make_change(1), make_change(2), make_change(3, position=None))

    def numbers(*, off_line: bool | None) -> list[int | None]:
        which = ChangeFilter(after=1, off_line=off_line)
        return [change.number for change in store.changes(UPSTREAM, which)]

    assert numbers(off_line=False) == [2]
    assert numbers(off_line=True) == [3]
    assert numbers(off_line=None) == [2, 3]


def test_more_values_than_one_statement_takes_are_asked_for_in_turn(store: SqlStore) -> None:
    save(store, *(make_change(n) for n in range(1, 602)))

    shas = tuple(f"{n:040x}" for n in range(2_000))
    read = store.changes(UPSTREAM, ChangeFilter(shas=shas, parts=LIGHT_PARTS))

    assert [change.number for change in read] == list(range(1, 602))


def test_saving_again_replaces_and_never_doubles(store: SqlStore) -> None:
    save(store, make_change(1, title="old"), make_change(2))

    saved = save(store, make_change(1, title="new", paths=["other.py"]), make_change(3))

    assert saved == 2
    titles = [change.message.title for change in store.changes(UPSTREAM)]
    assert titles == ["new", "Mend number 2", "Mend number 3"]
    assert store.changes(UPSTREAM, ChangeFilter(paths=("other.py",)))[0].number == 1
    assert [c.number for c in store.changes(UPSTREAM, ChangeFilter(paths=("engine/core.py",)))] == [
        2,
        3,
    ]


def test_a_restart_removes_what_the_new_walk_lacks_and_spares_other_upstreams(
    store: SqlStore,
) -> None:
    save(store, make_change(1), make_change(2))
    other = make_change(1, upstream="acme/other")
    store.save_walk(make_walk(1, upstream="acme/other"), [other], no_links, restart=False)

    save(store, make_change(2), restart=True)

    assert [change.number for change in store.changes(UPSTREAM)] == [2]
    assert store.changes("acme/other") == [other]


def test_one_number_on_two_branches_gives_both_shas_in_landed_order(store: SqlStore) -> None:
    later = make_change(5)
    backport = replace(
        make_change(9, position=None), message=replace(make_change(9).message, number=5)
    )
    save(store, backport, later)

    assert store.find_changes(UPSTREAM, 5) == [later.sha, backport.sha]
    assert store.find_changes(UPSTREAM, 6) == []


def test_links_given_replace_those_of_their_changes_and_the_rest_stays(store: SqlStore) -> None:
    one = Links(sha="a" * 40, family=("a" * 40, "b" * 40), first_release="v1")
    two = Links(sha="b" * 40, withdrawn_by="c" * 40)
    three = Links(sha="c" * 40, reverts=("b" * 40,))
    store.save_walk(make_walk(1), [], lambda: [one, two], restart=False)
    newer = replace(one, first_release="v2")

    store.save_walk(make_walk(2), [], lambda: [newer, three], restart=False)

    assert store.links(UPSTREAM) == {one.sha: newer, two.sha: two, three.sha: three}
    assert store.links(UPSTREAM, [three.sha]) == {three.sha: three}


def test_a_restart_removes_old_links(store: SqlStore) -> None:
    store.save_walk(make_walk(1), [], lambda: [Links(sha="a" * 40)], restart=False)

    save(store, restart=True)

    assert store.links(UPSTREAM) == {}


def test_other_writers_do_not_wait_while_history_is_read(store: SqlStore) -> None:
    def reading_git() -> Iterator[Change]:
        yield make_change(1)
        store.save_cursor("issues", "page 2")
        yield make_change(2)

    assert store.save_walk(make_walk(2), reading_git(), no_links, restart=False) == 2
    assert store.cursor("issues") == "page 2"


def test_a_walk_comes_back_equal_and_is_unknown_before(store: SqlStore) -> None:
    walk = make_walk(
        4,
        boilerplate=("### checklist",),
        facts_version=7,
        tags=(Tag("v1", "a" * 40, datetime(2026, 1, 1, tzinfo=UTC)),),
        release_branches=(("release/v1", "b" * 40),),
    )
    assert store.walk(UPSTREAM) is None

    store.save_walk(walk, [], no_links, restart=False)

    assert store.walk(UPSTREAM) == walk


def test_an_error_while_streaming_leaves_the_old_walk(store: SqlStore) -> None:
    save(store, make_change(1))

    def broken() -> Iterator[Change]:
        yield from (make_change(n) for n in range(2, 700))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.save_walk(make_walk(700), broken(), no_links, restart=True)

    assert [change.number for change in store.changes(UPSTREAM)] == [1]
    assert store.walk(UPSTREAM) == make_walk(99)


def test_a_row_that_does_not_fit_is_told_in_one_line(file_url: str, tmp_path: object) -> None:
    from tests.store.conftest import MIGRATIONS
    from watcher.store.migrate import open_store

    store = open_store(file_url, MIGRATIONS)
    save(store, make_change(1))
    with sqlite3.connect(f"{tmp_path}/watcher.db") as raw:
        raw.execute("""UPDATE change SET files = '[{"path": 3}]'""")
    raw.close()

    with pytest.raises(StoreError, match="a record does not fit") as told:
        store.changes(UPSTREAM)

    assert "\n" not in str(told.value)
    store.close()
