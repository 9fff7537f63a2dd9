"""What the service does by itself, each job one call of a use case; and when.

A job never ends the service: what goes wrong is logged, and told by the digest and `doctor`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from watcher.app import App
from watcher.errors import WatcherError
from watcher.pipeline.sync_all import FailedSync

LOG = logging.getLogger("watcher.service")
SYNC: Final = "sync"
DIGEST: Final = "digest"
OUTBOX: Final = "outbox"
_OUTBOX_SECONDS: Final = 60
"""How often the outbox is looked into; also what catches a digest up that was missed."""
_JITTER_SECONDS: Final = 60
_DAY: Final = timedelta(days=1, hours=1)
"""The longest day: one on which summer time ends."""
_SLACK: Final = timedelta(minutes=2)
_SYNC_AGAIN: Final = timedelta(minutes=15)
"""Wait after a failed sync, when the usual time is further off."""


class LogProgress:
    """Implements ``ports.Progress``: notes become log lines."""

    def step(self, task: str, done: int, total: int | None, *, unit: str = "") -> None:
        """Nothing: a log is no bar."""

    def note(self, line: str) -> None:
        """Log a line."""
        LOG.info("sync: note", extra={"note": line})


class Jobs:
    """The jobs with their scheduler. ``sync_app`` and ``digest_app`` work at the same time."""

    def __init__(self, sync_app: App, digest_app: App) -> None:
        self._sync_app = sync_app
        self._digest_app = digest_app
        self._busy: set[str] = set()
        self._changed = threading.Condition()
        self._morning_lock = threading.Lock()
        self._is_over = threading.Event()
        self._scheduler = BackgroundScheduler(
            timezone=ZoneInfo("UTC"),
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )

    def start(self) -> None:
        """Schedule everything; what was missed while nothing ran is done once, now."""
        settings = self._sync_app.settings
        digest, every = settings.digest, settings.schedule.sync_every
        zone, now = ZoneInfo(digest.timezone), self._sync_app.clock.now()
        add = self._scheduler.add_job
        interval = IntervalTrigger(
            seconds=int(every.total_seconds()), jitter=_jitter(every), timezone=ZoneInfo("UTC")
        )
        add(self.sync, interval, id=SYNC, next_run_time=self._first_sync(now, every))
        if digest.channels:
            daily = CronTrigger(hour=digest.at.hour, minute=digest.at.minute, timezone=zone)
            add(self.morning, daily, id=DIGEST)
            often = IntervalTrigger(seconds=_OUTBOX_SECONDS, timezone=ZoneInfo("UTC"))
            add(self.morning, often, id=OUTBOX, next_run_time=now)
        self._scheduler.start()
        threading.Thread(target=self._watch_clock, daemon=True, name="clock watch").start()
        LOG.info("jobs: started", extra={"next": self.next_runs()})

    def stop(self, grace_seconds: float) -> bool:
        """Start nothing any more and wait for what runs; False when it outlasts the grace."""
        self._is_over.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        with self._changed:
            is_idle = self._changed.wait_for(lambda: not self._busy, timeout=grace_seconds)
        if is_idle:
            self._sync_app.close()
            self._digest_app.close()
        return is_idle

    def next_runs(self) -> dict[str, str]:
        """When each job runs next, ISO 8601."""
        jobs = self._scheduler.get_jobs()
        return {one.id: one.next_run_time.isoformat() for one in jobs if one.next_run_time}

    def revive(self, now: datetime) -> None:
        """Bring forward what lies too far ahead because the clock was set back."""
        every = self._sync_app.settings.schedule.sync_every + timedelta(seconds=_JITTER_SECONDS)
        farthest = {SYNC: every, OUTBOX: timedelta(seconds=_OUTBOX_SECONDS), DIGEST: _DAY}
        for job in self._scheduler.get_jobs():
            ahead = None if job.next_run_time is None else job.next_run_time - now
            if ahead is None or ahead <= farthest[job.id] + _SLACK:
                continue
            LOG.warning("jobs: the clock was set back", extra={"job": job.id})
            if job.id == DIGEST:
                job.reschedule(job.trigger)
            else:
                job.modify(next_run_time=now)

    def _watch_clock(self) -> None:
        while not self._is_over.wait(_OUTBOX_SECONDS):
            self.revive(self._sync_app.clock.now())

    # --- the jobs ---

    def sync(self) -> None:
        """Bring everything up to date; sooner again when something failed."""
        is_good = False
        with self._at_work(SYNC):
            results = self._sync_app.sync(LogProgress())
            for one in results:
                if isinstance(one, FailedSync):
                    LOG.warning(
                        "sync: failed", extra={"upstream": one.upstream, "error": str(one.error)}
                    )
                else:
                    told = {"upstream": one.walk.upstream, "new_changes": one.new_changes}
                    LOG.info("sync: done", extra=told)
            is_good = not any(isinstance(one, FailedSync) for one in results)
        if not is_good:
            self._sync_sooner()

    def morning(self) -> None:
        """Queue and send what is due. Two triggers may meet here: one after the other."""
        with self._morning_lock, self._at_work(DIGEST):
            morning = self._digest_app.morning()
            for one in morning.tried:
                level = logging.INFO if one.state == "sent" else logging.WARNING
                told = {"key": one.key, "state": one.state, "error": one.error}
                LOG.log(level, "digest: tried", extra=told)

    @contextmanager
    def _at_work(self, name: str) -> Iterator[None]:
        """Marks a job as running; what it raises ends here."""
        self._mark(name, self._busy.add)
        try:
            yield
        except WatcherError as error:
            LOG.warning("%s: failed", name, extra={"error": str(error)})
        except Exception:
            LOG.exception("%s: failed unexpectedly", name)
        finally:
            self._mark(name, self._busy.discard)

    def _mark(self, name: str, change: Callable[[str], None]) -> None:
        with self._changed:
            change(name)
            self._changed.notify_all()

    def _sync_sooner(self) -> None:
        job = self._scheduler.get_job(SYNC)
        again = self._sync_app.clock.now() + _SYNC_AGAIN
        if job is not None and job.next_run_time is not None and job.next_run_time > again:
            job.modify(next_run_time=again)

    def _first_sync(self, now: datetime, every: timedelta) -> datetime:
        """When the earliest upstream is due; now when one was never synced."""
        due = [now]
        with self._at_work(SYNC):
            store = self._sync_app.store
            walks = [store.walk(upstream) for upstream in self._sync_app.upstreams]
            known = [walk.synced_at + every for walk in walks if walk is not None]
            if len(known) == len(walks) and known:
                due.append(min(known))
        return min(max(due), now + every)


def _jitter(every: timedelta) -> int:
    return min(_JITTER_SECONDS, int(every.total_seconds() / 10))
