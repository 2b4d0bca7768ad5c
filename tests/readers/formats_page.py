"""Writes the page about formats from the readers: `python -m tests.readers.formats_page`."""

from __future__ import annotations

import inspect
from pathlib import Path

from runvitals.readers.registry import modules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats.md"


def page() -> str:
    """The page as Markdown."""
    lines = [
        "# Logs that runvitals reads",
        "",
        "Every command and `rv.open_run` take a file or folder and find out by themselves what it is.",
        "What a framework writes side by side (a CSV, event files, a console log) becomes one run.",
        "Text formats may be compressed (.gz, .xz, .zst). Nothing is ever unpickled or executed.",
        "",
        "| format | what is read |",
        "|---|---|",
    ]
    for module in sorted(modules(), key=lambda module: module.READER.title.lower()):
        text = inspect.getdoc(module) or ""
        lines.append(f"| {module.READER.title} | {_first_paragraph(text)} |")
    return "\n".join([*lines, ""])


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(PAGE.parents[2])}")
