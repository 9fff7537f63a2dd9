"""The composition root: wired once, and alone in knowing adapters and store."""

from watcher.app.application import App
from watcher.app.opening import build_example, detect_project, git_version, open_app
from watcher.app.parts import package_text, template_directory, this_machine

__all__ = [
    "App",
    "build_example",
    "detect_project",
    "git_version",
    "open_app",
    "package_text",
    "template_directory",
    "this_machine",
]
