"""The user's files and the package's data are read from disk, and nothing raises."""

import os
from pathlib import Path

import pytest

from watcher.adapters.files import DiskFiles, data_directory, read_profile_text
from watcher.errors import ConfigError

FILES = DiskFiles()


def test_a_file_is_read_up_to_its_limit_with_odd_bytes_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 and more")

    assert FILES.read(tmp_path / "a.txt", limit=4) == "caf�"


@pytest.mark.parametrize("name", ["missing", ".", "a\0b"])
def test_what_is_no_file_reads_as_none(tmp_path: Path, name: str) -> None:
    assert FILES.read(tmp_path / name) is None


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert FILES.read(tmp_path / "pipe") is None


def test_find_matches_names_and_paths_and_leaves_out_what_the_user_did_not_write(
    tmp_path: Path,
) -> None:
    for name in ("a.sh", "conf/b.yaml", "deep/conf/b.yaml", ".git/c.sh", "venv/d.sh", "x/a\nb.sh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")

    found = FILES.find(tmp_path, ["*.sh", "conf/*.yaml"])

    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["a.sh", "conf/b.yaml"]


def test_a_link_to_a_directory_above_does_not_go_round(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path)

    assert FILES.find(tmp_path, ["*.sh"]) == [tmp_path / "a.sh"]


def test_names_of_what_is_no_directory_are_none(tmp_path: Path) -> None:
    (tmp_path / "b").touch()
    (tmp_path / "a").touch()

    assert FILES.names(tmp_path) == ["a", "b"]
    assert FILES.names(tmp_path / "a") == []


def test_package_data_is_found() -> None:
    assert 'name = "generic"' in read_profile_text("generic.toml")
    assert data_directory("templates").is_dir()


def test_missing_package_data_is_one_line() -> None:
    with pytest.raises(ConfigError, match="no profile file"):
        read_profile_text("../settings/parse.py\0")
    with pytest.raises(ConfigError, match="the installation lacks nothing-of-ours"):
        data_directory("nothing-of-ours")
