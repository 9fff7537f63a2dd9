"""``watcher serve``: the page, the syncs and the digest in one process."""

from __future__ import annotations

import click

from watcher.cli.face import Face


@click.command("serve")
@click.option("--no-web", is_flag=True, help="Run the jobs only.")
@click.option("--no-scheduler", is_flag=True, help="Run the page only.")
@click.option("--host", help="Listen here instead of web.host.")
@click.option("--port", type=click.IntRange(1, 65_535), help="Listen here instead of web.port.")
@click.pass_obj
def command(
    face: Face, *, no_web: bool, no_scheduler: bool, host: str | None, port: int | None
) -> int:
    """Serve the page, sync on schedule and send the digest, until stopped."""
    from watcher.service.run import ServiceOptions, serve

    options = ServiceOptions(has_web=not no_web, has_jobs=not no_scheduler, host=host, port=port)
    return serve(face.app, options)
