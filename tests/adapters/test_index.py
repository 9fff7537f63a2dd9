"""The search index: a real FTS5 file."""

from __future__ import annotations

from pathlib import Path

import pytest

from watcher.adapters.index import Fts5Index
from watcher.facts.document import Document

ALL = {"after": -2, "until": 10_000, "limit": 50}


def doc(key: str, position: int, title: str, **fields: str) -> Document:
    texts = {"title": title, **fields}
    return Document(
        key=key,
        position=position,
        fields={name: dict.fromkeys(text.split(), 1) for name, text in texts.items()},
    )


@pytest.fixture
def index(tmp_path: Path) -> Fts5Index:
    made = Fts5Index(tmp_path / "mirrors" / "index.db")
    made.add(
        [
            doc("a", -1, "leak pool"),
            doc("b", 3, "leak", body="pool pool_b", identifiers="=free_pool free pool"),
            doc("c", 7, "hang epoch"),
            doc("#9", 5, "leak reported"),
        ]
    )
    return made


def keys(found: list[tuple[str, float]]) -> list[str]:
    return [key for key, _ in found]


def test_a_title_counts_more_than_a_name(index: Fts5Index) -> None:
    assert keys(index.search({"pool": 1.0}, **ALL)) == ["a", "b"]


def test_a_compound_name_is_found_as_a_whole(index: Fts5Index) -> None:
    assert keys(index.search({"=free_pool": 1.0}, **ALL)) == ["b"]


@pytest.mark.parametrize(
    ("after", "until", "found"),
    [(-2, 10, ["a", "b"]), (-1, 10, ["b"]), (-2, 2, ["a"]), (3, 10, []), (-2, -1, ["a"])],
)
def test_only_positions_after_the_pin_up_to_the_head_are_searched(
    index: Fts5Index, after: int, until: int, found: list[str]
) -> None:
    hits = keys(index.search({"leak": 1.0}, after=after, until=until, limit=9))

    assert sorted(hits) == found


def test_issues_are_searched_apart(index: Fts5Index) -> None:
    assert keys(index.search({"leak": 1.0}, issues=True, **ALL)) == ["#9"]


def test_a_document_comes_back_as_it_went_in(index: Fts5Index) -> None:
    one = Document(
        key="d", position=8, fields={"title": {"x": 2, "y": 1, "z": 2}, "body": {"a": 30}}
    )
    index.add([one])

    (found,) = index.documents(["d", "unknown"]).values()

    assert found.fields["title"] == {"x": 2, "y": 1, "z": 2}
    assert found.fields["body"] == {"a": 30}
    assert found.position == 8


def test_an_added_document_replaces_the_one_with_its_key(index: Fts5Index) -> None:
    index.add([doc("a", 4, "other words")])

    assert keys(index.search({"leak": 1.0}, **ALL)) == ["b"]
    assert keys(index.search({"other": 1.0}, **ALL)) == ["a"]
    assert index.frequencies(["pool", "leak", "absent"]) == {"pool": 1, "leak": 2}


def test_many_documents_may_stand_at_one_position(index: Fts5Index) -> None:
    index.add(doc(f"twin{number}", 3, "twin") for number in range(5))

    assert len(index.search({"twin": 1.0}, after=2, until=3, limit=9)) == 5


def test_statistics_follow_additions_and_replacements(index: Fts5Index) -> None:
    before = index.statistics()
    index.add([doc("a", -1, "one")])
    after = index.statistics()

    assert (before.count, after.count) == (4, 4)
    assert before.average_lengths["title"] == pytest.approx(7 / 4)
    assert after.average_lengths["title"] == pytest.approx(6 / 4)


def test_documents_on_their_way_are_found_once_all_are_in(index: Fts5Index) -> None:
    with index.adding(anew=False) as adding:
        adding.add(index.pack(doc("e", 8, "leak again")))
        adding.mark("walk")
        assert keys(index.search({"again": 1.0}, **ALL)) == []

    assert keys(index.search({"again": 1.0}, **ALL)) == ["e"]
    assert (index.marker(), index.statistics().count) == ("walk", 5)


def test_documents_of_a_failed_walk_never_were(index: Fts5Index) -> None:
    with index.adding(anew=False) as first:
        first.mark("before")

    def walk() -> None:
        with index.adding(anew=True) as adding:
            adding.add(index.pack(doc("e", 8, "leak again")))
            adding.mark("walk")
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        walk()

    assert keys(index.search({"leak": 1.0}, **ALL)) == ["a", "b"]
    assert (index.marker(), index.statistics().count) == ("before", 4)


def test_adding_anew_leaves_nothing_of_before(index: Fts5Index) -> None:
    with index.adding(anew=True) as adding:
        adding.add(index.pack(doc("a", 1, "other words")))

    assert index.search({"leak": 1.0}, **ALL) == []
    assert index.statistics().average_lengths["title"] == 2


@pytest.mark.parametrize("terms", [{}, {'"': 1.0}, {"a OR b": 1.0}, {"*": 1.0}, {"NEAR(": 1.0}])
def test_strange_terms_find_nothing_and_do_no_harm(
    index: Fts5Index, terms: dict[str, float]
) -> None:
    assert index.search(terms, **ALL) == []


def test_only_the_heaviest_terms_are_searched(index: Fts5Index) -> None:
    terms = {f"word{number}": 1.0 for number in range(200)} | {"hang": 2.0}

    assert keys(index.search(terms, **ALL)) == ["c"]


def test_the_index_is_kept_between_openings(index: Fts5Index, tmp_path: Path) -> None:
    index.close()

    again = Fts5Index(tmp_path / "mirrors" / "index.db")

    assert again.statistics().count == 4
    again.close()


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(b"not a database at all" * 100)
    index = Fts5Index(path)

    assert index.statistics().count == 0
    index.close()


def test_a_failure_half_way_adds_nothing(index: Fts5Index) -> None:
    def broken() -> object:
        yield doc("e", 9, "leak")
        raise ValueError("the source broke")

    with pytest.raises(Exception, match="the source broke"):
        index.add(broken())  # type: ignore[arg-type]

    assert keys(index.search({"leak": 1.0}, **ALL)) == ["a", "b"]
