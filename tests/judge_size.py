"""How large the judge is: python -m tests.judge_size

A constant is a number (or a tuple of them) with a name at the top of a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SRC = Path(__file__).parents[1] / "src" / "runvitals"
# from an outcome series to the word
OUTCOME_TO_WORD = ("signals/level.py", "rules/outcome/*.py", "diagnosis/verdict.py")
RULES = ("rules/**/*.py",)
JUDGE = ("rules/**/*.py", "signals/**/*.py", "diagnosis/**/*.py")


class Size(NamedTuple):
    """Files with more than a docstring and names handed on, their lines, and their constants."""

    files: int
    lines: int
    constants: int


def size_of(patterns: Iterable[str]) -> Size:
    """The size of the modules that match."""
    files = sorted({path for pattern in patterns for path in SRC.glob(pattern)})
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    lines = sum(text.count("\n") for text in texts.values())
    constants = sum(constants_of(text) for text in texts.values())
    return Size(sum(path.name != "__init__.py" for path in files), lines, constants)


def constants_of(text: str) -> int:
    """How many numbers have a name at the top of a module."""
    found = 0
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        numbers = any(
            isinstance(one, ast.Constant)
            and isinstance(one.value, int | float)
            and not isinstance(one.value, bool)
            for one in ast.walk(node.value)
        )
        if numbers:
            found += len(target.elts) if isinstance(target, ast.Tuple) else 1
    return found


def main() -> None:
    """Print the table."""
    for title, patterns in (
        ("outcome to word", OUTCOME_TO_WORD),
        ("rules", RULES),
        ("rules, signals, diagnosis", JUDGE),
    ):
        size = size_of(patterns)
        print(f"{title:28}{size.files:5} files{size.lines:8,} lines{size.constants:7,} constants")


if __name__ == "__main__":
    main()
