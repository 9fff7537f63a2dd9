"""``--json`` of every reading command keeps to the one contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Watcher
from tests.cli.contract import breaches

WORDS = ("rollouts", "are", "garbled", "after", "reload")


def told(watcher: Watcher, *arguments: str, status: int = 0) -> dict[str, Any]:
    outcome = watcher(*arguments)
    assert outcome.status == status, outcome.err
    document = json.loads(outcome.out)
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--json"),
        ("list", "--all", "--json"),
        ("list", "--all", "--json", "--at", "rltrain=v1.0.0"),
        ("list", "--all", "--json", "--as-of", "rltrain=v1.1.0"),
        ("check", *WORDS, "--json"),
        ("check", *WORDS, "--json", "--last-good", "v1.0.0"),
        ("check", "zzzz", "--json", "--set", "actor.strategy=fsdp2"),
        ("show", "rltrain#17", "--json"),
        ("pins", "--json"),
        ("upgrade", "rltrain", "--json"),
    ],
    ids=" ".join,
)
def test_an_answer_has_every_key_with_its_type(
    on_example: Watcher, arguments: tuple[str, ...]
) -> None:
    document = told(on_example, *arguments)

    assert list(breaches(document)) == []
    assert document["command"] == arguments[0]


def test_an_answer_of_what_was_never_synced_has_every_key_too(
    watcher: Watcher, tmp_path: Path
) -> None:
    config = tmp_path / "watcher.toml"
    config.write_text('[[pins]]\nname = "a"\nupstream = "acme/engine"\nref = "v1"\napi = "off"\n')

    for arguments in (("list", "--json"), ("check", "nan", "--json"), ("pins", "--json")):
        document = told(watcher, "--config", str(config), *arguments, status=1)
        assert list(breaches(document)) == []
        assert document["pins"][0]["stale"] is True
        assert "never synced" in document["pins"][0]["reason"]


def test_items_are_ranked_from_one_and_ordered_by_likeliness(on_example: Watcher) -> None:
    items = told(on_example, "list", "--all", "--json")["items"]

    assert [item["rank"] for item in items] == list(range(1, len(items) + 1))
    assert items[0]["id"] == "rltrain#17"


def test_every_change_since_the_fork_point_is_listed_once_with_all(on_example: Watcher) -> None:
    document = told(on_example, "list", "--all", "--json")
    changes = [item["sha"] for item in document["items"] if item["sha"] and item["merged_at"]]

    assert len(changes) == len(set(changes))
    assert document["pins"][0]["behind"] == document["searched"]["changes"]
    assert len(changes) >= document["pins"][0]["behind"]


def test_a_limit_cuts_the_items_and_json_has_none_by_default(on_example: Watcher) -> None:
    everything = told(on_example, "list", "--all", "--json")["items"]
    few = told(on_example, "list", "--all", "--json", "--limit", "2")["items"]

    assert few == everything[:2]
    assert len(everything) > 2


def test_a_moved_pin_is_the_pin_of_the_answer(on_example: Watcher) -> None:
    here = told(on_example, "pins", "--json")["pins"][0]
    moved = told(on_example, "list", "--json", "--at", "rltrain=v1.0.0")["pins"][0]

    assert moved["ref"] == "v1.0.0"
    assert moved["sha"] != here["sha"]
    assert moved["behind"] > here["behind"]


def test_after_as_of_nothing_exists(on_example: Watcher) -> None:
    document = told(on_example, "list", "--all", "--json", "--as-of", "v1.1.0")

    assert document["pins"][0]["behind"] == 0
    assert [item for item in document["items"] if item["kind"] != "advisory"] == []


def test_a_symptom_that_nothing_is_like_is_no_match(on_example: Watcher) -> None:
    document = told(on_example, "check", "qwertyuiop", "--json")

    assert document["no_match"] is True
    assert document["symptom"]["words"] != []


def test_a_package_of_the_log_that_nobody_watches_is_named(
    on_example: Watcher, tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "Traceback (most recent call last):\n"
        '  File "/opt/site-packages/sglang/srt/server.py", line 3, in serve\n    go()\n'
        "RuntimeError: scheduler died\n"
    )

    assert told(on_example, "check", "--log", str(log), "--json")["not_watched"] == ["sglang"]
