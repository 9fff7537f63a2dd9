"""What git writes becomes one line with its mend."""

from __future__ import annotations

import pytest

from watcher.adapters.git.failures import explain
from watcher.adapters.git.process import clean_environment


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (
            "fatal: write error: No space left on device\nfatal: index-pack failed",
            "the disk is full",
        ),
        ("fatal: Authentication failed for 'https://x/'", "the remote refused the credentials"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "refused"),
        ("git@x: Permission denied (publickey).\nfatal: Could not read from remote", "refused"),
        ("remote: Repository not found.\nfatal: repository 'https://x/' not found", "no such"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "cannot be reached"),
        ("fatal: detected dubious ownership in repository at '/x'", "belongs to another user"),
        ("something quite new", "git failed: something quite new"),
        ("", "git failed: no message"),
    ],
)
def test_a_network_failure_is_named(error: str, what: str) -> None:
    assert what in str(explain(error, where="https://x", remote=True))


def test_a_failure_is_one_plain_line_without_secrets() -> None:
    error = "fatal: \x1b[31mbad\r\nthing tok3n https://me:pw@host/x " + "y" * 5000
    line = str(explain(error, where="m", secret="tok3n"))

    assert line.isprintable()
    assert len(line) < 500
    assert "tok3n" not in line
    assert "pw" not in line


def test_git_sees_proxies_and_certificates_but_no_configuration_of_the_user() -> None:
    seen = clean_environment(
        {
            "PATH": "/bin",
            "https_proxy": "p",
            "SSL_CERT_FILE": "/ca.pem",
            "GIT_DIR": "/x",
            "EDITOR": "e",
        }
    )

    assert (seen["https_proxy"], seen["GIT_SSL_CAINFO"]) == ("p", "/ca.pem")
    assert "GIT_DIR" not in seen
    assert "EDITOR" not in seen
    assert seen["GIT_TERMINAL_PROMPT"] == "0"
