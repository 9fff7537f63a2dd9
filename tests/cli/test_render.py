"""What stands under a list says how to see the rest."""

from __future__ import annotations

from tests.cli.conftest import Watcher


def test_a_list_cut_by_its_limit_names_the_limit(on_example: Watcher) -> None:
    cut = on_example("list", "--all", "--limit", "1").out

    assert "beyond the limit. A higher `--limit` lists them." in cut
    assert "`--all` lists everything." in on_example("list").out
