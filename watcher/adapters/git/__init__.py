"""The mirror: our bare local clone of one upstream, kept and read with the git binary."""

from watcher.adapters.git.mirror import GitMirror

__all__ = ["GitMirror"]
