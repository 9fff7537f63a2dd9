"""No tracked file holds something of the shape of a real secret."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHAPES = {
    "GitHub token": r"gh[pousr]_[A-Za-z0-9]{36}\b",
    "fine-grained GitHub token": r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "GitLab token": r"glpat-[\w-]{20}\b",
    "Hugging Face token": r"\bhf_[A-Za-z]{34}\b",
    "OpenAI or Anthropic key": r"\bsk-(?:proj-|ant-[\w]{3,8}-)?[A-Za-z0-9_-]{40,}",
    "AWS key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "Google key": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "Slack token": r"\bxox[abpors]-[0-9]{10,}-[0-9A-Za-z-]{20,}",
    "Slack webhook": r"hooks\.slack\.com/services/T[0-9A-Z]{8,}/B[0-9A-Z]{8,}/[0-9A-Za-z]{24}",
    "Feishu webhook": r"(?:feishu|larksuite)\.\w+/open-apis/bot/v2/hook/[0-9a-f]{8}-[0-9a-f-]{27}",
    "PyPI token": r"\bpypi-AgEI[\w-]{50,}",
    "private key": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\n[A-Za-z0-9+/=]{40}",
    "JSON web token": r"\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}",
}
MADE_UP = re.compile(
    r"(.)\1{5}|0123456789|123456789|abcdefgh|ABCDEFGH|EXAMPLE|qwerty", re.IGNORECASE
)
"""What tests invent: runs of one sign, counting, the alphabet."""
LARGEST = 3_000_000


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False, text=True
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def secrets_in(text: str) -> list[str]:
    """Kinds of the secrets that a text seems to hold."""
    return [
        kind
        for kind, shape in SHAPES.items()
        for found in re.finditer(shape, text)
        if not MADE_UP.search(found[0])
    ]


@pytest.mark.parametrize("kind", ["GitHub token", "AWS key", "Slack webhook"])
def test_a_real_looking_secret_is_found(kind: str) -> None:
    parts = {
        "GitHub token": ("ghp", "_k8Zq2LmX9vT4nRwYb7CdE1fGh5JsKpU3aQoV"),
        "AWS key": ("AKIA", "J5ZQ7XK2MWPL4TRB"),
        "Slack webhook": (
            "hooks.slack.com/",
            "services/T9K3LM2QX/B7Z4NPW8R/kV9xQ2mT7wLrB4nZcY8dPf3J",
        ),
    }

    assert kind in secrets_in("".join(parts[kind]))


def test_no_tracked_file_holds_a_secret() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {kind}"
        for path in tracked()
        if path.is_file() and path.stat().st_size < LARGEST
        for kind in secrets_in(path.read_text("utf-8", "replace"))
    }

    assert found == set()


def test_no_file_that_usually_holds_secrets_is_tracked() -> None:
    names = {path.name for path in tracked()}

    assert not names & {".env", ".netrc", "id_rsa", "id_ed25519", ".pypirc", "credentials.json"}
    assert not [name for name in names if name.endswith((".pem", ".p12", ".key", ".db"))]
