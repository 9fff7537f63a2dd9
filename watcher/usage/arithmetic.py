"""``$((1024 * 8))``: whole-number arithmetic of launch scripts.

Pure. Only ``+ - * / %``, brackets and decimal numbers; anything else is None.
"""

from __future__ import annotations

import ast
import re
from typing import Final

_SAFE: Final = re.compile(r"[\d+\-*/% ()]{1,80}")
_LIMIT: Final = 10**15


def evaluate(expression: str) -> int | None:
    """Value of a whole-number expression, or None when it is not one."""
    text = expression.strip()
    if not _SAFE.fullmatch(text) or "**" in text:
        return None
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        match node.op:
            case ast.Add():
                return _bounded(left + right)
            case ast.Sub():
                return _bounded(left - right)
            case ast.Mult():
                return _bounded(left * right)
            case ast.Div() | ast.FloorDiv():
                return left // right
            case ast.Mod():
                return left % right
    raise ValueError(ast.dump(node))


def _bounded(value: int) -> int:
    if abs(value) > _LIMIT:
        raise ValueError(value)
    return value
