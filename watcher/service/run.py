"""Runs the service until it is told to stop: the web page, the jobs, or both."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from watcher.app import App
from watcher.errors import ConfigError
from watcher.service.jobs import Jobs
from watcher.service.log import set_up_log

if TYPE_CHECKING:
    import uvicorn

LOG = logging.getLogger("watcher.service")
_GRACE_SECONDS: Final = 8.0
"""How long running jobs may take after a stop: less than the ten seconds that engines give."""


class ServiceOptions(Struct, frozen=True, kw_only=True):
    """What runs, and where the page listens."""

    has_web: bool = True
    has_jobs: bool = True
    host: str | None = None
    port: int | None = None


def serve(app: App, options: ServiceOptions) -> int:
    """Run until SIGTERM or SIGINT; the exit status. Raises ConfigError for what cannot start."""
    if not options.has_web and not options.has_jobs:
        mend = "leave out --no-web or --no-scheduler"
        raise ConfigError("nothing is left to run", where="serve", mend=mend)
    set_up_log(sys.stderr)
    app.store  # noqa: B018  opened before the threads start: fails early and migrates once
    stop = _on_signals()
    server = _web_server(app, options) if options.has_web else None
    jobs = Jobs(_twin(app), _twin(app)) if options.has_jobs else None
    if jobs is not None:
        jobs.start()
    try:
        if server is None:
            stop.wait()
        else:
            _answer(server)
    finally:
        is_idle = jobs is None or jobs.stop(_GRACE_SECONDS)
        LOG.info("service: stopped", extra={"is_idle": is_idle})
    if not is_idle:  # a sync outlasts the grace; it is cut as by a kill, which it is made for
        sys.stderr.flush()
        os._exit(0)
    return 0


def _web_server(app: App, options: ServiceOptions) -> uvicorn.Server:
    import uvicorn

    from watcher.web.app import create

    host = options.host or app.settings.web.host
    config = uvicorn.Config(
        create(app, host=host),
        host=host,
        port=options.port or app.settings.web.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def _answer(server: uvicorn.Server) -> None:
    """Answer requests until a signal comes; the server takes it, then hands it on to us."""
    try:
        server.run()
    except SystemExit as error:
        mend = "choose another --port, or stop what listens there"
        raise ConfigError("the address cannot be listened on", where="web", mend=mend) from error


def _on_signals() -> threading.Event:
    """Set by SIGTERM and SIGINT, which end the process no more by themselves."""
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    return stop


def _twin(app: App) -> App:
    """The same application with its own connections, for another thread."""
    return App(app.settings, app.environment)
