"""TOML text of any origin in, a dictionary out, in bounded time. Pure; raises ValueError."""

from __future__ import annotations

import re
import tomllib
from typing import Final

_MAX_DOTS: Final = 200
_DEEP_KEY = re.compile(r"(?:[A-Za-z0-9_\"'-]{1,80}[ \t]{0,3}\.[ \t]{0,3}){200}")


def load_toml(text: str) -> dict[str, object]:
    """The document. Raises ValueError: one line, ending in the place where it is known.

    ``tomllib`` takes quadratic time for a key of thousands of parts and recurses into nested
    arrays, so both are refused.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MAX_DOTS and _DEEP_KEY.search(line):
            raise ValueError(f"A key is nested too deeply (at line {number}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("A value is nested too deeply") from error
