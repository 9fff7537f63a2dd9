"""Which diffs git shows and how it finds the enclosing function, as a gitattributes text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SILENT: Final = (
    *("*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.webp", "*.ico", "*.pdf", "*.drawio"),
    *("*.ipynb", "*.csv", "*.tsv", "*.jsonl", "*.parquet", "*.po", "*.pot", "*.min.js", "*.map"),
    *("*.lock", "package-lock.json", "pnpm-lock.yaml", "*.woff", "*.woff2", "*.ttf", "*.onnx"),
    *("*.html", "*.htm", "*.css"),
)
"""Documents whose lines say nothing of code: told as touched, without lines."""

DRIVERS: Final = (
    *(("*.py", "python"), ("*.pyi", "python")),
    *((f"*.{end}", "cpp") for end in ("c", "cc", "cpp", "cxx", "h", "hh", "hpp", "cu", "cuh")),
)

SETTINGS: Final = {
    "diff.python.xfuncname": r"^([ \t]*(class|(async[ \t]+)?def)[ \t].*)$",
    "diff.renameLimit": "2000",
    "core.bigFileThreshold": "4m",
    "log.showRoot": "true",
    "i18n.logOutputEncoding": "UTF-8",
}
"""Configuration that goes with the attributes. The headers keep their indentation."""


def attributes(paths: Sequence[str] = (), silent: Sequence[str] = SILENT) -> str:
    """The text; with ``paths`` (files or directories) others are told without their lines."""
    lines = [] if paths else [f"{pattern} diff={driver}" for pattern, driver in DRIVERS]
    if paths:
        lines.append("* -diff")
    for path in paths:
        lines += _inside(path.strip("/"))
    lines += [f"{pattern} -diff" for pattern in silent]
    return "".join(f"{line}\n" for line in lines)


def _inside(path: str) -> list[str]:
    """Lines that show the diff of one file or of all files of one directory."""
    root = f"/{_literal(path)}"
    own = [f"{root} diff={driver}" for end, driver in DRIVERS if path.endswith(end[1:])]
    below = [f"{root}/**/{end} diff={driver}" for end, driver in DRIVERS]
    return [f"{root} !diff", f"{root}/** !diff", *own, *below]


def _literal(path: str) -> str:
    """A path as a gitattributes pattern without white space that matches only itself."""
    escaped = "".join(f"\\{sign}" if sign in '*?[]\\!#"' else sign for sign in path)
    return "".join("?" if sign.isspace() or not sign.isprintable() else sign for sign in escaped)
