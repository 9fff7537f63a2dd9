"""Several services on one store, of either kind, send one digest."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Barrier, Thread

from tests.pipeline.delivery_post import FakeChannel, Post
from watcher.store.engine import make_engine
from watcher.store.repository import SqlStore

WORKERS = 4


def test_workers_at_once_send_one_digest(store: SqlStore) -> None:
    channel, together = FakeChannel(), Barrier(WORKERS)
    url = store.engine.url.render_as_string(hide_password=False)
    failed: list[Exception] = []

    def work(post: Post) -> None:
        together.wait()
        try:
            post.morning()
        except Exception as error:  # noqa: BLE001  a thread's failure is the test's
            failed.append(error)

    with ExitStack() as stack:
        workers = []
        for _ in range(WORKERS):
            own = SqlStore(make_engine(url))
            stack.callback(own.close)
            workers.append(Thread(target=work, args=(Post(own, channel=channel),)))
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    assert failed == []
    assert len(channel.sent) == 1
    assert [one.state for one in store.deliveries()] == ["sent"]
