"""docs/scoreboard.md: prose by hand, and between marks what the benchmarks write."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.judging.labels import ROOT

PAGE = ROOT / "docs" / "scoreboard.md"


def put(name: str, lines: Iterable[str]) -> None:
    """Replace what stands between the marks of this name."""
    begin, end = f"<!-- {name}: written -->", f"<!-- {name}: end -->"
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    body = "\n".join(lines)
    PAGE.write_text(f"{before}{begin}\n{body}\n{end}{after}", encoding="utf-8")
