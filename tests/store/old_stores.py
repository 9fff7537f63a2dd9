"""A small store with a row in every table, and its dump for the schema that wrote it.

    python -m tests.store.old_stores > tests/store/schemas/NNNN.sql

Run it once when a new schema is made, before its migration is written: the dump is never changed
afterwards, and every later version must open it with all that it holds.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from tests.builders import GIT_EPOCH, make_change, make_issue, make_walk
from watcher.facts.issue import PullRequestWords
from watcher.facts.kind import State
from watcher.facts.links import Links
from watcher.ports.decision import Decision
from watcher.ports.delivery import Delivery
from watcher.store.migrate import open_store
from watcher.store.repository import SqlStore

MIGRATIONS = Path(__file__).parents[2] / "migrations"
SCHEMAS = Path(__file__).parent / "schemas"
UPSTREAM, PIN, ITEM = "acme/engine", "engine", "engine#2"
LATER = GIT_EPOCH + timedelta(days=3)


def fill(store: SqlStore) -> None:
    """Write something of everything."""
    changes = [make_change(number, paths=("engine/core.py", "tests/é.py")) for number in (1, 2, 3)]
    links = [Links(sha=change.sha) for change in changes]
    store.save_walk(make_walk(3), changes, lambda: links, restart=False)
    store.save_issues([make_issue(7)])
    store.save_words(
        [
            PullRequestWords(
                upstream=UPSTREAM, number=2, title="Mend", body="Closes #7", state=State.MERGED
            )
        ]
    )
    store.save_cursor("issues", "page 2")
    store.save_document("told", "slack", {"items": [ITEM]})
    store.add_delivery(
        Delivery(
            key="slack:2026-01-04",
            channel="slack",
            payload='{"text": "x"}',
            state="pending",
            attempts=1,
            next_try_at=LATER,
            created_at=GIT_EPOCH,
        )
    )
    store.save_decision(
        Decision(pin=PIN, item=ITEM, state="ignored", at=LATER, reason="not ours", by="ada")
    )
    store.save_findings(PIN, "print", [(ITEM, {"id": ITEM})], LATER)
    store.mark_seen(PIN, [ITEM])


def content(store: SqlStore) -> dict[str, object]:
    """Everything that ``fill`` wrote, as the present version reads it."""
    return {
        "walk": store.walk(UPSTREAM),
        "changes": store.changes(UPSTREAM),
        "links": store.links(UPSTREAM),
        "issues": store.issues(UPSTREAM),
        "words": store.words(UPSTREAM, [2]),
        "cursor": store.cursor("issues"),
        "document": store.document("told", "slack"),
        "deliveries": store.deliveries(),
        "decisions": store.decisions(),
        "findings": store.findings(PIN),
        "sightings": store.sightings(PIN),
    }


def filled(file: Path) -> dict[str, object]:
    """A new store in a file; its content."""
    with closing(open_store(f"sqlite:///{file}", MIGRATIONS)) as store:
        fill(store)
        return content(store)


def load(dump: str, file: Path) -> None:
    """Write a dump as a database."""
    with closing(sqlite3.connect(file)) as raw, raw:
        raw.executescript(dump)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        filled(Path(home) / "watcher.db")
        with closing(sqlite3.connect(Path(home) / "watcher.db")) as database:
            print("\n".join(database.iterdump()))
