"""What a stored JSON document may hold. A declaration, no I/O."""

from __future__ import annotations

from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""What a JSON document may hold."""
