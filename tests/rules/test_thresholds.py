"""Numbers that decide something have a name and an origin, and do not stand inside the rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import runvitals.rules
import runvitals.signals

RULES = Path(runvitals.rules.__file__).parent
SIGNALS = Path(runvitals.signals.__file__).parent
PLAIN = {0, 1, 2}  # an index, a sign, a half
TOLERANCE, OVERFLOW = 1e-6, 1e100  # against a division by zero, and against infinity
FAMILIES = sorted({p.parent.name for p in RULES.glob("*/*.py")} | {"rules"})
# How many are left in a family: lower it when you name one, and never raise it.
LEFT: dict[str, int] = {}


def inline_numbers(source: str) -> Iterator[tuple[int, float]]:
    """Line and value of each number in the body of a function that is more than an index."""
    tree = ast.parse(source)
    seen = set(digits_shown(tree))
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        body = function.body if isinstance(function.body, list) else [function.body]
        for node in (node for part in body for node in ast.walk(part)):
            if isinstance(node, ast.Constant) and type(node.value) in (int, float):
                place = node.lineno, node.col_offset
                if place not in seen and not is_plain(node.value):
                    seen.add(place)
                    yield node.lineno, node.value


def digits_shown(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """Where a message says how many digits it shows, `number(value, 3)`: that decides nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "number":
            yield from ((one.lineno, one.col_offset) for one in node.args[1:])


def is_plain(value: float) -> bool:
    return value in PLAIN or value <= TOLERANCE or value >= OVERFLOW


def files_of(family: str) -> list[Path]:
    return sorted((RULES if family == "rules" else RULES / family).glob("*.py"))


def unnamed(paths: list[Path]) -> list[str]:
    return [
        f"{path.name}:{line}: {value:g}"
        for path in paths
        for line, value in inline_numbers(path.read_text(encoding="utf-8"))
    ]


def test_signals_have_named_thresholds_too():
    found = unnamed(sorted(SIGNALS.rglob("*.py")))

    assert not found, f"name these at the head of their file, with their origin: {', '.join(found)}"


@pytest.mark.parametrize("family", FAMILIES)
def test_thresholds_have_names(family):
    found = unnamed(files_of(family))

    assert len(found) <= LEFT.get(family, 0), (
        "give each number that decides something a name at the head of its file, and say where it "
        f"comes from: {', '.join(found)}"
    )


def test_a_number_inside_a_rule_is_seen_and_a_named_one_is_not():
    rule = """
LIMIT = 0.3  # judgement
def check(values, *, most=0.7):
    late = values[-5:]
    shown = number(late[0], 3)
    return max(values[0], 1e-9) > LIMIT and any(map(lambda one: one > 0.9, late)) or most / 2 < -4
"""
    assert sorted(value for _, value in inline_numbers(rule)) == [0.9, 4, 5]
