"""Which package imports which: `python -m tests.import_map` writes it into CONTRIBUTING's map."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "runvitals"
PAGE = ROOT / "CONTRIBUTING.md"
WIDTH = 82  # where the column of imports begins
ROW = re.compile(
    r"^    [├└]── (?P<name>\w+)(?P<kind>/|\.py)(?P<what>.*?)(?:  +\| (?P<imports>.*))?$"
)


def imports_of(name: str) -> list[str]:
    """Our packages that one of them imports, at the top of a file or later, in the order of the map."""
    home = SOURCE / name
    files = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    found = {one for file in files for one in _imported(file)} - {name, ""}
    order = [row["name"] for row in rows()]
    return sorted(found, key=lambda one: order.index(one) if one in order else len(order))


def _imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "runvitals":
            names = [f"runvitals.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            first = rest.partition(".")[0]
            there = (SOURCE / first).is_dir() or (SOURCE / f"{first}.py").is_file()
            if top == "runvitals" and first and there:
                found.add(first)
    return found


def rows() -> list[re.Match[str]]:
    """The lines of the map in CONTRIBUTING.md, from the lowest layer to the highest."""
    text = PAGE.read_text(encoding="utf-8")
    start = text.index("src/runvitals/  ")
    part = text[start : text.index("\n\n", start)]
    return [found for line in part.splitlines() if (found := ROW.match(line))]


def line_of(row: re.Match[str]) -> str:
    """The line as it should be."""
    names = imports_of(row["name"])
    front = row[0].split("  | ")[0].rstrip()
    return f"{front:<{WIDTH}} | {' '.join(names) or '-'}"


def write() -> None:
    """Write the column of imports."""
    text = PAGE.read_text(encoding="utf-8")
    for row in rows():
        text = text.replace(row[0], line_of(row))
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {len(rows())} rows of the map in {PAGE.name}")


if __name__ == "__main__":
    write()
