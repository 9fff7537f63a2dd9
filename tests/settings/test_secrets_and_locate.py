"""Secrets stay hidden; the configuration is found upwards."""

from pathlib import Path

import pytest

from watcher.errors import ConfigError
from watcher.settings import find_config, locate_config, parse_settings

FILES = {
    Path("/team/pyproject.toml"): "[tool.watcher]\n",
    Path("/team/a/pyproject.toml"): "[tool.ruff]\n",
    Path("/team/a/b/watcher.toml"): "",
    Path("/run/token"): "ghp_secret\n",
}


def test_a_secret_is_read_from_its_file_and_never_shown() -> None:
    settings = parse_settings(
        "",
        origin=Path("/team/watcher.toml"),
        environment={"GITHUB_TOKEN_FILE": "/run/token", "WATCHER_WEB_TOKEN": "opensesame"},
        read=FILES.get,
    )

    assert settings.secrets.github_token is not None
    assert settings.secrets.github_token.reveal() == "ghp_secret"
    assert "ghp_secret" not in f"{settings!r} {settings.secrets.github_token}"
    assert "opensesame" not in repr(settings)
    assert settings.secrets.smtp_url is None


def test_an_unreadable_secret_file_is_told_by_its_variable() -> None:
    with pytest.raises(ConfigError, match=r"^WATCHER_SMTP_URL_FILE: '/run/none' is empty"):
        parse_settings(
            "",
            origin=Path("/team/watcher.toml"),
            environment={"WATCHER_SMTP_URL_FILE": "/run/none"},
            read=FILES.get,
        )


def test_a_secret_of_two_lines_is_refused_without_showing_it() -> None:
    environment = {"GITHUB_TOKEN": "ghp_one\nX-Header: two"}
    with pytest.raises(ConfigError) as caught:
        parse_settings("", origin=Path("/w/watcher.toml"), environment=environment)

    assert "ghp_one" not in str(caught.value)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("/team/a/b/c", "/team/a/b/watcher.toml"),
        ("/team/a", "/team/pyproject.toml"),
        ("/other", None),
    ],
)
def test_the_nearest_configuration_upwards_is_used(start: str, expected: str | None) -> None:
    found = find_config(Path(start), FILES.get)

    assert found == (Path(expected) if expected else None)


def test_the_command_line_beats_the_environment_beats_the_search() -> None:
    start, environment = Path("/team/a/b"), {"WATCHER_CONFIG": "../../pyproject.toml"}

    chosen = locate_config(
        Path("watcher.toml"), start=start, environment=environment, read=FILES.get
    )

    assert chosen == Path("/team/a/b/watcher.toml")


def test_the_search_is_the_last_resort() -> None:
    found = locate_config(None, start=Path("/team/a/b/c"), environment={}, read=FILES.get)

    assert found == Path("/team/a/b/watcher.toml")


def test_a_missing_configuration_names_the_command_that_writes_one() -> None:
    with pytest.raises(ConfigError, match="watcher init"):
        locate_config(None, start=Path("/other"), environment={}, read=FILES.get)


def test_a_named_file_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"WATCHER_CONFIG /x\.toml: cannot be read"):
        locate_config(
            None, start=Path("/team"), environment={"WATCHER_CONFIG": "/x.toml"}, read=FILES.get
        )
