"""Where the token comes from, and where it never goes."""

from __future__ import annotations

import pytest

from watcher.adapters.github.auth import Token, find_token, open_session
from watcher.errors import ConfigError


def nothing(_: str = "") -> None:
    return None


def test_the_environment_comes_before_the_file_and_the_file_before_gh():
    files = {"/run/token": "ghs_file\n"}
    both = {"GITHUB_TOKEN": "ghp_env", "GITHUB_TOKEN_FILE": "/run/token"}

    assert find_token(both, files.get, lambda: "gho_gh") == Token("ghp_env", "GITHUB_TOKEN")
    assert find_token({"GITHUB_TOKEN_FILE": "/run/token"}, files.get, lambda: "gho_gh") == Token(
        "ghs_file", "/run/token"
    )
    assert find_token({}, files.get, lambda: "gho_gh\n") == Token("gho_gh", "gh auth token")
    assert find_token({"GITHUB_TOKEN": " "}, files.get, nothing) is None


@pytest.mark.parametrize(
    ("secret", "kind"),
    [("github_pat_x", "fine-grained token"), ("ghp_x", "classic token"), ("0123abc", "token")],
)
def test_kinds_of_tokens_are_known(secret: str, kind: str):
    assert Token(secret, "here").kind == kind


def test_a_token_is_not_shown():
    assert "secret" not in repr(Token("ghp_secret", "here"))


@pytest.mark.parametrize("secret", ["two words", "line\r\nX-Evil: 1", "ключ"])
def test_what_is_no_token_is_refused_without_repeating_it(secret: str):
    with pytest.raises(ConfigError) as caught:
        find_token({"GITHUB_TOKEN": secret}, nothing, nothing)

    assert "GITHUB_TOKEN" in str(caught.value)
    assert secret not in str(caught.value)


def test_a_token_file_that_cannot_be_read_is_told():
    with pytest.raises(ConfigError, match="GITHUB_TOKEN_FILE=/nowhere"):
        find_token({"GITHUB_TOKEN_FILE": "/nowhere"}, nothing, nothing)


@pytest.mark.parametrize(
    ("base", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://git.example.org/api/v3/", "https://git.example.org/api/graphql"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9/graphql"),
    ],
)
def test_the_graphql_address_follows_from_the_base(base: str, graphql: str):
    assert open_session(base, None).requester.graphql_url == graphql


@pytest.mark.parametrize("base", ["ftp://example.org", "nonsense", ""])
def test_an_address_that_is_none_is_a_configuration_error(base: str):
    with pytest.raises(ConfigError, match="no usable API address"):
        open_session(base, None)
