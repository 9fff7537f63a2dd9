"""A lineage state is there whole or not at all."""

from pathlib import Path

import pytest

from watcher.adapters.lineage_files import DirectoryLineageFiles
from watcher.errors import StoreError


def test_a_state_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    files = DirectoryLineageFiles(tmp_path / "mirrors" / "acme")
    assert files.load("abc-1") is None

    files.save("abc-1", b"\0state")
    files.save("abc-1", b"newer")

    assert files.load("abc-1") == b"newer"


def test_only_the_kept_state_remains_and_what_a_killed_writer_left_is_gone(tmp_path: Path) -> None:
    files = DirectoryLineageFiles(tmp_path)
    for key in ("old", "new"):
        files.save(key, key.encode())
    (tmp_path / "x.lineage-part").write_bytes(b"half")
    (tmp_path / "other.txt").write_bytes(b"not ours")

    files.keep_only("new")

    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.lineage", "other.txt"]


def test_keeping_in_a_directory_that_is_not_there_is_nothing(tmp_path: Path) -> None:
    DirectoryLineageFiles(tmp_path / "none").keep_only("new")


@pytest.mark.parametrize("key", ["", "../outside", "a/b", ".hidden", "a\0b", "x" * 200])
def test_a_key_that_is_no_file_name_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(StoreError, match="not a name"):
        DirectoryLineageFiles(tmp_path).save(key, b"")


def test_a_directory_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StoreError, match="cannot be used") as error:
        DirectoryLineageFiles(tmp_path / "file").save("abc", b"")

    assert "\n" not in str(error.value)


def test_a_failed_save_leaves_the_state_before_and_no_rest(tmp_path: Path) -> None:
    files = DirectoryLineageFiles(tmp_path)
    (tmp_path / "abc.lineage").mkdir()

    with pytest.raises(StoreError):
        files.save("abc", b"new")

    assert [file.name for file in tmp_path.iterdir()] == ["abc.lineage"]
