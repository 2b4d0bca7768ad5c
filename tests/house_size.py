"""How large the house is: python -m tests.house_size

A room is a package directly below `runvitals`. Lines and files are those of its Python modules.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

SRC = Path(__file__).parents[1] / "src" / "runvitals"
LONG_FUNCTION = 60  # lines, with signature and docstring
LONG_FILE = 450
EXEMPT = "lab"  # a training loop is read from top to bottom


class Part(NamedTuple):
    """Something that is larger than it should be."""

    path: Path
    name: str
    lines: int

    def __str__(self) -> str:
        return f"{self.lines:5}  {self.path.relative_to(SRC)} {self.name}".rstrip()


class House(NamedTuple):
    """All figures at once."""

    files: int
    lines: int
    rooms: Mapping[str, tuple[int, int]]  # files and lines of each
    homonyms: Mapping[str, list[Path]]  # public classes of one name
    long_functions: list[Part]  # outside the lab
    long_files: list[Part]


def measure(source: Path = SRC) -> House:
    """The figures of a source tree."""
    rooms: dict[str, tuple[int, int]] = {}
    classes: defaultdict[str, list[Path]] = defaultdict(list)
    functions: list[Part] = []
    files: list[Part] = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines = text.count("\n")
        room = path.relative_to(source).parts[0]
        if room != path.name:
            count, total = rooms.get(room, (0, 0))
            rooms[room] = count + 1, total + lines
        files.append(Part(path, "", lines))
        for name in public_classes(tree):
            classes[name].append(path)
        if room != EXEMPT:
            functions += (Part(path, name, size) for name, size in function_sizes(tree))
    return House(
        files=len(files),
        lines=sum(file.lines for file in files),
        rooms=rooms,
        homonyms={name: places for name, places in sorted(classes.items()) if len(places) > 1},
        long_functions=_largest(functions, LONG_FUNCTION),
        long_files=_largest(files, LONG_FILE),
    )


def public_classes(tree: ast.Module) -> Iterator[str]:
    """Names of the classes at the top of a module that others may import."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def function_sizes(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every function with its number of lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _largest(parts: list[Part], limit: int) -> list[Part]:
    return sorted((part for part in parts if part.lines > limit), key=lambda part: -part.lines)


def main() -> None:
    """Print the figures; with `-v` also what each of them counts."""
    house = measure()
    print(f"{house.lines:,} lines in {house.files} files, {len(house.rooms)} rooms")
    for room, (files, lines) in sorted(house.rooms.items(), key=lambda item: -item[1][1]):
        print(f"  {room:14}{lines:8,} lines{files:5} files")
    print(f"{len(house.homonyms)} public class names used twice")
    print(f"{len(house.long_functions)} functions above {LONG_FUNCTION} lines outside {EXEMPT}/")
    print(f"{len(house.long_files)} files above {LONG_FILE} lines")
    if "-v" in sys.argv[1:]:
        for name, places in house.homonyms.items():
            print(f"  {name}: {', '.join(str(path.relative_to(SRC)) for path in places)}")
        for part in (*house.long_functions, *house.long_files):
            print(f"  {part}")


if __name__ == "__main__":
    main()
