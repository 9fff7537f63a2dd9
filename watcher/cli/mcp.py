"""``watcher mcp``: the MCP server for coding agents, on standard input and output."""

from __future__ import annotations

import click

from watcher.cli.face import Face


@click.command("mcp")
@click.pass_obj
def command(face: Face) -> int:
    """Serve check, list, show and upgrade to a coding agent (MCP over stdio)."""
    from watcher.mcp import serve

    serve(face.app)
    return 0
