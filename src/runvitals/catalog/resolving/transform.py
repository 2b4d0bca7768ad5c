"""Unit and sign corrections of an alias, parsed from a small grammar and never evaluated as code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

# Above it a number is percent and no share: rounding, smoothing and bonuses bring a share to little
# more than 1, and 1.5% is less than anybody logs of a run that gets anywhere (judgement).
MAX_SHARE = 1.5
# NumPy arrays and plain floats both take these operators; that is all a transform may use.
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


@cache
def parse_transform(expression: str) -> Callable[[Any], Any]:
    """A function of x for an expression such as `x**2`, `1 - x/100`, `sqrt(x)`.

    Knows x, numbers, + - * / **, sqrt and share, which divides what can only be percents by 100;
    anything else is a ValueError.

    >>> parse_transform("1 - x/100")(25.0), parse_transform("share(x)")(25.0)
    (0.75, 0.25)
    """
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError) as err:
        raise ValueError(f"not a transform: {expression!r}") from err
    return _build(tree, expression)


def _build(node: ast.expr, expression: str) -> Callable[[Any], Any]:
    match node:
        case ast.Name(id="x"):
            return lambda x: x
        case ast.Constant(value=int() | float() as number):
            return lambda _: number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _build(operand, expression)
            return lambda x: -inner(x)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            act, a, b = _BINARY[type(op)], _build(left, expression), _build(right, expression)
            return lambda x: act(a(x), b(x))
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument], keywords=[]):
            inner = _build(argument, expression)
            return lambda x: _sqrt(inner(x))
        case ast.Call(func=ast.Name(id="share"), args=[argument], keywords=[]):
            inner = _build(argument, expression)
            return lambda x: _share(inner(x))
    raise ValueError(f"not a transform: {expression!r}")


def _sqrt(value: Any) -> Any:
    if isinstance(value, (int, float)):
        return math.sqrt(value) if value >= 0 else math.nan
    return value**0.5


def _share(value: Any) -> Any:
    if isinstance(value, (int, float)):
        return value / 100 if value > MAX_SHARE else value
    return np.where(value > MAX_SHARE, value / 100, value)
